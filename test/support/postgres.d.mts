export interface PostgresServer {
  readonly url: string;
  readonly port: number;
  readonly pid: number | undefined;
  kill(): Promise<void>;
  restart(): Promise<void>;
  stop(options?: { readonly keep?: boolean }): Promise<void>;
}

export function startPostgres(options?: { readonly durable?: boolean }): Promise<PostgresServer>;
