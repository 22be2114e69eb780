/**
 * The measured requests, each beside a bare server's that does the same physical work, and with its aims. A new one is an entry
 * in `rows`, and an action in `bare/actions.ts` if none does its work yet.
 */
import type { BarePorts } from './bare/main.js'
import { send } from './load/client.js'
import type { Ask } from './load/ask.js'
import { password, postedEvent, postedPoints, postedRows } from './seed/sample.js'
import { rootStream, seedTime, step, type Content, type SeededUser } from './seed/seeder.js'
import { BroadShape } from './seed/shapes.js'

/** Least CPU time and requests per second of the bare server's, as a ratio to ours and of ours to it; most CPU time. */
export interface Aims {
  readonly cpu?: number
  readonly perSecond?: number
  readonly cpuMs?: number
}

interface BareAsk extends Ask {
  /** By default `http`. */
  readonly port?: keyof BarePorts
}

export interface Row {
  readonly name: string
  readonly who: Crowd
  /** The requests of a user. Requests of all users are picked at random. */
  readonly asks: (user: SeededUser, origin: string) => Ask | Ask[] | Promise<Ask>
  /** In its path, `{user}` stands for the number of a user. */
  readonly bare?: BareAsk
  /** Requests in flight at a time, of both. */
  readonly connections: number
  readonly aims: Aims
}

const yearSeconds = 365 * 86_400
/** Number of users over whom load is spread. */
export const userCount = 20
/** The users of the rows, made if a row needs them. Readers are read only; of writers, `busy` is one and `ten` are ten. */
export const crowds: Readonly<Record<Crowd, Content & { readonly count: number }>> = {
  readers: { count: userCount, events: 1000, points: 100_000 },
  writers: { count: userCount },
  busy: { count: 1 },
  ten: { count: 10 },
  branchers: { count: 3, shape: new BroadShape(0) },
  year: { count: 1, points: yearSeconds, apart: 1 },
  million: { count: 1, points: 1_000_000 }
}
type Crowd = 'readers' | 'writers' | 'busy' | 'ten' | 'branchers' | 'year' | 'million'

/** Moments all over a year, and points at ten thousand of a million others. */
const moments = Array.from({ length: 50 }, (_, i) => Math.floor((i * yearSeconds) / 50) + 3.25)
const scattered = postedRows(Array.from({ length: 10_000 }, (_, i) => [((i * 7919) % 10_000) * 50, 1.5]))

/** Creates in a batch. */
export const batchSize = 100
const event = postedEvent(rootStream)
/** Also measured by the table "footprint". */
export const batch = Array.from({ length: batchSize }, () => ({ method: 'events.create', params: event }))

const latest20 = { path: '/latest/{user}/20' }
const wholeTime = `fromTime=${seedTime}&toTime=${seedTime + 1000 * step}`

