/** `tools/list`: the operation table in the words of the protocol. Needs no protocol library. */
import type { Tool } from '@modelcontextprotocol/server';
import { type SurfaceEntry, surface } from '../../operations/surface.ts';
import type { App } from '../../service/app.ts';

export function toolsOf({ config }: App): Tool[] {
  return surface.listed(config.toolsets, config.readOnly).map(toTool);
}

function toTool(entry: SurfaceEntry): Tool {
  return {
    name: entry.name,
    description: entry.description,
    inputSchema: { type: 'object', ...entry.inputSchema },
    annotations: {
      readOnlyHint: !entry.writes,
      destructiveHint: entry.destructive,
      idempotentHint: entry.idempotent,
      openWorldHint: entry.openWorld,
    },
  };
}
