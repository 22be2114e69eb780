/** One reading of a file: batches are taken from the thread that reads it, one after the other. */
import { createHash } from 'node:crypto'
import type {
  Assignment,
  Batch,
  Counted,
  FileDraft,
  FromReader,
  Look,
  ToReader
} from '../../imports/protocol.js'
import type { Notice } from '../../imports/messages.js'
import type { ImportFiles } from '../../storage/imports/import-files.js'
import type { Account } from '../../storage/platform/account.js'
import type { ImportProgress } from '../call/imports.js'
import type { Services } from '../call/services.js'
import { mayReadAt } from '../events/event-permissions.js'
import { recalled, recalledOutcome, rememberCounted, type KeptOutcome } from './counted.js'
import { FileWriter } from './file-writer.js'
import { Footprint, isUnchanged, type ImportView } from './footprint.js'
import type { KeptJob } from './job.js'
import { ImportMemory } from './memory.js'
import { Presence, type Writers } from './present.js'
import { reasons, Tallies } from './tallies.js'
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
  | { readonly is: 'unreadable'; readonly message: string; readonly notice: Notice; readonly job: KeptJob }
  | {
      readonly is: 'complete'
      readonly look: Look
      readonly tally: Tallies
      readonly job: KeptJob
      /** Of the bytes, and of how they were read. */
      readonly digest: string
      /** What the next reading of the same bytes may answer; `undefined` if it has to look for itself. */
      readonly outcome: KeptOutcome | undefined
    }

/** Reasons that stay good as long as the footprint of a file is as it was. */
const lasting = new Set<string>([reasons.twice, reasons.deleted])

export class Reading {
  readonly #writer: ImportWriter
  readonly #files: FileWriter
  readonly #view: ImportView
  readonly #footprint: Footprint | undefined
  #settled: KeptOutcome | undefined
  #reader: Reader | undefined
  #digest = ''
  #look: Look | undefined
  #twice: Readonly<Record<string, number>> | undefined
  #unreadable: { readonly message: string; readonly notice: Notice } | undefined
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
      readonly files: ImportFiles
    },
    private readonly onProgress: (progress: ImportProgress) => void
  ) {
    const { account, files, isDry, job, services, writers } = work
    const presence = new Presence(services, account, job)
    this.#view = {
      party: presence.party,
      open: () => services.accounts.store(account),
      mayRead: streams => mayReadAt(presence.call(), streams)
    }
    if (!isDry) this.#footprint = new Footprint(this.#view)
    this.#writer = new ImportWriter(job, presence, writers, this.#footprint)
    this.#files = new FileWriter(this.#writer, presence, () => files.openUnpacked(account.id, job.id))
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
    if (this.#unreadable) return { ...this.#unreadable, is: 'unreadable', job }
    if (!this.#look || !this.#twice) throw new Error('The reader has ended early')
    const { tally } = this.#writer
    for (const count of Object.values(this.#twice)) tally.add('leftOut', reasons.twice, count)
    const outcome = await this.#outcome(tally)
    tally.addAll('known', this.#settled?.known ?? {})
    tally.addAll('leftOut', this.#settled?.leftOut ?? {})
    tally.addAll('leftOut', this.#look.leftOut)
    return { is: 'complete', look: this.#look, tally, job, digest: this.#digest, outcome }
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
      this.#line = this.#line.then(() => this.#guarded(() => this.#recall(message.digest)))
    } else if (message.is === 'counted') {
      const { counted, look } = message
      this.#look = look
      this.#line = this.#line.then(() => this.#guarded(() => this.#remember(look, counted)))
    } else if (message.is === 'batch') {
      this.#line = this.#line.then(() => this.#guarded(() => this.#take(message.batch)))
    } else if (message.is === 'file' || message.is === 'bytes') {
      const { file, is } = message
      this.#line = this.#line.then(() => this.#guarded(() => this.#file(file, is)))
    } else if (message.is === 'done') this.#twice = message.twice
    else this.#unreadable = message
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

  async #file(file: FileDraft, is: 'file' | 'bytes'): Promise<void> {
    if (is === 'file') this.#reader?.tell({ is: 'offered', isWanted: this.#files.wants(file) })
    else {
      await this.#files.keep(file)
      this.#reader?.tell({ is: 'kept' })
    }
  }

  /** Tells the reader what is known of a file. */
  async #recall(digest: string): Promise<void> {
    const { imports } = this.#view.open()
    const [counted, outcome] = [recalled(imports, digest), recalledOutcome(imports, digest)]
    const isOwn = outcome?.key === this.#key
    if (counted && outcome && isOwn && (await isUnchanged(this.#view, outcome.footprint)))
      this.#settled = outcome
    this.#reader?.tell({ is: 'recalled', counted, isSettled: this.#settled !== undefined })
  }

  /** What can be said of the same file as long as all that it brought in is there; `undefined` if that is not certain. */
  async #outcome({ broughtIn, known, leftOut }: Tallies): Promise<KeptOutcome | undefined> {
    if (this.#settled) return this.#settled
    // What an earlier attempt has left out as being there twice is counted differently by a later one.
    if (this.work.job.attempt !== 1 || Object.keys(leftOut).some(reason => !lasting.has(reason)))
      return undefined
    const footprint = await this.#footprint?.kept()
    const all = new Tallies()
    all.addAll('known', known)
    all.addAll('known', broughtIn)
    return footprint && { key: this.#key, known: all.known, leftOut: { ...leftOut }, footprint }
  }

  /** Tells apart whose ids are made alike, without the key itself, and what former versions kept, which could be wrong. */
  get #key(): string {
    return createHash('sha256').update(`outcome 2\n${this.assignment.key}`).digest('hex')
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
