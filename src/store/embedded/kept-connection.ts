/**
 * One connection for looks from outside, opened anew where another file took the place of the one it was opened on. It is kept
 * because one that is closed gives its files back only when its statements are collected, which may take long.
 */
import { stat } from 'node:fs/promises';
import { Database } from './database.ts';

export class KeptConnection {
  readonly #path: string;
  #database: Database | undefined;
  #opened = '';

  constructor(path: string) {
    this.#path = path;
  }

  async open(writable: boolean): Promise<Database> {
    const { dev, ino } = await stat(this.#path);
    const wanted = `${dev} ${ino} ${writable}`;
    if (this.#database === undefined || this.#opened !== wanted) {
      this.close();
      this.#database = new Database(this.#path, { readOnly: !writable });
      this.#opened = wanted;
    }
    // What it remembers of the file may be damaged there by now.
    this.#database.exec('PRAGMA shrink_memory');
    return this.#database;
  }

  close(): void {
    this.#database?.close();
    this.#database = undefined;
  }
}
