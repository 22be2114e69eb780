/** Runs imports: one per account at a time, and few in total. (docs/decisions/0019-imports.md) */
import { setImmediate } from 'node:timers/promises'
import type { ImportFiles } from '../../storage/imports/import-files.js'
import { FairQueue } from '../../storage/scheduler.js'
import { isNoLongerServed } from '../../storage/errors.js'
import type { Account } from '../../storage/platform/account.js'
import type { ImportProgress, Imports } from '../call/imports.js'
import type { Services } from '../call/services.js'
import { removeOrphans } from '../events/attachment-sweep.js'
import { toApiError } from '../call/outcome.js'
import { isUnavailable } from '../unknown-user.js'
import { createAssignment, missingFileError, fetchFile } from './assignment.js'
import { storeOutcome } from './counted-files.js'
import { getJob, parseJob, saveJob, maxOpenImports, type StoredJob } from './job.js'
import { ImportCaller, type WriteMethods } from './import-caller.js'
import { ImportReading, type ImportReaders } from './import-reading.js'
import { ImportRemoval } from './import-removal.js'
import { expireFiles } from './waiting-files.js'
import {
  countAttempt,
  isFinished,
  saveFinalState,
  unfinishedStates,
  type QueuedImport,
  type ActiveImport
} from './active-import.js'

/** Maximum number of imports that run at a time. */
const maxConcurrent = 2
/** Milliseconds until the retry of an import whose result could not be saved, for example because the disk is full. */
const retryMs = 30_000

export class ImportJobs implements Imports {
  /** Imports that are queued once the write that starts them is on disk. */
  readonly #starting = new Set<string>()
  readonly #queue = new FairQueue<QueuedImport>()
  readonly #active = new Map<string, ActiveImport>()
  /** Retries, by account id. */
  readonly #retries = new Map<string, NodeJS.Timeout>()
  #services!: Services
  #writers!: WriteMethods
  #isClosing = false

  constructor(
    private readonly files: ImportFiles,
    private readonly readers: ImportReaders
  ) {}

  /** Starts the service. With `goesOn`, resumes the imports that an earlier process left unfinished. */
  start(services: Services, writers: WriteMethods, goesOn: boolean): void {
    this.#services = services
    this.#writers = writers
    if (goesOn) this.resumeAll()
  }

  resumeAll(): void {
    const { accounts } = this.#services
    for (const { id, username } of this.files.listMarked()) {
      const account = accounts.find(username)
      if (account?.id !== id) {
        if (!isUnavailable(accounts, username)) this.files.unmark(id)
      } else if (accounts.owns(account)) {
        const ready = accounts.waitUntilReady(account)
        if (!ready) this.resumePending(account)
        // An error is found again, and logged, when the import is resumed.
        else ready.then(() => this.resumePending(account)).catch(() => this.resumePending(account))
      }
    }
  }

