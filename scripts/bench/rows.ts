/**
 * The measured requests, each with the request to the bare server that causes the same work on disk and CPU, and with
 * its targets. To add one, add an entry to `rows`, and a handler to `bare/actions.ts` if none does its work yet.
 */
import type { BarePorts } from './bare/main.js'
import type { RequestSpec } from './load/request-spec.js'
import { formatDate } from '../../schemas/zones.js'
import { eventCount, measureIds, sourcesShape } from './seed/sources.js'
import { password, createEventParams, formatPoints } from './seed/sample.js'
import { rootStream, seedTime, eventInterval, type AccountContent, type SeededUser } from './seed/seeder.js'

/** Minimum ratio of the bare server's CPU time to ours, and maximum CPU time in milliseconds. */
interface RowTargets {
  readonly cpu?: number
  readonly cpuMs?: number
}

interface BareAsk extends RequestSpec {
  /** Which bare server; by default `http`. */
  readonly server?: keyof BarePorts
}

export interface Row {
  readonly name: string
  readonly who: UserGroup
  /** Returns the requests of a user. Requests are picked at random among those of all users. */
  readonly asks: (user: SeededUser, origin: string) => RequestSpec | RequestSpec[]
  /** The bare server's request. `{user}` in its path stands for the number of a user. */
  readonly bare?: BareAsk
  /** Requests in flight, to both servers. */
  readonly connections: number
  readonly targets: RowTargets
}

const yearSeconds = 365 * 86_400
/** Number of users among whom the load is distributed. */
export const userCount = 20
/** The groups of users, created if a row needs them. Readers are only read; `busy` is a single writer. */
export const userGroups: Readonly<Record<UserGroup, AccountContent & { readonly count: number }>> = {
  readers: { count: userCount, events: 1000, points: 100_000 },
  writers: { count: userCount },
  busy: { count: 1 },
  year: { count: 1, points: yearSeconds, pointInterval: 1, events: eventCount, shape: sourcesShape }
}
type UserGroup = 'readers' | 'writers' | 'busy' | 'year'

/** Number of calls in a batch. */
export const batchSize = 100
const event = createEventParams(rootStream)
/** Also measured by the table "footprint". */
export const batch = Array.from({ length: batchSize }, () => ({ method: 'events.create', params: event }))

const latest20 = { path: '/latest/{user}/20' }
const wholeTime = `fromTime=${seedTime}&toTime=${seedTime + 1000 * eventInterval}`
/** The service shares what it has just read, so that each of these requests differs from the others. */
const shifts = Array.from({ length: 60 }, (_, shift) => shift)
const yearSamples = shifts.map(shift => {
  const from = seedTime - 1e6 + shift
  return `/measures/sample?measure=weight&fromTime=${from}&toTime=${from + yearSeconds}&parts=600`
})
/** Days in a zone with daylight saving. */
const yearDays = shifts.map(shift => {
  const [from, to] = [shift, shift + 364].map(day => formatDate(Math.floor(seedTime / 86_400) - 12 + day))
  return `/measures/days?measure=weight&from=${from}&to=${to}&zone=Europe/Zurich`
})
const manyFacts = shifts.map(shift => {
  const ids = [...measureIds.slice(shift), ...measureIds.slice(0, shift)]
  return `/measures/facts?measures=${encodeURIComponent(JSON.stringify(ids))}`
})

