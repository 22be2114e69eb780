/** Does the work of imports, one of each account at a time and few together. (docs/decisions/0019-imports.md) */
import { setImmediate } from 'node:timers/promises'
import type { ImportFiles } from '../../storage/imports/import-files.js'
import { FairQueue } from '../../storage/scheduler.js'
import type { Account } from '../../storage/platform/account.js'
import type { ImportProgress, Imports } from '../call/imports.js'
import type { Services } from '../call/services.js'
import { removeOrphans } from '../events/attachment-sweep.js'
import { toApiError } from '../call/outcome.js'
import { isUnavailable } from '../unknown-user.js'
import { assignmentOf, fileIsGone, haveFile } from './assignment.js'
import { rememberOutcome } from './counted.js'
import { settle } from './ending.js'
import { foundJob, jobOf, keepJob, mostOpen, type KeptJob } from './job.js'
import { Presence, type Writers } from './present.js'
import { Reading, type Readers } from './reading.js'
import { ImportRemoval } from './undo.js'
import { expireFiles } from './waiting.js'
import { attempted, isDone, unfinished, type QueuedImport, type Work } from './work.js'

export type { Reader, Readers } from './reading.js'

/** Imports that are worked on at once. */
const mostAtOnce = 2
/** Milliseconds after which work is tried again whose end could not be noted, as on a full disk. */
const retryMs = 30_000

export class ImportJobs implements Imports {
  /** Those whose turn comes once the write that asks for them is on disk. */
  readonly #beginning = new Set<string>()
  readonly #waiting = new FairQueue<QueuedImport>()
  readonly #working = new Map<string, Work>()
  /** By accounts whose work is tried again. */
  readonly #retries = new Map<string, NodeJS.Timeout>()
  #services!: Services
  #writers!: Writers
  #isClosing = false

  constructor(
    private readonly files: ImportFiles,
    private readonly readers: Readers
  ) {}

  /** Begins to work; with `goesOn` on what an earlier process left unfinished, too. */
  start(services: Services, writers: Writers, goesOn: boolean): void {
    this.#services = services
    this.#writers = writers
    if (goesOn) this.takeUp()
  }

  /** Goes on with what was left unfinished, of accounts that are served here. */
  takeUp(): void {
    const { accounts } = this.#services
    for (const { id, username } of this.files.listMarked()) {
      const account = accounts.find(username)
      if (account?.id !== id) {
        if (!isUnavailable(accounts, username)) this.files.unmark(id)
      } else if (accounts.owns(account)) {
        const ready = accounts.waitUntilReady(account)
        if (!ready) this.goOn(account)
        // Why it cannot be opened is found out, and logged, by going on.
        else ready.then(() => this.goOn(account)).catch(() => this.goOn(account))
      }
    }
  }

  /** Ends the work on accounts that are not served here any more, where it is. */
  async leave(): Promise<void> {
    const { accounts } = this.#services
    const going = [...this.#waiting, ...this.#working.values()].filter(
      ({ account }) => !accounts.owns(account)
    )
    await Promise.all(going.map(({ account, id }) => this.stop(account, id)))
  }

