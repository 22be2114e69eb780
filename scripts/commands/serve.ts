/** `coffer serve`: runs the service until it receives a signal. */
import { existsSync, readdirSync } from 'node:fs'
import type { Log } from '../../core/log.js'
import type { PageSettings } from '../../core/settings/page-settings.js'
import { toConfig } from '../../core/settings/config.js'
import { readSettings, type ReadSettings } from '../../core/settings/load.js'
import type { Settings } from '../../core/settings/settings.js'
import { version } from '../../core/version.js'
import { listExposedEntries, Layout } from '../../storage/files/layout.js'
import { StorageFull, StoreDamaged, translateError } from '../../storage/errors.js'
import { DiskReserve } from '../../storage/files/disk-reserve.js'
import { createSetupSecret } from '../../storage/files/private-files.js'
import { PlatformInspection } from '../../storage/inspection/platform-inspection.js'
import { watchDiskReserve } from '../../server/disk-usage.js'
import { LogOutput } from '../../server/log-output.js'
import { createLog } from '../../server/log.js'
import { startServer, type Server } from '../../server/server.js'
import { isSetupOpen } from '../../server/setup/setup-service.js'
import type { ScheduledBackups } from '../backup/scheduled-backups.js'
import { loadCheckedSettings, findFurtherProblems } from '../terminal/load-checked-settings.js'
import { assertFolder, assertWritable } from '../terminal/directory.js'
import { OperatorError } from '../terminal/request-service.js'
import { formatGreeting, getRegistrationWarning } from '../terminal/greeting.js'
import { isPlatformFileIntact } from '../maintenance/rebuild-platform.js'

/** Free space that suffices to start the service, in bytes. */
const minStartBytes = 3e6
/** Time for closing files after the timeout of requests in flight. */
const closeTimeoutMs = 1500

/**
 * Starts the service. Resolves once the service listens. A signal ends the process; so does an uncaught
 * exception, with code 1. Rejects if the settings, the data directory or the disk space do not allow a start.
 */
export async function serve(argv: readonly string[]): Promise<void> {
  const settings = await loadCheckedSettings(argv)
  const output = new LogOutput(process.stdout.fd)
  const log = createLog(settings.log, output)
  const layout = new Layout(settings.dataDir)
  assertFolder(layout)
  assertWritable(layout)
  const reserve = new DiskReserve(layout)
  await requireDiskSpace(layout, () => {
    // Its space was needed before the service stopped, or a power cut has emptied it: writes would be refused although there may be space.
    if (reserve.isReleased) reserve.create()
    if (existsSync(layout.platformFile)) reserve.releaseIfFull()
    assertSound(layout)
  })
  warnOfExposure(layout, log)
  const service = new Service(argv, log, layout, output)
  const stop = (signal: NodeJS.Signals): void => {
    if (service.isStopping) return
    log.info(`stopping on ${signal}`)
    // Do not let a hanging shutdown keep the process alive: acknowledged writes are synced already.
    setTimeout(() => process.exit(1), settings.shutdownSeconds * 1000 + closeTimeoutMs).unref()
    void service.close().then(
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
  // An uncaught exception is a defect: continuing in an unknown state could do harm.
  process.on('uncaughtException', cause => {
    log.error('unexpected failure; stopping', { cause })
    process.exit(1)
  })
  // After the handlers: a supervisor may stop the process as soon as the log says that it serves.
  try {
    await requireDiskSpace(layout, () => service.start(settings))
    watchDiskReserve(reserve, layout.root, log)
  } catch (error) {
    // The service was stopped while it was starting.
    if (!service.isStopping) throw error
  }
}

/** The service in this process. It restarts on the same port after its settings have been chosen in a page. */
class Service {
  readonly #stopping = new AbortController()
  #server: Promise<Server> | undefined
  #backups: ScheduledBackups | undefined

  constructor(
    private readonly argv: readonly string[],
    private readonly log: Log,
    private readonly layout: Layout,
    private readonly output: LogOutput
  ) {}

  get isStopping(): boolean {
    return this.#stopping.signal.aborted
  }

  /**
   * Starts the server and its scheduled backups. Rejects if the server cannot start. Also prints the
   * addresses, and on a terminal a new setup link if the service has not been set up.
   */
  async start(settings: Settings): Promise<Server> {
    const backups = await createBackups(settings, this.argv, this.layout, this.log)
    this.#backups = backups
    this.#server = startServer(settings, {
      log: this.log,
      logLinesDropped: () => this.output.dropped,
      signal: this.#stopping.signal,
      ...(backups && { backups: () => backups.getState() }),
      setup: {
        read: chosen => this.#readSettings(chosen),
        check: findSettingsProblems,
        startBackup: () => this.#backups?.startNow() ?? false,
        restart: () => this.#restart()
      }
    })
    const server = await this.#server
    backups?.start()
    this.#announce(settings, server)
    return server
  }

  /** Stops the server and its backups, also while the server is starting. */
  async close(): Promise<void> {
    this.#stopping.abort()
    // Aborting also ends a start that is waiting for something.
    const server = await this.#server?.catch(() => undefined)
    await Promise.all([server?.close(), this.#backups?.close()])
  }

  #readSettings(chosen?: PageSettings): ReadSettings {
    return readSettings({
      argv: this.argv,
      env: process.env,
      cwd: process.cwd(),
      ...(chosen !== undefined && { pageSettings: chosen })
    })
  }

  /**
   * Restarts the server in this process, on the same port, with its settings read again. The process ends if that
   * fails.
   */
  #restart(): void {
    if (this.isStopping) return
    const former = this.#server!
    const startAgain = async (): Promise<Server> => {
      const { url } = await former
      await Promise.all([(await former).close(), this.#backups?.close()])
      const settings = await loadCheckedSettings(this.argv)
      // The browser that set it up waits for it on the same port.
      return await this.start({ ...settings, port: settings.port || Number(new URL(url).port) })
    }
    this.#server = startAgain()
    this.#server.catch((cause: unknown) => {
      this.log.error('could not restart; stopping', { cause })
      process.exit(1)
    })
  }

  /** Prints a greeting on a terminal, otherwise log lines. Links with secrets are printed, but never logged. */
  #announce(settings: Settings, { url }: Server): void {
    const port = Number(new URL(url).port)
    const warning = getRegistrationWarning(toConfig(settings, version, port))
    const accounts = countAccounts(this.layout)
    const isOpen = isSetupOpen(this.#readSettings())
    if (process.stdout.isTTY && settings.log.format !== 'json') {
      const setupSecret = isOpen ? createSetupSecret(this.layout) : undefined
      const dataDirectory = this.layout.root
      for (const line of formatGreeting({ settings, port, dataDirectory, accounts, setupSecret }))
        console.log(line)
    } else {
      if (isOpen && accounts === 0)
        this.log.info(
          'the service has not been set up; run "coffer setup-link" to get a link to set it up in a browser'
        )
      this.log.info(`serving at ${url}`, { url })
    }
    if (warning !== undefined) this.log.warn(warning)
  }
}

