/**
 * Validators for `ETag`s. A validator changes whenever the response to the same call could change, and is computed
 * without the response, so that a client that has it already need not be sent it again.
 */
import type { UserStore } from '../../storage/user/user-store.js'
import { getStorageCount } from '../account/account-object.js'
import { BoundedMap } from '../security/bounded-map.js'
import type { Change } from '../changes.js'
import { createId } from '../ids.js'
import type { Call } from '../call/method.js'
import { ChangeRecipient } from '../permissions/change-recipient.js'
import type { Steps } from '../../storage/steps.js'
import { SlicedWorkQueue } from '../notifications/sliced-work-queue.js'
import { optsOutOfOlderIds } from '../account/older-ids.js'
import { isSystemId } from '../system-ids.js'
import { getAccountStreams } from '../account/fields.js'
import type { Services } from '../call/services.js'

/**
 * Maximum number of accounts, and of accesses per account, whose changes are counted. Evicted counts start again with
 * a new name.
 */
const maxAccounts = 1000
const maxAccesses = 20

/** Mask for a small integer, which V8 holds in a machine word. */
const smallIntegerMask = 0x3fffffff

/**
 * Counts the changes to what an access may see. The name tells this count from earlier ones and from those of other
 * threads.
 */
interface Version {
  readonly name: string
  count: number
  /** Long changes that have not been judged yet, in order. */
  late: Change[]
  /** The judging of the first of these, once it has begun: whoever has time goes on with it. */
  judging: Steps<void> | undefined
}

export class Validators {
  readonly #seen = new BoundedMap<string, Map<string, Version>>(maxAccounts)
  readonly #stores = new WeakMap<UserStore, string>()
  readonly #work: SlicedWorkQueue

  constructor(private readonly services: Pick<Services, 'accounts' | 'bus' | 'config' | 'log'>) {
    this.#work = new SlicedWorkQueue(cause =>
      services.log.error('a change could not be evaluated', { cause })
    )
    services.bus.subscribe((username, change) => this.#note(username, change))
    // What others change meanwhile is not counted here.
    services.accounts.handover.onRelease(({ username }) => this.#seen.delete(username))
  }

  /**
   * Returns the validator of the response to an admitted call; `undefined` while too much has changed that has not been
   * judged. `untold`: the part of the response whose changes are not published.
   */
  of(call: Call, method: string, params: unknown, untold?: unknown): string | undefined {
    const { caller, credentials } = call
    const version = caller.isPersonal ? this.#whole(call) : this.#part(call)
    if (version === undefined) return undefined
    // Besides params and access, the response depends on these.
    const forms = optsOutOfOlderIds(credentials) ? 'new' : ''
    const untoldText = untold === undefined ? '' : JSON.stringify(untold)
    const request = credentials.url ?? `${method} ${JSON.stringify(params)}`
    const print = fingerprint(`${caller.accessId}${forms} ${request}${untoldText}`)
    return `${version}.${print}`
  }

  /** For callers that see everything, every write counts. */
  #whole({ store }: Call): string {
    let name = this.#stores.get(store)
    if (name === undefined) this.#stores.set(store, (name = newName()))
    return `${name}.${store.version.toString(36)}`
  }

  /** Other callers must not learn of writes that they may not see, so only changes that they may be notified of count. */
  #part(call: Call): string | undefined {
    const { account, caller, store } = call
    let versions = this.#seen.get(account.username)
    if (!versions) this.#seen.set(account.username, (versions = new Map()))
    let version = versions.get(caller.accessId)
    if (!version) {
      if (versions.size >= maxAccesses) versions.clear()
      versions.set(caller.accessId, (version = { name: newName(), count: 0, late: [], judging: undefined }))
    }
    if (version.late.length > 0 && !this.#isUpToDate(store, caller.accessId, version)) return undefined
    // Storage sums that are added to events when read, and permanent removals, are not published as changes.
    const storageCounts = hasSystemStreams(caller.names) ? this.#counts(call) : ''
    const counts = `${version.count.toString(36)}.${store.deletions.cleanings}`
    return `${version.name}.${caller.modified.toString(36)}.${counts}${storageCounts && `-${storageCounts}`}`
  }

