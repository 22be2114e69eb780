/** `coffer serve`: the service, until a signal says stop. */
import { existsSync, readdirSync } from 'node:fs'
import type { Log } from '../../core/log.js'
import { exposed } from '../../storage/files/exposure.js'
import { StoreDamaged } from '../../storage/errors.js'
import { Layout } from '../../storage/files/layout.js'
import { createLog } from '../../server/log.js'
import { startServer } from '../../server/server.js'
import { checkedSettings } from '../terminal/checked-settings.js'
import { mustBeFolder } from '../terminal/directory.js'
import { isSound } from '../maintenance/rebuild-platform.js'

/** Time that closing files may take after requests had theirs, in milliseconds. */
const closingMs = 1500

/** Serves; resolves once it listens. The process ends by a signal. */
export async function serve(argv: readonly string[]): Promise<void> {
  const settings = await checkedSettings(argv)
  const log = createLog(settings.log)
  const layout = new Layout(settings.dataDir)
  mustBeFolder(layout)
  mustBeSound(layout)
  warnOfExposure(layout, log)
  const server = await startServer(settings, { log })
  let isStopping = false
  const stop = (signal: NodeJS.Signals): void => {
    if (isStopping) return
    isStopping = true
    log.info(`stopping on ${signal}`)
    // Whatever hangs must not keep the process: what was acknowledged is on disk anyway.
    setTimeout(() => process.exit(1), settings.shutdownSeconds * 1000 + closingMs).unref()
    void server.close().then(
      () => {
        log.info('stopped')
        process.exit(0)
      },
      (cause: unknown) => {
        log.error('could not stop cleanly', { cause })
        process.exit(1)
      }
    )
  }
  process.on('SIGTERM', stop)
  process.on('SIGINT', stop)
  // The last resort: what nobody caught is a defect; going on could do harm.
  process.on('uncaughtException', cause => {
    log.error('unexpected failure: stopping', { cause })
    process.exit(1)
  })
  log.info(`serving at ${server.url}`, { url: server.url })
}

/** Tells what there is to do about a data directory that others can look into. */
function warnOfExposure(layout: Layout, log: Log): void {
  const names = exposed(layout)
  if (names.length > 0)
    log.warn(
      `others can look into the data directory (${names.slice(0, 5).join(', ')}): stop that by: chmod -R go= ${layout.root}`
    )
}

/** What all accounts share is looked at before it is worked with: damage in it would spread to all of them. */
function mustBeSound(layout: Layout): void {
  const hasAccounts = existsSync(layout.usersDirectory) && readdirSync(layout.usersDirectory).length > 0
  if (!existsSync(layout.platformFile) && !hasAccounts) return
  if (!isSound(layout))
    throw new StoreDamaged(
      layout.platformFile,
      'is damaged or missing, so the service does not start. "coffer rebuild-index" makes it again from the files of the accounts and keeps what is there; or restore a backup.'
    )
}
