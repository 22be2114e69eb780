/** Reads one file: processes the batches of the thread that reads it, in order. */
import { createHash } from 'node:crypto'
import type {
  ReadAssignment,
  DraftBatch,
  CountedFile,
  FileDraft,
  ReaderMessage,
  ImportReview,
  ReaderReply
} from '../../imports/protocol.js'
import type { Notice } from '../../imports/messages.js'
import type { ImportFiles } from '../../storage/imports/import-files.js'
import type { Account } from '../../storage/platform/account.js'
import type { ImportProgress } from '../call/imports.js'
import type { Services } from '../call/services.js'
import { mayReadAt } from '../events/event-permissions.js'
import { findCounted, findOutcome, storeCounted, type StoredOutcome } from './counted-files.js'
import { FileWriter } from './file-writer.js'
import { ImportFingerprint, isUnchanged, type ImportView } from './fingerprint.js'
import type { StoredJob } from './job.js'
import { describeTargets } from './lane-choices.js'
import { ImportMemory } from './memory.js'
import { ImportCaller, type WriteMethods } from './import-caller.js'
import { skipReasons, TallyCounter } from './tally.js'
import { ImportWriter } from './writer.js'

/** A thread that reads one file. */
export interface ImportReader {
  /** Answers the thread, which waits for that after each batch or file. */
  send(message: ReaderReply): void
  /** Stops reading; resolves once what has been received is processed. `run` then returns `stopped`. */
  stop(): Promise<void>
}

/** Threads that read files. */
export interface ImportReaders {
  /** Gives a file to a thread. `onEnd` is called once, with an error if the thread has failed. */
  start(
    assignment: ReadAssignment,
    onMessage: (message: ReaderMessage) => void,
    onEnd: (error?: Error) => void
  ): ImportReader
  /** Ends the threads that wait for a file. */
  close(): Promise<void>
}

type ReadingResult =
  | { readonly is: 'stopped' }
  | { readonly is: 'unreadable'; readonly message: string; readonly notice: Notice; readonly job: StoredJob }
  | {
      readonly is: 'complete'
      readonly look: ImportReview
      readonly tally: TallyCounter
      readonly job: StoredJob
      /** A digest of the content, and of how it was read. */
      readonly digest: string
      /** The outcome to store for the same content; `undefined` if it must be compared again. */
      readonly outcome: StoredOutcome | undefined
    }

/** Reasons that stay valid as long as the fingerprint of a file is unchanged. */
const lastingReasons = new Set<string>([skipReasons.twice, skipReasons.deleted, skipReasons.leftOut])

/** Reads the file of one job: analyses it if `isDry`, otherwise also writes its records. */
export class ImportReading {
  readonly #writer: ImportWriter
  readonly #files: FileWriter
  readonly #importView: ImportView
  readonly #presence: ImportCaller
  readonly #footprint: ImportFingerprint | undefined
  #storedOutcome: StoredOutcome | undefined
  #reader: ImportReader | undefined
  #digest = ''
  #look: ImportReview | undefined
  #twice: Readonly<Record<string, number>> | undefined
  #leftOutCount = 0
  #unreadable: { readonly message: string; readonly notice: Notice } | undefined
  #isStopped = false
  /** Processes messages one after the other. */
  #queue: Promise<void> = Promise.resolve()
  #failure: { readonly error: unknown } | undefined

  constructor(
    private readonly readers: ImportReaders,
    private readonly assignment: ReadAssignment,
    private readonly work: {
      readonly account: Account
      readonly job: StoredJob
      readonly isDry: boolean
      readonly services: Services
      readonly writers: WriteMethods
      readonly files: ImportFiles
    },
    private readonly onProgress: (progress: ImportProgress) => void
  ) {
    const { account, files, isDry, job, services, writers } = work
    const presence = (this.#presence = new ImportCaller(services, account, job))
    this.#importView = {
      party: presence.party,
      open: () => services.accounts.openStore(account),
      mayRead: streams => mayReadAt(presence.createCall(), streams)
    }
    if (!isDry) this.#footprint = new ImportFingerprint(this.#importView)
    this.#writer = new ImportWriter(job, presence, writers, this.#footprint)
    this.#files = new FileWriter(this.#writer, presence, () => files.openUnpacked(account.id, job.id))
  }

  /** The job with the streams created so far. */
  get job(): StoredJob {
    return this.#writer.job
  }

