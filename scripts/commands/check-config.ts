/** `coffer check-config`: reads the settings as `serve` does, and prints them. */
import { settingsList } from '../../core/settings/list.js'
import { maskSecrets as maskInnerSecrets } from '../../core/settings/values.js'
import type { Settings } from '../../core/settings/settings.js'
import { loadCheckedSettings } from '../terminal/load-checked-settings.js'

/** Prints the settings, with secrets masked. Rejects if they are invalid. */
export async function checkConfig(argv: readonly string[]): Promise<void> {
  console.log(JSON.stringify(maskSettings(await loadCheckedSettings(argv)), null, 2))
}

/** Returns the settings with secrets masked. */
function maskSettings(settings: Settings): object {
  const shown = structuredClone(settings) as object
  for (const { isSecret, path, schema } of settingsList) {
    const group = path
      .slice(0, -1)
      .reduce<object>((node, name) => (node as Record<string, object>)[name]!, shown) as Record<
      string,
      unknown
    >
    const name = path.at(-1)!
    group[name] = isSecret ? maskValue(group[name]) : maskInnerSecrets(schema, group[name])
  }
  return shown
}

/** Hides a value, but shows whether it is set, and the length of a list. */
function maskValue(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(() => '(hidden)')
  return value === '' || value === null || JSON.stringify(value) === '{}' ? value : '(hidden)'
}
