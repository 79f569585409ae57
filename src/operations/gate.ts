/**
 * The one gate in front of every operation. Threat: any door, alias, batch or pipeline step that reaches a domain without
 * passing here is a way around the role of its caller. So there is one way in (call.ts), it asks here first, before it
 * looks at the arguments, and composite operations call their steps through it again.
 */
import { CairnError } from '../errors.ts';
import type { Settings } from '../service/config.ts';
import { may, type Principal } from '../service/principal.ts';
import type { OperationFacts } from './operation.ts';

type Asked = Pick<OperationFacts, 'name' | 'capability' | 'writes' | 'mutation'>;

export function admit(asked: Asked, principal: Principal, settings: Pick<Settings, 'readOnly' | 'mutation'>): void {
  if (!may(principal, asked.capability)) {
    throw new CairnError('permission_denied', `Capability '${asked.capability}' is required`, {
      method: asked.name,
      capability: asked.capability,
      role: principal.role,
    });
  }
  if (asked.writes && settings.readOnly) {
    throw new CairnError('read_only', `This server is read-only: ${asked.name} is not available`, {
      method: asked.name,
    });
  }
  if (asked.mutation && !settings.mutation && !principal.human) {
    throw new CairnError('mutation_disabled', 'Mutation disabled. Set MCP_ENABLE_MUTATION=1 to enable.', {
      method: asked.name,
    });
  }
}
