/**
 * What an app, a link or the user has handed over to be answered. It contains a secret, so it is removed from the address, and kept
 * only until the page is left.
 */

/** An offer or a change to answer, and where to return to. (docs/api/consent.md#pages) */
export interface Asked {
  /** The API endpoint that reads the offer and answers it. */
  readonly capabilityUrl?: string
  readonly scopeRequestEventId?: string
  /** The request of an OAuth client that asks for an offer to be accepted. (docs/api/oauth.md#offers) */
  readonly state?: string
  /** The stream in which the answer is written. */
  readonly scopeStreamId?: string
  readonly accessName?: string
  /** The app that wants to know the result, if it has opened this page. */
  readonly returnUrl?: string
  readonly mode?: string
}

const names = [
  'capabilityUrl',
  'scopeRequestEventId',
  'state',
  'scopeStreamId',
  'accessName',
  'returnUrl',
  'mode'
] as const

let kept: Asked = {}

/** Keeps what is to be answered for the page that is shown next. */
export function keepAsked(asked: Asked): void {
  kept = asked
}

/**
 * Returns what is to be answered: what the address says, or else what was kept. What the address says is
 * removed from there and kept; the same is returned until {@link keepAsked} replaces it.
 */
export function takeAsked(query: URLSearchParams): Asked {
  if (names.some(name => query.has(name))) {
    kept = Object.fromEntries(names.flatMap(name => (query.has(name) ? [[name, query.get(name)!]] : [])))
    const own = new URL(location.href)
    for (const name of [...names, 'pryvApi', 'lang']) own.searchParams.delete(name)
    history.replaceState(history.state, '', own.href)
  }
  return kept
}
