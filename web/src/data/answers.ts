/** The answers of the operations that the page reads, as far as it reads them. docs/operations.md is the whole. */

export interface Stale {
  readonly reason: 'changed' | 'missing' | 'moved';
  readonly ref: string;
  readonly diff?: string;
  readonly moved_to?: string;
  readonly others?: number;
}

export interface Instruction {
  readonly id: string;
  readonly title: string;
  readonly body: string;
  readonly description?: string;
  readonly rationale?: string;
  readonly priority: number;
  readonly priorityTier: string;
  readonly audience: string;
  readonly requirement: string;
  readonly categories: readonly string[];
  readonly primaryCategory?: string;
  readonly tags?: readonly string[];
  readonly examples?: readonly string[];
  readonly dependencies?: readonly string[];
  readonly version: string;
  readonly status: string;
  readonly owner: string;
  readonly classification: string;
  readonly riskScore: number;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly lastReviewedAt: string;
  readonly nextReviewDue: string;
  readonly reviewIntervalDays: number;
  readonly changeLog: readonly { version: string; changedAt: string; summary: string }[];
  readonly supersedes?: string;
  readonly deprecatedBy?: string;
  readonly source?: string;
  readonly appliesTo?: readonly string[];
  readonly anchors?: readonly string[];
  readonly semanticSummary: string;
  readonly sourceHash: string;
  readonly usageCount?: number;
  readonly lastUsedAt?: string;
  readonly stale?: Stale;
  readonly matched?: readonly string[];
}

export interface InstructionPage {
  readonly items: readonly Instruction[];
  readonly total: number;
  readonly nextCursor?: string;
}

export interface Version {
  readonly commit: string;
  readonly time: string;
  readonly author: string;
  readonly message: string;
  readonly removed: boolean;
}

export interface Decision {
  readonly id: string;
  readonly kind: string;
  readonly status: string;
  readonly title: string;
  readonly target: string;
  readonly namespace: string;
  readonly confidence: number;
  readonly origin: string;
  readonly created: string;
  readonly anchors?: readonly string[];
  readonly supersedes?: readonly string[];
  readonly superseded_by?: string;
}

export interface Evidence {
  readonly event_id: number;
  readonly kind: string;
  readonly subject: string;
  readonly success: boolean;
  readonly created: string;
}

export interface WholeDecision extends Decision {
  readonly rationale: string;
  readonly consequences: readonly string[];
  readonly provenance: Readonly<Record<string, string>>;
  readonly updated: string;
  readonly stale?: Stale;
  readonly suggested_supersedes?: readonly string[];
  readonly converted_to?: string;
  readonly converted_from?: string;
  readonly evidence: readonly Evidence[];
}

export interface ChainLink extends Decision {
  readonly rationale: string;
  readonly consequences: readonly string[];
  readonly until?: string;
  readonly evidence: number;
}

export interface Chain {
  readonly target: string;
  readonly namespace: string;
  readonly chain: readonly ChainLink[];
  readonly active?: string;
  readonly conflict?: readonly string[];
  readonly truncated?: boolean;
}

export interface Target {
  readonly target: string;
  readonly decisions: number;
  readonly active: number;
  readonly aliases?: readonly string[];
  readonly conflict?: boolean;
}

export interface Document {
  readonly id: number;
  readonly hash: string;
  readonly name: string;
  readonly path: string;
  readonly collection: string;
  readonly size: number;
  readonly type: string;
  readonly mime: string;
  readonly tags: readonly string[];
  readonly modified: string;
  readonly indexed: string;
  readonly flagged?: string;
}

export interface Snapshot {
  readonly id: string;
  readonly label: string;
  readonly collection: string;
  readonly created: string;
  readonly files: number;
  readonly bytes: number;
}

export interface Hit {
  readonly kind: string;
  readonly key: string;
  readonly title: string;
  readonly path?: string;
  readonly collection?: string;
  readonly hash?: string;
  readonly score: number;
  readonly snippet: string;
  readonly line?: number;
  readonly highlights?: readonly { readonly start: number; readonly end: number }[];
  readonly state?: string;
  readonly stale?: Stale;
  readonly explain?: Readonly<Record<string, number>>;
}

export interface SearchAnswer {
  readonly total: number;
  readonly at_least?: boolean;
  readonly execution_time_ms: number;
  readonly results?: readonly Hit[];
  readonly indexes: { readonly keyword: string; readonly vector?: string };
  readonly searched: string;
  readonly spelling?: Readonly<Record<string, readonly string[]>>;
}

export interface AuditEntry {
  readonly seq: number;
  readonly time: string;
  readonly operation: string;
  readonly principal: string;
  readonly role: string;
  readonly door: string;
  readonly outcome: string;
  readonly ids: readonly string[];
  readonly note?: string;
  readonly hash: string;
}

export interface StaleItem extends Omit<Stale, 'others'> {
  readonly kind: 'instruction' | 'decision';
  readonly id: string;
  readonly title: string;
  readonly source: string;
  readonly then_hash?: string;
  readonly now_hash?: string;
}

export interface Metrics {
  readonly uptimeSeconds: number;
  readonly methods: readonly {
    readonly method: string;
    readonly count: number;
    readonly avgMs: number;
    readonly maxMs: number;
    readonly errors: number;
    readonly p50Ms: number;
    readonly p95Ms: number;
  }[];
}
