/**
 * Loaded before the program: its wall clock is off by what the file named in CAIRN_TEST_CLOCK says, read at every look at the
 * clock. `falling` makes every look earlier than the one before. performance.now() is left alone, as a real jump leaves it.
 */
import { readFileSync } from 'node:fs';

const RealDate = Date;
let fallen = 0;

function now() {
  let shift = { offset: 0, falling: 0 };
  try {
    shift = { ...shift, ...JSON.parse(readFileSync(process.env.CAIRN_TEST_CLOCK ?? '', 'utf8')) };
  } catch {
    // Being written, or not there: the right time.
  }
  fallen += shift.falling;
  return RealDate.now() + shift.offset - fallen;
}

globalThis.Date = new Proxy(RealDate, {
  construct: (target, args, newTarget) => Reflect.construct(target, args.length === 0 ? [now()] : args, newTarget),
  apply: () => new RealDate(now()).toString(),
  get: (target, key) => (key === 'now' ? now : Reflect.get(target, key)),
});
