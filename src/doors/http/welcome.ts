/** What `cairn serve --http` prints: the address, and lines to paste into the clients people use. */
import type { Config } from '../../service/config.ts';

export function welcome(url: string, signInLink: string, { home, sources, readOnly, mutation }: Config): string {
  const endpoint = `${url}/mcp`;
  const json = JSON.stringify({ name: 'cairn', type: 'http', url: endpoint });
  const mode = readOnly ? 'read-only' : mutation ? 'catalog writes on' : 'catalog writes off';
  return `Cairn is serving ${home} (${sources.home}; ${mode})

  page    ${url}/
  MCP     ${endpoint}
  REST    ${url}/api/v1/openapi.json
  health  ${url}/health

Sign in at the page, to change things there (the link works once; cairn signin makes another):
  ${signInLink}

Connect a client:
  Claude Code   claude mcp add --transport http cairn ${endpoint}
  VS Code       code --add-mcp '${json}'
  Codex         codex mcp add cairn --url ${endpoint}
  Gemini CLI    gemini mcp add --transport http cairn ${endpoint}
  Cursor        ~/.cursor/mcp.json: ${JSON.stringify({ mcpServers: { cairn: { url: endpoint } } })}

Stop with Ctrl-C.
`;
}
