/** The settings as the service takes them: checked by what they say, and by what they name. */
import { filterProblems } from '../../core/audit/filter.js'
import { readSettings, SettingsError } from '../../core/settings/load.js'
import { methods } from '../../core/methods/index.js'
import type { Settings } from '../../core/settings/settings.js'
import { loadAuthorizationStep } from '../../server/authorization-step.js'

/** The settings. Rejects with a `SettingsError` that says all that is wrong at once. */
export async function checkedSettings(argv: readonly string[]): Promise<Settings> {
  const { problems, settings } = readSettings({ argv, env: process.env, cwd: process.cwd() })
  const all = [...problems, ...filterProblems(settings, methods), ...(await stepProblems(settings))]
  if (all.length > 0) throw new SettingsError(all)
  return settings
}

async function stepProblems({ auth }: Settings): Promise<readonly string[]> {
  try {
    // That it is not a text has been said.
    if (typeof auth.authorizationStep === 'string') await loadAuthorizationStep(auth.authorizationStep)
    return []
  } catch (error) {
    if (error instanceof SettingsError) return error.problems
    throw error
  }
}
