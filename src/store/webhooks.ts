/** What the store keeps of webhooks: how far each was served, and what could not be delivered. Never a URL with its secrets. */

export interface WebhookState {
  /** A digest of the URL. */
  readonly id: string;
  /** The URL as it may be shown. */
  readonly address: string;
  /** The last entry of the audit trail that is done with. */
  readonly cursor: number;
  /** How often the next one was tried in vain, and when it is tried again. */
  readonly attempts: number;
  readonly dueMs: number;
  readonly delivered: number;
  readonly failures: number;
  readonly lastError?: string;
  readonly lastDelivered?: string;
  readonly created: string;
}

/** An entry of the audit trail that was given up. */
export interface DeadLetter {
  readonly id: number;
  readonly webhook: string;
  readonly seq: number;
  readonly time: string;
  readonly error: string;
  /** Somebody wants it to be tried again. */
  readonly retry: boolean;
}

export interface WebhookShelf {
  list(): Promise<WebhookState[]>;
  get(id: string): Promise<WebhookState | undefined>;
  /** The first dead letter of a webhook that is to be tried again. */
  revived(id: string): Promise<DeadLetter | undefined>;
  /** Newest first. */
  deadLetters(limit: number): Promise<DeadLetter[]>;
  deadCount(): Promise<number>;
}

export interface WebhookDesk extends WebhookShelf {
  /** How many are to be tried again: one, those of one webhook, or all. */
  retry(which: { readonly id?: number; readonly webhook?: string }): Promise<number>;
}

/**
 * The work on webhooks, each step in a transaction of its own. A step that a loss of power undoes is done again, so that a
 * receiver may see an event twice, and never not at all.
 */
export interface WebhookQueue {
  /** Begins at this entry, unless the webhook is known already. */
  register(webhook: Pick<WebhookState, 'id' | 'address' | 'cursor' | 'created'>): Promise<void>;
  /** One process at a time serves a webhook: its state where it is the caller's turn, for so long. 0 ends the turn. */
  claim(id: string, holder: string, forMs: number): Promise<WebhookState | undefined>;
  /** Everything up to this entry is done with; `delivered` where it was sent. */
  advance(id: string, seq: number, delivered: string | undefined): Promise<void>;
  failed(id: string, error: string, dueMs: number): Promise<void>;
  /** Gives an entry up and goes on to the next. */
  bury(id: string, seq: number, error: string, time: string): Promise<void>;
  /** A dead letter was delivered after all; or it stays, with another reason. */
  settle(letter: number, error: string | undefined): Promise<void>;
}
