/**
 * Computes validators for `ETag`s. A validator changes whenever the response to the same call could change, and is computed without the
 * response, so that a client that has the response is not sent it again.
 */
import type { UserStore } from '../../storage/user/user-store.js'
import { getStorageCount } from '../account/account-object.js'
import { BoundedMap } from '../security/bounded-map.js'
import type { Change, ChangedAccount } from '../changes.js'
import { createId } from '../ids.js'
import type { Call } from '../call/method.js'
import { ChangeRecipient } from '../permissions/change-recipient.js'
import type { Steps } from '../../storage/steps.js'
import { SlicedWorkQueue } from '../notifications/sliced-work-queue.js'
import { optsOutOfOlderIds } from '../account/older-ids.js'
import { isSystemId } from '../system-ids.js'
import { getAccountStreams } from '../account/fields.js'
import type { Services } from '../call/services.js'

/** Maximum number of accounts, and of accesses per account, whose changes are counted. Evicted counts restart with a new name. */
const maxAccounts = 1000
const maxAccesses = 20

/** Mask for a small integer, which V8 holds in a machine word. */
const smallIntegerMask = 0x3fffffff

/**
 * A count of the changes visible to an access. The name distinguishes this count from earlier counts and from the
 * counts of other threads.
 */
interface Version {
  readonly name: string
  count: number
  /** Changes that have not been evaluated yet, in order. */
  pending: Change[]
  /** The evaluation of the first pending change, once begun; continued by whichever code runs next. */
  evaluation: Steps<void> | undefined
}

/** Computes the validators of reads, and counts the changes on which they depend. */
export class Validators {
  readonly #versions = new BoundedMap<string, Map<string, Version>>(maxAccounts)
  readonly #storeNames = new WeakMap<UserStore, string>()
  readonly #work: SlicedWorkQueue

  constructor(private readonly services: Pick<Services, 'accounts' | 'bus' | 'config' | 'log'>) {
    this.#work = new SlicedWorkQueue(cause =>
      services.log.error('a change could not be evaluated', { cause })
    )
    services.bus.subscribe((account, change) => this.#handleChange(account, change))
    // Changes made by another node in the meantime are not counted here.
    services.accounts.handover.onRelease(({ id }) => this.#versions.delete(id))
  }

  /**
   * Computes the validator of the response to a checked call; `undefined` while too many changes have not been evaluated.
   * `hiddenState`: the part of the response that changes without a published change; see `hiddenState` of methods.
   */
  compute(call: Call, method: string, params: unknown, hiddenState?: unknown): string | undefined {
    const { account, caller, credentials } = call
    const version = caller.isPersonal ? this.#versionOfAll(call) : this.#versionOfVisible(call)
    if (version === undefined) return undefined
    // Besides params and access, the response depends on these.
    const idForms = optsOutOfOlderIds(credentials) ? 'new' : ''
    const hiddenText = hiddenState === undefined ? '' : JSON.stringify(hiddenState)
    const request = credentials.url ?? `${method} ${JSON.stringify(params)}`
    const digest = hashText(`${caller.accessId}${idForms} ${account.username} ${request}${hiddenText}`)
    return `${version}.${digest}`
  }

  /** Returns the version for callers that see everything: every write counts. */
  #versionOfAll({ store }: Call): string {
    let name = this.#storeNames.get(store)
    if (name === undefined) this.#storeNames.set(store, (name = createName()))
    return `${name}.${store.version.toString(36)}`
  }

  /** Returns the version for other callers. They must not learn of writes that they cannot see, so only visible changes count. */
  #versionOfVisible(call: Call): string | undefined {
    const { account, caller, store } = call
    let versions = this.#versions.get(account.id)
    if (!versions) this.#versions.set(account.id, (versions = new Map()))
    let version = versions.get(caller.accessId)
    if (!version) {
      if (versions.size >= maxAccesses) versions.clear()
      versions.set(
        caller.accessId,
        (version = { name: createName(), count: 0, pending: [], evaluation: undefined })
      )
    }
    if (version.pending.length > 0 && !this.#evaluatePending(store, caller.accessId, version))
      return undefined
    // Storage sums that are added to events when read, and permanent removals, are not published as changes.
    const storageCounts = hasSystemStreams(caller.names) ? this.#formatStorageCounts(call) : ''
    const counts = `${version.count.toString(36)}.${store.deletions.cleanings}`
    return `${version.name}.${caller.modified.toString(36)}.${counts}${storageCounts && `-${storageCounts}`}`
  }

