import { describe, expect, it } from 'vitest';
import { CairnError } from '../errors.ts';
import { type Capability, capabilities, capabilitiesOf, doors, type Principal } from '../service/principal.ts';
import { roles } from '../service/settings.ts';
import { admit } from './gate.ts';

type Asked = Parameters<typeof admit>[0];

const open = { readOnly: false, mutation: true };
const shut = { readOnly: false, mutation: false };
const reading = { readOnly: true, mutation: true };

function asked(facts: Partial<Asked> = {}): Asked {
  return { name: 'thing_do', capability: 'read', writes: false, mutation: false, ...facts };
}

function caller(facts: Partial<Principal> = {}): Principal {
  return { name: 'ada', role: 'agent', door: 'mcp', human: false, ...facts };
}

function refusal(what: Asked, who: Principal, settings: typeof open): CairnError | undefined {
  try {
    admit(what, who, settings);
    return undefined;
  } catch (thrown) {
    if (thrown instanceof CairnError) return thrown;
    throw thrown;
  }
}

const kindOf = (what: Asked, who: Principal, settings: typeof open) => refusal(what, who, settings)?.kind;

describe('a capability', () => {
  it.each(roles.flatMap((role) => capabilities.map((capability) => [role, capability] as const)))(
    'a %s who asks for %s is let in exactly when the role has it, at every door',
    (role, capability) => {
      for (const door of doors) {
        const kind = kindOf(asked({ capability }), caller({ role, door }), open);
        expect(kind).toBe(capabilitiesOf(role).includes(capability) ? undefined : 'permission_denied');
      }
    },
  );

  it('that is lacking is named in the words of seed 003', () => {
    const error = refusal(asked({ capability: 'purge' }), caller(), open);
    expect(error?.message).toBe("Capability 'purge' is required");
    expect([error?.code, error?.detail]).toEqual([-32004, { method: 'thing_do', capability: 'purge', role: 'agent' }]);
  });

  it('is not made up for by being human', () => {
    expect(kindOf(asked({ capability: 'purge' }), caller({ human: true }), open)).toBe('permission_denied');
  });
});

describe('read-only', () => {
  it.each(roles)('refuses what writes to the role %s, human or not, with mutation on', (role) => {
    for (const human of [true, false]) {
      const error = refusal(asked({ writes: true }), caller({ role, human }), reading);
      expect([error?.kind, error?.code]).toEqual(['read_only', -32000]);
      expect(error?.message).toContain('thing_do');
    }
  });

  it('goes by whether an operation writes, not by its capability', () => {
    expect(kindOf(asked({ writes: true, capability: 'read' }), caller(), reading)).toBe('read_only');
    expect(kindOf(asked({ writes: false, capability: 'write' }), caller(), reading)).toBeUndefined();
  });
});

describe('the mutation switch', () => {
  const change = asked({ writes: true, mutation: true, capability: 'write' });

  it.each(['agent', 'admin'] as const)('binds a %s, with the message of seed 000 and the code of seed 001', (role) => {
    const error = refusal(change, caller({ role }), shut);
    expect(error?.message).toBe('Mutation disabled. Set MCP_ENABLE_MUTATION=1 to enable.');
    expect([error?.kind, error?.code]).toEqual(['mutation_disabled', -32000]);
  });

  it('does not bind a person at a terminal', () => {
    expect(kindOf(change, caller({ role: 'admin', door: 'cli', human: true }), shut)).toBeUndefined();
  });

  it('lets in when it is on, and leaves operations alone that do not need it', () => {
    expect(kindOf(change, caller(), open)).toBeUndefined();
    expect(kindOf(asked({ writes: true, capability: 'write' }), caller(), shut)).toBeUndefined();
  });
});

describe('with several reasons to refuse', () => {
  const all = { writes: true, mutation: true, capability: 'purge' as Capability };
  const none = { readOnly: true, mutation: false };

  it('the capability is named first, then read-only, then the switch', () => {
    expect(kindOf(asked(all), caller(), none)).toBe('permission_denied');
    expect(kindOf(asked(all), caller({ role: 'admin' }), none)).toBe('read_only');
    expect(kindOf(asked(all), caller({ role: 'admin' }), { ...none, readOnly: false })).toBe('mutation_disabled');
  });
});
