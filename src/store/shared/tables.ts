/**
 * How catalogs are kept apart: every row says whose it is, every key begins with that, and nobody asks the tables. In front
 * of each stands a view of the same name that shows the rows of one catalog, the one that the connection was made for, and
 * gives it to what is inserted. A statement that forgot it cannot be written.
 */

export interface TableFacts {
  /** As in SQL, without the catalog. */
  readonly columns: string;
  readonly key: string;
  /** Further keys, and references to other tables of the same catalog. */
  readonly rules?: readonly string[];
  /** Columns, as in `CREATE INDEX`; the catalog comes first. */
  readonly indexes?: readonly string[];
  /** The column that counts upwards by itself within the catalog, and never gives a number twice. */
  readonly numbered?: string;
}

export const OWN_CATALOG = "current_setting('cairn.catalog')::int";

/** Texts compare by their bytes, as SQLite and JavaScript compare them. */
function typed(columns: string): string {
  return columns.replace(/\bTEXT\b/g, 'TEXT COLLATE "C"');
}

export function table(name: string, { columns, key, rules = [], indexes = [], numbered }: TableFacts): string {
  const own = `catalog INT NOT NULL DEFAULT ${OWN_CATALOG} REFERENCES cairn_data.catalog (id) ON DELETE CASCADE`;
  const all = [own, typed(columns), `PRIMARY KEY (catalog, ${key})`, ...rules].join(', ');
  return [
    `CREATE TABLE cairn_data.${name} (${all});`,
    ...indexes.map((index, at) => `CREATE INDEX ${name}_${at + 1} ON cairn_data.${name} (catalog, ${index});`),
    view(name, columns),
    ...(numbered === undefined ? [] : [counted(name, numbered)]),
  ].join('\n');
}

/** Simple, so that PostgreSQL writes through it, and without a barrier, so that it uses every index behind it. */
function view(name: string, columns: string): string {
  const names = namesIn(columns).map((column) => `"${column}"`);
  return `CREATE VIEW cairn.${name} AS SELECT ${[...names, 'catalog'].join(', ')} FROM cairn_data.${name}
    WHERE catalog = ${OWN_CATALOG} WITH LOCAL CHECK OPTION;`;
}

function namesIn(columns: string): string[] {
  return columns.split(/,(?![^(]*\))/).map((column) => /^\s*"?(\w+)"?/.exec(column)?.[1] ?? '');
}

function counted(name: string, column: string): string {
  return `CREATE TRIGGER ${name}_counted BEFORE INSERT ON cairn_data.${name}
    FOR EACH ROW EXECUTE FUNCTION cairn_data.count_up('${column}');`;
}

/** Two columns of one table, or of two, within one catalog. */
export function references(columns: string, other: string, key: string): string {
  return `FOREIGN KEY (catalog, ${columns}) REFERENCES cairn_data.${other} (catalog, ${key}) ON DELETE CASCADE`;
}

export function unique(columns: string): string {
  return `UNIQUE (catalog, ${columns})`;
}
