/** `coffer serve`: runs the service until a signal stops it. */
import { existsSync, readdirSync } from 'node:fs'
import type { Log } from '../../core/log.js'
import type { PageSettings } from '../../core/settings/page-settings.js'
import { toConfig } from '../../core/settings/config.js'
import { readSettings, type ReadSettings } from '../../core/settings/load.js'
import type { Settings } from '../../core/settings/settings.js'
import { version } from '../../core/version.js'
import { listExposedEntries } from '../../storage/files/exposure.js'
import { StorageFull, StoreDamaged, translateError } from '../../storage/errors.js'
import { DiskReserve } from '../../storage/files/disk-reserve.js'
import { Layout } from '../../storage/files/layout.js'
import { createSetupSecret } from '../../storage/files/setup-link.js'
import { PlatformInspection } from '../../storage/inspection.js'
import { watchReserve } from '../../server/disk-watch.js'
import { LogOutput } from '../../server/log-output.js'
import { createLog } from '../../server/log.js'
import { startServer, type Server } from '../../server/server.js'
import { isSetupOpen } from '../../server/setup/setup-service.js'
import type { ScheduledBackups } from '../backup/scheduled-backups.js'
import type { Turns } from '../backup/sources/turn.js'
import { checkedSettings, furtherProblems } from '../terminal/checked-settings.js'
import { assertFolder, assertWritable } from '../terminal/directory.js'
import { OperatorError } from '../terminal/operator.js'
import { greeting, warningOfStrangers } from '../terminal/greeting.js'
import { isSound } from '../maintenance/rebuild-platform.js'

/** Free space with which the service starts in any case, in bytes. */
const neededToStart = 3e6
/** Time for closing files after the time for requests in flight is over, in milliseconds. */
const closingMs = 1500

/** Starts the service; resolves once it listens. A signal ends the process. */
export async function serve(argv: readonly string[]): Promise<void> {
  const settings = await checkedSettings(argv)
  const output = new LogOutput(process.stdout.fd)
  const log = createLog(settings.log, output)
  const layout = new Layout(settings.dataDir)
  assertFolder(layout)
  assertWritable(layout)
  const reserve = new DiskReserve(layout)
  await withRoom(layout, () => {
    if (existsSync(layout.platformFile)) reserve.releaseIfFull()
    assertSound(layout)
  })
  warnOfExposure(layout, log)
  const service = new Service(argv, log, layout, output)
  const stop = (signal: NodeJS.Signals): void => {
    if (service.isStopping) return
    log.info(`stopping on ${signal}`)
    // A hanging shutdown must not keep the process alive: acknowledged writes are on disk already.
    setTimeout(() => process.exit(1), settings.shutdownSeconds * 1000 + closingMs).unref()
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
  // An uncaught exception is a defect: going on in an unknown state could do harm.
  process.on('uncaughtException', cause => {
    log.error('unexpected failure; stopping', { cause })
    process.exit(1)
  })
  // Whoever reads that it serves may stop it at once.
  try {
    await withRoom(layout, () => service.start(settings))
    watchReserve(reserve, layout.root, log)
  } catch (error) {
    // It was stopped while it waited for something.
    if (!service.isStopping) throw error
  }
}

/** The service of this process, which starts again in the same place once its settings have been chosen. */
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

  async start(settings: Settings): Promise<Server> {
    const backups = await backupsOf(settings, this.argv, this.layout, this.log)
    this.#backups = backups
    this.#server = startServer(settings, {
      log: this.log,
      logLinesDropped: () => this.output.dropped,
      signal: this.#stopping.signal,
      ...(backups && { backups: () => backups.state() }),
      setup: {
        read: chosen => this.#read(chosen),
        check: settingsProblems,
        startBackup: () => this.#backups?.startNow() ?? false,
        restart: () => this.#startAnew()
      }
    })
    const server = await this.#server
    backups?.start()
    this.#tell(settings, server)
    return server
  }

  async close(): Promise<void> {
    this.#stopping.abort()
    // A start that waits for something ends by that.
    const server = await this.#server?.catch(() => undefined)
    await Promise.all([server?.close(), this.#backups?.close()])
  }

  #read(chosen?: PageSettings): ReadSettings {
    return readSettings({
      argv: this.argv,
      env: process.env,
      cwd: process.cwd(),
      ...(chosen !== undefined && { pageSettings: chosen })
    })
  }

  #startAnew(): void {
    if (this.isStopping) return
    const former = this.#server!
    const anew = async (): Promise<Server> => {
      const { url } = await former
      await Promise.all([(await former).close(), this.#backups?.close()])
      const settings = await checkedSettings(this.argv)
      // Whoever has set it up waits for it at the same port.
      return await this.start({ ...settings, port: settings.port || Number(new URL(url).port) })
    }
    this.#server = anew()
    this.#server.catch((cause: unknown) => {
      this.log.error('could not restart; stopping', { cause })
      process.exit(1)
    })
  }

  /** Greets people on a terminal; others read the log. Links with secrets are for eyes only, so they are not in the log. */
  #tell(settings: Settings, { url }: Server): void {
    const port = Number(new URL(url).port)
    const warning = warningOfStrangers(toConfig(settings, version, port))
    const accounts = accountsIn(this.layout)
    const isOpen = isSetupOpen(this.#read())
    if (process.stdout.isTTY && settings.log.format !== 'json') {
      const setupSecret = isOpen ? createSetupSecret(this.layout) : undefined
      const dataDirectory = this.layout.root
      for (const line of greeting({ settings, port, dataDirectory, accounts, setupSecret })) console.log(line)
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

function accountsIn(layout: Layout): number {
  const inspection = new PlatformInspection(layout)
  try {
    return inspection.countAccounts()
  } finally {
    inspection.close()
  }
}

/** The backups that the service makes by itself, if the settings say where to. */
async function backupsOf(
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
    turns: settings.cluster.node === '' ? undefined : await turnsOf(settings),
    tell: async (problem, succeeded) => {
      const { tellOfFailure } = await import('../backup/failure-mail.js')
      await tellOfFailure(settings, log, problem, succeeded)
    }
  })
}

