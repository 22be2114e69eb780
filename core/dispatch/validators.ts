/**
 * What an `ETag` is made of: it changes whenever the answer to the same call could, and is known without the answer. A
 * client that has the answer already need not be sent it again.
 */
import type { UserStore } from '../../storage/user/user-store.js'
import { countOf } from '../account/view.js'
import { BoundedMap } from '../security/bounded-map.js'
import type { Change } from '../changes.js'
import { newId } from '../ids.js'
import type { Call } from '../call/method.js'
import { Hearer } from '../permissions/visibility.js'
import { isRefused } from '../account/older-ids.js'
import { isSystemId } from '../system-ids.js'
import { accountStreams } from '../account/fields.js'
import type { Services } from '../call/services.js'

/** Accounts, and accesses of each, whose changes are counted: what falls out begins again. */
const mostAccounts = 1000
const mostAccesses = 20

/** The bits of an integer that is held in a word. */
const small = 0x3fffffff

/** How often what an access may see has changed. The name tells the count from those of other times and threads. */
interface Version {
  readonly name: string
  count: number
}

export class Validators {
  readonly #seen = new BoundedMap<string, Map<string, Version>>(mostAccounts)
  readonly #stores = new WeakMap<UserStore, string>()

  constructor(private readonly core: Pick<Services, 'accounts' | 'bus' | 'config'>) {
    core.bus.subscribe((username, change) => this.#note(username, change))
  }

  /** The validator of the answer to a call that has been admitted; `untold`: what of it no change tells of. */
  of(call: Call, method: string, params: unknown, untold?: unknown): string {
    const { caller, credentials } = call
    // What an answer depends on beside params and access.
    const forms = isRefused(credentials) ? 'new' : ''
    const beside = untold === undefined ? '' : JSON.stringify(untold)
    const asked = `${method}${caller.accessId}${forms}${JSON.stringify(params)}${beside}`
    return `${caller.isPersonal ? this.#whole(call) : this.#part(call)}.${fingerprint(asked)}`
  }

  /** Who may see everything: every write counts. */
  #whole({ store }: Call): string {
    let name = this.#stores.get(store)
    if (name === undefined) this.#stores.set(store, (name = newName()))
    return `${name}.${store.version.toString(36)}`
  }

  /** Others are not to learn of writes that they may not see: what counts is what they might hear of. */
  #part(call: Call): string {
    const { account, caller, store } = call
    let versions = this.#seen.get(account.username)
    if (!versions) this.#seen.set(account.username, (versions = new Map()))
    let version = versions.get(caller.accessId)
    if (!version) {
      if (versions.size >= mostAccesses) versions.clear()
      versions.set(caller.accessId, (version = { name: newName(), count: 0 }))
    }
    // Sums that are worked into events when they are read, and records that are gone for good, are told to nobody.
    const used = hasSystemStreams(caller.names) ? this.#counts(call) : ''
    const counts = `${version.count.toString(36)}.${store.deletions.cleanings}`
    return `${version.name}.${caller.modified.toString(36)}.${counts}${used && `-${used}`}`
  }

  /** Those sums that the caller may read. */
  #counts({ caller, store }: Call): string {
    const { byName } = accountStreams(this.core.config)
    const fields = [...byName.values()].filter(
      ({ isCounted, streamId }) => isCounted && caller.may('read', streamId)
    )
    return fields.map(({ name }) => countOf(name, store.storageUsed())).join('-')
  }

  #note(username: string, change: Change): void {
    const versions = this.#seen.get(username)
    const account = versions && this.core.accounts.find(username)
    if (!account) return
    const store = this.core.accounts.store(account)
    for (const [id, version] of versions) {
      const access = store.read(() => store.accesses.find(id))
      const hearer = access && new Hearer(store, access)
      if (hearer?.mayHear(change) || hearer?.mayLoseSight(change)) version.count++
    }
  }
}

/** A validator of something that is always the same text. */
export function validatorOf(text: string): string {
  return fingerprint(text)
}

function hasSystemStreams(ids: Iterable<string>): boolean {
  for (const id of ids) if (isSystemId(id)) return true
  return false
}

function newName(): string {
  return newId().slice(-8)
}

/** 60 bits of a text: enough to tell apart what one client asks for, in a fraction of the time of a digest. */
function fingerprint(text: string): string {
  let a = 0x811c9dc5
  let b = 0x1b873593
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    a = Math.imul(a ^ code, 0x01000193)
    b = Math.imul(b ^ code, 0x85ebca6b)
    b ^= b >>> 13
  }
  // Small integers are written several times as fast as others.
  return `${(b & small).toString(36)}${(a & small).toString(36)}`
}
