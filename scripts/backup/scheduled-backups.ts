/**
 * The backups that a service makes by itself: at the times of a schedule, each in a process of its own, so that neither its work
 * nor its end touches the service. What came of them is kept in the data directory. (docs/operation.md#automatic-backups)
 */
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import { constants, setPriority } from 'node:os'
import { text } from 'node:stream/consumers'
import { Cron } from 'croner'
import type { Log } from '../../core/log.js'
import type { Settings } from '../../core/settings/settings.js'
import type { BackupRun, BackupState } from '../../server/gauges.js'
import type { Layout } from '../../storage/files/layout.js'
import type { Turns } from './sources/turn.js'

/** After the start a backup that was missed, or the first of all, begins this much later. */
const soonMs = 1000
/** A backup that failed is tried again after this time. */
const retryMs = 3_600_000
/** Where others may have missed one that is up to this process by now, it looks whether one is due as often as that. */
const lookMs = 60_000
/** A backup that takes longer is ended: it hangs. */
const longestMs = 24 * 3_600_000
/** Somebody is told of failures at most once in this time, in seconds. */
const tellEvery = 20 * 3600
/** Characters that are kept of what went wrong. */
const longestProblem = 1000

/** Outcomes that are kept. */
const keptRuns = 10

/** Another process makes the backup. */
const notOurs = Symbol('not from this service')

/** What is kept from one start to the next. Times in seconds. */
interface Kept {
  attempted?: number
  succeeded?: number
  told?: number
  /** Failures since the last success. */
  failures: number
  problem?: string
  /** The latest backups, the last one first. */
  runs?: readonly BackupRun[]
}

/** What a run printed. */
interface Report {
  readonly accounts: number
  readonly problems: readonly { readonly isMended?: true }[]
}

export interface ScheduleOptions {
  readonly settings: Settings
  /** The arguments with which the service was started: those of its settings. */
  readonly flags: readonly string[]
  readonly layout: Layout
  readonly log: Log
  /** Where several processes have the same schedule: which one makes the backup that is due. By default this one does. */
  readonly turns?: Pick<Turns, 'begin' | 'end' | 'look'> | undefined
  /** Tells the operator that backups fail. */
  readonly tell: (problem: string, succeeded: number | undefined) => Promise<void>
}

export class ScheduledBackups {
  readonly #cron: Cron
  readonly #kept: Kept
  #running: ChildProcess | undefined
  #work: Promise<void> = Promise.resolve()
  #isBusy = false
  readonly #ending = new AbortController()
  #timer: NodeJS.Timeout | undefined
  #looking: NodeJS.Timeout | undefined
  #isClosed = false

  /** Makes a schedule, which begins with {@link start}. The settings must name a place. */
  constructor(private readonly options: ScheduleOptions) {
    this.#kept = keptIn(options.layout)
    const { schedule } = options.settings.backup
    this.#cron = new Cron(schedule, { unref: true, paused: true }, () => this.#begin())
  }