/** How it stands with the backups of a cluster, whose nodes all have the same schedule. */
async function turnsOf(settings: Settings): Promise<Turns> {
  const { Turns } = await import('../backup/sources/turn.js')
  return Turns.of(settings)
}

/** Runs a part of the start. Throws `OperatorError` if the disk has no room for it. */
async function withRoom(layout: Layout, work: () => unknown): Promise<void> {
  try {
    await work()
  } catch (error) {
    if (!(translateError(error) instanceof StorageFull)) throw error
    throw new OperatorError(
      `The disk of ${layout.root} is full. The service needs at least ${neededToStart / 1e6} MB to start, and more space for its data`
    )
  }
}

/** Returns further problems with settings that were chosen in a page. */
async function settingsProblems(settings: Settings): Promise<readonly string[]> {
  const { problemsOfPlace } = await import('../backup/own-place.js')
  return [...(await furtherProblems(settings)), ...problemsOfPlace(settings)]
}

/** Warns if other users can access the data directory. */
function warnOfExposure(layout: Layout, log: Log): void {
  const names = listExposedEntries(layout)
  if (names.length > 0)
    log.warn(
      `other users can access the data directory (${names.slice(0, 5).join(', ')}); run chmod -R go= ${layout.root}`
    )
}

/** Refuses to start on a damaged platform file, since damage would affect all accounts. */
function assertSound(layout: Layout): void {
  const hasAccounts = existsSync(layout.usersDirectory) && readdirSync(layout.usersDirectory).length > 0
  if (!existsSync(layout.platformFile) && !hasAccounts) return
  if (!isSound(layout))
    throw new StoreDamaged(
      layout.platformFile,
      `is damaged or missing, so the service can't start. Run "coffer rebuild-index" to rebuild it from the account databases (the damaged one is kept), or restore a backup`
    )
}
