/** The open account: its streams and their contents, its accesses, and live changes. */
import { createContext } from 'preact'
import { useContext } from 'preact/hooks'
import { callRoute } from '../../api.js'
import { zonesKey, type ZonePeriod } from '../../../schemas/zones.js'
import { keepIds } from './access-facts.js'
import { Client } from './client.js'
import type { Live } from './live.js'
import { ReadOrder } from './read-order.js'
import type { Access, AccessInfo, EventTypes, Fact, Stream } from './model.js'
import { createStore, type Store } from './store.js'
import { buildTree, type Tree } from './tree.js'
import { loadDisplayUnits, unitsKey } from './display-units.js'
import { MeasureDirectory, type MeasureFact } from './measures.js'
import { NightCounts } from './nights.js'
import { languages } from '../../language.js'

/** Minimum milliseconds between reloads of facts and trees while changes arrive. */
const minIntervalMs = 1000

/** A profile set. */
export type Profile = Readonly<Record<string, unknown>>

/**
 * An open account: its data as stores that follow changes of the service. Create one with `open`; `close` stops
 * following.
 */
export class Account {
  /** The tree of streams; undefined until it has been read. */
  readonly tree: Store<Tree | undefined> = createStore<Tree | undefined>(undefined)
  readonly facts: Store<readonly Fact[]> = createStore<readonly Fact[]>([])
  /** Facts of measures, in the order of the catalogue. */
  readonly measureFacts: Store<readonly MeasureFact[]> = createStore<readonly MeasureFact[]>([])
  readonly measures: MeasureDirectory
  /** Empty for a shared link, which may not list them. */
  readonly accesses: Store<readonly Access[]> = createStore<readonly Access[]>([])
  /** The private profile set of the owner. */
  readonly profile: Store<Profile> = createStore<Profile>({})
  readonly zones: Store<readonly ZonePeriod[]> = createStore<readonly ZonePeriod[]>([])
  #types: Promise<EventTypes> | undefined
  #reading: Promise<void> | undefined
  readonly #streamOrder = new ReadOrder()
  readonly #factOrder = new ReadOrder()
  readonly #accessOrder = new ReadOrder()
  readonly #nights: NightCounts
  readonly #closed = new AbortController()

  private constructor(
    readonly client: Client,
    readonly info: AccessInfo,
    readonly live: Live
  ) {
    this.measures = new MeasureDirectory(client)
    this.#nights = new NightCounts(client, () => this.facts.set(this.#nights.replaceCounts(this.facts.value)))
    // Marks of streams decide to which measures events belong.
    const readStreams = () => ignoreFailure(Promise.all([this.readStreams(), this.readFacts()]))
    this.live.follow('streams', readStreams, minIntervalMs)
    this.live.follow('events', () => ignoreFailure(this.readFacts()), minIntervalMs)
    if (this.isOwner) this.live.follow('accesses', () => ignoreFailure(this.readAccesses()), minIntervalMs)
    // When the page or tab becomes visible again, the session may have ended.
    const checkIfVisible = (): void => {
      // If not, the client calls its `onEnd` listener.
      if (document.visibilityState === 'visible') ignoreFailure(this.client.call('getAccessInfo'))
    }
    this.live.follow('doubt', checkIfVisible)
    addEventListener('pageshow', checkIfVisible, this.#closed)
    document.addEventListener('visibilitychange', checkIfVisible, this.#closed)
  }

  /** Opens the account of the signed-in user, or the account of a shared link by its token. Rejects with a `Refusal`. */
  static async open(username: string, token?: string): Promise<Account> {
    const client = new Client(username, token)
    const [info, { openLive }] = await Promise.all([
      client.call<AccessInfo>('getAccessInfo'),
      // The module is loaded in parallel, and is not part of the first page's bundle.
      import('./live.js')
    ])
    const account = new Account(client, info, openLive(client))
    await Promise.all([
      account.readStreams(),
      account.readFacts(),
      ...(account.isOwner ? [account.readAccesses(), account.readProfile()] : [])
    ])
    account.live.watch(account)
    return account
  }

  /** The username with which it was opened. */
  get username(): string {
    return this.client.username
  }

  /** Whether the user is signed in, as opposed to using a shared link. */
  get isOwner(): boolean {
    return this.info.type === 'personal'
  }

  /** Returns the directory of event types, loaded once. Rejects with a `Refusal`; the next call then tries again. */
  async readEventTypes(): Promise<EventTypes> {
    this.#types ??= callRoute<{ types: EventTypes }>('GET', 'www/event-types.json').then(({ types }) => types)
    return await this.#types.catch((error: unknown) => {
      this.#types = undefined
      throw error
    })
  }

  /** Reads all streams, including trashed ones, into `tree`. Rejects with a `Refusal`. */
  async readStreams(): Promise<void> {
    const reading = this.client.call<{ streams: readonly Stream[] }>('streams.get', { state: 'all' })
    await this.#streamOrder.keep(reading, ({ streams }) => this.tree.set(buildTree(streams)))
  }