  begin(account: Account, id: string): void {
    this.files.mark(account)
    const { accounts, log } = this.#services
    this.#beginning.add(id)
    // Comes after the write that asks for it: that may be undone.
    void setImmediate()
      .then(() => accounts.store(account).write(() => undefined))
      .then(() => this.#enqueue(account, id))
      .catch((cause: unknown) => {
        log.warn('an import could not be started', { accountId: account.id, cause })
        this.#retry(account)
      })
      .finally(() => this.#beginning.delete(id))
  }

  goOn(account: Account): void {
    if (!this.#services.accounts.owns(account)) return
    try {
      const { imports } = this.#services.accounts.store(account)
      for (const { fileId, id, state } of imports.listOpen(mostOpen).map(jobOf).toReversed()) {
        if (!unfinished.has(state) || this.isAtWork(id)) continue
        // Before the daily job removes files that belong to no event.
        this.files.moveAttachment(account.id, fileId, id)
        this.begin(account, id)
      }
    } catch (cause) {
      this.#services.log.error('imports could not be resumed', { accountId: account.id, cause })
      this.#retry(account)
    }
  }

  resume(account: Account): void {
    if (!this.files.isMarked(account.id)) this.goOn(account)
  }

  /** Whether somebody works on an import, or is about to. */
  isAtWork(id: string): boolean {
    return (
      this.#beginning.has(id) || [...this.#waiting, ...this.#working.values()].some(work => work.id === id)
    )
  }

  async stop(account: Account, id: string): Promise<void> {
    this.#waiting.remove(queued => queued.id === id)
    const work = this.#working.get(account.id)
    if (work?.id !== id) return
    work.isStopped = true
    await work.reading?.stop()
    await work.done
  }

  get load(): { readonly running: number; readonly waiting: number } {
    return { running: this.#working.size, waiting: this.#waiting.size }
  }

  progress(id: string): ImportProgress | undefined {
    for (const work of this.#working.values()) if (work.id === id) return work.progress
    return undefined
  }

  isWorking({ id }: Account): boolean {
    return this.#working.has(id)
  }

  hasFile({ id: account }: Account, id: string): boolean {
    return this.files.exists(account, id)
  }

  async fetch(account: Account, id: string): Promise<void> {
    await haveFile(this.#services, this.files, account, foundJob(this.#services.accounts.store(account), id))
  }

  async expire(account: Account): Promise<void> {
    this.goOn(account)
    await expireFiles(this.#services, this.files, account)
  }

  /** Ends all work where it is; the next start goes on with it. */
  async close(): Promise<void> {
    this.#isClosing = true
    for (const timer of this.#retries.values()) clearTimeout(timer)
    await Promise.all([...this.#working.values()].map(({ account, id }) => this.stop(account, id)))
  }

  #enqueue(account: Account, id: string): void {
    if (this.#isClosing || [...this.#waiting].some(queued => queued.id === id)) return
    this.#waiting.add({ account: account.id, access: '' }, { account, id })
    this.#next()
  }

  /** Tries again after a while, unless the account is gone by then. */
  #retry(account: Account): void {
    const { id, username } = account
    if (this.#isClosing || this.#retries.has(id)) return
    const again = (): void => {
      this.#retries.delete(id)
      if (this.#services.accounts.find(username)?.id === id) this.goOn(account)
      else if (!isUnavailable(this.#services.accounts, username)) this.files.unmark(id)
      else this.#retry(account)
    }
    this.#retries.set(id, setTimeout(again, retryMs).unref())
  }

  #next(): void {
    while (this.#working.size < mostAtOnce) {
      const next = this.#waiting.take(accountId => !this.#working.has(accountId))
      if (!next) return
      const { account, id } = next.item
      const work: Work = { account, id, isStopped: false, done: Promise.resolve() }
      this.#working.set(account.id, work)
      work.done = this.#run(work)
    }
  }

  /** Never rejects. */
  async #run(work: Work): Promise<void> {
    const { account } = work
    let isNoted = true
    try {
      await this.#work(work)
    } catch (error) {
      isNoted = await this.#failed(work, error).then(
        () => true,
        () => false
      )
    }
    this.files.removeSpool(account.id, work.id)
    this.#working.delete(account.id)
    // Behind those that came meanwhile.
    this.#waiting.moveToEnd(account.id)
    if (this.#isClosing) return
    if (!isNoted) this.#retry(account)
    else if (this.#waiting.countItems(account.id) === 0 && isDone(this.#services, account))
      this.files.unmark(account.id)
    this.#next()
  }

  async #work(work: Work): Promise<void> {
    const { account, id } = work
    const row = this.#services.accounts.store(account).imports.find(id)
    if (!row) return
    const job = jobOf(row)
    if (job.state === 'looking') await this.#read(work, job)
    else if (job.state === 'writing') await this.#read(work, await attempted(this.#services, account, job))
    else if (job.state === 'removing') await this.#remove(work, job)
  }

  async #read(work: Work, job: KeptJob): Promise<void> {
    const { account, id } = work
    const isDry = job.state === 'looking'
    const begunMs = performance.now()
    const assignment = await assignmentOf(this.#services, this.files, account, job)
    if (!assignment) {
      await settle(this.#services, account, job.state, {
        ...job,
        state: 'failed',
        ...fileIsGone
      })
      return
    }
    const reading = (work.reading = new Reading(
      this.readers,
      assignment,
      { account, job, isDry, services: this.#services, writers: this.#writers, files: this.files },
      progress => (work.progress = progress)
    ))
    if (work.isStopped) return
    const end = await reading.run()
    const seconds = Math.round(performance.now() - begunMs) / 1000
    if (end.is === 'stopped') return
    if (end.is === 'unreadable') {
      await settle(this.#services, account, job.state, {
        ...end.job,
        state: isDry ? 'unreadable' : 'failed',
        message: end.message,
        notice: end.notice
      })
    } else {
      const { digest, look, outcome, tally } = end
      const { leftOut: _told, ...told } = look
      await settle(
        this.#services,
        account,
        job.state,
        isDry
          ? { ...end.job, state: 'looked', look: told, tally }
          : // Its file goes, so that its tables cannot be read in another way any more.
            { ...end.job, state: 'written', look: { ...told, tables: [] }, tally, seconds },
        ({ imports }) => outcome && rememberOutcome(imports, digest, outcome)
      )
    }
    if (end.is === 'unreadable' || !isDry) await this.files.remove(account.id, id)
  }

  async #remove(work: Work, job: KeptJob): Promise<void> {
    const { account, id } = work
    const presence = new Presence(this.#services, account, job)
    const removal = new ImportRemoval(job, presence, this.#writers, () => work.isStopped)
    if (!(await removal.run())) return
    await removeOrphans(this.#services, account)
    await this.files.remove(account.id, id)
    const store = this.#services.accounts.store(account)
    await store.write(() => store.imports.remove(id))
  }

  async #failed(work: Work, error: unknown): Promise<void> {
    const { account, id } = work
    const { log, accounts } = this.#services
    if (!accounts.owns(account)) return
    const { id: kind, message } = toApiError(error)
    if (kind === 'unexpected-error' || kind === 'corrupted-data')
      log.error('an import failed', { accountId: account.id, cause: error })
    await work.reading?.stop()
    const store = accounts.store(account)
    await store.write(() => {
      const state = store.imports.getState(id)
      if (state === undefined) return
      const job = work.reading?.job ?? foundJob(store, id)
      // It may have been cancelled or deleted in the meantime.
      if (job.state === state && unfinished.has(job.state))
        keepJob(store, { ...job, state: 'failed', message, errorId: kind })
    })
  }
}
