/** `cairn config`: each value in force and where it came from. Secrets are named, not shown. */
import { type Config, settingNames } from '../../service/config.ts';
import type { Setting } from '../../service/setting.ts';
import { settings } from '../../service/settings.ts';

export interface SettingRow {
  readonly setting: string;
  readonly value: unknown;
  readonly source: string;
}

export function settingRows(config: Config): SettingRow[] {
  const rows = settingNames.map((name): SettingRow => {
    const setting: Setting<unknown> = settings[name];
    const value = setting.secret && String(config[name]) !== '' ? '(hidden)' : config[name];
    return { setting: name, value, source: config.sources[name] };
  });
  return [{ setting: 'home', value: config.home, source: config.sources.home }, ...rows];
}

export function settingsText(rows: readonly SettingRow[]): string {
  const width = Math.max(...rows.map(({ setting }) => setting.length));
  const shown = rows.map(({ value }) => (typeof value === 'string' ? value || '""' : JSON.stringify(value)));
  const valueWidth = Math.min(50, Math.max(...shown.map((text) => text.length)));
  return rows
    .map(
      ({ setting, source }, index) => `${setting.padEnd(width)}  ${(shown[index] ?? '').padEnd(valueWidth)}  ${source}`,
    )
    .join('\n');
}