  async stopReleased(): Promise<void> {
    const { accounts } = this.#services
    const released = [...this.#queue, ...this.#active.values()].filter(work => !accounts.owns(work.account))
    await Promise.all(released.map(({ account, id }) => this.stop(account, id)))
  }

  begin(account: Account, id: string): void {
    this.files.mark(account)
    this.#starting.add(id)
    // The import is queued after the write that starts it, since that may be rolled back.
    void setImmediate()
      .then(() => this.#services.accounts.openStore(account).write(() => undefined))
      .then(() => this.#enqueue(account, id))
      .catch((cause: unknown) => this.#retryAfter(account, 'an import could not be started', cause))
      .finally(() => this.#starting.delete(id))
  }

  resumePending(account: Account): void {
    if (!this.#services.accounts.owns(account)) return
    try {
      const { imports } = this.#services.accounts.openStore(account)
      for (const { fileId, id, state } of imports.listOpen(maxOpenImports).map(parseJob).toReversed()) {
        if (!unfinishedStates.has(state) || this.isActive(id)) continue
        // Before the daily job removes files that belong to no event.
        this.files.moveAttachment(account.id, fileId, id)
        this.begin(account, id)
      }
    } catch (cause) {
      this.#retryAfter(account, 'imports could not be resumed', cause)
    }
  }

  resumeAfterTakeover(account: Account): void {
    if (!this.files.isMarked(account.id)) this.resumePending(account)
  }

  isActive(id: string): boolean {
    return this.#starting.has(id) || [...this.#queue, ...this.#active.values()].some(work => work.id === id)
  }

  async stop(account: Account, id: string): Promise<void> {
    this.#queue.remove(queued => queued.id === id)
    const work = this.#active.get(account.id)
    if (work?.id !== id) return
    work.isStopped = true
    await work.reading?.stop()
    await work.done
  }

  get load(): { readonly running: number; readonly waiting: number } {
    return { running: this.#active.size, waiting: this.#queue.size }
  }

  getProgress(id: string): ImportProgress | undefined {
    for (const work of this.#active.values()) if (work.id === id) return work.progress
    return undefined
  }

  hasRunning({ id }: Account): boolean {
    return this.#active.has(id)
  }

  hasFile({ id: account }: Account, id: string): boolean {
    return this.files.exists(account, id)
  }

  async prepare(account: Account, id: string): Promise<void> {
    const job = getJob(this.#services.accounts.openStore(account), id)
    if (!unfinishedStates.has(job.state)) await this.stop(account, id)
    await fetchFile(this.#services, this.files, account, job)
  }

  async expireFiles(account: Account): Promise<void> {
    this.resumePending(account)
    await expireFiles(this.#services, this.files, account)
  }

  /** Stops all imports; the next start resumes them. */
  async close(): Promise<void> {
    this.#isClosing = true
    for (const timer of this.#retries.values()) clearTimeout(timer)
    await Promise.all([...this.#active.values()].map(({ account, id }) => this.stop(account, id)))
    await this.readers.close()
  }

  #enqueue(account: Account, id: string): void {
    if (this.#isClosing || [...this.#queue].some(queued => queued.id === id)) return
    this.#queue.add({ account: account.id, access: '' }, { account, id })
    this.#runNext()
  }

  /** Logs a failure, unless the account is no longer served, and tries again later. */
  #retryAfter(account: Account, message: string, cause: unknown): void {
    if (!isNoLongerServed(cause)) this.#services.log.error(message, { accountId: account.id, cause })
    this.#retry(account)
  }

  /** Resumes the imports of an account after a while, unless the account has been deleted. */
  #retry(account: Account): void {
    const { id, username } = account
    if (this.#isClosing || this.#retries.has(id)) return
    const { accounts } = this.#services
    const isServed = (): boolean => accounts.find(username)?.id === id
    if (!isServed() && !isUnavailable(accounts, username)) return this.files.unmark(id)
    const retry = (): void => {
      this.#retries.delete(id)
      if (isServed()) this.resumePending(account)
      else this.#retry(account)
    }
    this.#retries.set(id, setTimeout(retry, retryMs).unref())
  }

  #runNext(): void {
    while (this.#active.size < maxConcurrent) {
      const next = this.#queue.take(accountId => !this.#active.has(accountId))
      if (!next) return
      const { account, id } = next.item
      const work: ActiveImport = { account, id, isStopped: false, done: Promise.resolve() }
      this.#active.set(account.id, work)
      work.done = this.#run(work)
    }
  }

  /** Never rejects. */
  async #run(work: ActiveImport): Promise<void> {
    const { account } = work
    let isSaved = true
    try {
      await this.#runJob(work)
    } catch (error) {
      isSaved = await this.#saveFailure(work, error).then(
        () => true,
        () => false
      )
    }
    this.files.removeSpool(account.id, work.id)
    this.#active.delete(account.id)
    // Behind accounts that were queued in the meantime.
    this.#queue.moveToEnd(account.id)
    if (this.#isClosing) return
    if (!isSaved) this.#retry(account)
    else if (this.#queue.countItems(account.id) === 0 && isFinished(this.#services, account))
      this.files.unmark(account.id)
    this.#runNext()
  }

  async #runJob(work: ActiveImport): Promise<void> {
    const { account, id } = work
    const row = this.#services.accounts.openStore(account).imports.find(id)
    if (!row) return
    const job = parseJob(row)
    work.state = job.state
    if (job.state === 'looking') await this.#read(work, job)
    else if (job.state === 'writing') {
      const counted = await countAttempt(this.#services, account, job)
      if (counted) await this.#read(work, counted)
    } else if (job.state === 'removing') await this.#remove(work, job)
  }

  async #read(work: ActiveImport, job: StoredJob): Promise<void> {
    const { account, id } = work
    const isDry = job.state === 'looking'
    const startMs = performance.now()
    const assignment = await createAssignment(this.#services, this.files, account, job)
    if (!assignment) {
      await saveFinalState(this.#services, work, { ...job, state: 'failed', ...missingFileError })
      return
    }
    const reading = (work.reading = new ImportReading(
      this.readers,
      assignment,
      { account, job, isDry, services: this.#services, writers: this.#writers, files: this.files },
      value => (work.progress = value)
    ))
    if (work.isStopped) return
    const end = await reading.run()
    const seconds = Math.round(performance.now() - startMs) / 1000
    if (end.is === 'stopped') return
    let isSaved: boolean
    if (end.is === 'unreadable') {
      const { message, notice } = end
      const state = isDry ? 'unreadable' : 'failed'
      isSaved = await saveFinalState(this.#services, work, { ...end.job, state, message, notice })
    } else {
      const { digest, look, outcome, tally } = end
      const { leftOut: _leftOut, ...storedLook } = look
      isSaved = await saveFinalState(
        this.#services,
        work,
        isDry
          ? { ...end.job, state: 'looked', look: storedLook, tally }
          : // The file is removed, so its tables cannot be interpreted differently any more.
            { ...end.job, state: 'written', look: { ...storedLook, tables: [] }, tally, seconds },
        ({ imports }) => outcome && storeOutcome(imports, digest, outcome)
      )
    }
    // An import that was cancelled in the meantime needs its file to be run again.
    if (isSaved && (end.is === 'unreadable' || !isDry)) await this.files.remove(account.id, id)
  }

  async #remove(work: ActiveImport, job: StoredJob): Promise<void> {
    const { account, id } = work
    const presence = new ImportCaller(this.#services, account, job)
    const removal = new ImportRemoval(job, presence, this.#writers, () => work.isStopped)
    if (!(await removal.run())) return
    await removeOrphans(this.#services, account)
    await this.files.remove(account.id, id)
    const store = this.#services.accounts.openStore(account)
    await store.write(() => store.imports.remove(id))
  }

  async #saveFailure(work: ActiveImport, error: unknown): Promise<void> {
    const { account, id } = work
    const { log, accounts } = this.#services
    if (!accounts.owns(account)) return
    await work.reading?.stop()
    // Throws if the account has been deleted in the meantime, which explains the failure.
    const store = accounts.openStore(account)
    const { id: errorId, message } = toApiError(error)
    if (errorId === 'unexpected-error' || errorId === 'corrupted-data')
      log.error('an import failed', { accountId: account.id, cause: error })
    await store.write(() => {
      const state = store.imports.getState(id)
      // The import may have been cancelled or deleted in the meantime.
      if (state === undefined || state !== (work.state ?? state)) return
      const job = work.reading?.job ?? getJob(store, id)
      if (unfinishedStates.has(job.state)) saveJob(store, { ...job, state: 'failed', message, errorId })
    })
  }
}
