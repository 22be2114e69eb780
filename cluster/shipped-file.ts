/** Reads what is committed to one open file, and passes it to the account's outbox. */
import { StoreUnavailable } from '../storage/errors.js'
import { initializeLog } from '../storage/sqlite/open.js'
import type { Durability, FoundLog, OnDurable } from '../storage/wal/durability.js'
import type { Position, OpenedFile } from '../storage/wal/position.js'
import { toFullChanges, type Changes } from './commit.js'
import { FrameReader, type LogProgress } from './frames.js'
import type { Outbox } from './outbox.js'

export class ShippedFile implements Durability {
  /** Checkpoints sync the folder: nothing else here needs the log's directory entry. */
  readonly isNamed = false
  readonly #frames: FrameReader
  #isNew: boolean

  /** Throws `StoreUnavailable` if the file is not at the end of its log. */
  constructor(
    private readonly opened: OpenedFile,
    found: FoundLog,
    private readonly outbox: Outbox
  ) {
    this.#isNew = found.isNew
    this.#frames = this.createReader(opened, outbox.progress)
    if (outbox.position.lsn === 0) this.#addWholeFile()
    else assertPosition(opened.position(), outbox.position)
    outbox.onOpened()
  }

  get isBusy(): boolean {
    return this.outbox.isBusy
  }

  get nextPosition(): Position {
    return this.outbox.nextPosition
  }

  begin(): void {
    this.outbox.assertSettled()
    this.#initialize()
  }

  /** Passes what has been committed to the outbox. After an error, the outbox confirms nothing more. */
  capture(): void {
    try {
      const changes = this.readChanges()
      if (changes) this.#add(changes)
    } catch (error) {
      this.outbox.fail(error as Error)
    }
  }

  /** Nothing to do: what was captured is appended, whether or not a caller waits for it. */
  committed(): void {}

  afterSync(done: OnDurable): void {
    this.outbox.onConfirmed(done)
  }

  waitUntilConfirmed(): Promise<void> | undefined {
    return this.outbox.waitUntilConfirmed()
  }

  async waitUntilRestartable(): Promise<void> {
    await this.outbox.waitUntilConfirmed()
  }

  close(): void {
    this.capture()
    this.#frames.close()
    this.outbox.onClosed(this.#frames.progress)
  }

  /** Creates the reader of the frames of the log. Tests override it. */
  protected createReader(opened: OpenedFile, taken: LogProgress | undefined): FrameReader {
    return new FrameReader(opened.file, () => opened.lastFrame(), taken)
  }

  /** Reads what has been committed since the last call. */
  protected readChanges(): Changes | undefined {
    return this.#frames.readChanges()
  }

  /** Passes changes to the outbox. If their transaction has not written a position, a position is committed now. */
  #add(changes: Changes): void {
    const { nextPosition, position } = this.outbox
    const written = this.opened.position()
    if (written?.lsn === nextPosition.lsn && written.epoch === nextPosition.epoch)
      return this.outbox.add({ ...nextPosition, ...changes })
    assertPosition(written, position)
    this.opened.commitPosition(nextPosition)
    const rest = this.readChanges()
    if (!rest) throw new Error(`${this.opened.file}: a commit has left nothing in the log`)
    this.outbox.add({ ...nextPosition, ...rest, changes: [...changes.changes, ...rest.changes] })
  }

  /** Adds the first record of an account: its whole file. */
  #addWholeFile(): void {
    const { nextPosition } = this.outbox
    this.#initialize()
    this.opened.addPosition(nextPosition)
    // The pages contain everything, so the changes that were read are not needed.
    this.readChanges()
    this.outbox.add({ ...nextPosition, ...toFullChanges(this.opened.pages()) })
  }

  #initialize(): void {
    if (!this.#isNew) return
    this.#isNew = false
    initializeLog(this.opened.file)
  }
}

function assertPosition(found: Position | undefined, expected: Position): void {
  if (found?.lsn !== expected.lsn || found.epoch !== expected.epoch)
    throw new StoreUnavailable(`The file is at ${found?.lsn ?? 'no'} commit, its log at ${expected.lsn}`)
}
