/**
 * The automatic backups of a service: at the times of a schedule, each in a separate process, so that neither its load nor a crash
 * affects the service. Their outcomes are stored in the data directory. (docs/operation.md#automatic-backups)
 */
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import { constants, setPriority } from 'node:os'
import { text } from 'node:stream/consumers'
import { Cron } from 'croner'
import type { Log } from '../../core/log.js'
import type { Settings } from '../../core/settings/settings.js'
import type { BackupRun, BackupState } from '../../server/service-state.js'
import type { Layout } from '../../storage/files/layout.js'
import type { BackupCoordinator } from './sources/backup-coordinator.js'

/** Delay after the start before a missed backup, or the first one. */
const startDelayMs = 1000
/** Time after which a failed backup is retried. */
const retryMs = 3_600_000
/** Time between checks whether another process has missed a backup, which this process must then make. */
const checkMs = 60_000
/** Time after which a backup process is treated as hanging and killed. */
const timeoutMs = 24 * 3_600_000
/** Minimum time between emails about failures, in seconds. */
const mailInterval = 20 * 3600
/** Maximum length of a stored error message. */
const maxProblemLength = 1000

/** Maximum number of stored outcomes. */
const maxRuns = 10

/** Another process makes the backup. */
const notOurs = Symbol('not from this service')

/** The state stored between starts. Times are in seconds. */
interface StoredState {
  /** When the last backup ended, when the last successful one did, and when the operator was last mailed about failures. */
  attempted?: number
  succeeded?: number
  told?: number
  /** Failures since the last success. */
  failures: number
  problem?: string
  /** The latest backups, the most recent first. */
  runs?: readonly BackupRun[]
}

/** The output of a backup process. */
interface Report {
  readonly accounts: number
  readonly problems: readonly { readonly isMended?: true }[]
}

interface ScheduleOptions {
  readonly settings: Settings
  /** The arguments with which the service was started, as settings. */
  readonly flags: readonly string[]
  readonly layout: Layout
  readonly log: Log
  /** Decides which of several processes with the same schedule makes a backup; by default this process always does. */
  readonly coordinator?: Pick<BackupCoordinator, 'begin' | 'end' | 'look'> | undefined
  /** Tells the operator about failed backups. */
  readonly notifyFailure: (problem: string, succeeded: number | undefined) => Promise<void>
}

export class ScheduledBackups {
  readonly #cron: Cron
  readonly #state: StoredState
  #process: ChildProcess | undefined
  #currentWork: Promise<void> = Promise.resolve()
  #isBusy = false
  readonly #closing = new AbortController()
  #timer: NodeJS.Timeout | undefined
  #checkTimer: NodeJS.Timeout | undefined
  #isClosed = false

  /** Creates a schedule, which {@link start} starts. The settings must name a place. */
  constructor(private readonly options: ScheduleOptions) {
    this.#state = readState(options.layout)
    const { schedule } = options.settings.backup
    this.#cron = new Cron(schedule, { unref: true, paused: true }, () => this.#startBackup())
  }