  /**
   * Reads `facts` and `measureFacts`, and counts nights in the background. Calls of the same turn of the event loop share a read.
   * Rejects with a `Refusal`.
   */
  async readFacts(): Promise<void> {
    queueMicrotask(() => (this.#reading = undefined))
    return await (this.#reading ??= this.#readFacts())
  }

  async #readFacts(): Promise<void> {
    const reading = Promise.all([
      this.client.call<{ facts: readonly Omit<Fact, 'shownCount'>[] }>('streams.facts'),
      this.client.call<{ facts: readonly MeasureFact[] }>('measures.facts')
    ])
    await this.#factOrder.keep(reading, ([{ facts }, measures]) => {
      // Account fields, such as the email address, have a page of their own.
      const own = facts.filter(({ streamId }) => !streamId.startsWith(':'))
      this.facts.set(this.#nights.replaceCounts(addShownCounts(own, measures.facts)))
      this.measureFacts.set(measures.facts)
      ignoreFailure(this.#nights.update(measures.facts))
    })
  }

  /** Reads `accesses`. Rejects with a `Refusal`. */
  async readAccesses(): Promise<void> {
    const reading = this.client.call<{ accesses: readonly Access[] }>('accesses.get')
    await this.#accessOrder.keep(reading, ({ accesses }) => this.accesses.set(keepIds(accesses)))
  }

  /** Reads what pages store in the private profile set: time zones, display units, the language, cards and goals. */
  async readProfile(): Promise<void> {
    const { profile } = await this.client.call<{ profile: Profile }>('profile.get', { id: 'private' })
    this.profile.set(profile)
    const zones = profile[zonesKey]
    if (Array.isArray(zones)) this.zones.set(zones as ZonePeriod[])
    loadDisplayUnits(profile[unitsKey])
    // None if it is not supported.
    preferredLanguage.set(languages.find(tag => tag === profile[languageKey]))
  }

  /**
   * Changes the private profile set; `null` removes a key. What pages show of these keys changes at once, and back if
   * that fails, which rejects with a `Refusal`.
   */
  async updateProfile(update: Profile): Promise<void> {
    const before = this.profile.value
    this.profile.set({ ...before, ...update })
    try {
      await this.client.call('profile.update', { id: 'private', update })
    } catch (error) {
      // Other keys, or the same ones, may have changed in the meantime.
      const now: Record<string, unknown> = { ...this.profile.value }
      for (const key in update) if (now[key] === update[key]) now[key] = before[key]
      this.profile.set(now)
      throw error
    }
  }

  /**
   * Sets the language of pages, and stores it for all devices and for emails. Rejects with a `Refusal` if it
   * cannot be stored; the page keeps it nevertheless.
   */
  async setLanguage(tag: string): Promise<void> {
    preferredLanguage.set(tag)
    await Promise.all([
      this.client.call('profile.update', { id: 'private', update: { [languageKey]: tag } }),
      this.client.call('account.update', { update: { language: tag } })
    ])
  }

  /** Stops following changes and checking the access. The stores keep their values. */
  close(): void {
    this.#closed.abort()
    this.#nights.close()
    this.live.close()
  }
}

/** Provides the open account to its pages; undefined outside of them. */
export const AccountContext = createContext<Account | undefined>(undefined)

/** Returns the open account. Throws outside its pages. */
export function useAccount(): Account {
  const account = useContext(AccountContext)
  if (!account) throw new Error('No account is open here')
  return account
}

/** Adds to facts how many readings, runs and so on they hold. */
function addShownCounts(
  facts: readonly Omit<Fact, 'shownCount'>[],
  measures: readonly MeasureFact[]
): Fact[] {
  const points = new Map(
    measures.flatMap(({ sources }) => sources).map(source => [toKey(source), source.count])
  )
  const withActivities = new Set(
    facts.filter(({ type }) => type.startsWith('activity/')).map(({ streamId }) => streamId)
  )
  return facts.map(fact => {
    const { count, streamId, type } = fact
    if (!type.startsWith('series:')) return { ...fact, shownCount: count }
    if (!type.startsWith('series:position')) return { ...fact, shownCount: points.get(toKey(fact)) ?? count }
    return { ...fact, shownCount: withActivities.has(streamId) ? 0 : count }
  })
}

function toKey({ streamId, type }: Pick<Fact, 'streamId' | 'type'>): string {
  return `${streamId} ${type}`
}

/** Ignores the failure of a read. The next read repeats it, and the client reports ended sessions and links. */
export function ignoreFailure(read: Promise<unknown>): void {
  read.catch(() => undefined)
}

/** Key in the private profile set. */
const languageKey = 'coffer:language'

/** The current user's language; undefined if none is chosen, or until it has been read. */
export const preferredLanguage: Store<string | undefined> = createStore<string | undefined>(undefined)
