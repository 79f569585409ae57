import { describe, expect, it } from 'vitest';
import { type Capability, capabilities, capabilitiesOf, doors, may } from './principal.ts';
import { type Role, roles } from './settings.ts';

/** CONTRACT section 2: viewer has read; agent has all but purge; admin has all. */
const contract: Readonly<Record<Role, readonly Capability[]>> = {
  viewer: ['read'],
  agent: ['read', 'propose', 'supersede', 'accept', 'sync', 'write'],
  admin: ['read', 'propose', 'supersede', 'accept', 'sync', 'write', 'purge'],
};

describe('the capabilities', () => {
  it('are the seven of the contract, and the roles its three', () => {
    expect([...capabilities]).toEqual(contract.admin);
    expect([...roles]).toEqual(['viewer', 'agent', 'admin']);
  });

  it.each(roles)('of the role %s are those of the contract', (role) => {
    expect(capabilitiesOf(role)).toEqual(contract[role]);
  });

  it.each(roles.flatMap((role) => capabilities.map((capability) => [role, capability] as const)))(
    'a %s is asked for %s, and neither the door, the name nor being human changes the answer',
    (role, capability) => {
      const answers = doors.flatMap((door) =>
        [true, false].map((human) => may({ name: 'admin', role, door, human }, capability)),
      );
      expect(new Set(answers)).toEqual(new Set([contract[role].includes(capability)]));
    },
  );
});
