/** What is measured of Coffer, against which reference, and what is to be reached. */
import { batchSize, type ReferenceName } from './references.js'
import { requestText, type Ask } from './requests.js'
import { password, postedEvent } from './sample.js'
import { rootStream, type SeededUser } from './seed.js'
import { postedPoints } from './series-sample.js'

/** Whom a row acts for. */
export interface Cast {
  /** Have 1,000 events and 100 streams each; nobody writes to them. */
  readonly readers: readonly SeededUser[]
  readonly writers: readonly SeededUser[]
  /** Have a thousand streams each. */
  readonly gatherers: readonly SeededUser[]
  readonly origin: string
}

/** Least ratios of the reference to ours, and the most CPU time, that are held to be reached. */
export interface Goals {
  readonly cpu?: number
  readonly perSecond?: number
  readonly cpuUs?: number
}

export interface Row {
  readonly name: string
  readonly reference: ReferenceName
  readonly goals: Goals
  /** The requests, of which one is picked at random each time. */
  asks(cast: Cast): Ask[]
}

const event = postedEvent(rootStream)
const calls = Array.from({ length: batchSize }, () => ({ method: 'events.create', params: event }))

export const rows: readonly Row[] = [
  {
    name: 'events.get 20',
    reference: '20 stored texts',
    goals: { cpu: 0.5, cpuUs: 1700 },
    asks: ({ readers }) => readers.map(user => read(user, '/events?limit=20'))
  },
  {
    name: 'events.get 20, app on one tree',
    reference: '20 stored texts',
    goals: { cpu: 0.5, cpuUs: 1700 },
    asks: ({ readers }) => readers.map(user => ({ ...read(user, '/events?limit=20'), token: user.appToken }))
  },
  {
    name: 'events.get 1,000',
    reference: '1,000 stored texts',
    goals: { cpu: 0.6, cpuUs: 3200 },
    asks: ({ readers }) => readers.map(user => read(user, '/events?limit=1000'))
  },
  {
    name: 'events.get, filter of 100 streams',
    reference: '20 stored texts',
    goals: { cpuUs: 1800 },
    asks: ({ readers }) => readers.map(user => read(user, `/events?limit=20&streams=${rootStream}`))
  },
  {
    name: 'events.getOne',
    reference: 'koa + router echo',
    goals: { cpu: 0.4, cpuUs: 130 },
    asks: ({ readers }) => readers.flatMap(user => user.eventIds.map(id => read(user, `/events/${id}`)))
  },
  {
    name: 'getAccessInfo',
    reference: 'koa + router echo',
    goals: { cpu: 0.4, cpuUs: 120 },
    asks: ({ readers }) => readers.map(user => read(user, '/access-info'))
  },
  {
    name: 'streams.get of 100',
    reference: '100 streams to JSON',
    goals: { cpuUs: 250 },
    asks: ({ readers }) => readers.map(user => read(user, '/streams'))
  },
  {
    name: 'streams.get of 1,000',
    reference: '100 streams to JSON',
    goals: { cpuUs: 2000 },
    asks: ({ gatherers }) => gatherers.map(user => read(user, '/streams'))
  },
  {
    name: 'events.create, many users',
    reference: 'insert, sync off-thread',
    goals: { cpu: 0.4, perSecond: 0.5 },
    asks: ({ writers }) => writers.map(user => ({ ...read(user, '/events'), body: event }))
  },
  {
    name: 'events.create, one busy user',
    reference: 'insert, one user, in loop',
    goals: { cpu: 0.4 },
    asks: ({ writers }) => writers.slice(0, 1).map(user => ({ ...read(user, '/events'), body: event }))
  },
  {
    name: 'batch of 100 creates',
    reference: '100 inserts, sync off-thread',
    goals: { cpuUs: 4000 },
    asks: ({ writers }) => writers.map(user => ({ ...read(user, '/'), body: calls }))
  },
  {
    name: 'hfs.add, 1,000 points',
    reference: '1,000 points in, sync off-thread',
    goals: { cpu: 0.6 },
    asks: ({ writers }) => writers.map(user => ({ ...points(user), text: postedPoints(1000) }))
  },
  {
    name: 'hfs.get, 100k points',
    reference: '100k points of stored text',
    goals: { cpu: 0.6 },
    asks: ({ readers }) => readers.map(user => points(user, '?toDeltaTime=1e9'))
  },
  {
    name: 'hfs.add, 1 point, 50 series',
    reference: 'insert, sync off-thread',
    goals: { cpu: 0.4, perSecond: 0.4 },
    asks: ({ writers }) =>
      writers
        .slice(0, 10)
        .flatMap(user =>
          user.seriesIds.slice(0, 5).map(id => ({ ...points(user, '', id), text: postedPoints(1) }))
        )
  },
  {
    name: 'hfs.add, 1 point, 50 series of one user',
    reference: 'insert, one user, off-thread',
    goals: { cpu: 0.4 },
    asks: ({ writers }) =>
      writers
        .slice(0, 1)
        .flatMap(user => user.seriesIds.map(id => ({ ...points(user, '', id), text: postedPoints(1) })))
  },
  {
    name: 'previews.get, from the cache',
    reference: 'file as it is',
    goals: { cpu: 0.6 },
    asks: ({ readers }) => readers.flatMap(user => user.pictureIds.map(id => read(user, `/events/${id}.jpg`)))
  },
  {
    name: 'auth.login',
    reference: 'argon2id verify',
    goals: {},
    asks: ({ readers, origin }) =>
      readers.map(({ username }) => ({
        path: `/${username}/auth/login`,
        headers: { Origin: origin },
        body: { username, password, appId: 'coffer-bench' }
      }))
  }
]

/** The texts of a row's requests. */
export function rowRequests(row: Row, cast: Cast): string[] {
  return row.asks(cast).map(requestText)
}

function read({ username, token }: SeededUser, path: string): Ask {
  return { path: `/${username}${path}`, token }
}

function points({ username, token, seriesIds }: SeededUser, query = '', id = seriesIds[0]): Ask {
  return { path: `/${username}/events/${id}/series${query}`, token }
}