/** Name, whose requests, the request; requests in flight at a time, the bare server's, the aims. */
// oxfmt-ignore
export const rows: readonly Row[] = [
  row('events.get 20', 'readers', get('/events?limit=20'),
    64, latest20, { cpu: 0.7 }),
  row('events.get 20, app on one tree', 'readers', user => ({ ...ask(user, '/events?limit=20'), token: user.appToken }),
    64, latest20, { cpu: 0.7 }),
  row('events.get 1,000', 'readers', get('/events?limit=1000'),
    16, { path: '/latest/{user}/1000' }, { cpu: 0.9 }),
  row('events.get, tree of 100 streams', 'readers', get(`/events?limit=20&streams=${rootStream}`),
    64, latest20, { cpu: 0.6 }),
  row('events.get, one of 100 streams', 'readers', get('/events?limit=20&streams=stream-5'),
    64, { path: '/in-stream/{user}/5' }, { cpu: 0.7 }),
  row('events.getOne', 'readers', user => user.eventIds.map(id => ask(user, `/events/${id}`)),
    64, { path: '/one/{user}/500' }, { cpu: 0.7 }),
  row('getAccessInfo', 'readers', get('/access-info'),
    64, { path: '/access' }, { cpu: 0.7 }),
  row('getAccessInfo by socket', 'readers', user => ({ ...ask(user, ''), method: 'getAccessInfo' }),
    64, { port: 'sockets', path: '/bare', token: 'none', method: 'getAccessInfo' }, { cpu: 0.5 }),
  row('streams.get of 100', 'readers', get('/streams'),
    64, { path: '/streams/0/100' }, { cpu: 0.7 }),
  row('streams.get of 1,000', 'branchers', get('/streams'),
    64, { path: '/streams/0/1000' }, { cpu: 0.7 }),
  row('streams.facts of 100', 'readers', get('/streams/facts'),
    64, { path: '/streams/0/100' }, { cpuMs: 2 }),
  row('events.sample, 100 parts of 1,000 events', 'readers', get(`/events/sample?${wholeTime}&parts=100`),
    16, { path: '/latest/{user}/1000' }, { cpuMs: 3.5 }),
  row('events.create, many users', 'writers', post('/events', event),
    64, { path: '/create-off-thread/{user}', body: event }, { cpu: 0.65, perSecond: 0.5 }),
  row('events.create, one busy user', 'busy', post('/events', event),
    64, { path: '/create-in-loop/0', body: event }, { cpu: 0.55 }),
  row('batch of 100 creates', 'writers', post('/', batch),
    16, { path: '/batch/{user}', body: batch }, { cpu: 0.45 }),
  row('hfs.add, 1,000 points', 'writers', user => ({ ...series(user), body: postedPoints(1000) }),
    16, { path: '/points-in/{user}', body: postedPoints(1000) }, { cpu: 0.75 }),
  row('hfs.add, 1 point, 50 series', 'ten', user => onePoint(user).slice(0, 5),
    64, { path: '/create-off-thread/{user}', body: event }, { cpu: 0.4, perSecond: 0.4 }),
  row('hfs.add, 1 point, 50 series of one user', 'busy', onePoint,
    64, { path: '/create-off-thread/0', body: event }, { cpu: 0.4 }),
  row('hfs.get, 100k points', 'readers', user => series(user, '?toDeltaTime=1e9'),
    4, { path: '/points-out/{user}' }, { cpu: 0.8 }),
  row('a year of 1 Hz in 600 parts', 'year', user => series(user, `?toDeltaTime=${yearSeconds}&sample=600`),
    1, undefined, { cpuMs: 100 }),
  row('hfs.get, 1,000 points of a year', 'year', user => moments.map(from => series(user, `?fromDeltaTime=${from}&toDeltaTime=${from + 1000}`)),
    8, undefined, { cpuMs: 1 }),
  row('hfs.add, 10,000 points here and there', 'million', user => ({ ...series(user), body: scattered }),
    1, undefined, {}),
  row('previews.get, from the cache', 'readers', user => user.pictureIds.map(id => ask(user, `/events/${id}.jpg`)),
    64, { path: '/file' }, { cpu: 0.6 }),
  row('files, upload of 1 MB', 'writers', upload(1),
    16, { path: '/upload/{user}', body: event, megabytes: 1 }, { cpu: 0.8 }),
  row('files, upload of 100 MB', 'busy', upload(100),
    1, { path: '/upload/0', body: event, megabytes: 100 }, { perSecond: 0.6 }),
  row('files, download of 100 MB', 'busy', download,
    1, { path: '/download' }, { perSecond: 0.6 }),
  row('auth.login', 'readers', signIn,
    2, { path: '/login', body: { password } }, {})
]

function row(
  name: string,
  who: Row['who'],
  asks: Row['asks'],
  connections: number,
  bare: BareAsk | undefined,
  aims: Aims
): Row {
  return { name, who, asks, connections, aims, ...(bare && { bare }) }
}

function get(path: string): Row['asks'] {
  return user => ask(user, path)
}

function post(path: string, body: unknown): Row['asks'] {
  return user => ({ ...ask(user, path), body })
}

function upload(megabytes: number): Row['asks'] {
  return user => ({ ...ask(user, '/events'), body: event, megabytes })
}

async function download(user: SeededUser, origin: string): Promise<Ask> {
  const { text } = await send(origin, { ...ask(user, '/events'), body: event, megabytes: 100 })
  const created = (JSON.parse(text) as { event: { id: string; attachments: { id: string }[] } }).event
  return ask(user, `/events/${created.id}/${created.attachments[0]!.id}`)
}

function signIn({ username }: SeededUser, origin: string): Ask {
  const body = { username, password, appId: 'coffer-bench' }
  return { path: `/${username}/auth/login`, headers: { Origin: origin }, body }
}

function series(user: SeededUser, query = '', id = user.seriesIds[0]): Ask {
  return ask(user, `/events/${id}/series${query}`)
}

/** A point for each series. */
function onePoint(user: SeededUser): Ask[] {
  return user.seriesIds.map(id => ({ ...series(user, '', id), body: postedPoints(1) }))
}

function ask({ token, username }: SeededUser, path: string): Ask {
  return { path: `/${username}${path}`, token }
}
