/** The version of Cairn, from package.json; esbuild puts it in place. */
import manifest from '../package.json' with { type: 'json' };

export const version: string = manifest.version;
