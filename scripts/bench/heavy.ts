/**
 * The heavy requests for the table "neighbours". A new one is an entry here: a line with `one` for a single request, or an object
 * that says what to do.
 */
import { setTimeout as wait } from 'node:timers/promises'
import type { Ask } from './load/ask.js'
import { send } from './load/client.js'
import { RawSocket } from './load/socket.js'
import { password, postedEvent } from './seed/sample.js'
import { rareStream, rootStream, seedTime, streamCount, type SeededUser } from './seed/seeder.js'
import { some } from './seed/shapes.js'
import { crowdedStream, deletions, emptyStream, goingStream, type Street } from './seed/street.js'

/** Work to do while a neighbour is measured. */
export interface Heavy {
  readonly name: string
  /** Whether it can be done only once per run. */
  readonly isOnce?: boolean
  /** Whether the service has to keep earlier versions of events. */
  readonly keepsHistory?: boolean
  readonly do: (origin: string, street: Street) => Promise<unknown>
}

/** The baseline. */
export const nothing: Heavy = { name: 'nothing', do: () => wait(1000) }

/** The part of a query that lifts the default limit. */
const everything = 'limit=1000000000'
const appId = 'coffer-bench'
/** Makes names unique. */
let count = 0

/** Builds all of them. Their bodies take much memory. Deletions come last. */
export function heavyThings(): Heavy[] {
  return [nothing, ...queries(), ...batches(), ...series(), ...trees(), ...others(), ...bodies(), ...ends()]
}

function queries(): Heavy[] {
  const many = some('stream', streamCount - 1)
  const twoQueries = json([
    { any: many.slice(1), all: [rareStream], not: [many[0]] },
    { any: many, all: many.slice(2, 4) }
  ])
  const absent = json([{ path: 'nothing', eq: 1 }])
  const half = json({ any: many, not: many.slice(0, 50) })
  const since = `modifiedSince=${seedTime - 1}&includeDeletions=true`
  return [
    find('100,000', 'limit=100000'),
    {
      name: 'events.get, 100,000 oldest first, app',
      do: (origin, { large }) =>
        ask(origin, { ...large, token: large.appToken }, '/events?limit=100000&sortAscending=true')
    },
    find('skip 900,000', 'limit=20&skip=900000'),
    find('content, none found', `${everything}&content=${absent}`),
    find('any/all/not, few found', `${everything}&state=all&streams=${twoQueries}`),
    find('unknown type', `${everything}&types=mass/kg&streams=${half}`),
    find('modifiedSince', `${everything}&state=all&${since}`),
    find('periods', `${everything}&fromTime=${seedTime + 1e7}&toTime=${seedTime + 4e7}`)
  ]
}

function find(name: string, query: string): Heavy {
  return one(`events.get, ${name}`, 'large', `/events?${query}`)
}

/** Batches of the maximum length. */
function batches(): Heavy[] {
  const search = { content: [{ path: 'nothing', eq: 1 }], limit: 10 }
  const creates = calls(10_000, 'events.create', postedEvent(rootStream))
  return [
    one('batch of 10,000 creates', 'wide', '/', { body: creates }),
    one('batch of 40 events.get of 1,000', 'large', '/', { body: calls(40, 'events.get', { limit: 1000 }) }),
    one('batch of 20 searches', 'large', '/', { body: calls(20, 'events.get', search) })
  ]
}

/** Long series, written and read. */
function series(): Heavy[] {
  const appended = points(1e7)
  const shuffled = appended.replace('"points":[', '"points":[[99999999.5,1],')
  const oneFrom = (first: number) => (user: SeededUser) => pointsOf(first + (count++ % 20))(user)
  return [
    one('series, 8 MB appended', 'large', oneFrom(1), { body: appended }),
    one('series, 8 MB out of order', 'large', oneFrom(21), { body: shuffled }),
    one('series, 8 MB overwritten', 'large', pointsOf(0), { body: points(0) }),
    one('series, all read', 'large', pointsOf(0)),
    one('series, sampled', 'large', user => `${pointsOf(0)(user)}?sample=100000`),
    one('series, summed up', 'large', user => `${pointsOf(0)(user)}?sample=600&summary=true`),
    {
      name: 'series, all deleted',
      isOnce: true,
      async do(origin, { large }) {
        const [first, second] = large.seriesIds
        for (const id of [first, first, second, second])
          await ask(origin, large, `/events/${id}`, { verb: 'DELETE' })
      }
    }
  ]
}

/** Calls that concern many streams or accesses at once. */
function trees(): Heavy[] {
  const crowded = `/streams/${crowdedStream}`
  const permissions = some(crowdedStream, 5000).map(streamId => ({ streamId, level: 'read' }))
  const change = (origin: string, { wide }: Street, body: object): Promise<string> =>
    ask(origin, wide, crowded, { verb: 'PUT', body })
  return [
    one('streams.get, 10,000', 'wide', '/streams?state=all&includeDeletionsSince=0'),
    {
      name: 'streams.update, moved with 10,000',
      do: (origin, street) => change(origin, street, { parentId: count++ % 2 === 0 ? emptyStream : null })
    },
    {
      name: 'streams.update, trashed with 10,000',
      async do(origin, street) {
        for (const trashed of [true, false]) await change(origin, street, { trashed })
      }
    },
    {
      name: 'accesses.create, 5,000 permissions',
      async do(origin, { wide }) {
        const body = { name: `wide ${count++}`, permissions }
        const created = JSON.parse(await ask(origin, wide, '/accesses', { body })) as {
          access: { id: string; token: string }
        }
        const { id, token } = created.access
        for (const path of ['/events?limit=20', '/streams']) await ask(origin, { ...wide, token }, path)
        await ask(origin, wide, `/accesses/${id}`, { verb: 'DELETE' })
      }
    },
    one('accesses.get, 2,000', 'wide', '/accesses?includeDeletions=true'),
    {
      name: 'accesses.delete with 2,000',
      isOnce: true,
      async do(origin, { wide }) {
        const { accesses } = JSON.parse(await ask(origin, wide, '/accesses')) as {
          accesses: { id: string; name: string }[]
        }
        const { id } = accesses.find(({ name }) => name === 'sharing')!
        await ask(origin, wide, `/accesses/${id}`, { verb: 'DELETE' })
      }
    },
    {
      name: 'streams.delete of 10,000 streams',
      isOnce: true,
      async do(origin, { wide }) {
        for (const query of ['', '?mergeEventsWithParent=false'])
          await ask(origin, wide, crowded + query, { verb: 'DELETE' })
      }
    }
  ]
}