  /**
   * Reads the file to its end, and writes its records unless it is only analysed. Rejects with the error
   * that ends the import.
   */
  async run(): Promise<ReadingResult> {
    await new Promise<void>((resolve, reject) => {
      this.#reader = this.readers.start(
        this.assignment,
        message => this.#receive(message),
        error => (error && !this.#isStopped && !this.#failure ? reject(error) : resolve())
      )
    })
    await this.#queue
    if (this.#failure) throw this.#failure.error
    if (this.#isStopped) return { is: 'stopped' }
    const { job } = this
    if (this.#unreadable) return { ...this.#unreadable, is: 'unreadable', job }
    if (!this.#look || !this.#twice) throw new Error('The reader has ended early')
    const { tally } = this.#writer
    for (const count of Object.values(this.#twice)) tally.add('leftOut', skipReasons.twice, count)
    tally.add('leftOut', skipReasons.leftOut, this.#leftOutCount)
    const outcome = await this.#createOutcome(tally)
    tally.addAll('known', this.#storedOutcome?.known ?? {})
    tally.addAll('leftOut', this.#storedOutcome?.leftOut ?? {})
    tally.addAll('leftOut', this.#look.leftOut)
    const lanes = describeTargets(this.#presence.createCall(), job.parentId, this.#look.lanes)
    return { is: 'complete', look: { ...this.#look, lanes }, tally, job, digest: this.#digest, outcome }
  }

  /** Stops reading; resolves once the transaction under way has ended. What was written stays. */
  async stop(): Promise<void> {
    this.#isStopped = true
    await this.#reader?.stop()
    await this.#queue
  }

  /** Takes a message of the reading thread; what touches the store is queued, in the order of the messages. */
  #receive(message: ReaderMessage): void {
    if (message.is === 'progress') {
      const { done, pass, total } = message
      this.onProgress({ pass, done, total })
    } else if (message.is === 'digest') {
      this.#digest = message.digest
      this.#queue = this.#queue.then(() => this.#runGuarded(() => this.#sendStored(message.digest)))
    } else if (message.is === 'counted') {
      const { counted, look } = message
      this.#look = look
      this.#queue = this.#queue.then(() => this.#runGuarded(() => this.#storeCounts(look, counted)))
    } else if (message.is === 'batch') {
      this.#queue = this.#queue.then(() => this.#runGuarded(() => this.#writeBatch(message.batch)))
    } else if (message.is === 'file' || message.is === 'bytes') {
      const { file, is } = message
      this.#queue = this.#queue.then(() => this.#runGuarded(() => this.#handleFile(file, is)))
    } else if (message.is === 'done') {
      this.#twice = message.duplicates
      this.#leftOutCount = message.leftOutCount
    } else this.#unreadable = message
  }

  async #runGuarded(work: () => Promise<void>): Promise<void> {
    if (this.#failure || this.#isStopped) return
    try {
      await work()
    } catch (error) {
      this.#failure = { error }
      void this.#reader?.stop()
    }
  }

  async #writeBatch(batch: DraftBatch): Promise<void> {
    await this.#writer.writeBatch(batch)
    this.#reader?.send({ is: 'taken' })
  }

  /** Tells the reader whether it has to send the bytes of a file; stores the bytes once they have been sent. */
  async #handleFile(file: FileDraft, is: 'file' | 'bytes'): Promise<void> {
    if (is === 'file') this.#reader?.send({ is: 'offered', isWanted: this.#files.needsContent(file) })
    else {
      await this.#files.store(file)
      this.#reader?.send({ is: 'kept' })
    }
  }

  /** Sends the reader what is stored about a file. */
  async #sendStored(digest: string): Promise<void> {
    const { imports } = this.#importView.open()
    const [counted, outcome] = [findCounted(imports, digest), findOutcome(imports, digest)]
    const hasSameKey = outcome?.key === this.#key
    if (counted && outcome && hasSameKey && (await isUnchanged(this.#importView, outcome.footprint)))
      this.#storedOutcome = outcome
    this.#reader?.send({ is: 'recalled', counted, isSettled: this.#storedOutcome !== undefined })
  }

  /** Returns the outcome to store, valid as long as the imported data is unchanged; `undefined` if that is not certain. */
  async #createOutcome({ broughtIn, known, leftOut }: TallyCounter): Promise<StoredOutcome | undefined> {
    if (this.#storedOutcome) return this.#storedOutcome
    // Duplicates of an earlier attempt are counted differently by a later one.
    if (this.work.job.attempt !== 1 || Object.keys(leftOut).some(reason => !lastingReasons.has(reason)))
      return undefined
    const footprint = await this.#footprint?.toStored()
    const total = new TallyCounter()
    total.addAll('known', known)
    total.addAll('known', broughtIn)
    return footprint && { key: this.#key, known: total.known, leftOut: { ...leftOut }, footprint }
  }

  /**
   * A digest of the key from which ids are derived and of the choices for lanes, with a version: outcomes stored by earlier
   * versions could be wrong.
   */
  get #key(): string {
    const { choices, key } = this.assignment
    return createHash('sha256')
      .update(`outcome 3\n${key}\n${JSON.stringify(choices)}`)
      .digest('hex')
  }

  /** Stores the counts, and the forms of lanes: later files of the same kind use the same series. */
  async #storeCounts({ lanes }: ImportReview, counted: CountedFile | undefined): Promise<void> {
    const { account, isDry, job, services } = this.work
    const store = services.accounts.openStore(account)
    await store.write(() => {
      if (counted) storeCounted(store.imports, this.#digest, counted)
      if (isDry) return
      new ImportMemory(store, job).storeForms(lanes)
    })
  }
}
