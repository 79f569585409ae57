/**
 * The one typed configuration: flags over environment over config.json of the home over defaults. Every value knows
 * where it came from, and a wrong one stops the start with its name, its value and what is allowed.
 */
import { CairnError } from '../errors.ts';
import { type EmbeddingSettings, missingFor } from '../search/embed/choice.ts';
import { mask } from './secret.ts';
import type { Setting, ValueOf } from './setting.ts';
import { settings } from './settings.ts';

export type SettingName = keyof typeof settings;
export type Settings = { readonly [K in SettingName]: ValueOf<(typeof settings)[K]> };

export interface Config extends Settings {
  readonly home: string;
  readonly sources: Readonly<Record<SettingName | 'home', string>>;
}

export interface ConfigInput {
  readonly home: { readonly path: string; readonly source: string };
  readonly flags: Readonly<Record<string, string | boolean | readonly string[]>>;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The text of config.json, if there is one. */
  readonly file?: string | undefined;
}

export const settingNames = Object.keys(settings) as SettingName[];

export function resolveConfig({ home, flags, env, file }: ConfigInput): Config {
  const complaints: string[] = [];
  const fromFile = file === undefined ? {} : readFile(file, home.path, complaints);
  const values: Record<string, unknown> = { home: home.path };
  const sources: Record<string, string> = { home: home.source };
  for (const name of settingNames) {
    const setting: Setting<unknown> = settings[name];
    const found = find(name, setting, flags, env, fromFile);
    values[name] = setting.initial;
    sources[name] = found?.source ?? 'default';
    if (found === undefined) continue;
    const value = setting.parse(found.raw);
    if (value === undefined) complaints.push(complaint(name, setting, found));
    else values[name] = value;
  }
  if (complaints.length === 0) complaints.push(...missingFor(values as unknown as EmbeddingSettings));
  if (complaints.length > 0) {
    throw new CairnError('bad_configuration', complaints.join(' '), { complaints });
  }
  return { ...values, sources } as unknown as Config;
}

interface Found {
  readonly raw: unknown;
  readonly source: string;
}

function find(
  name: SettingName,
  setting: Setting<unknown>,
  flags: ConfigInput['flags'],
  env: ConfigInput['env'],
  file: Readonly<Record<string, unknown>>,
): Found | undefined {
  const flag = setting.flag === undefined ? undefined : flags[setting.flag];
  if (flag !== undefined) return { raw: flag, source: `--${setting.flag}` };
  for (const variable of setting.env ?? []) {
    const value = env[variable];
    if (value !== undefined && value !== '') return { raw: value, source: variable };
  }
  return file[name] === undefined ? undefined : { raw: file[name], source: 'config.json' };
}

function complaint(name: SettingName, setting: Setting<unknown>, { raw, source }: Found): string {
  const shown = setting.secret ? '(hidden)' : mask(JSON.stringify(raw));
  const where = source === 'config.json' ? `${name} in config.json` : source;
  return `${where} is ${shown}; allowed is ${setting.allowed}.`;
}

function readFile(text: string, home: string, complaints: string[]): Record<string, unknown> {
  const where = `config.json in ${home}`;
  let parsed: unknown;
  try {
    // Editors on Windows put a byte order mark in front.
    parsed = JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch (thrown) {
    complaints.push(`${where} is not JSON: ${withoutExcerpt(thrown)}.`);
    return {};
  }
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) {
    complaints.push(`${where} must be an object of settings.`);
    return {};
  }
  const known: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(parsed)) {
    const setting: Setting<unknown> | undefined = Object.hasOwn(settings, name)
      ? settings[name as SettingName]
      : undefined;
    if (name.startsWith('$')) continue;
    if (setting === undefined) complaints.push(`${where} has ${JSON.stringify(name)}, which is not a setting.`);
    else if (!mayCome(setting, value)) {
      const ways = [...(setting.flag ? [`--${setting.flag}`] : []), ...(setting.env ?? [])].join(' or ');
      const to = Array.isArray(setting.fromFile) ? ` to anything but ${setting.fromFile.join(' or ')}` : '';
      complaints.push(
        `${where} may not set ${name}${to}: a file that comes with a project is not trusted with it. Use ${ways}.`,
      );
    } else known[name] = value;
  }
  return known;
}

function mayCome({ fromFile = true }: Setting<unknown>, value: unknown): boolean {
  return typeof fromFile === 'boolean' ? fromFile : fromFile.includes(value as string);
}

/** The parser quotes the text around the fault, in which somebody may have left a key. */
function withoutExcerpt(thrown: unknown): string {
  const message = thrown instanceof Error ? thrown.message : String(thrown);
  return message.replace(/, (?:\.\.\.)?".*is not valid JSON$/s, '');
}
