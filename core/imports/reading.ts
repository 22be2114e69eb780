/** One reading of a file: batches are taken from the thread that reads it, one after the other. */
import type { Assignment, Batch, Counted, FromReader, Look, ToReader } from '../../imports/protocol.js'
import type { Account } from '../../storage/platform/account.js'
import type { ImportProgress } from '../call/imports.js'
import type { Services } from '../call/services.js'
import { recalled, rememberCounted } from './counted.js'
import type { KeptJob } from './job.js'
import { ImportMemory } from './memory.js'
import { Presence, type Writers } from './present.js'
import { reasons, type Tallies } from './tallies.js'
import { ImportWriter } from './writer.js'

/** A thread that reads one file. */
export interface Reader {
  tell(message: ToReader): void
  /** Ends it; resolves when it has ended. */
  stop(): Promise<void>
}

/** Starts threads that read files. */
export interface Readers {
  /** `onEnd` is called once, with an error if the thread has failed. */
  start(
    assignment: Assignment,
    onMessage: (message: FromReader) => void,
    onEnd: (error?: Error) => void
  ): Reader
}

export type End =
  | { readonly is: 'stopped' }
  | { readonly is: 'unreadable'; readonly message: string; readonly job: KeptJob }
  | { readonly is: 'complete'; readonly look: Look; readonly tally: Tallies; readonly job: KeptJob }

export class Reading {
  readonly #writer: ImportWriter
  #reader: Reader | undefined
  #digest = ''
  #look: Look | undefined
  #twice: Readonly<Record<string, number>> | undefined
  #message: string | undefined
  #isStopped = false
  /** What has been received is dealt with one after the other. */
  #line: Promise<void> = Promise.resolve()
  #failure: { readonly error: unknown } | undefined

  constructor(
    private readonly readers: Readers,
    private readonly assignment: Assignment,
    private readonly work: {
      readonly account: Account
      readonly job: KeptJob
      readonly isDry: boolean
      readonly services: Services
      readonly writers: Writers
    },
    private readonly onProgress: (progress: ImportProgress) => void
  ) {
    const { account, isDry, job, services, writers } = work
    this.#writer = new ImportWriter(job, new Presence(services, account, job), writers, isDry)
  }

  /** The job with what has been done so far. */
  get job(): KeptJob {
    return this.#writer.present
  }

  /** Reads the file to its end. Rejects with what ends the import. */
  async run(): Promise<End> {
    await new Promise<void>((resolve, reject) => {
      this.#reader = this.readers.start(
        this.assignment,
        message => this.#receive(message),
        error => (error && !this.#isStopped && !this.#failure ? reject(error) : resolve())
      )
    })
    await this.#line
    if (this.#failure) throw this.#failure.error
    if (this.#isStopped) return { is: 'stopped' }
    const { job } = this
    if (this.#message !== undefined) return { is: 'unreadable', message: this.#message, job }
    if (!this.#look || !this.#twice) throw new Error('The reader has ended early')
    const { tally } = this.#writer
    tally.addAll('leftOut', this.#look.leftOut)
    for (const count of Object.values(this.#twice)) tally.add('leftOut', reasons.twice, count)
    return { is: 'complete', look: this.#look, tally, job }
  }

  async stop(): Promise<void> {
    this.#isStopped = true
    await this.#reader?.stop()
    await this.#line
  }

  #receive(message: FromReader): void {
    if (message.is === 'progress') {
      const { done, pass, total } = message
      this.onProgress({ pass, done, total })
    } else if (message.is === 'digest') {
      this.#digest = message.digest
      this.#reader?.tell({ is: 'recalled', counted: this.#recalled(message.digest) })
    } else if (message.is === 'counted') {
      const { counted, look } = message
      this.#look = look
      this.#line = this.#line.then(() => this.#guarded(() => this.#remember(look, counted)))
    } else if (message.is === 'batch') {
      this.#line = this.#line.then(() => this.#guarded(() => this.#take(message.batch)))
    } else if (message.is === 'done') this.#twice = message.twice
    else this.#message = message.message
  }

  async #guarded(work: () => Promise<void>): Promise<void> {
    if (this.#failure || this.#isStopped) return
    try {
      await work()
    } catch (error) {
      this.#failure = { error }
      void this.#reader?.stop()
    }
  }

  async #take(batch: Batch): Promise<void> {
    await this.#writer.take(batch)
    this.#reader?.tell({ is: 'taken' })
  }

  #recalled(digest: string): Counted | undefined {
    const { account, services } = this.work
    try {
      return recalled(services.accounts.store(account).imports, digest)
    } catch {
      // What comes next says what is wrong with the account.
      return undefined
    }
  }

  /** What becomes series stays series: the next file of this kind is to meet it there. */
  async #remember({ lanes }: Look, counted: Counted | undefined): Promise<void> {
    const { account, isDry, job, services } = this.work
    const store = services.accounts.store(account)
    await store.write(() => {
      if (counted) rememberCounted(store.imports, this.#digest, counted)
      if (isDry) return
      new ImportMemory(store, job).rememberForms(lanes)
    })
  }
}