  /**
   * Starts the schedule. Also makes a backup soon if one was missed, the last one failed, or there has never been one. If several
   * nodes share the schedule, checks regularly whether this node has to make a missed backup.
   */
  start(): void {
    this.#cron.resume()
    const { attempted, failures } = this.#state
    const { coordinator } = this.options
    // The operator restarts the service after fixing the cause of a failure, and expects a result.
    if (failures > 0 || (!coordinator && this.#isDue(attempted)))
      this.#schedule(startDelayMs, () => this.#startBackup())
    else if (coordinator) this.#schedule(startDelayMs, () => this.#makeMissedBackup())
    if (coordinator) this.#checkTimer = setInterval(() => this.#makeMissedBackup(), checkMs).unref()
  }

  /** Starts a backup now. Returns false if one is running, after {@link close}, or if other processes share the schedule. */
  startNow(): boolean {
    if (this.#isBusy || this.#isClosed || this.options.coordinator) return false
    this.#startBackup()
    return true
  }

  /** Returns the state of the backups. */
  getState(): BackupState {
    const { failures, problem, runs = [], succeeded } = this.#state
    const next = this.#cron.nextRun()?.getTime()
    return {
      failures,
      isRunning: this.#process !== undefined,
      runs,
      ...(succeeded !== undefined && { succeeded }),
      ...(problem !== undefined && { problem }),
      ...(next !== undefined && { next: next / 1000 })
    }
  }

  /** Stops the schedule and any running backup. The previous backup remains valid. Resolves once its process has ended. */
  async close(): Promise<void> {
    this.#isClosed = true
    this.#closing.abort()
    this.#cron.stop()
    clearTimeout(this.#timer)
    clearInterval(this.#checkTimer)
    this.#process?.kill('SIGTERM')
    await this.#currentWork
  }

  #schedule(ms: number, work: () => void): void {
    clearTimeout(this.#timer)
    this.#timer = setTimeout(work, ms).unref()
  }

  /** Returns true if a backup was scheduled after a time, in seconds. */
  #isDue(since: number | undefined): boolean {
    const due = since === undefined ? undefined : this.#cron.nextRun(new Date(since * 1000))
    return due === undefined || (due !== null && due.getTime() < Date.now())
  }

  #startBackup(): void {
    clearTimeout(this.#timer)
    this.#runExclusively(async () => await this.#run())
  }

  /** Makes a backup that another process has missed, if it is this process's turn now. */
  #makeMissedBackup(): void {
    const { attempted = 0, failures } = this.#state
    // A failure here is retried on its own schedule.
    if (failures > 0 && Math.abs(Date.now() - attempted * 1000) < retryMs) return
    this.#runExclusively(async () => {
      const turn = await this.options.coordinator?.look(this.#closing.signal).catch(() => undefined)
      if (turn?.isOurs === true && this.#isDue(turn.finished)) await this.#run()
    })
  }

  #runExclusively(work: () => Promise<void>): void {
    if (this.#isBusy || this.#isClosed) return
    this.#isBusy = true
    this.#currentWork = work()
      .catch((cause: unknown) => this.options.log.error('a backup failed', { cause }))
      .finally(() => (this.#isBusy = false))
  }

  /** Makes a backup and records how it ended. After a failure, schedules another and notifies the operator. */
  async #run(): Promise<void> {
    const { log } = this.options
    const startedMs = performance.now()
    const problem = await this.#tryBackup()
    if (problem === notOurs) return this.#clearFailures()
    this.#process = undefined
    if (this.#isClosed) return
    await this.#recordEnd(problem === undefined)
    const now = Math.floor(Date.now() / 1000)
    this.#state.attempted = now
    const run = { time: now, problem: problem?.slice(0, maxProblemLength) ?? null }
    this.#state.runs = [run, ...(this.#state.runs ?? [])].slice(0, maxRuns)
    if (problem === undefined) {
      Object.assign(this.#state, { succeeded: now, failures: 0 })
      delete this.#state.problem
      log.info('a backup was made', { durationMs: performance.now() - startedMs })
    } else {
      this.#state.failures++
      this.#state.problem = problem.slice(0, maxProblemLength)
      log.error(`a backup failed: ${this.#state.problem}`)
      this.#schedule(retryMs, () => this.#startBackup())
      this.#notifyOperator(now)
    }
    writeState(this.options.layout, this.#state)
  }

  /** Clears failures of this process, because another process now makes the backups and reports their outcomes. */
  #clearFailures(): void {
    if (this.#isClosed || this.#state.failures === 0) return
    this.#state.failures = 0
    delete this.#state.problem
    writeState(this.options.layout, this.#state)
  }

  #notifyOperator(now: number): void {
    const { problem = '', succeeded, told } = this.#state
    // The absolute value, because the clock may have been ahead.
    if (told !== undefined && Math.abs(now - told) < mailInterval) return
    this.#state.told = now
    const { log, notifyFailure } = this.options
    notifyFailure(problem, succeeded).catch((cause: unknown) =>
      log.warn('the email about a failed backup could not be sent', { cause })
    )
  }

  async #recordEnd(isDone: boolean): Promise<void> {
    const { log, coordinator } = this.options
    try {
      await coordinator?.end(isDone ? Math.floor(Date.now() / 1000) : undefined, this.#closing.signal)
    } catch (cause) {
      // Another process will then make it again.
      log.warn('other nodes could not be notified of a backup', { cause })
    }
  }

  /** Makes a backup. Returns why it failed, `undefined` if it succeeded, or `notOurs` if another process has to make it. */
  async #tryBackup(): Promise<string | typeof notOurs | undefined> {
    try {
      const { coordinator } = this.options
      const { signal } = this.#closing
      if (coordinator && !(await coordinator.look(signal)).isOurs) return notOurs
      if (coordinator && !(await coordinator.begin(signal))) return notOurs
    } catch (error) {
      return (error as Error).message
    }
    return this.#isClosed ? notOurs : await this.#runProcess()
  }

  /** Makes a backup. Returns why it failed, without names of accounts; `undefined` if it succeeded. */
  async #runProcess(): Promise<string | undefined> {
    const child = spawn(
      process.execPath,
      [...process.execArgv, process.argv[1]!, 'backup', '--json', ...this.options.flags],
      { stdio: ['ignore', 'pipe', 'pipe'] }
    )
    this.#process = child
    lowerPriority(child)
    const timer = setTimeout(() => child.kill('SIGKILL'), timeoutMs).unref()
    try {
      const ended = once(child, 'close') as Promise<[code: number | null, signal: string | null]>
      const [output, errors, [code, signal]] = await Promise.all([
        text(child.stdout),
        text(child.stderr),
        ended
      ])
      if (code === 0) return undefined
      return (
        summarizeProblems(output) ?? (errors.trim() || `the process exited with ${signal ?? `code ${code}`}`)
      )
    } catch (error) {
      return (error as Error).message
    } finally {
      clearTimeout(timer)
    }
  }
}

/** Summarizes the problems in a report, without names of accounts. Returns `undefined` if the report cannot be parsed. */
function summarizeProblems(output: string): string | undefined {
  let report: Report
  try {
    report = JSON.parse(output) as Report
  } catch {
    return undefined
  }
  const { accounts, problems } = report
  if (problems.length > 0 && problems.every(({ isMended }) => isMended))
    return `damaged accounts in the backup, copied again: ${problems.length} of ${accounts}. The storage of the backup may be failing`
  return `problems in the backup: ${problems.length} (accounts: ${accounts}). Run "coffer backup" to see them`
}

/** Lowers the priority of a process. */
function lowerPriority({ pid }: ChildProcess): void {
  try {
    if (pid !== undefined) setPriority(pid, constants.priority.PRIORITY_BELOW_NORMAL)
  } catch {
    // The process has exited already, or the system does not allow the change.
  }
}

function readState({ backupStateFile }: Layout): StoredState {
  try {
    const kept = JSON.parse(readFileSync(backupStateFile, 'utf8')) as Partial<StoredState>
    return { ...kept, failures: kept.failures ?? 0 }
  } catch {
    return { failures: 0 }
  }
}

function writeState({ backupStateFile }: Layout, kept: StoredState): void {
  writeFileSync(`${backupStateFile}.new`, JSON.stringify(kept), { mode: 0o600 })
  renameSync(`${backupStateFile}.new`, backupStateFile)
}
