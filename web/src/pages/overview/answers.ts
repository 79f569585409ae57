/** What the overview asks for, as far as it is shown. */

export interface Health {
  readonly status: string;
  readonly version: string;
  readonly uptime: number;
  readonly catalogStats: { readonly totalInstructions: number; readonly totalCategories: number };
  readonly diskUsage: { readonly availableSpace: number };
  readonly unreadable: readonly { readonly file: string; readonly problem: string }[];
}

export interface Memory {
  readonly stats: {
    readonly active_decisions: number;
    readonly open_proposals: number;
    readonly targets: number;
    readonly conflicts: number;
    readonly episodic_events: number;
  };
}

export interface Documents {
  readonly total_bytes: number;
  readonly documents?: number;
  readonly collections?: readonly unknown[];
  readonly pending?: number;
}

export interface Environment {
  readonly health: {
    readonly errors: readonly string[];
    readonly warnings: readonly string[];
    readonly storage_path: string;
  };
}
