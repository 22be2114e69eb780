/** `coffer check-config`: reads the settings as `serve` would, and shows what they are. */
import { loadSettings } from '../../core/load-settings.js'

/** Prints the settings; throws when something is wrong with them. */
export function checkConfig(argv: readonly string[]): void {
  const settings = loadSettings({ argv, env: process.env, cwd: process.cwd() })
  console.log(
    JSON.stringify(settings, (name, value: unknown) => (isSecret(name, value) ? '(hidden)' : value), 2)
  )
}

/** Settings that open something. */
const secrets = new Set(['adminKey', 'password', 'key', 'headers'])

function isSecret(name: string, value: unknown): boolean {
  return secrets.has(name) && value !== '' && JSON.stringify(value) !== '{}'
}
