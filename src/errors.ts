/**
 * Every error that a caller can see, in one table: its name, JSON-RPC code, HTTP status and what to do about it.
 * This file imports nothing of ours, so that every layer may speak it. docs/errors.md is generated from it.
 */

export interface ErrorKind {
  readonly code: number;
  readonly status: number;
  readonly meaning: string;
  readonly suggestion: string;
}

export const errorKinds = {
  parse_error: {
    code: -32700,
    status: 400,
    meaning: 'The frame is not JSON.',
    suggestion: 'Send one JSON object a line, encoded as UTF-8.',
  },
  invalid_request: {
    code: -32600,
    status: 400,
    meaning: 'The frame is JSON but not a JSON-RPC 2.0 request.',
    suggestion: 'Send {"jsonrpc":"2.0","id":1,"method":"…","params":{…}}; batches are not supported.',
  },
  unknown_operation: {
    code: -32601,
    status: 404,
    meaning: 'No operation, method or action has that name.',
    suggestion: 'List the operations with describe (on the command line: cairn describe).',
  },
  invalid_params: {
    code: -32602,
    status: 400,
    meaning: 'The arguments do not fit the schema of the operation.',
    suggestion: 'Compare the arguments with the schema that describe gives for the operation.',
  },
  internal_error: {
    code: -32603,
    status: 500,
    meaning: 'Cairn failed in a way it did not expect.',
    suggestion: 'Run cairn doctor; if it finds nothing, report the message and the log line with the same time.',
  },
  mutation_disabled: {
    code: -32000,
    status: 403,
    meaning: 'The operation changes the instruction catalog, and the mutation switch is off.',
    suggestion: 'Restart the server with MCP_ENABLE_MUTATION=1.',
  },
  read_only: {
    code: -32000,
    status: 403,
    meaning: 'The operation writes, and this server was started with --read-only.',
    suggestion: 'Ask a server that was started without --read-only.',
  },
  limit_exceeded: {
    code: -32001,
    status: 429,
    meaning: 'A limit on size, count, rate or time was passed.',
    suggestion: 'Ask for less at a time, or raise the limit that the message names.',
  },
  validation_failed: {
    code: -32002,
    status: 422,
    meaning: 'The arguments fit the schema but break a rule of the domain.',
    suggestion: 'Change what the message names and send the call again.',
  },
  not_found: {
    code: -32002,
    status: 404,
    meaning: 'What the arguments name does not exist.',
    suggestion: 'Check the spelling, or list what there is first.',
  },
  conflict: {
    code: -32002,
    status: 409,
    meaning: 'Somebody else changed the record first, or it exists already.',
    suggestion: 'Read the record again, then repeat the change on what is there now.',
  },
  integrity_error: {
    code: -32003,
    status: 500,
    meaning: 'Stored data does not match its hash or cannot be read.',
    suggestion: 'Run cairn doctor: it names the damaged item and how to mend it.',
  },
  permission_denied: {
    code: -32004,
    status: 403,
    meaning: 'The role of the caller lacks the capability, or a path is outside the allowed roots.',
    suggestion: 'Use a key or role that has the capability (cairn keys add NAME --role ROLE).',
  },
  unauthenticated: {
    code: -32004,
    status: 401,
    meaning: 'A key is needed, and none or a wrong one was sent.',
    suggestion: 'Send the key as X-API-Key: KEY or Authorization: Bearer KEY.',
  },
  cancelled: {
    code: -32001,
    status: 499,
    meaning: 'The caller cancelled the call, or its time ran out.',
    suggestion: 'Send the call again if it is still wanted; reads have no effect, writes are whole or absent.',
  },
  store_unavailable: {
    code: -32603,
    status: 503,
    meaning: 'The store could not be opened, is locked by another process for too long, or is out of space.',
    suggestion: 'Run cairn doctor; check free disk space and the rights on the home folder.',
  },
  bad_configuration: {
    code: -32603,
    status: 500,
    meaning: 'A flag, variable or config.json entry has a value that is not allowed.',
    suggestion: 'Correct the value; cairn config lists every setting, its value and where it came from.',
  },
} as const satisfies Record<string, ErrorKind>;

export type ErrorName = keyof typeof errorKinds;

/** One schema violation in the shape that Ajv reports and the seeds document. */
export interface SchemaViolation {
  readonly instancePath: string;
  readonly keyword: string;
  readonly message: string;
  readonly params: Readonly<Record<string, unknown>>;
}

export interface ErrorDetail {
  readonly method?: string;
  readonly action?: string;
  readonly errors?: readonly SchemaViolation[];
  readonly suggestion?: string;
  readonly nearest?: readonly string[];
  readonly [key: string]: unknown;
}

export class CairnError extends Error {
  readonly kind: ErrorName;
  readonly detail: ErrorDetail;

  constructor(kind: ErrorName, message: string, detail: ErrorDetail = {}, options?: ErrorOptions) {
    super(message, options);
    this.name = 'CairnError';
    this.kind = kind;
    this.detail = detail;
  }

  get code(): number {
    return errorKinds[this.kind].code;
  }

  get status(): number {
    return errorKinds[this.kind].status;
  }

  get suggestion(): string {
    return this.detail.suggestion ?? errorKinds[this.kind].suggestion;
  }

  /** The `data` member of a JSON-RPC error: S1's ErrorResponse and S0's validation shape in one object. */
  get data(): Record<string, unknown> {
    return { ...this.detail, name: this.kind, suggestion: this.suggestion };
  }
}

/** Whatever was thrown, as an error of the table. What we did not foresee keeps its message but not its stack. */
export function toCairnError(thrown: unknown): CairnError {
  if (thrown instanceof CairnError) return thrown;
  const message = thrown instanceof Error ? thrown.message : String(thrown);
  if (thrown instanceof Error && thrown.name === 'AbortError') {
    return new CairnError('cancelled', 'The call was cancelled.', {}, { cause: thrown });
  }
  if (thrown instanceof Error && thrown.name === 'TimeoutError') {
    return new CairnError('cancelled', 'The call took too long and was cancelled.', {}, { cause: thrown });
  }
  return new CairnError('internal_error', 'Internal error', { message }, { cause: thrown });
}

/** The one line a person reads: what went wrong, then what to do. */
export function explain(error: CairnError): string {
  const unforeseen = error.kind === 'internal_error' && typeof error.detail.message === 'string';
  const what = unforeseen ? `${error.message}: ${error.detail.message}` : error.message;
  return `${withoutEnd(what)}. ${error.suggestion}`;
}

/** Without the dots and blanks at the end; linear, because messages quote what callers send (a regular expression is not). */
function withoutEnd(text: string): string {
  let end = text.length;
  while (end > 0 && /[.\s]/.test(text.charAt(end - 1))) end--;
  return text.slice(0, end);
}
