/** What other people have written since the user last opened the page of people. */
import type { Client } from './client.js'
import type { Access, Event } from './model.js'
import type { Store } from './store.js'

// In the same file of the build: each file costs bytes of the first page.
export { readFollowed } from './followed.js'

/** The parts of an account that are needed here. */
export interface NewsAccount {
  readonly accesses: Store<readonly Access[]>
  readonly client: Client
  readonly profile: Store<Readonly<Record<string, unknown>>>
  readonly live: {
    readonly news: Store<number>
    follow(kind: 'events', listener: () => void, spacing: number): () => void
  }
  /** Changes the private profile set. Rejects with a `Refusal`. */
  updateProfile(update: Readonly<Record<string, unknown>>): Promise<void>
}

/** When the user last looked, in seconds: in the private profile set, so that all devices know. */
const seenKey = 'coffer:peopleSeen'
/** Maximum number that is counted. */
const maxCounted = 99
/** Milliseconds between two reads while changes arrive. */
const minIntervalMs = 3000

const acceptType = 'consent/accept-cmc'
/** Types of what others write. */
const seenTypes = [
  acceptType,
  ...['refuse', 'revoke', 'scope-request', 'scope-update'].map(name => `consent/${name}-cmc`),
  'message/chat-cmc',
  'notification/alert-cmc'
]

/** When the latest of what was counted was created, in seconds of the service. */
let latest = 0

/** Counts what is new, now and after changes of events. A count that fails is skipped. */
export function followNews(account: NewsAccount): void {
  const read = (): void =>
    void countNews(account).then(
      count => account.live.news.set(count),
      () => undefined
    )
  read()
  account.live.follow('events', read, minIntervalMs)
}

/** Notes in the profile that the user has seen everything that was counted, and sets the count to 0. */
export function markSeen(account: NewsAccount): void {
  account.live.news.set(0)
  if (latest === 0) return
  // If that fails, the same is new again.
  account.updateProfile({ [seenKey]: latest }).catch(() => undefined)
}

/** Counts what others have written since the page of people was opened last, and notes the latest. */
async function countNews({ client, profile }: NewsAccount): Promise<number> {
  const seen = Number(profile.value[seenKey] ?? 0)
  const { events } = await client.callAlone<{ events: readonly Event[] }>('events.get', {
    streams: [':_cmc:'],
    types: seenTypes,
    modifiedSince: seen,
    limit: maxCounted
  })
  // What the user has written does not say from whom it is, other than that an offer was accepted.
  const found = events.filter(
    ({ content, created, streamIds, type }) =>
      created > seen &&
      (streamIds.includes(':_cmc:inbox') || (type !== acceptType && (content as { from?: object }).from))
  )
  latest = Math.max(seen, ...found.map(({ created }) => created))
  return found.length
}
