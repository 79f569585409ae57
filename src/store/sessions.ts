/** What the store keeps of sessions: whose they are, what is pinned to them, and which documents were added in them. */

/** A session belongs to whoever started it. */
export interface SessionOwner {
  readonly principal: string;
  readonly role: string;
}

export interface SessionRecord extends SessionOwner {
  readonly id: string;
  readonly label: string;
  readonly created: string;
  readonly stopped?: string;
}

export interface SessionPin {
  readonly hash: string;
  /** Where the pinned document lies; without it the pin is of the content, wherever that lies. */
  readonly place?: { readonly collection: string; readonly path: string };
  readonly created: string;
}

export interface SessionCounts {
  readonly pins: number;
  readonly documents: number;
}

export interface SessionShelf {
  get(id: string): Promise<SessionRecord | undefined>;
  /** Newest first; of one owner, or everybody's. */
  list(owner: SessionOwner | undefined, limit: number, offset: number): Promise<SessionRecord[]>;
  count(owner: SessionOwner | undefined): Promise<number>;
  counts(id: string): Promise<SessionCounts>;
  /** Oldest first. A pin of a document has the content that lies there now, or had when it was last there. */
  pins(id: string): Promise<SessionPin[]>;
}

export interface SessionDesk extends SessionShelf {
  start(session: SessionRecord): Promise<void>;
  /** `false` where it does not run. */
  stop(id: string, time: string): Promise<boolean>;
  /** A document is pinned once, and so is a content. */
  pin(id: string, pin: SessionPin): Promise<void>;
  unpin(id: string, pin: SessionPin): Promise<void>;
  /** The document was added or changed within the session. */
  include(id: string, document: number): Promise<void>;
  /**
   * Forgets sessions of an owner beyond so many: the oldest that are stopped, then the oldest that nothing is pinned to. How many
   * are left.
   */
  prune(owner: SessionOwner, keep: number): Promise<number>;
}
