/** Finds the data directory of a command. */
import { accessSync, constants, existsSync, statSync } from 'node:fs'
import { loadSettings, SettingsError } from '../../core/settings/load.js'
import type { Settings } from '../../core/settings/settings.js'
import { Layout } from '../../storage/files/layout.js'
import { findSeparateMounts } from '../../storage/files/probe.js'

/**
 * Loads the settings. Returns them with their data directory, which need not exist. Prints a warning if it belongs to another
 * user. Throws `SettingsError` if the settings are not valid, or if the directory is not a folder.
 */
export function loadDirectory(flags: readonly string[]): { settings: Settings; layout: Layout } {
  const settings = loadSettings({ argv: flags, env: process.env, cwd: process.cwd() })
  const layout = new Layout(settings.dataDir)
  assertFolder(layout)
  warnOfOtherOwner(layout)
  return { settings, layout }
}

/** Files belong to the user who creates them, and only that user can read them. */
function warnOfOtherOwner({ root }: Layout): void {
  const owner = statSync(root, { throwIfNoEntry: false })?.uid
  if (owner === undefined || process.geteuid === undefined || owner === process.geteuid()) return
  console.error(
    `${root} belongs to another user (${owner}). Run commands as that user: the service can't read the files that you create`
  )
}

/** Throws `SettingsError` if the path of the data directory exists but is not a folder. */
export function assertFolder({ root }: Layout): void {
  if (existsSync(root) && !statSync(root).isDirectory())
    throw new SettingsError([`dataDir: ${root} is not a folder. Set it with --dataDir or in coffer.yaml`])
}

/**
 * Throws the operating system's error if this user may not write to an existing data directory, and `SettingsError` if it spans
 * several file systems.
 */
export function assertWritable(layout: Layout): void {
  if (!existsSync(layout.root)) return
  accessSync(layout.root, constants.R_OK | constants.W_OK | constants.X_OK)
  if (existsSync(layout.platformFile)) accessSync(layout.platformFile, constants.R_OK | constants.W_OK)
  const [apart] = findSeparateMounts(layout)
  if (apart !== undefined)
    throw new SettingsError([
      `dataDir: ${apart} is on a separate file system. Mount or link ${layout.root} as a whole`
    ])
}

/**
 * Like {@link loadDirectory}, for commands that need existing data. Throws `SettingsError` if the data directory does
 * not exist.
 */
export function loadExistingDirectory(flags: readonly string[]): ReturnType<typeof loadDirectory> {
  const directory = loadDirectory(flags)
  if (existsSync(directory.layout.root)) return directory
  throw new SettingsError([
    `dataDir: folder not found: ${directory.layout.root}. Set it with --dataDir, or in coffer.yaml (in the current folder, or passed with --config)`
  ])
}
