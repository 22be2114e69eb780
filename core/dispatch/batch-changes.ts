/** The changes made by a batch: published at its end, or earlier if there are many. */
import type { Party } from '../../storage/scheduler.js'
import { nextTurn } from '../../storage/steps.js'
import type { Account } from '../../storage/platform/account.js'
import type { Changes } from '../changes.js'
import type { Services } from '../call/services.js'

/** Maximum number of stream ids kept: an event may be in thousands of streams, each below a hundred others. */
const maxIds = 100_000
/** Time after which publishing yields to the event loop, in milliseconds. */
const turnMs = 5

export class BatchChanges {
  #list: Changes[] = []
  #size = 0

  constructor(
    private readonly services: Pick<Services, 'bus'>,
    private readonly account: Account,
    private readonly party: Party
  ) {}

  /** Adds the changes of a committed call. */
  add(changes: Changes): void {
    if (changes.isEmpty) return
    this.#list.push(changes)
    this.#size += changes.size
  }

  /** Whether they take so much memory that they should be published. */
  get areMany(): boolean {
    return this.#size > maxIds
  }

  /** Publishes what has been added since the last time, which has to be on disk. */
  async publish(): Promise<void> {
    const list = this.#list
    this.#list = []
    this.#size = 0
    let end = performance.now() + turnMs
    for (const changes of list) {
      this.services.bus.publish(this.account.username, changes)
      if (performance.now() < end) continue
      await nextTurn(this.party)
      end = performance.now() + turnMs
    }
  }
}