  /** Begins; with a backup, if one was missed, the last one failed, or there has never been any. */
  start(): void {
    this.#cron.resume()
    const { attempted, failures } = this.#kept
    const { turns } = this.options
    // Whoever has mended what made it fail restarts the service, and looks.
    if (failures > 0 || (!turns && this.#isDue(attempted))) this.#in(soonMs, () => this.#begin())
    else if (turns) this.#in(soonMs, () => this.#makeUp())
    if (turns) this.#looking = setInterval(() => this.#makeUp(), lookMs).unref()
  }

  /** Begins a backup now. Returns whether it does: not while one is under way, nor where other processes may be the ones to make it. */
  startNow(): boolean {
    if (this.#isBusy || this.#isClosed || this.options.turns) return false
    this.#begin()
    return true
  }

  /** How the backups go. */
  state(): BackupState {
    const { failures, problem, runs = [], succeeded } = this.#kept
    const next = this.#cron.nextRun()?.getTime()
    return {
      failures,
      isRunning: this.#running !== undefined,
      runs,
      ...(succeeded !== undefined && { succeeded }),
      ...(problem !== undefined && { problem }),
      ...(next !== undefined && { next: next / 1000 })
    }
  }

  /** Ends the schedule, and the backup under way: the former one stays valid. */
  async close(): Promise<void> {
    this.#isClosed = true
    this.#ending.abort()
    this.#cron.stop()
    clearTimeout(this.#timer)
    clearInterval(this.#looking)
    this.#running?.kill('SIGTERM')
    await this.#work
  }

  #in(ms: number, work: () => void): void {
    clearTimeout(this.#timer)
    this.#timer = setTimeout(work, ms).unref()
  }

  /** Whether the schedule has come round since a time, in seconds. */
  #isDue(since: number | undefined): boolean {
    const due = since === undefined ? undefined : this.#cron.nextRun(new Date(since * 1000))
    return due === undefined || (due !== null && due.getTime() < Date.now())
  }

  #begin(): void {
    clearTimeout(this.#timer)
    this.#do(async () => await this.#run())
  }

  /** Makes the backup that a process has skipped whose turn it is no more. */
  #makeUp(): void {
    const { attempted = 0, failures } = this.#kept
    // What has failed here has a time of its own.
    if (failures > 0 && Math.abs(Date.now() - attempted * 1000) < retryMs) return
    this.#do(async () => {
      const turn = await this.options.turns?.look(this.#ending.signal).catch(() => undefined)
      if (turn?.isOurs === true && this.#isDue(turn.finished)) await this.#run()
    })
  }

  #do(work: () => Promise<void>): void {
    if (this.#isBusy || this.#isClosed) return
    this.#isBusy = true
    this.#work = work()
      .catch((cause: unknown) => this.options.log.error('a backup failed', { cause }))
      .finally(() => (this.#isBusy = false))
  }

  async #run(): Promise<void> {
    const { log } = this.options
    const startedMs = performance.now()
    const problem = await this.#outcome()
    if (problem === notOurs) return this.#leave()
    this.#running = undefined
    if (this.#isClosed) return
    await this.#noteEnd(problem === undefined)
    const now = Math.floor(Date.now() / 1000)
    this.#kept.attempted = now
    const run = { time: now, problem: problem?.slice(0, longestProblem) ?? null }
    this.#kept.runs = [run, ...(this.#kept.runs ?? [])].slice(0, keptRuns)
    if (problem === undefined) {
      Object.assign(this.#kept, { succeeded: now, failures: 0 })
      delete this.#kept.problem
      log.info('a backup was made', { durationMs: performance.now() - startedMs })
    } else {
      this.#kept.failures++
      this.#kept.problem = problem.slice(0, longestProblem)
      log.error(`a backup failed: ${this.#kept.problem}`)
      this.#in(retryMs, () => this.#begin())
      this.#tell(now)
    }
    keep(this.options.layout, this.#kept)
  }

  /** It is up to another process now, which tells how it goes: nobody would ever see the end of what failed here. */
  #leave(): void {
    if (this.#isClosed || this.#kept.failures === 0) return
    this.#kept.failures = 0
    delete this.#kept.problem
    keep(this.options.layout, this.#kept)
  }

  #tell(now: number): void {
    const { problem = '', succeeded, told } = this.#kept
    // The clock may have been ahead.
    if (told !== undefined && Math.abs(now - told) < tellEvery) return
    this.#kept.told = now
    const { log, tell } = this.options
    tell(problem, succeeded).catch((cause: unknown) =>
      log.warn('the email about a failed backup could not be sent', { cause })
    )
  }

  async #noteEnd(isDone: boolean): Promise<void> {
    const { log, turns } = this.options
    try {
      await turns?.end(isDone ? Math.floor(Date.now() / 1000) : undefined)
    } catch (cause) {
      // Then it is made once more.
      log.warn('other nodes could not be notified of a backup', { cause })
    }
  }

  /** Makes a backup, unless that is up to another process. Returns what went wrong, as {@link #problemOf} does. */
  async #outcome(): Promise<string | typeof notOurs | undefined> {
    try {
      const { turns } = this.options
      if (turns && !(await turns.look(this.#ending.signal)).isOurs) return notOurs
      if (turns && !(await turns.begin())) return notOurs
    } catch (error) {
      return (error as Error).message
    }
    return this.#isClosed ? notOurs : await this.#problemOf()
  }

  /** Makes a backup. Returns what went wrong, in words that name nobody; `undefined` if nothing did. */
  async #problemOf(): Promise<string | undefined> {
    const child = spawn(
      process.execPath,
      [...process.execArgv, process.argv[1]!, 'backup', '--json', ...this.options.flags],
      { stdio: ['ignore', 'pipe', 'pipe'] }
    )
    this.#running = child
    makeGentle(child)
    const timer = setTimeout(() => child.kill('SIGKILL'), longestMs).unref()
    try {
      const ended = once(child, 'close') as Promise<[code: number | null, signal: string | null]>
      const [output, errors, [code, signal]] = await Promise.all([
        text(child.stdout),
        text(child.stderr),
        ended
      ])
      if (code === 0) return undefined
      return problemIn(output) ?? (errors.trim() || `the process exited with ${signal ?? `code ${code}`}`)
    } catch (error) {
      return (error as Error).message
    } finally {
      clearTimeout(timer)
    }
  }
}

/** What a report tells of problems, without the names of accounts. */
function problemIn(output: string): string | undefined {
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

/** Lets everything else go first. */
function makeGentle({ pid }: ChildProcess): void {
  try {
    if (pid !== undefined) setPriority(pid, constants.priority.PRIORITY_BELOW_NORMAL)
  } catch {
    // It has ended already, or the system does not let us.
  }
}

function keptIn({ backupStateFile }: Layout): Kept {
  try {
    const kept = JSON.parse(readFileSync(backupStateFile, 'utf8')) as Partial<Kept>
    return { ...kept, failures: kept.failures ?? 0 }
  } catch {
    return { failures: 0 }
  }
}

function keep({ backupStateFile }: Layout, kept: Kept): void {
  writeFileSync(`${backupStateFile}.new`, JSON.stringify(kept), { mode: 0o600 })
  renameSync(`${backupStateFile}.new`, backupStateFile)
}