function countAccounts(layout: Layout): number {
  const inspection = new PlatformInspection(layout)
  try {
    return inspection.countAccounts()
  } finally {
    inspection.close()
  }
}

/** Creates the automatic backups; `undefined` if the settings name no place. */
async function createBackups(
  settings: Settings,
  flags: readonly string[],
  layout: Layout,
  log: Log
): Promise<ScheduledBackups | undefined> {
  if (settings.backup.to === '') return undefined
  const { ScheduledBackups } = await import('../backup/scheduled-backups.js')
  return new ScheduledBackups({
    settings,
    flags,
    layout,
    log,
    coordinator:
      settings.cluster.node === ''
        ? undefined
        : (await import('../backup/sources/backup-coordinator.js')).BackupCoordinator.fromSettings(settings),
    notifyFailure: async (problem, succeeded) => {
      const { sendFailureMail } = await import('../backup/failure-mail.js')
      await sendFailureMail(settings, log, problem, succeeded)
    }
  })
}

/** Runs a part of the start. Throws `OperatorError` if the disk is too full for it. */
async function requireDiskSpace(layout: Layout, work: () => unknown): Promise<void> {
  try {
    await work()
  } catch (error) {
    if (!(translateError(error) instanceof StorageFull)) throw error
    throw new OperatorError(
      `The disk of ${layout.root} is full. The service needs at least ${minStartBytes / 1e6} MB to start, and more space for its data`
    )
  }
}

/** Returns problems of settings that were chosen in a page, beyond those that reading them finds. */
async function findSettingsProblems(settings: Settings): Promise<readonly string[]> {
  const { findPlaceProblems } = await import('../backup/default-place.js')
  return [...(await findFurtherProblems(settings)), ...findPlaceProblems(settings)]
}

/** Warns if other users can access the data directory. */
function warnOfExposure(layout: Layout, log: Log): void {
  const names = listExposedEntries(layout)
  if (names.length > 0)
    log.warn(
      `other users can access the data directory (${names.slice(0, 5).join(', ')}); run chmod -R go= ${layout.root}`
    )
}

/** Throws `StoreDamaged` if the platform file is damaged, which would affect all accounts. */
function assertSound(layout: Layout): void {
  const hasAccounts = existsSync(layout.usersDirectory) && readdirSync(layout.usersDirectory).length > 0
  if (!existsSync(layout.platformFile) && !hasAccounts) return
  if (!isPlatformFileIntact(layout))
    throw new StoreDamaged(
      layout.platformFile,
      `is damaged or missing, so the service can't start. Run "coffer rebuild-index" to rebuild it from the account databases (the damaged one is kept), or restore a backup`
    )
}