  /** Returns the storage sums that the caller may read. */
  #counts({ caller, store }: Call): string {
    const { byName } = getAccountStreams(this.services.config)
    const fields = [...byName.values()].filter(
      ({ isCounted, streamId }) => isCounted && caller.may('read', streamId)
    )
    return fields.map(({ name }) => getStorageCount(name, store.storageUsed())).join('-')
  }

  #note(username: string, change: Change): void {
    const versions = this.#seen.get(username)
    const account = versions && this.services.accounts.find(username)
    if (!account) return
    const store = this.services.accounts.store(account)
    const takesLong = hasMore(change, maxAtOnce)
    for (const [id, version] of versions) {
      version.late.push(change)
      // What is late already has its turn to come.
      if (takesLong || version.late.length > 1) continue
      while (version.late.length > 0) this.#advance(store, id, version)
    }
    if (!takesLong) return
    this.#work.add(account.id, this.#judging(username, versions))
    // What waits is in memory.
    const eased = this.#work.whenEased(account.id)
    if (eased) void store.holdWrites(() => eased)
  }

  /** Judges what has changed for one access after the other. Who asks before its turn comes is judged for then, for a while. */
  *#judging(username: string, versions: ReadonlyMap<string, Version>): Steps<void> {
    for (const [id, version] of versions)
      while (version.late.length > 0) {
        const account = this.services.accounts.find(username)
        if (!account) return
        this.#advance(this.services.accounts.store(account), id, version)
        yield
      }
  }

  /** Judges what is late, for a while; whether nothing is late any more. */
  #isUpToDate(store: UserStore, id: string, version: Version): boolean {
    const end = performance.now() + whenAskedMs
    do this.#advance(store, id, version)
    while (version.late.length > 0 && performance.now() <= end)
    return version.late.length === 0
  }

  /** Makes one step in judging the first late change. */
  #advance(store: UserStore, id: string, version: Version): void {
    version.judging ??= this.#settle(store, id, version)
    if (version.judging.next().done) version.judging = undefined
  }

  /** Counts the first late change if the access may see it, or sees other things through it than before. */
  *#settle(store: UserStore, id: string, version: Version): Steps<void> {
    const [change] = version.late
    if (!change) return
    const isSeen = yield* this.#isSeen(store, id, change)
    version.late.shift()
    if (isSeen) version.count++
  }

  *#isSeen(store: UserStore, id: string, change: Change): Steps<boolean> {
    try {
      const access = store.read(() => store.accesses.find(id))
      const hearer = access && new ChangeRecipient(store, access)
      return (
        hearer !== undefined &&
        ((yield* hearer.mayReceive(change)) || (yield* hearer.mayChangeVisibility(change)))
      )
    } catch (cause) {
      this.services.log.error('a change could not be evaluated', { cause })
      // Rather once too often than never.
      return true
    }
  }
}

/** Streams of a change that is judged at once for all who have asked. */
const maxAtOnce = 500
/** Time for judging what is late when somebody asks before its turn, in milliseconds. */
const whenAskedMs = 5

/** Whether a change is about more streams than so many. */
function hasMore({ places }: Change, limit: number): boolean {
  let size = 0
  for (const paths of places) if ((size += paths.length) > limit) return true
  return false
}

/** Returns the validator of a constant text. */
export function validatorOf(text: string): string {
  return fingerprint(text)
}

function hasSystemStreams(ids: Iterable<string>): boolean {
  for (const id of ids) if (isSystemId(id)) return true
  return false
}

function newName(): string {
  return createId().slice(-8)
}

/** Hashes a text to 60 bits: enough to tell apart the requests of one client, in a fraction of the time of a digest. */
function fingerprint(text: string): string {
  let a = 0x811c9dc5
  let b = 0x1b873593
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    a = Math.imul(a ^ code, 0x01000193)
    b = Math.imul(b ^ code, 0x85ebca6b)
    b ^= b >>> 13
  }
  // V8 formats small integers several times as fast as others.
  return `${(b & smallIntegerMask).toString(36)}${(a & smallIntegerMask).toString(36)}`
}
