/** Loads and checks the settings as the service does, including the files that the settings name. */
import { findFilterProblems } from '../../core/audit/filter.js'
import { readSettings, SettingsError } from '../../core/settings/load.js'
import { methods } from '../../core/methods/index.js'
import type { Settings } from '../../core/settings/settings.js'
import { MapFile } from '../../transports/http/pages/map.js'
import { loadAuthorizationStep } from '../../server/load-modules.js'

/** Returns the settings. Rejects with a `SettingsError` that lists all problems. */
export async function loadCheckedSettings(argv: readonly string[]): Promise<Settings> {
  const { problems, settings } = readSettings({ argv, env: process.env, cwd: process.cwd() })
  const all = [...problems, ...(await findFurtherProblems(settings))]
  if (all.length > 0) throw new SettingsError(all)
  return settings
}

/**
 * Returns problems of settings beyond those that reading them finds: of filters, and of the files that they
 * name.
 */
export async function findFurtherProblems(settings: Settings): Promise<readonly string[]> {
  return [...findFilterProblems(settings, methods), ...(await findFileProblems(settings))]
}

/** Returns the problems of files named by settings. A value that is not a string has been reported already. */
async function findFileProblems({ app, auth }: Settings): Promise<readonly string[]> {
  const { mapFile } = app
  return [
    ...(await findProblems(auth.authorizationStep, loadAuthorizationStep)),
    ...(await findProblems(mapFile, async path => {
      if (path !== '') await (await MapFile.open(path)).close()
    }))
  ]
}

async function findProblems(
  path: unknown,
  read: (path: string) => Promise<unknown>
): Promise<readonly string[]> {
  try {
    if (typeof path === 'string') await read(path)
    return []
  } catch (error) {
    if (error instanceof SettingsError) return error.problems
    throw error
  }
}
