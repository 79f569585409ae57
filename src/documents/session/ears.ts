/**
 * Hears which paths below a folder changed, as soon as the system tells. Linux tells of one folder at a time, so each is
 * listened to on its own: folders that nobody wants are left alone, and one that is new is listened to before it is read, so
 * that nothing falls in between. Other systems tell of a whole tree. Never the only way: a rescan finds what was missed.
 */
import { type FSWatcher, watch } from 'node:fs';
import { basename, join, sep } from 'node:path';

export type Heard = 'rename' | 'change';

/** The system has a limit for all of its processes together; what is beyond ours is found by the rescan. */
const MOST_FOLDERS = 8192;
let folders = 0;

export class Ears {
  readonly #root: string;
  readonly #onChange: (path: string, heard: Heard) => void;
  readonly #whole: boolean;
  readonly #watchers = new Map<string, FSWatcher>();
  readonly #unheard = new Set<string>();
  #closed = false;

  /** `whole`: the system tells of a tree. */
  constructor(root: string, onChange: (path: string, heard: Heard) => void, whole = process.platform !== 'linux') {
    this.#root = root;
    this.#onChange = onChange;
    this.#whole = whole;
  }

  /** How many folders could not be listened to. */
  get unheard(): number {
    return this.#unheard.size;
  }

  /** `anew`: the folder may be another one of the same name. */
  listen(folder: string, anew: boolean): void {
    if (this.#closed || (this.#whole && folder !== '')) return;
    if (!anew && this.#watchers.has(folder)) return;
    this.#stop(folder);
    const watcher = folders < MOST_FOLDERS ? this.#watch(folder) : undefined;
    if (watcher === undefined) {
      this.#unheard.add(folder);
      return;
    }
    this.#unheard.delete(folder);
    folders++;
    this.#watchers.set(folder, watcher);
  }

  close(): void {
    this.#closed = true;
    this.leave('');
  }

  /** No longer to this folder, nor to what is below it. */
  leave(folder: string): void {
    for (const each of [...this.#watchers.keys(), ...this.#unheard]) {
      if (folder !== '' && each !== folder && !each.startsWith(`${folder}/`)) continue;
      this.#stop(each);
      this.#unheard.delete(each);
    }
  }

  #watch(folder: string): FSWatcher | undefined {
    try {
      const watcher = watch(join(this.#root, folder), { persistent: false, recursive: this.#whole });
      watcher.on('change', (heard, name) => this.#hear(folder, heard === 'rename' ? 'rename' : 'change', name));
      // A folder that is removed under it, on some systems.
      watcher.on('error', () => {
        if (this.#watchers.get(folder) === watcher) this.#stop(folder);
        this.#onChange(folder, 'rename');
      });
      return watcher;
    } catch {
      // Gone meanwhile, not ours to read, or no watches left.
      return undefined;
    }
  }

  #hear(folder: string, heard: Heard, name: string | Buffer | null): void {
    const below = name === null ? '' : String(name).split(sep).join('/');
    if (below === '') {
      this.#onChange(folder, 'rename');
      return;
    }
    this.#onChange(folder === '' ? below : `${folder}/${below}`, heard);
    // A folder that is removed or moved tells so under its own name.
    if (heard === 'rename' && below === basename(join(this.#root, folder))) this.#onChange(folder, 'rename');
  }

  #stop(folder: string): void {
    const watcher = this.#watchers.get(folder);
    if (watcher === undefined) return;
    this.#watchers.delete(folder);
    folders--;
    watcher.close();
  }
}
