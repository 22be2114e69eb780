/**
 * Accounts in whose files nothing is due yet: a start leaves them closed until then, or until they are used. When work is due is noted
 * in the platform about once a minute. What has changed since a note shows in the times of files, so that a crash loses nothing.
 */
import { createHash } from 'node:crypto'
import type { Account } from '../../storage/platform/account.js'
import type { DueTime } from '../../storage/platform/timed-accounts.js'
import { nextTurn } from '../../storage/steps.js'
import type { Services } from '../call/services.js'
import type { Shard } from '../call/shard.js'
import type { Config } from '../settings/config.js'
import { version } from '../version.js'

export interface RestOptions {
  /** Index of the thread among those that serve accounts. */
  readonly shard: number
  /** What due times depend on besides files: after a change, a start opens all. */
  readonly key: string
}

/** The plans of accounts. */
interface Plans {
  /** Returns when an account has work next, in seconds; `undefined` if it has none. */
  findDue(id: string): number | undefined
  wake(account: Account): void
}

type Needed = 'accounts' | 'clock' | 'log' | 'platform'

/** Seconds between notes. */
const noteSeconds = 60
/**
 * Seconds before a note within which a change of a file counts as later: it may not have been noticed, as changes are announced once
 * they are on disk; and clocks are set.
 */
const margin = 120
/** Maximum number of due times stored by one commit, of accounts that are checked in one turn, and shortest wait, in seconds. */
const perCommit = 500
const perTurn = 50
const minWait = 0.2

/** Returns what due times depend on besides files, as {@link RestOptions.key}. */
export function createRestKey(config: Config, { map }: Shard): string {
  // These may differ at each start.
  const {
    adminKey: _key,
    commandKey: _command,
    port: _port,
    publicUrl: _url,
    serial: _serial,
    ...rest
  } = config
  const parts = [version, process.version, map.size, rest]
  return createHash('sha256').update(JSON.stringify(parts)).digest('base64url')
}

/** Finds the accounts with nothing due, and notes when their work is due. */
export class RestingAccounts {
  /** Accounts that rest, by id. `due` in seconds. */
  readonly #resting = new Map<string, Account & { readonly due: number }>()
  /** Their ids, those that are due first at the end. */
  #order: string[] = []
  /** Accounts whose due times may differ from those in the platform. */
  readonly #touched = new Set<string>()
  /** Files that have been written at or after this time may have changed since the last note. Absent if nothing can be told. */
  #unchangedBefore: number | undefined
  #cancelTimer = (): void => {}
  #cancelNote: (() => void) | undefined
  /** When due times were last noted, by the system's clock. */
  #notedAt = -Infinity
  /** The last note in progress. */
  #noting = Promise.resolve()
  #isClosed = false

  constructor(
    private readonly services: Pick<Services, Needed>,
    private readonly options: RestOptions,
    private readonly plans: Plans
  ) {
    const { platform } = services
    // The nodes of a cluster share one platform, but not their files.
    if (platform.position()) return
    const note = platform.timedAccounts.findNote(options.shard)
    // A note of the future was written before the clock was set back: what has changed since then looks older.
    if (note?.key === options.key && note.at <= Date.now() / 1000) this.#unchangedBefore = note.at - margin
  }

  /** Has an account rest if its file need not be opened. Resolves with whether it does. `due`: see {@link DueTime}. */
  async add(account: Account & { readonly due: number | null }): Promise<boolean> {
    const { accounts, clock } = this.services
    const { due, id } = account
    if (this.#unchangedBefore === undefined || due === null || due <= clock.now()) return false
    if (accounts.getLastWrite(account) >= this.#unchangedBefore) return false
    this.#resting.set(id, { ...account, due })
    if (this.#resting.size % perTurn === 0) await nextTurn()
    return true
  }

  /** Ends the rest of an account. Returns whether it rested. */
  remove(id: string): boolean {
    return this.#resting.delete(id)
  }

  /** Has no further account rest: what is known of them is from before the clock was set back. */
  distrust(): void {
    this.#unchangedBefore = undefined
  }

  /** Notes that the next work of an account may be due at another time. */
  touch(id: string): void {
    this.#touched.add(id)
  }

  /** Waits for the accounts that have been added. From now on, due times are noted. */
  start(): void {
    this.#notedAt = -Infinity
    this.#order = [...this.#resting.values()].toSorted((a, b) => b.due - a.due).map(({ id }) => id)
    this.#wakeDue()
    if (!this.#cancelNote && !this.services.platform.position()) this.#wait()
  }

  /** Notes due times for the last time. */
  async close(): Promise<void> {
    this.#cancelTimer()
    if (!this.#cancelNote) return
    this.#isClosed = true
    this.#cancelNote()
    // A later note must not be stored before due times of this one.
    await this.#noting
    await this.#note()
  }

  /** Wakes the accounts whose work has become due, and sets the timer for the next one. */
  #wakeDue(): void {
    const { clock } = this.services
    this.#cancelTimer()
    while (this.#order.length > 0) {
      const account = this.#resting.get(this.#order.at(-1)!)
      const wait = account ? account.due - clock.now() : 0
      if (wait > 0) {
        this.#cancelTimer = clock.after(Math.max(wait, minWait), () => this.#wakeDue())
        return
      }
      this.#order.pop()
      if (account) this.plans.wake(account)
    }
  }

  /** Notes due times after a while, and again after that. */
  #wait(): void {
    this.#cancelNote = this.services.clock.after(noteSeconds, () => {
      this.#noting = this.#noteChanges()
    })
  }

  async #noteChanges(): Promise<void> {
    if (this.#touched.size > 0 || this.services.accounts.openCount > 0) await this.#note()
    // A clock that is moved by a year has this done once.
    else await nextTurn()
    if (!this.#isClosed) this.#wait()
  }

  /** Stores the due times of accounts, and then that all are right. Never rejects. */
  async #note(): Promise<void> {
    const { log, platform } = this.services
    const { key, shard } = this.options
    // Times of files are those of the system's clock.
    const at = Date.now() / 1000
    // The clock was set back: until all is planned again, a start has to open all.
    if (at < this.#notedAt) return
    this.#notedAt = at
    const ids = [...this.#touched]
    this.#touched.clear()
    try {
      for (let from = 0; from < ids.length; from += perCommit) {
        const dueTimes = ids
          .slice(from, from + perCommit)
          .map((id): DueTime => [id, this.plans.findDue(id) ?? null])
        await platform.change('setDue', dueTimes)
      }
      await platform.change('setDue', [], { shard, at, key })
    } catch (cause) {
      for (const id of ids) this.#touched.add(id)
      log.warn('when work of accounts is due could not be noted', { cause })
    }
  }
}