/** Name, group, requests; requests in flight, the bare server's request, the targets. */
// oxfmt-ignore
export const rows: readonly Row[] = [
  row('events.get 20', 'readers', get('/events?limit=20'),
    64, latest20, { cpu: 0.7 }),
  row('events.get 20, app on one tree', 'readers', user => ({ ...buildRequest(user, '/events?limit=20'), token: user.appToken }),
    64, latest20, { cpu: 0.7 }),
  row('events.get 1,000', 'readers', get('/events?limit=1000'),
    16, { path: '/latest/{user}/1000' }, { cpu: 0.9 }),
  row('events.get, tree of 100 streams', 'readers', get(`/events?limit=20&streams=${rootStream}`),
    64, latest20, { cpu: 0.6 }),
  row('events.get, one of 100 streams', 'readers', get('/events?limit=20&streams=stream-5'),
    64, { path: '/in-stream/{user}/5' }, { cpu: 0.7 }),
  row('events.getOne', 'readers', user => user.eventIds.map(id => buildRequest(user, `/events/${id}`)),
    64, { path: '/one/{user}/500' }, { cpu: 0.7 }),
  row('getAccessInfo', 'readers', get('/access-info'),
    64, { path: '/access' }, { cpu: 0.7 }),
  row('getAccessInfo by socket', 'readers', user => ({ ...buildRequest(user, ''), method: 'getAccessInfo' }),
    64, { server: 'sockets', path: '/bare', token: 'none', method: 'getAccessInfo' }, { cpu: 0.5 }),
  row('streams.get of 100', 'readers', get('/streams'),
    64, { path: '/streams/0/100' }, { cpu: 0.7 }),
  row('streams.facts of 100', 'readers', get('/streams/facts'),
    64, { path: '/streams/0/100' }, { cpuMs: 2 }),
  row('events.sample, 100 parts of 1,000 events', 'readers', get(`/events/sample?${wholeTime}&parts=100`),
    16, { path: '/latest/{user}/1000' }, { cpuMs: 3.5 }),
  row('events.create, many users', 'writers', buildPost('/events', event),
    64, { path: '/create-off-thread/{user}', body: event }, { cpu: 0.65 }),
  row('events.create, one busy user', 'busy', buildPost('/events', event),
    64, { path: '/create-in-loop/0', body: event }, { cpu: 0.55 }),
  row('batch of 100 creates', 'writers', buildPost('/', batch),
    16, { path: '/batch/{user}', body: batch }, { cpu: 0.45 }),
  row('hfs.add, 1,000 points', 'writers', user => ({ ...series(user), body: formatPoints(1000) }),
    16, { path: '/points-in/{user}', body: formatPoints(1000) }, { cpu: 0.75 }),
  row('hfs.get, 100k points', 'readers', user => series(user, '?toDeltaTime=1e9'),
    4, { path: '/points-out/{user}' }, { cpu: 0.8 }),
  row('a year of 1 Hz in 600 parts', 'year', user => series(user, `?toDeltaTime=${yearSeconds}&sample=600`),
    1, undefined, { cpuMs: 100 }),
  row('measures.sample, a year of 1 Hz and three more sources', 'year', getAny(yearSamples),
    1, undefined, { cpuMs: 120 }),
  row('measures.days, 365 of them', 'year', getAny(yearDays),
    1, undefined, { cpuMs: 120 }),
  row('measures.facts of 60', 'year', getAny(manyFacts),
    16, undefined, { cpuMs: 10 }),
  row('previews.get, from the cache', 'readers', user => user.pictureIds.map(id => buildRequest(user, `/events/${id}.jpg`)),
    64, { path: '/file' }, { cpu: 0.6 }),
  row('files, upload of 1 MB', 'writers', user => ({ ...buildRequest(user, '/events'), body: event, megabytes: 1 }),
    16, { path: '/upload/{user}', body: event, megabytes: 1 }, { cpu: 0.8 }),
  row('auth.login', 'readers', buildSignIn,
    2, { path: '/login', body: { password } }, {})
]

function row(
  name: string,
  who: Row['who'],
  asks: Row['asks'],
  connections: number,
  bare: BareAsk | undefined,
  aims: RowTargets
): Row {
  return { name, who, asks, connections, targets: aims, ...(bare && { bare }) }
}

function get(path: string): Row['asks'] {
  return user => buildRequest(user, path)
}

function getAny(paths: readonly string[]): Row['asks'] {
  return user => paths.map(path => buildRequest(user, path))
}

function buildPost(path: string, body: unknown): Row['asks'] {
  return user => ({ ...buildRequest(user, path), body })
}

function buildSignIn({ username }: SeededUser, origin: string): RequestSpec {
  const body = { username, password, appId: 'coffer-bench' }
  return { path: `/${username}/auth/login`, headers: { Origin: origin }, body }
}

function series(user: SeededUser, query = ''): RequestSpec {
  return buildRequest(user, `/events/${user.seriesIds[0]}/series${query}`)
}

function buildRequest({ token, username }: SeededUser, path: string): RequestSpec {
  return { path: `/${username}${path}`, token }
}
