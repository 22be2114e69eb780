/**
 * The queue of one user's writes. Accesses take turns. Writes of one turn of the event loop are committed together; long ones
 * run alone.
 */
import { StoreBusy } from '../errors.js'
import { FairQueue, scheduler, type Party } from '../scheduler.js'
import type { Steps } from '../steps.js'

/** A queued write. */
export interface PendingWrite {
  /** Id of the access whose turns it takes; empty for the account as a whole. */
  readonly access: string
  readonly run: () => unknown
  readonly resolve: (value: unknown) => void
  readonly reject: (error: unknown) => void
  /** Whether the write resolves once it is on disk, instead of at its commit. */
  readonly isDurable: boolean
}

/** A queued write in steps, which works on a draft of the store. */
export interface PendingSteps<Draft> extends Pick<PendingWrite, 'access' | 'resolve' | 'reject'> {
  readonly stepsIn: (draft: Draft) => Steps<unknown>
}

/** Runs writes, and resolves or rejects each. */
interface Committer<Draft> {
  /** Commits writes of the group until it ends or time is up; the rest waits for a turn of the event loop. */
  commitGroup(group: Iterable<PendingWrite>, isSingle: boolean): void
  /** Never rejects. Later writes wait until it resolves. */
  commitSteps(write: PendingSteps<Draft>): Promise<void>
}

/** Maximum number of writes that share one commit; the rest waits for a turn of the event loop. */
const groupSize = 256

/**
 * Maximum number of queued writes: they take memory, and their callers may be gone. An access may queue as many as it
 * leaves free for others, so at most half of them.
 */
const maxPending = 5000

export class WriteQueue<Draft> {
  readonly #pending = new FairQueue<PendingWrite | PendingSteps<Draft>>()
  #isArmed = false
  #isHeld = false
  #blocker = Promise.resolve()

  constructor(
    private readonly party: Party,
    private readonly committer: Committer<Draft>
  ) {}

  /** Whether nothing waits and nothing holds up writes. */
  get isEmpty(): boolean {
    return this.#pending.size === 0 && !this.#isHeld
  }

  /** Whether writes have to wait. */
  get isHeld(): boolean {
    return this.#isHeld
  }

  /** Resolves when what holds up writes has ended, if anything does. */
  get blocker(): Promise<void> {
    return this.#blocker
  }

  /** Adds a write behind the other writes of its access. Rejects it with `StoreBusy` if the queue is full. */
  add(write: PendingWrite | PendingSteps<Draft>): void {
    const own = this.#pending.countItems(this.party.account, write.access)
    if (own >= maxPending - this.#pending.size) return write.reject(new StoreBusy())
    this.#pending.add({ ...this.party, access: write.access }, write)
    this.#scheduleNext()
  }

  /**
   * Returns a function that retries a failed write: it holds up writes while `work` removes the cause of the failure,
   * and then queues the write before those of its access. If `work` rejects, so does the write.
   */
  createRetry<Cause>(work: (cause: Cause) => Promise<void>): (write: PendingWrite, cause: Cause) => void {
    return (write, cause) => {
      const done = (): void => this.#pending.addFirst({ ...this.party, access: write.access }, write)
      void this.#holdFor(() => work(cause).then(done, error => write.reject(error)))
    }
  }

  /** Runs `work` while writes wait; skips it if something else already holds them up. */
  async pauseFor(work: () => Promise<void>): Promise<void> {
    if (!this.#isHeld) await this.#holdFor(work)
  }

  #scheduleNext(): void {
    if (this.#isArmed || this.#isHeld || this.#pending.size === 0) return
    this.#isArmed = true
    scheduler.add(this.party, () => {
      this.#isArmed = false
      if (!this.#isHeld) this.#commitNext()
    })
  }

  #commitNext(): void {
    const steps = this.#pending.take((_account, write) => 'stepsIn' in write)?.item as
      | PendingSteps<Draft>
      | undefined
    if (steps) {
      void this.#holdFor(() => this.committer.commitSteps(steps))
      return
    }
    this.committer.commitGroup(this.#group(), this.#pending.size === 1)
    this.#scheduleNext()
  }

  /** Holds up writes until `work` has settled. */
  async #holdFor(work: () => Promise<void>): Promise<void> {
    this.#isHeld = true
    const done = work()
    const release = (): void => {
      this.#isHeld = false
      this.#scheduleNext()
    }
    this.#blocker = done.then(release, release)
    await this.#blocker
    await done
  }

  /** Takes the writes that come before the next one in steps. */
  *#group(): Generator<PendingWrite, void> {
    for (let count = 0; count < groupSize; count++) {
      const next = this.#pending.take((_account, write) => !('stepsIn' in write))
      if (!next) return
      yield next.item as PendingWrite
    }
  }
}
