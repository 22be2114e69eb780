/** Feeds of an account for calendars and readers of news: `/{user}/feed.ics` and `/{user}/feed.atom`. (docs/api/feeds.md) */
import { isZone } from '../../schemas/zones.js'
import type { Dispatcher } from '../../core/call/dispatcher.js'
import { ApiError, fail } from '../../core/errors.js'
import { getAccountUrl } from '../../core/service-info.js'
import type { EndpointResponse } from '../user-endpoint.js'
import type { ReadEndpoint, ReadRequest } from '../read-endpoint.js'
import { UserCalls } from '../user-calls.js'
import { writeAtom } from './atom.js'
import { readEntries, type EntryQuery, type FeedSource } from './entries.js'

const daySeconds = 86_400
/** What a calendar shows: days before and after now. */
const [daysBefore, daysAfter] = [90, 365]
/** Maximum number of events of a calendar, and of a page of an Atom feed. */
const [maxEvents, pageSize] = [5000, 100]
/** Greatest number of events that a page may follow. */
const maxSkip = 1_000_000

export class Feeds implements ReadEndpoint {
  readonly roots = ['feed.ics', 'feed.atom']

  constructor(private readonly dispatcher: Dispatcher) {}

  /**
   * Answers with the calendar or the Atom feed of an access. Errors: `unknown-resource`, `invalid-method`,
   * `forbidden` for the token of a session, and those of the calls.
   */
  async handle({ credentials, params, segments, user, verb }: ReadRequest): Promise<EndpointResponse> {
    const [root, ...others] = segments
    if (others.length > 0) fail('unknown-resource', 'Nothing found at this path')
    if (verb !== 'GET') throw new ApiError('invalid-method', 'Feeds can only be read, with GET')
    const { clock, config } = this.dispatcher.services
    const calls = new UserCalls(this.dispatcher, user, credentials)
    const access = await calls.call<{ name: string; type: string; user: { username: string } }>(
      'getAccessInfo',
      {}
    )
    // The token is in the address, which calendars keep and show.
    if (access.type === 'personal')
      fail('forbidden', 'Feeds need the token of a share or of an app, not that of a session')
    const now = clock.now()
    const source: FeedSource = {
      name: access.name,
      rootUrl: getAccountUrl(config, access.user.username),
      zone: readZone(params),
      now
    }
    const filter = {
      ...readList(params, 'streams'),
      ...readList(params, 'types')
    }
    if (root === 'feed.atom') return await this.#answerAtom(calls, source, filter, readSkip(params))
    const range = { fromTime: now - daysBefore * daySeconds, toTime: now + daysAfter * daySeconds }
    const { entries } = await readEntries(calls, { ...filter, ...range, limit: maxEvents })
    const { writeCalendar } = await import('./calendar.js')
    return toResponse('text/calendar', await writeCalendar(source, entries))
  }

  async #answerAtom(
    calls: UserCalls,
    source: FeedSource,
    filter: Pick<EntryQuery, 'streams' | 'types'>,
    skip: number
  ): Promise<EndpointResponse> {
    const page = await readEntries(calls, { ...filter, limit: pageSize, skip })
    const query = new URLSearchParams()
    for (const [name, values] of Object.entries(filter))
      for (const value of values) query.append(`${name}[]`, value)
    query.set('skip', String(skip + pageSize))
    return toResponse(
      'application/atom+xml',
      writeAtom(source, page.entries, page.hasMore ? `feed.atom?${query.toString()}` : undefined)
    )
  }
}

function readList(
  params: ReadRequest['params'],
  name: 'streams' | 'types'
): { readonly [K in 'streams' | 'types']?: readonly string[] } {
  const values = (params.get(name) ?? []).flatMap(value => value.split(',')).filter(value => value !== '')
  return values.length > 0 ? { [name]: values } : {}
}

function readZone(params: ReadRequest['params']): string {
  const zone = params.get('zone')?.[0] ?? 'UTC'
  if (!isZone(zone))
    fail('invalid-parameters-format', '"zone" must be the name of a time zone, such as Europe/Zurich')
  return zone
}

function readSkip(params: ReadRequest['params']): number {
  const text = params.get('skip')?.[0] ?? '0'
  if (!/^\d{1,7}$/.test(text) || Number(text) > maxSkip)
    fail('invalid-parameters-format', `"skip" must be a whole number of at most ${maxSkip}`)
  return Number(text)
}

function toResponse(type: string, text: string): EndpointResponse {
  return {
    status: 200,
    headers: {
      'content-type': `${type}; charset=utf-8`,
      'Referrer-Policy': 'no-referrer',
      'X-Content-Type-Options': 'nosniff'
    },
    text
  }
}
