/** `coffer setup-link`: creates the link with which the service is set up in a browser. */
import { readSettings } from '../../core/settings/load.js'
import { isSetupOpen } from '../../server/setup/setup-service.js'
import { createSetupSecret } from '../../storage/files/private-files.js'
import { printResult, type JsonOption } from '../terminal/output.js'
import { loadDirectory } from '../terminal/directory.js'
import { createSetupLink } from '../terminal/greeting.js'
import { splitArguments, UsageError } from '../terminal/operands.js'

/**
 * Prints a new link, which replaces the previous one. The service may be running. Throws {@link UsageError}
 * if the service has been set up.
 */
export function setupLink(args: readonly string[], { json }: JsonOption): void {
  const { flags } = splitArguments(args)
  const { layout, settings } = loadDirectory(flags)
  if (!isSetupOpen(readSettings({ argv: flags, env: process.env, cwd: process.cwd() })))
    throw new UsageError(
      `The service is already set up. Operators: ${settings.operators.join(', ') || 'given by a setting'}`
    )
  const url = createSetupLink(settings, createSetupSecret(layout))
  printResult(json, { url }, url)
  if (!json) console.error('Works once. Earlier links no longer work')
}
