/**
 * Collects the changes made by a batch, which are published at the end of the batch, or earlier if there are many
 * changes.
 */
import type { Party } from '../../storage/scheduler.js'
import { nextTurn } from '../../storage/steps.js'
import type { Account } from '../../storage/platform/account.js'
import type { Changes } from '../changes.js'
import type { Services } from '../call/services.js'

/** Maximum number of stream ids in memory: an event can be in thousands of streams, each with a hundred ancestors. */
const maxStreamIds = 100_000
/** Time after which publishing yields to the event loop, in milliseconds. */
const sliceMs = 5

/** The changes of one batch that are not published yet. */
export class BatchChanges {
  #pending: Changes[] = []
  #size = 0

  constructor(
    private readonly services: Pick<Services, 'bus'>,
    private readonly account: Account,
    private readonly party: Party
  ) {}

  /** Adds the changes of a committed call. */
  add(changes: Changes): void {
    if (changes.isEmpty) return
    this.#pending.push(changes)
    this.#size += changes.size
  }

  /** True if the changes use so much memory that they should be published. */
  get isLarge(): boolean {
    return this.#size > maxStreamIds
  }

  /** Publishes the changes added since the last time, which must be on disk. */
  async publish(): Promise<void> {
    const pending = this.#pending
    this.#pending = []
    this.#size = 0
    let end = performance.now() + sliceMs
    for (const changes of pending) {
      this.services.bus.publish(this.account, changes)
      if (performance.now() < end) continue
      await nextTurn(this.party)
      end = performance.now() + sliceMs
    }
  }
}
