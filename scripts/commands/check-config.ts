/** `coffer check-config`: reads the settings as `serve` would, and prints them. */
import { settingsList } from '../../core/settings/list.js'
import { maskSecrets as withoutInnerSecrets } from '../../core/settings/secrets.js'
import type { Settings } from '../../core/settings/settings.js'
import { checkedSettings } from '../terminal/checked-settings.js'

/** Prints the settings. Rejects if they are invalid. */
export async function checkConfig(argv: readonly string[]): Promise<void> {
  console.log(JSON.stringify(withoutSecrets(await checkedSettings(argv)), null, 2))
}

function withoutSecrets(settings: Settings): object {
  const shown = structuredClone(settings) as object
  for (const { isSecret, path, schema } of settingsList) {
    const group = path
      .slice(0, -1)
      .reduce<object>((node, name) => (node as Record<string, object>)[name]!, shown) as Record<
      string,
      unknown
    >
    const name = path.at(-1)!
    group[name] = isSecret ? hidden(group[name]) : withoutInnerSecrets(schema, group[name])
  }
  return shown
}

/** Shows whether there is a value, and how many. */
function hidden(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(() => '(hidden)')
  return value === '' || value === null || JSON.stringify(value) === '{}' ? value : '(hidden)'
}
