/**
 * Traces as seed 001 describes them: lines `[trace:category:sub] {json}` in files of MCP_TRACE_DIR, a new file when one
 * is full, narrowed by category. The category of a call is the family of its operation, the sub-category its name.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type Appender, appendTo } from './appender.ts';
import type { Settings } from './config.ts';
import { jsonLine } from './json-line.ts';
import type { Log } from './log.ts';
import { maskDeep } from './secret.ts';

export interface Trace {
  readonly on: boolean;
  emit(category: string, sub: string, facts: Record<string, unknown>): void;
  flush(): Promise<void>;
}

type TraceSettings = Pick<Settings, 'traceDir' | 'traceMaxBytes' | 'traceSession' | 'traceFilter' | 'traceFilterDeny'>;

export function openTrace(settings: TraceSettings, log: Log): Trace {
  if (settings.traceDir === '') return { on: false, emit: () => {}, flush: async () => {} };
  const session = fileSafe(settings.traceSession) || Math.random().toString(36).slice(2, 10);
  const allowed = new Set(settings.traceFilter);
  const denied = new Set(settings.traceFilterDeny);
  const file = traceFile(settings, session, log);
  return {
    on: true,
    emit(category, sub, facts) {
      if (denied.has(category) || denied.has(`${category}:${sub}`)) return;
      if (allowed.size > 0 && !allowed.has(category) && !allowed.has(`${category}:${sub}`)) return;
      const json = jsonLine(maskDeep({ ts: new Date().toISOString(), session, pid: process.pid, ...facts }));
      file.append(`[trace:${category}:${sub}] ${json}`);
    },
    flush: () => file.flush(),
  };
}

function traceFile(settings: TraceSettings, session: string, log: Log): Appender {
  let number = 0;
  let told = false;
  return appendTo(join(settings.traceDir, `trace-${session}-${process.pid}.jsonl`), {
    maxBytes: settings.traceMaxBytes,
    // In a container every process may have the same id: the files of the one before are not overwritten.
    retired(path) {
      const numbered = () => path.replace(/\.jsonl$/, `.${number}.jsonl`);
      do number++;
      while (existsSync(numbered()));
      return numbered();
    },
    onError(error) {
      if (told) return;
      told = true;
      log.warn(`The trace cannot be written: ${error.message}`);
    },
  });
}

function fileSafe(name: string): string {
  return name
    .replace(/[^A-Za-z0-9._-]/g, '_')
    .replace(/^\.+/, '')
    .slice(0, 64);
}
