/** The account in sight: its streams and what they hold, who may see them, and changes as they happen. */
import { createContext } from 'preact'
import { useContext } from 'preact/hooks'
import { call } from '../../api.js'
import { zonesKey, type ZonePeriod } from '../../../schemas/zones.js'
import { Client } from './client.js'
import { languageKey, languageWish, takeLanguageWish } from './language-wish.js'
import type { Live } from './live.js'
import type { Access, AccessInfo, EventTypes, Fact, Stream } from './model.js'
import { storeOf, type Store } from './store.js'
import { treeOf, type Tree } from './tree.js'
import { takeUnitWishes, unitsKey } from './unit-wishes.js'

/** Milliseconds between readings of facts and trees while changes come in. */
const spacing = 1000

export class Account {
  /** Undefined until they have been read. */
  readonly tree: Store<Tree | undefined> = storeOf<Tree | undefined>(undefined)
  readonly facts: Store<readonly Fact[]> = storeOf<readonly Fact[]>([])
  /** Empty for a link, which may not see them. */
  readonly accesses: Store<readonly Access[]> = storeOf<readonly Access[]>([])
  readonly zones: Store<readonly ZonePeriod[]> = storeOf<readonly ZonePeriod[]>([])
  #types: Promise<EventTypes> | undefined
  readonly #closed = new AbortController()

  private constructor(
    readonly client: Client,
    readonly info: AccessInfo,
    readonly live: Live
  ) {
    this.live.follow('streams', () => quietly(this.readStreams()), spacing)
    this.live.follow('events', () => quietly(this.readFacts()), spacing)
    if (this.isOwner) this.live.follow('accesses', () => quietly(this.readAccesses()), spacing)
    // Whoever comes back to this page, or to this tab, sees it only while the session goes on.
    const doubt = (): void => {
      if (document.visibilityState === 'visible') this.#check()
    }
    this.live.onDoubt(doubt)
    addEventListener('pageshow', doubt, this.#closed)
    document.addEventListener('visibilitychange', doubt, this.#closed)
  }

  /** Opens the account of whoever has signed in, or that of a link by its token. Rejects with a `Refusal`. */
  static async open(username: string, token?: string): Promise<Account> {
    const client = new Client(username, token)
    const [info, { goLive }] = await Promise.all([
      client.call<AccessInfo>('getAccessInfo'),
      // Beside the answer, and not in what the first page has to load.
      import('./live.js')
    ])
    const account = new Account(client, info, goLive(client))
    await Promise.all([
      account.readStreams(),
      account.readFacts(),
      ...(account.isOwner ? [account.readAccesses(), account.readZones()] : [])
    ])
    return account
  }

  /** Asks whether the session, or the access, goes on: whoever follows `client.onEnd` is told if it does not. */
  #check(): void {
    quietly(this.client.call('getAccessInfo'))
  }

  get username(): string {
    return this.client.username
  }

  /** Whether the person is signed in, as opposed to following a link. */
  get isOwner(): boolean {
    return this.info.type === 'personal'
  }

  /** The directory of event types. */
  async types(): Promise<EventTypes> {
    this.#types ??= call<{ types: EventTypes }>('GET', 'www/event-types.json').then(({ types }) => types)
    return await this.#types
  }

  async readStreams(): Promise<void> {
    const { streams } = await this.client.call<{ streams: readonly Stream[] }>('streams.get', {
      state: 'all'
    })
    this.tree.set(treeOf(streams))
  }

  async readFacts(): Promise<void> {
    const { facts } = await this.client.call<{ facts: readonly Fact[] }>('streams.facts')
    // Values of the account, such as its email address, have a page of their own.
    this.facts.set(facts.filter(({ streamId }) => !streamId.startsWith(':')))
  }

  async readAccesses(): Promise<void> {
    this.accesses.set((await this.client.call<{ accesses: readonly Access[] }>('accesses.get')).accesses)
  }

  /** Reads what the private profile set keeps for pages: zones, units and the language that the person wants to see. */
  async readZones(): Promise<void> {
    const { profile } = await this.client.call<{ profile: Readonly<Record<string, unknown>> }>(
      'profile.get',
      {
        id: 'private'
      }
    )
    const zones = profile[zonesKey]
    if (Array.isArray(zones)) this.zones.set(zones as ZonePeriod[])
    takeUnitWishes(profile[unitsKey])
    takeLanguageWish(profile[languageKey])
  }

  /** Keeps the language for pages, here and elsewhere, and for mails. */
  async wishLanguage(tag: string): Promise<void> {
    languageWish.set(tag)
    await Promise.all([
      this.client.call('profile.update', { id: 'private', update: { [languageKey]: tag } }),
      this.client.call('account.update', { update: { language: tag } })
    ])
  }

  close(): void {
    this.#closed.abort()
    this.live.close()
  }
}

export const AccountContext = createContext<Account | undefined>(undefined)

/** Returns the account in sight. Within its pages only. */
export function useAccount(): Account {
  const account = useContext(AccountContext)
  if (!account) throw new Error('No account is open here')
  return account
}

/** A read that fails is made up for by the next; the client reports it if the session or link has ended. */
function quietly(reading: Promise<unknown>): void {
  reading.catch(() => undefined)
}
