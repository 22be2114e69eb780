/** Finds the data directory that a command works on. */
import { existsSync, statSync } from 'node:fs'
import { loadSettings, SettingsError } from '../../core/settings/load.js'
import type { Settings } from '../../core/settings/settings.js'
import { Layout } from '../../storage/files/layout.js'

/** The data directory that the settings name. */
export function directoryOf(flags: readonly string[]): { settings: Settings; layout: Layout } {
  const settings = loadSettings({ argv: flags, env: process.env, cwd: process.cwd() })
  const layout = new Layout(settings.dataDir)
  mustBeFolder(layout)
  return { settings, layout }
}

/** Throws `SettingsError` if the data directory's path exists but is not a folder. */
export function mustBeFolder({ root }: Layout): void {
  if (existsSync(root) && !statSync(root).isDirectory())
    throw new SettingsError([`dataDir: ${root} is not a folder (set it with --dataDir or in coffer.yaml)`])
}

/** As {@link directoryOf}, for commands that need existing data. Throws `SettingsError` if there is none. */
export function presentDirectoryOf(flags: readonly string[]): ReturnType<typeof directoryOf> {
  const directory = directoryOf(flags)
  if (existsSync(directory.layout.root)) return directory
  throw new SettingsError([
    `dataDir: there is no folder ${directory.layout.root} (set it with --dataDir, or in coffer.yaml here or named by --config)`
  ])
}
