/** `coffer check-config`: reads the settings as `serve` would, and shows what they are. */
import { auditedMethods } from '../../core/audit/filter.js'
import { loadSettings } from '../../core/load-settings.js'
import { methods } from '../../core/methods/index.js'
import { isSecret } from '../../core/settings-list.js'

/** Prints the settings; throws when something is wrong with them. */
export function checkConfig(argv: readonly string[]): void {
  const settings = loadSettings({ argv, env: process.env, cwd: process.cwd() })
  auditedMethods(settings, methods)
  console.log(
    JSON.stringify(settings, (name, value: unknown) => (isHidden(name, value) ? '(hidden)' : value), 2)
  )
}

function isHidden(name: string, value: unknown): boolean {
  return isSecret(name) && value !== '' && JSON.stringify(value) !== '{}'
}
