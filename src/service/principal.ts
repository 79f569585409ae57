/** Who calls: a name, a role, and the door they came through. Set by the door, never by the arguments of a call. */
import type { Role } from './settings.ts';

export const capabilities = ['read', 'propose', 'supersede', 'accept', 'sync', 'write', 'purge'] as const;
export type Capability = (typeof capabilities)[number];

export const doors = ['mcp', 'rpc', 'http', 'cli'] as const;
export type Door = (typeof doors)[number];

export interface Principal {
  readonly name: string;
  readonly role: Role;
  readonly door: Door;
  /** A person at a terminal: records are of human origin, and the mutation switch does not bind. */
  readonly human: boolean;
  /** Id of the stored key that they came with: what goes on after the call asks whether it still holds. */
  readonly key?: string;
  /** The connection that the call came on, where the door holds one open. */
  readonly connection?: string;
}

const granted: Readonly<Record<Role, ReadonlySet<Capability>>> = {
  viewer: new Set<Capability>(['read']),
  agent: new Set<Capability>(['read', 'propose', 'supersede', 'accept', 'sync', 'write']),
  admin: new Set<Capability>(capabilities),
};

export function may(principal: Principal, capability: Capability): boolean {
  return granted[principal.role].has(capability);
}

export function capabilitiesOf(role: Role): readonly Capability[] {
  return capabilities.filter((capability) => granted[role].has(capability));
}
