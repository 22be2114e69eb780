/** Feeds of an account for calendars and readers of news: `/{user}/feed.ics` and `/{user}/feed.atom`. (docs/api/feeds.md) */
import { isZone } from '../../schemas/zones.js'
import type { Dispatcher } from '../../core/call/dispatcher.js'
import { ApiError, fail } from '../../core/errors.js'
import { getAccountUrl } from '../../core/service-info.js'
import type { EndpointResponse, ReadEndpoint, ReadRequest } from '../endpoints.js'
import { UserCalls } from '../user-calls.js'
import { writeAtom } from './atom.js'
import type { Position } from '../event-positions.js'
import { readEntries, type EntryQuery, type FeedSource } from './entries.js'

const daySeconds = 86_400
/** What a calendar shows: days before and after now. */
const [daysBefore, daysAfter] = [90, 365]
/** Maximum number of events of a calendar, and of a page of an Atom feed. */
const [maxEvents, pageSize] = [5000, 100]
/** Greatest number of events of the same time that a page may follow, and of the lists in which entries are found. */
const [maxSkip, maxLists] = [1_000_000, 3]
/** Parameters that say where a page begins. */
const pageParams = new Set(['before', 'last', 'skip'])

export class Feeds implements ReadEndpoint {
  readonly roots = ['feed.ics', 'feed.atom']

  constructor(private readonly dispatcher: Dispatcher) {}

  /**
   * Answers with the calendar or the Atom feed of an access. Errors: `unknown-resource`, `invalid-method`,
   * `forbidden` for the token of a session, and those of the calls.
   */
  async handle({
    credentials,
    params,
    segments,
    signal,
    user,
    verb
  }: ReadRequest): Promise<EndpointResponse> {
    const [root, ...others] = segments
    if (others.length > 0) fail('unknown-resource', 'Nothing found at this path')
    if (verb !== 'GET') throw new ApiError('invalid-method', 'Feeds can only be read, with GET')
    const { clock, config } = this.dispatcher.services
    const calls = new UserCalls(this.dispatcher, user, credentials, signal)
    const access = await calls.call<{
      modified: number
      name: string
      type: string
      user: { username: string }
    }>('getAccessInfo', {})
    // The token is in the address, which calendars keep and show.
    if (access.type === 'personal')
      fail('forbidden', 'Feeds need the token of a share or of an app, not that of a session')
    const now = clock.now()
    const source: FeedSource = {
      name: access.name,
      rootUrl: getAccountUrl(config, access.user.username),
      zone: readZone(params),
      changed: access.modified
    }
    const filter = {
      ...readList(params, 'streams'),
      ...readList(params, 'types')
    }
    if (root === 'feed.atom') return await this.#answerAtom(calls, source, filter, params)
    const range = { fromTime: now - daysBefore * daySeconds, toTime: now + daysAfter * daySeconds }
    const { directory } = this.dispatcher.services.eventTypes
    const { entries } = await readEntries(calls, { ...filter, ...range, limit: maxEvents }, directory)
    const { writeCalendar } = await import('./calendar.js')
    return toResponse('text/calendar', await writeCalendar(source, entries, signal))
  }

  /** Answers with a page of the Atom feed, and the link to the next page if there is one. */
  async #answerAtom(
    calls: UserCalls,
    source: FeedSource,
    filter: Pick<EntryQuery, 'streams' | 'types'>,
    params: ReadRequest['params']
  ): Promise<EndpointResponse> {
    const toTime = readBefore(params)
    const query = {
      ...filter,
      fromTime: -Number.MAX_VALUE,
      toTime,
      after: readAfter(params, toTime),
      limit: pageSize
    }
    const { directory } = this.dispatcher.services.eventTypes
    const { entries, next } = await readEntries(calls, query, directory)
    if (!next) return toResponse('application/atom+xml', writeAtom(source, entries, undefined))
    const link = new URLSearchParams()
    // Readers of news send no headers either: without the token, the link would lead nowhere.
    for (const [name, values] of params)
      if (!pageParams.has(name)) for (const value of values) link.append(name, value)
    link.set('before', String(next.time))
    link.set('skip', next.after.map(position => position?.skip ?? 0).join(','))
    link.set('last', next.after.map(position => position?.last?.id ?? '').join(','))
    return toResponse('application/atom+xml', writeAtom(source, entries, `feed.atom?${link.toString()}`))
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

/** Reads the last events of the page before, in each of the lists that are read. */
function readAfter(params: ReadRequest['params'], time: number): readonly (Position | undefined)[] {
  const read = (name: string): string[] => params.get(name)?.[0]?.split(',').slice(0, maxLists) ?? []
  const ids = read('last')
  return read('skip').map((text, list) => {
    if (!/^\d{1,7}$/.test(text) || Number(text) > maxSkip)
      fail('invalid-parameters-format', `"skip" must be whole numbers of at most ${maxSkip}`)
    const skip = Number(text)
    const id = ids[list] ?? ''
    if (id.length > 256) fail('invalid-parameters-format', '"last" must be ids of events')
    return params.has('before') ? { skip, last: { id, time } } : undefined
  })
}

/** Reads the time of the last entry of the page before, in seconds. */
function readBefore(params: ReadRequest['params']): number {
  const text = params.get('before')?.[0]
  if (text === undefined) return Number.MAX_VALUE
  const time = text.trim() === '' ? Number.NaN : Number(text)
  if (!Number.isFinite(time)) fail('invalid-parameters-format', '"before" must be a time in seconds')
  return time
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
