/**
 * Ends waits that began while the clock was ahead, such as at the start of a machine: they would last until the clock is there again.
 * What is due later than it ever is tells them, whenever that is noticed. (docs/architecture.md#timers)
 */
import type { Services } from '../core/call/services.js'
import { writeAsService } from '../core/cmc/service-calls.js'
import { moveBack } from '../core/letters/schedule.js'
import { listAhead, planAgain } from '../core/reminders/firing.js'
import type { TimedTask } from '../core/timers/timed-task.js'
import type { Account } from '../storage/platform/account.js'
import type { UserStore } from '../storage/user/user-store.js'

/** Seconds for which an account is not searched again unless the clock was set back. */
const checkSeconds = 3600

/** Searches accounts whenever their work is planned, at most once an hour. */
export class SetBackTask implements TimedTask {
  readonly name = 'set-back'
  /** When accounts without such waits were searched, by id. */
  readonly #checked = new Map<string, number>()
  readonly #unsubscribe: () => void

  constructor(private readonly services: Services) {
    this.#unsubscribe = services.clock.onSetBack(() => this.#checked.clear())
  }

  findNext(store: UserStore, { deletion, id }: Account): number | undefined {
    const now = this.services.clock.now()
    const checked = this.#checked.get(id) ?? Infinity
    if (deletion !== null || (checked <= now && now < checked + checkSeconds)) return undefined
    if (isAhead(store, now)) return now
    this.#checked.set(id, now)
    return undefined
  }

  async run(account: Account): Promise<void> {
    await writeAsService(this.services, account, ({ changes, now, store }) => {
      store.waits.endAhead(now)
      for (const reminder of listAhead(store, now)) planAgain(store, reminder, now)
      const letter = store.letter.find()
      if (letter) store.letter.put(moveBack(letter, now))
      changes.add('timers')
    })
  }

  close(): void {
    this.#unsubscribe()
  }
}

function isAhead(store: UserStore, now: number): boolean {
  const letter = store.letter.find()
  return (
    store.waits.hasAhead(now) ||
    listAhead(store, now).length > 0 ||
    (letter !== undefined && moveBack(letter, now) !== letter)
  )
}
