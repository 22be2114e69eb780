/** `coffer check-config`: reads the settings as `serve` would, and shows what they are. */
import { isSecret } from '../../core/settings/list.js'
import { checkedSettings } from '../terminal/checked-settings.js'

/** Prints the settings; rejects when something is wrong with them. */
export async function checkConfig(argv: readonly string[]): Promise<void> {
  const settings = await checkedSettings(argv)
  console.log(
    JSON.stringify(settings, (name, value: unknown) => (isHidden(name, value) ? '(hidden)' : value), 2)
  )
}

function isHidden(name: string, value: unknown): boolean {
  return isSecret(name) && value !== '' && JSON.stringify(value) !== '{}'
}