  /** Formats the storage sums that the caller may read. */
  #formatStorageCounts({ caller, store }: Call): string {
    const { byName } = getAccountStreams(this.services.config)
    const fields = [...byName.values()].filter(
      ({ isCounted, streamId }) => isCounted && caller.may('read', streamId)
    )
    return fields.map(({ name }) => getStorageCount(name, store.storageUsed())).join('-')
  }

  /** Counts a change for each access of the user: at once if that is quick, otherwise in the queue. */
  #handleChange({ id, username }: ChangedAccount, change: Change): void {
    const versions = this.#versions.get(id)
    const account = versions && this.services.accounts.find(username)
    if (!account) return
    const store = this.services.accounts.openStore(account)
    const takesLong = exceedsStreams(change, maxSynchronousStreams)
    for (const [access, version] of versions) {
      version.pending.push(change)
      // Pending changes are evaluated in order, by the queue.
      if (takesLong || version.pending.length > 1) continue
      while (version.pending.length > 0) this.#advance(store, access, version)
    }
    if (!takesLong) return
    this.#work.add(account.id, this.#evaluateAll(username, versions))
    // Pending changes are in memory, so writes wait until there are fewer.
    const eased = this.#work.waitForRoom(account.id)
    if (eased) void store.holdWrites(() => eased)
  }

  /** Evaluates the pending changes of one access after the other. */
  *#evaluateAll(username: string, versions: ReadonlyMap<string, Version>): Steps<void> {
    for (const [id, version] of versions)
      while (version.pending.length > 0) {
        const account = this.services.accounts.find(username)
        if (!account) return
        this.#advance(this.services.accounts.openStore(account), id, version)
        yield
      }
  }

  /** Evaluates pending changes for a few milliseconds. Returns true if no change is pending any more. */
  #evaluatePending(store: UserStore, id: string, version: Version): boolean {
    const end = performance.now() + evaluationMs
    do this.#advance(store, id, version)
    while (version.pending.length > 0 && performance.now() <= end)
    return version.pending.length === 0
  }

  /** Makes one step in the evaluation of the first pending change. */
  #advance(store: UserStore, id: string, version: Version): void {
    version.evaluation ??= this.#evaluateFirst(store, id, version)
    if (version.evaluation.next().done) version.evaluation = undefined
  }

  /** Counts the first pending change if the access can see it, or if it changes what the access can see. */
  *#evaluateFirst(store: UserStore, id: string, version: Version): Steps<void> {
    const [change] = version.pending
    if (!change) return
    const isVisible = yield* this.#isVisible(store, id, change)
    version.pending.shift()
    if (isVisible) version.count++
  }

  /** Returns whether a change may alter what an access sees; true if that cannot be found out. */
  *#isVisible(store: UserStore, id: string, change: Change): Steps<boolean> {
    try {
      const access = store.read(() => store.accesses.find(id))
      const recipient = access && new ChangeRecipient(store, access)
      return (
        recipient !== undefined &&
        ((yield* recipient.mayReceive(change)) || (yield* recipient.mayChangeVisibility(change)))
      )
    } catch (cause) {
      this.services.log.error('a change could not be evaluated', { cause })
      // An unnecessary new validator is harmless; a missing one is not.
      return true
    }
  }
}

/** Maximum number of streams of a change that is evaluated immediately for all accesses. */
const maxSynchronousStreams = 500
/** Time to evaluate pending changes when a call needs them, in milliseconds. */
const evaluationMs = 5

/** Returns true if a change concerns more streams than a limit. */
function exceedsStreams({ places = [] }: Change, limit: number): boolean {
  let size = 0
  for (const paths of places) if ((size += paths.length) > limit) return true
  return false
}

function hasSystemStreams(ids: Iterable<string>): boolean {
  for (const id of ids) if (isSystemId(id)) return true
  return false
}

function createName(): string {
  return createId().slice(-8)
}

/** Hashes a text to 60 bits: enough to distinguish the requests of one client, in a fraction of the time of a cryptographic digest. */
export function hashText(text: string): string {
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
