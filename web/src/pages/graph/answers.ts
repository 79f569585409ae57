/** What `graph` and `graph_export` answer, as far as the page reads it. */

export interface GraphNode {
  readonly key: string;
  readonly type: string;
  readonly label: string;
  readonly collection?: string;
  readonly path?: string;
  readonly line?: number;
  readonly namespace?: string;
  readonly status?: string;
}

export interface GraphEdge {
  readonly source: string;
  readonly target: string;
  readonly relation: string;
}

export interface GraphAnswer {
  readonly origin?: GraphNode;
  readonly nodes?: readonly GraphNode[];
  readonly edges?: readonly GraphEdge[];
  readonly types?: readonly { readonly type: string; readonly count: number }[];
  readonly truncated?: boolean;
  readonly next_offset?: number;
}

export interface CatalogGraph {
  readonly nodes: readonly { readonly id: string; readonly nodeType?: string; readonly usageCount?: number }[];
  readonly edges: readonly { readonly from: string; readonly to: string; readonly type: string }[];
}
