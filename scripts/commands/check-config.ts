/** `coffer check-config`: reads the settings as `serve` would, and shows what they are. */
import { loadSettings } from '../../core/load-settings.js'

/** Prints the settings; throws when something is wrong with them. */
export function checkConfig(argv: readonly string[]): void {
  const settings = loadSettings({ argv, env: process.env, cwd: process.cwd() })
  console.log(JSON.stringify({ ...settings, adminKey: settings.adminKey === '' ? '' : '(hidden)' }, null, 2))
}
