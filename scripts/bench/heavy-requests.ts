/**
 * The heavy requests of the table "neighbours". To add one, add an entry: a line with `request` for a single request, or an object
 * that says what to do.
 */
import { setTimeout as wait } from 'node:timers/promises'
import type { RequestSpec } from './load/request-spec.js'
import { send } from './load/client.js'
import { createEventParams } from './seed/sample.js'
import { rareStream, rootStream, seedTime, streamCount, type SeededUser } from './seed/seeder.js'
import { listStreamIds } from './seed/shapes.js'
import { deletions, deletedStream, type NeighbourAccounts } from './seed/neighbour-accounts.js'

/** Work to do while another user is measured. */
export interface HeavyRequest {
  readonly name: string
  /** True if the request can be made only once per run. */
  readonly isOnce?: boolean
  /** True if the service must keep earlier versions of events. */
  readonly keepsHistory?: boolean
  readonly run: (origin: string, street: NeighbourAccounts) => Promise<unknown>
}

/** The baseline. */
export const baseline: HeavyRequest = { name: 'nothing', run: () => wait(1000) }

/** The part of a query that lifts the default limit. */
const unlimited = 'limit=1000000000'

/** Builds all heavy requests. Their bodies take much memory. Deletions come last. */
export function createHeavyRequests(): HeavyRequest[] {
  return [baseline, ...createQueries(), ...createBatches(), ...createLargeBodies(), ...createDeletions()]
}

/** Lists the heavy queries of events. */
function createQueries(): HeavyRequest[] {
  const many = listStreamIds('stream', streamCount - 1)
  const twoQueries = toParam([
    { any: many.slice(1), all: [rareStream], not: [many[0]] },
    { any: many, all: many.slice(2, 4) }
  ])
  const absent = toParam([{ path: 'nothing', eq: 1 }])
  const half = toParam({ any: many, not: many.slice(0, 50) })
  const since = `modifiedSince=${seedTime - 1}&includeDeletions=true`
  return [
    query('100,000', 'limit=100000'),
    {
      name: 'events.get, 100,000 oldest first, app',
      run: (origin, { large }) =>
        ask(origin, { ...large, token: large.appToken }, '/events?limit=100000&sortAscending=true')
    },
    query('skip 900,000', 'limit=20&skip=900000'),
    query('content, none found', `${unlimited}&content=${absent}`),
    query('any/all/not, few found', `${unlimited}&state=all&streams=${twoQueries}`),
    query('unknown type', `${unlimited}&types=mass/kg&streams=${half}`),
    query('modifiedSince', `${unlimited}&state=all&${since}`),
    query('periods', `${unlimited}&fromTime=${seedTime + 1e7}&toTime=${seedTime + 4e7}`)
  ]
}

/** Batches of the maximum length. */
function createBatches(): HeavyRequest[] {
  const creates = calls(10_000, 'events.create', createEventParams(rootStream))
  const search = { content: [{ path: 'nothing', eq: 1 }], limit: 10 }
  return [
    request('batch of 10,000 creates', 'writer', '/', { body: creates }),
    request('batch of 40 events.get of 1,000', 'large', '/', {
      body: calls(40, 'events.get', { limit: 1000 })
    }),
    request('batch of 20 searches', 'large', '/', { body: calls(20, 'events.get', search) })
  ]
}

/** Bodies of the maximum size: nine megabytes of JSON each. */
function createLargeBodies(): HeavyRequest[] {
  const keys = Object.fromEntries(Array.from({ length: 500_000 }, (_, i) => [`key-${i}`, i]))
  const numbers = { of: Array.from({ length: 1_000_000 }, (_, i) => i / 8) }
  const nested = { of: Array.from({ length: 1_500_000 }, () => [[]]) }
  const wrong = JSON.stringify(Array.from({ length: 1_500_000 }, () => ({})))
  const create = (name: string, body: string, mayFail = false): HeavyRequest =>
    request(`events.create, ${name}`, 'writer', '/events', { body }, mayFail)
  return [
    create('text of 4 MB', event({ content: 'a'.repeat(4e6), type: 'note/txt' })),
    create('1,000,000 numbers', event({ clientData: numbers })),
    create('500,000 keys', event({ clientData: keys }), true),
    create('3,000,000 lists', event({ clientData: nested }), true),
    create('list of 1,500,000', wrong, true),
    request('events.get of large events', 'writer', '/events?limit=20')
  ]
}

/** Lists the heavy deletions. Each is made once, by a user of its own. */
function createDeletions(): HeavyRequest[] {
  return [
    ...deletions.map((name): HeavyRequest => {
      const path = `/streams/${deletedStream}?mergeEventsWithParent=${name.startsWith('merged')}`
      return {
        name: `streams.delete of 100,000 events, ${name}`,
        isOnce: true,
        keepsHistory: name.endsWith('history kept'),
        run: (origin, { deletionUsers }) => ask(origin, deletionUsers[name], path, { verb: 'DELETE' })
      }
    }),
    {
      name: 'users.delete, large',
      isOnce: true,
      run: (origin, { large }) => ask(origin, large, `/../users/${large.username}`, { verb: 'DELETE' })
    }
  ]
}

function query(name: string, text: string): HeavyRequest {
  return request(`events.get, ${name}`, 'large', `/events?${text}`)
}

function calls(length: number, method: string, params: object): string {
  return JSON.stringify(Array.from({ length }, () => ({ method, params })))
}

function event(fields: object): string {
  return JSON.stringify({ ...createEventParams(rootStream), ...fields })
}

/** A single request. With `mayFail`, an error response is accepted too. */
function request(
  name: string,
  who: 'large' | 'writer',
  path: string,
  more: Partial<RequestSpec> = {},
  mayFail = false
): HeavyRequest {
  return { name, run: (origin, { [who]: user }) => ask(origin, user, path, more, mayFail) }
}

/** Sends a request below a user's root. */
async function ask(
  origin: string,
  { token, username }: SeededUser,
  path: string,
  more: Partial<RequestSpec> = {},
  mayFail = false
): Promise<void> {
  await send(origin, { path: `/${username}${path}`, token, ...more }, mayFail)
}

function toParam(value: unknown): string {
  return encodeURIComponent(JSON.stringify(value))
}
