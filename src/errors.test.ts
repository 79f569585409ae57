import { describe, expect, it } from 'vitest';
import { CairnError, errorKinds, explain, toCairnError } from './errors.ts';

describe('an error of the table', () => {
  it('carries the code, status and advice of its kind', () => {
    const error = new CairnError('mutation_disabled', 'No.');
    expect([error.code, error.status, error.suggestion]).toEqual([
      -32000,
      403,
      errorKinds.mutation_disabled.suggestion,
    ]);
  });

  it('lets its own advice win over that of its kind, in its data too', () => {
    const error = new CairnError('not_found', 'No.', { suggestion: 'Look again.', method: 'x' });
    expect(error.data).toEqual({ name: 'not_found', method: 'x', suggestion: 'Look again.' });
  });

  it('cannot have its name forged through its detail', () => {
    expect(new CairnError('not_found', 'No.', { name: 'internal_error' }).data.name).toBe('not_found');
  });
});

describe('what was thrown', () => {
  it('stays what it is when it is of the table', () => {
    const error = new CairnError('conflict', 'Changed.');
    expect(toCairnError(error)).toBe(error);
  });

  it.each([
    ['an abort', AbortSignal.abort().reason, 'The call was cancelled.'],
    ['a time-out', new DOMException('too slow', 'TimeoutError'), 'The call took too long and was cancelled.'],
  ])('is a cancelled call when it is %s', (_, thrown, message) => {
    expect(toCairnError(thrown)).toMatchObject({ kind: 'cancelled', message, cause: thrown });
  });

  it.each([
    [new TypeError('x is not a function'), 'x is not a function'],
    ['a bare text', 'a bare text'],
    [undefined, 'undefined'],
  ])('is an internal error that keeps the message, not the stack: %s', (thrown, message) => {
    const error = toCairnError(thrown);
    expect(error.kind).toBe('internal_error');
    expect(error.message).toBe('Internal error');
    expect(error.detail).toEqual({ message });
  });
});

describe('the explanation', () => {
  it('says what went wrong and then what to do, with one full stop between', () => {
    const advice = { suggestion: 'Mend it.' };
    expect(explain(new CairnError('conflict', 'It broke... \n', advice))).toBe('It broke. Mend it.');
    expect(explain(new CairnError('conflict', 'It broke', advice))).toBe('It broke. Mend it.');
  });

  it('shows the message of an error that nobody foresaw', () => {
    expect(explain(toCairnError(new Error('disk on fire')))).toMatch(
      /^Internal error: disk on fire\. Run cairn doctor/,
    );
  });

  it('takes no longer on a message full of blanks, which a caller may have sent', () => {
    const started = process.cpuUsage();
    const said = explain(new CairnError('invalid_params', `${' '.repeat(200_000)}x`, { suggestion: 'No.' }));
    expect(process.cpuUsage(started).user / 1000).toBeLessThan(500);
    expect(said).toMatch(/ x\. No\.$/);
  });
});
