/** Which data directory a command is about. */
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

/** Raises `SettingsError` where something else than a folder is in the place of the data. */
export function mustBeFolder({ root }: Layout): void {
  if (existsSync(root) && !statSync(root).isDirectory())
    throw new SettingsError([`dataDir: ${root} is not a folder (--dataDir names it, or a coffer.yaml)`])
}

/** As {@link directoryOf}, for commands that have nothing to do where there is no data. Raises `SettingsError`. */
export function presentDirectoryOf(flags: readonly string[]): ReturnType<typeof directoryOf> {
  const directory = directoryOf(flags)
  if (existsSync(directory.layout.root)) return directory
  throw new SettingsError([
    `dataDir: there is no folder ${directory.layout.root} (--dataDir names it, or a coffer.yaml here or by --config)`
  ])
}
