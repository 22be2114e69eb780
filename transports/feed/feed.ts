/** Feeds of an account for calendars and readers of news: `/{user}/feed.ics` and `/{user}/feed.atom`. (docs/api/feeds.md) */
import { isZone } from '../../schemas/zones.js'
import type { Dispatcher } from '../../core/call/dispatcher.js'
import { ApiError, fail } from '../../core/errors.js'
import { createPatientId } from '../../core/oauth/smart-scope.js'
import { getAccountUrl } from '../../core/service-info.js'
import { refuseUnknownUser } from '../../core/unknown-user.js'
import type { EndpointResponse, ReadEndpoint, ReadRequest } from '../endpoints.js'
import { ReadTurns } from '../read-turns.js'
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
/** Parameters that say what a feed has. */
const filterParams = new Set(['streams', 'types'])
/** Parameters that say where a page begins. */
const pageParams = new Set(['before', 'last', 'skip'])

export class Feeds implements ReadEndpoint {
  readonly roots = ['feed.ics', 'feed.atom']
  readonly #turns: ReadTurns

  constructor(private readonly dispatcher: Dispatcher) {
    this.#turns = new ReadTurns(dispatcher, 'events.get')
  }

  /**
   * Answers with the calendar or the Atom feed of an access, once it is its turn. Errors: `unknown-resource`, `invalid-method`,
   * `forbidden` for the token of a session, `too-many-requests` if too many wait, and those of the calls.
   */
  async handle(request: ReadRequest): Promise<EndpointResponse> {
    const { calls, params, segments, user, verb } = request
    const [root, ...others] = segments
    if (others.length > 0) fail('unknown-resource', 'Nothing found at this path')
    if (verb !== 'GET') throw new ApiError('invalid-method', 'Feeds can only be read, with GET')
    const access = await calls.call<{
      modified: number
      name: string
      type: string
      user: { username: string }
    }>('getAccessInfo', {})
    // The token is in the address, which calendars keep and show.
    if (access.type === 'personal')
      fail('forbidden', 'Feeds need the token of a share or of an app, not that of a session')
    const { accounts, config } = this.dispatcher.services
    const account = accounts.findServed(user) ?? refuseUnknownUser(accounts, user)
    const source: FeedSource = {
      name: access.name,
      rootUrl: getAccountUrl(config, access.user.username),
      idUrl: `${config.publicUrl}/${createPatientId(account.id, account.alias)}/`,
      zone: readZone(params),
      changed: access.modified
    }
    return await this.#turns.run(request, async () =>
      root === 'feed.atom'
        ? await this.#answerAtom(source, request)
        : await this.#answerCalendar(source, request)
    )
  }

  /** Answers with the events around the present. */
  async #answerCalendar(
    source: FeedSource,
    { calls, params, signal }: ReadRequest
  ): Promise<EndpointResponse> {
    const { clock, eventTypes } = this.dispatcher.services
    const now = clock.now()
    const range = { fromTime: now - daysBefore * daySeconds, toTime: now + daysAfter * daySeconds }
    const query = { ...readFilter(params), ...range, limit: maxEvents, omitsNumbers: true }
    const { entries } = await readEntries(calls, query, eventTypes.directory)
    const { writeCalendar } = await import('./calendar.js')
    return toResponse('text/calendar', await writeCalendar(source, entries, signal))
  }

  /** Answers with a page of the Atom feed, with its address, and that of the next page if there is one. */
  async #answerAtom(source: FeedSource, { calls, params }: ReadRequest): Promise<EndpointResponse> {
    const toTime = readBefore(params)
    const query = {
      ...readFilter(params),
      fromTime: -Number.MAX_VALUE,
      toTime,
      after: readAfter(params, toTime),
      limit: pageSize
    }
    const { directory } = this.dispatcher.services.eventTypes
    const { entries, next } = await readEntries(calls, query, directory)
    // Readers of news send no headers: without the token, the links would lead nowhere.
    const all = [...params].flatMap(([name, values]) => values.map(value => [name, value] as const))
    const nextPage = next && [
      ...all.filter(([name]) => !pageParams.has(name)),
      ['before', String(next.time)] as const,
      ['skip', next.after.map(position => position?.skip ?? 0).join(',')] as const,
      ['last', next.after.map(position => position?.last?.id ?? '').join(',')] as const
    ]
    return toResponse(
      'application/atom+xml',
      writeAtom(source, entries, {
        feed: `${calls.accessId}?${toQuery(all.filter(([name]) => filterParams.has(name)))}`,
        self: toAddress(all),
        next: nextPage && toAddress(nextPage)
      })
    )
  }
}

/** Returns the address of a page, from the root of the account. */
function toAddress(params: readonly (readonly [string, string])[]): string {
  const query = toQuery(params)
  return query === '' ? 'feed.atom' : `feed.atom?${query}`
}

function toQuery(params: readonly (readonly [string, string])[]): string {
  const all = new URLSearchParams()
  for (const [name, value] of params) all.append(name, value)
  return all.toString()
}

function readFilter(params: ReadRequest['params']): Pick<EntryQuery, 'streams' | 'types'> {
  return { ...readList(params, 'streams'), ...readList(params, 'types') }
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
