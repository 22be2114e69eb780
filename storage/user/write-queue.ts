/** The queue of one user's writes. Those of one turn of the event loop are committed together; long ones run alone. */
import { StoreBusy } from '../errors.js'
import { scheduler, type Party } from '../scheduler.js'
import type { Steps } from '../steps.js'

/** A queued write. */
export interface PendingWrite {
  readonly run: () => unknown
  readonly resolve: (value: unknown) => void
  readonly reject: (error: unknown) => void
  /** Whether it resolves once on disk instead of at its commit. */
  readonly isDurable: boolean
}

/** A queued write in steps, which works on a draft of the store. */
export interface PendingSteps<Draft> extends Pick<PendingWrite, 'resolve' | 'reject'> {
  readonly stepsIn: (draft: Draft) => Steps<unknown>
}

/** Runs writes, and resolves or rejects each. */
export interface Committer<Draft> {
  /** Returns how many were processed; the rest is left for after a turn of the event loop. */
  commitGroup(group: readonly PendingWrite[]): number
  /** Never rejects. Later writes wait until it resolves. */
  commitSteps(write: PendingSteps<Draft>): Promise<void>
}

/** Most writes to share one commit; the rest waits for a turn of the event loop. */
const groupSize = 256

/** Most queued writes: they take memory, and their callers may be gone. */
const maxPending = 5000

export class WriteQueue<Draft> {
  #pending: (PendingWrite | PendingSteps<Draft>)[] = []
  #isArmed = false
  #isHeld = false
  #long = Promise.resolve()

  constructor(
    private readonly party: Party,
    private readonly committer: Committer<Draft>
  ) {}

  get isEmpty(): boolean {
    return this.#pending.length === 0 && !this.#isHeld
  }

  /** Whether writes have to wait. */
  get isHeld(): boolean {
    return this.#isHeld
  }

  /** Resolves when what holds up writes has ended, if anything does. */
  get long(): Promise<void> {
    return this.#long
  }

  /** Adds a write. If the queue is full it is rejected with `StoreBusy`. */
  add(write: PendingWrite | PendingSteps<Draft>): void {
    if (this.#pending.length >= maxPending) return write.reject(new StoreBusy())
    this.#pending.push(write)
    this.#arm()
  }

  /**
   * Returns what holds up writes while `work` removes the cause for which one has failed, and then puts it before those that
   * wait. If `work` rejects, so does the write.
   */
  again<Cause>(work: (cause: Cause) => Promise<void>): (write: PendingWrite, cause: Cause) => void {
    return (write, cause) => {
      const done = (): void => void this.#pending.unshift(write)
      void this.#holdFor(() => work(cause).then(done, error => write.reject(error)))
    }
  }

  /** Runs `work` while writes wait; skips it if something else already holds them up. */
  async pauseFor(work: () => Promise<void>): Promise<void> {
    if (!this.#isHeld) await this.#holdFor(work)
  }

  #arm(): void {
    if (this.#isArmed || this.#isHeld || this.#pending.length === 0) return
    this.#isArmed = true
    scheduler.add(this.party, () => {
      this.#isArmed = false
      if (!this.#isHeld) this.#next()
    })
  }

  #next(): void {
    const first = this.#pending[0]
    if (first && 'stepsIn' in first) {
      this.#pending.shift()
      void this.#holdFor(() => this.committer.commitSteps(first))
      return
    }
    const group = this.#nextGroup()
    const count = this.committer.commitGroup(group)
    this.#pending.unshift(...group.slice(count))
    this.#arm()
  }

  /** Holds up writes until `work` has settled. */
  async #holdFor(work: () => Promise<void>): Promise<void> {
    this.#isHeld = true
    const done = work()
    const release = (): void => {
      this.#isHeld = false
      this.#arm()
    }
    this.#long = done.then(release, release)
    await this.#long
    await done
  }

  /** The writes that come before the next one in steps. */
  #nextGroup(): PendingWrite[] {
    const group: PendingWrite[] = []
    for (const write of this.#pending) {
      if (group.length === groupSize || 'stepsIn' in write) break
      group.push(write)
    }
    this.#pending.splice(0, group.length)
    return group
  }
}
