/** `coffer check-config`: reads the settings as `serve` would, and prints them. */
import { isSecret } from '../../core/settings/list.js'
import { checkedSettings } from '../terminal/checked-settings.js'

/** Prints the settings. Rejects if they are invalid. */
export async function checkConfig(argv: readonly string[]): Promise<void> {
  const settings = await checkedSettings(argv)
  console.log(
    JSON.stringify(settings, (name, value: unknown) => (isHidden(name, value) ? '(hidden)' : value), 2)
  )
}

function isHidden(name: string, value: unknown): boolean {
  return isSecret(name) && value !== '' && JSON.stringify(value) !== '{}'
}
