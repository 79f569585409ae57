import { describe, expect, it } from 'vitest';
import { createSignIns, personOf, SESSION_MS } from './sign-in.ts';

describe('signing in', () => {
  it('opens one session for one token', () => {
    const signIns = createSignIns();
    const token = signIns.newToken();
    const session = signIns.redeem(token);
    expect(session).toMatch(/^[\w-]{43}$/);
    expect(signIns.isOpen(session ?? '')).toBe(true);
    expect(signIns.redeem(token)).toBeUndefined();
    expect(signIns.redeem('made up')).toBeUndefined();
  });

  it('keeps tokens and sessions apart', () => {
    const signIns = createSignIns();
    const token = signIns.newToken();
    expect(signIns.isOpen(token)).toBe(false);
    expect(signIns.redeem(signIns.begin())).toBeUndefined();
  });

  it('ends a session when told, and by itself after twelve hours', () => {
    let time = 0;
    const signIns = createSignIns(() => time);
    const [first, second] = [signIns.begin(), signIns.begin()];
    const late = signIns.newToken();
    signIns.end(first);
    expect([signIns.isOpen(first), signIns.isOpen(second)]).toEqual([false, true]);
    time = SESSION_MS;
    expect(signIns.isOpen(second)).toBe(false);
    expect(signIns.redeem(late)).toBeUndefined();
  });

  it('keeps a bounded number, the newest', () => {
    const signIns = createSignIns();
    const sessions = Array.from({ length: 150 }, () => signIns.begin());
    expect(sessions.filter((each) => signIns.isOpen(each))).toEqual(sessions.slice(-100));
  });

  it('gives the rights of the person at the terminal', () => {
    const config = { agentId: 'ann', role: 'agent', sources: { role: 'default' } } as const;
    expect(personOf(config)).toEqual({ name: 'ann', role: 'admin', door: 'http', human: true });
    expect(personOf({ ...config, role: 'viewer', sources: { role: '--role' } }).role).toBe('viewer');
  });
});
