/** The log: one JSON object a line on stderr, and in MCP_LOG_FILE when set. stdout carries protocol only. */
import { type Appender, appendTo } from './appender.ts';
import type { Settings } from './config.ts';
import { jsonLine } from './json-line.ts';
import { maskDeep } from './secret.ts';

export type Level = 'debug' | 'info' | 'warn' | 'error';

export interface Log {
  debug(message: string, facts?: Record<string, unknown>): void;
  info(message: string, facts?: Record<string, unknown>): void;
  warn(message: string, facts?: Record<string, unknown>): void;
  error(message: string, facts?: Record<string, unknown>): void;
  flush(): Promise<void>;
}

type LogSettings = Pick<Settings, 'logVerbose' | 'logFile' | 'logRotateBytes'>;

export function openLog(settings: LogSettings, write = (line: string) => void process.stderr.write(line)): Log {
  const file = settings.logFile === '' ? undefined : fileLog(settings, write);

  function put(level: Level, message: string, facts: Record<string, unknown> = {}): void {
    if (level === 'debug' && !settings.logVerbose) return;
    const line = jsonLine(maskDeep({ time: new Date().toISOString(), level, message, ...facts }));
    write(`${line}\n`);
    file?.append(line);
  }

  return {
    debug: (message, facts) => put('debug', message, facts),
    info: (message, facts) => put('info', message, facts),
    warn: (message, facts) => put('warn', message, facts),
    error: (message, facts) => put('error', message, facts),
    flush: async () => file?.flush(),
  };
}

function fileLog(settings: LogSettings, write: (line: string) => void): Appender {
  let told = false;
  return appendTo(settings.logFile, {
    maxBytes: settings.logRotateBytes,
    retired: (path) => `${path}.1`,
    onError(error) {
      if (told) return;
      told = true;
      const message = `The log file cannot be written: ${error.message}`;
      write(`${JSON.stringify({ time: new Date().toISOString(), level: 'warn', message })}\n`);
    },
  });
}
