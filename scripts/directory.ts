/** Which data directory a command is about. */
import { loadSettings } from '../core/load-settings.js'
import type { Settings } from '../core/settings.js'
import { Layout } from '../storage/layout.js'

/** The data directory that the settings name. */
export function directoryOf(flags: readonly string[]): { settings: Settings; layout: Layout } {
  const settings = loadSettings({ argv: flags, env: process.env, cwd: process.cwd() })
  return { settings, layout: new Layout(settings.dataDir) }
}