/** Files, the audit, passwords. */
function others(): Heavy[] {
  return [
    one('events.get, audit', 'wide', `/events?streams=:_audit:&${everything}`),
    one('export', 'large', '/account/export'),
    one('upload of 100 MB', 'large', ({ eventIds }) => `/events/${eventIds[0]}`, { megabytes: 100 }),
    atOnce('sign-ins', 16, (origin, { wide }) =>
      ask(origin, wide, '/auth/login', { body: { username: wide.username, password, appId } })
    ),
    atOnce('registrations', 4, (origin, { wide }) => {
      const username = `newcomer${count++}`
      const body = { username, password, email: `${username}@example.com`, appId }
      return ask(origin, wide, '/../users', { body })
    })
  ]
}

/** Bodies of the maximum size: nine megabytes of JSON each. */
function bodies(): Heavy[] {
  const keys = Object.fromEntries(Array.from({ length: 500_000 }, (_, i) => [`key-${i}`, i]))
  const keyed = event({ clientData: keys })
  const numbers = { of: Array.from({ length: 1_000_000 }, (_, i) => i / 8) }
  const nested = { of: Array.from({ length: 1_500_000 }, () => [[]]) }
  const wrong = JSON.stringify(Array.from({ length: 1_500_000 }, () => ({})))
  const update = JSON.stringify({ clientData: { keys } })
  const create = (name: string, body: string, mayFail = false): Heavy =>
    one(`events.create, ${name}`, 'wide', '/events', { body }, mayFail)
  return [
    create('text of 4 MB', event({ content: 'a'.repeat(4e6), type: 'note/txt' })),
    create('1,000,000 numbers', event({ clientData: numbers })),
    create('500,000 keys', keyed, true),
    create('3,000,000 lists', event({ clientData: nested }), true),
    one(
      'streams.update, 500,000 keys',
      'wide',
      `/streams/${emptyStream}`,
      { verb: 'PUT', body: update },
      true
    ),
    create('list of 1,500,000', wrong, true),
    {
      name: 'events.create, 500,000 keys by socket',
      async do(origin, { wide }) {
        const socket = await RawSocket.open(origin, `/${wide.username}`, wide.token)
        await socket.call('events.create', 1, keyed).finally(() => socket.close())
      }
    },
    one('events.get of large events', 'wide', '/events?limit=20')
  ]
}

function ends(): Heavy[] {
  return [
    ...deletions.map((name): Heavy => {
      const path = `/streams/${goingStream}?mergeEventsWithParent=${name.startsWith('merged')}`
      return {
        name: `streams.delete of 100,000 events, ${name}`,
        isOnce: true,
        keepsHistory: name.endsWith('history kept'),
        do: (origin, { going }) => ask(origin, going[name], path, { verb: 'DELETE' })
      }
    }),
    {
      ...one('users.delete, large', 'large', ({ username }) => `/../users/${username}`, { verb: 'DELETE' }),
      isOnce: true
    }
  ]
}

/** One request, also below another root than the user's. `mayFail`: whether an error is fine too. */
function one(
  name: string,
  who: 'large' | 'wide',
  path: string | ((user: SeededUser) => string),
  more: Partial<Ask> = {},
  mayFail = false
): Heavy {
  return {
    name,
    do: (origin, { [who]: user }) =>
      ask(origin, user, typeof path === 'string' ? path : path(user), more, mayFail)
  }
}

function atOnce(name: string, times: number, act: Heavy['do']): Heavy {
  return {
    name: `${name}, ${times} at a time`,
    do: (origin, street) => Promise.all(Array.from({ length: times }, () => act(origin, street)))
  }
}

/** Makes a request below a user's root. Returns the beginning of the response. */
async function ask(
  origin: string,
  { token, username }: SeededUser,
  path: string,
  more: Partial<Ask> = {},
  mayFail = false
): Promise<string> {
  return (await send(origin, { path: `/${username}${path}`, token, ...more }, mayFail)).text
}

function calls(length: number, method: string, params: object): string {
  return JSON.stringify(Array.from({ length }, () => ({ method, params })))
}

function event(fields: object): string {
  return JSON.stringify({ ...postedEvent(rootStream), ...fields })
}

function pointsOf(nth: number) {
  return ({ seriesIds }: SeededUser) => `/events/${seriesIds[nth]}/series`
}

/** Eight megabytes of points, two a second. */
function points(from: number): string {
  const rows = Array.from(
    { length: 450_000 },
    (_, i) => `[${(from + i / 2).toFixed(1)},${60 + (i % 200) / 10}]`
  )
  return `{"format":"flatJSON","fields":["deltaTime","value"],"points":[${rows.join(',')}]}`
}

function json(value: unknown): string {
  return encodeURIComponent(JSON.stringify(value))
}
