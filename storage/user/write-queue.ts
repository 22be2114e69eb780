/** The writes of one user, in the order in which they were asked for: those of a turn of the loop together, long ones alone. */
import type { Steps } from '../steps.js'

/** A write that waits for its turn. */
export interface PendingWrite {
  readonly run: () => unknown
  readonly resolve: (value: unknown) => void
  readonly reject: (error: unknown) => void
  /** Whether it is answered once it is on disk, not at its commit already. */
  readonly isDurable: boolean
}

/** A write in steps that waits for its turn: in a draft of its own meanwhile. */
export interface PendingSteps<Draft> extends Pick<PendingWrite, 'resolve' | 'reject'> {
  readonly stepsIn: (draft: Draft) => Steps<unknown>
}

/** Does the writes whose turn it is, and tells each how it went. */
export interface Committer<Draft> {
  /** Answers how many it got through: others are to have their turn before the rest. */
  commitGroup(group: readonly PendingWrite[]): number
  /** Never rejects. The writes after it wait until it resolves. */
  commitSteps(write: PendingSteps<Draft>): Promise<void>
}

/** Writes that share one commit at most: beyond it, others get their turn on the loop first. */
const groupSize = 256

export class WriteQueue<Draft> {
  #pending: (PendingWrite | PendingSteps<Draft>)[] = []
  #isArmed = false
  #isHeld = false
  #long = Promise.resolve()

  constructor(private readonly committer: Committer<Draft>) {}

  get isEmpty(): boolean {
    return this.#pending.length === 0 && !this.#isHeld
  }

  /** Whether writes have to wait. */
  get isHeld(): boolean {
    return this.#isHeld
  }

  /** Resolves with the end of what writes have to wait for, if there is anything. */
  get long(): Promise<void> {
    return this.#long
  }

  add(write: PendingWrite | PendingSteps<Draft>): void {
    this.#pending.push(write)
    this.#arm()
  }

  /** Does something while writes wait. Not while one in steps is under way: nobody waits for that. */
  async pauseFor(work: () => Promise<void>): Promise<void> {
    if (!this.#isHeld) await this.#holdFor(work)
  }

  #arm(): void {
    if (this.#isArmed || this.#isHeld || this.#pending.length === 0) return
    this.#isArmed = true
    setImmediate(() => {
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

  /** Lets writes wait until something has ended, whether that went well or not. */
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
