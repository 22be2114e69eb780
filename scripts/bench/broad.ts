/** Accounts of a thousand streams, dense and sparse, and what is asked of them; accounts whose live events lie behind trashed ones. */
import { newId } from '../../core/ids.js'
import type { Access } from '../../schemas/access.js'
import type { Event } from '../../schemas/event.js'
import type { UserStore } from '../../storage/user/user-store.js'
import { late, type Query } from './growth.js'
import { keptEvent } from './sample.js'
import { insertStream, lasting, newAccess, rootStream, step, timeOf, type Shape } from './seed.js'

const groups = 20
/** Nine events in ten are in these. */
const busy = 90
/** One in ten is in these. */
const quiet = 878
/** Ten events each, all among the oldest thousand. */
const rare = 10
/** One event in seven is in it as well. */
const starred = 'starred'

/** Numbers of streams to which accesses are given permissions. */
const permitted = { busy: [1, 20, 90], mixed: [200], rare: [10] }

/** A thousand streams: a root, groups in it, the others in these. */
export class BroadShape implements Shape {
  readonly #tokens = new Map<string, string>()
  readonly accesses: readonly Access[]

  constructor(
    /** Number of events. */
    private readonly size: number
  ) {
    this.accesses = Object.entries(permitted).flatMap(([kind, counts]) =>
      counts.map(count => {
        const access = newAccess('shared', nameOf(kind, count))
        this.#tokens.set(access.name, access.token)
        const permissions = idsFor(kind, count).map(streamId => ({ streamId, level: 'read' as const }))
        return { ...access, permissions }
      })
    )
  }

  token(name: string): string {
    return this.#tokens.get(name)!
  }

  insertStreams(store: UserStore): void {
    insertStream(store, rootStream, null)
    insertStream(store, starred, rootStream)
    for (let i = 0; i < groups; i++) insertStream(store, `group-${i}`, rootStream)
    for (const [kind, count] of Object.entries({ busy, quiet, rare }))
      for (const [i, id] of some(kind, count).entries()) insertStream(store, id, `group-${i % groups}`)
  }

  event(i: number): Event {
    if (i < 1000 && i % 10 === 5) return this.#make(i, [`rare-${Math.floor(i / 10) % rare}`], 'mass/kg')
    // Counted from the end, so that the latest are alike in accounts of any size.
    const age = this.size - i
    const ten = Math.floor(age / 10)
    const streamId = age % 10 === 0 ? `quiet-${ten % quiet}` : `busy-${((ten * 9 + (age % 10)) * 7) % busy}`
    return this.#make(i, age % 7 === 0 ? [streamId, starred] : [streamId])
  }

  #make(i: number, streamIds: string[], type?: string): Event {
    const event = keptEvent(newId(), streamIds[0]!, timeOf(i)) as Event
    return lasting(i, { ...event, streamIds, ...(type === undefined ? {} : { type, content: 70 }) })
  }
}

/** What the owner and others ask of such an account, by its shape. */
export function broadQueries(shapes: ReadonlyMap<number, BroadShape>): Query[] {
  const everything = [rootStream]
  return [
    { name: 'latest 20', path: () => 'limit=20' },
    { name: 'latest 20, oldest first', path: () => 'limit=20&sortAscending=true' },
    {
      name: 'time range',
      path: size => `fromTime=${timeOf(late(size))}&toTime=${timeOf(late(size) + 20) - 1}`
    },
    {
      name: 'period overlap',
      path: size => `fromTime=${timeOf(late(size)) + step / 3}&toTime=${timeOf(late(size)) + step / 2}`
    },
    {
      name: 'period overlap in a group',
      path: size =>
        `streams=group-7&limit=10&fromTime=${timeOf(late(size)) + step / 3}&toTime=${timeOf(late(size) + 1000)}`
    },
    { name: 'modifiedSince', path: size => `modifiedSince=${timeOf(size - 21)}&limit=20` },
    { name: 'a rare type', path: () => 'types=mass/kg&limit=20' },
    { name: 'a class of types', path: () => 'types=blood-pressure/*&limit=20' },
    byStreams('one busy stream', ['busy-3']),
    byStreams('a group of 50 streams', ['group-3']),
    byStreams('all 1,000 streams', everything),
    byStreams('any of 2 busy', some('busy', 2)),
    byStreams('any of 90 busy', some('busy', 90)),
    byStreams('any of 2 rare', some('rare', 2)),
    byStreams('any of 10 rare', some('rare', 10)),
    byStreams('any of 20 quiet', some('quiet', 20)),
    byStreams('any of 500 quiet', some('quiet', 500)),
    // Whose latest events are some thousands back.
    byStreams('any of 400 quiet recently', some('quiet', quiet).slice(-400)),
    byStreams('any of 500 mixed', [...some('busy', 90), ...some('quiet', 400), ...some('rare', 10)]),
    byStreams('all: in the root and starred', { any: everything, all: [starred] }),
    byStreams('all: busy and starred', { any: ['busy-3'], all: [starred] }),
    byStreams('all: in the root and rare', { any: everything, all: ['rare-1'] }),
    byStreams('not: 1 busy', { any: everything, not: ['busy-3'] }),
    byStreams('not: all 90 busy', { any: everything, not: some('busy', 90) }),
    byStreams('not: 500 quiet', { any: everything, not: some('quiet', 500) }),
    byStreams('not: all busy, 410 quiet, starred', {
      any: ['*'],
      not: [...some('busy', 90), ...some('quiet', 410), starred]
    }),
    byStreams('not: all but rare', {
      any: some('rare', 10),
      not: [...some('busy', 90), ...some('quiet', 400)]
    }),
    byStreams('any, all and not', { any: ['group-3', 'group-4'], all: [starred], not: ['busy-3'] }),
    byStreams('two queries', [{ any: ['busy-3'], not: [starred] }, { any: ['rare-1'] }]),
    ...Object.entries(permitted).flatMap(([kind, counts]) =>
      counts.map((count): Query => ({
        name: `latest 10, permitted: ${nameOf(kind, count)}`,
        path: () => 'limit=10',
        token: size => shapes.get(size)!.token(nameOf(kind, count))
      }))
    )
  ]
}

function byStreams(name: string, streams: unknown): Query {
  return { name, path: () => `limit=10&streams=${encodeURIComponent(JSON.stringify(streams))}` }
}

/** Live events, the oldest, behind any number of trashed ones. */
export const liveEvents = 1000

/** As {@link BroadShape}, but all except the oldest events are in the trash. */
export class BinnedShape extends BroadShape {
  override event(i: number): Event {
    const event = super.event(i)
    return i < liveEvents ? event : { ...event, trashed: true }
  }
}

/** What is asked of an account with many trashed events. */
export const binnedQueries: readonly Query[] = [
  { name: 'trash in front: latest 20', path: () => 'limit=20' },
  { name: 'trash in front: one stream', path: () => 'limit=10&streams=busy-3' },
  { name: 'trash in front: all 1,000 streams', path: () => `limit=20&streams=${rootStream}` },
  { name: 'trash in front: 10 rare', path: () => `limit=20&streams=${JSON.stringify(some('rare', 10))}` },
  { name: 'trash in front: time range', path: () => `fromTime=${timeOf(500)}&toTime=${timeOf(520) - 1}` },
  { name: 'trash in front: all there is since', path: () => `fromTime=${timeOf(980)}&toTime=${timeOf(1e8)}` },
  { name: 'trash in front: modifiedSince', path: () => `modifiedSince=${timeOf(900)}&limit=20` },
  { name: 'the trash itself', path: () => 'state=trashed&limit=20' },
  { name: 'live and trashed', path: () => 'state=all&limit=20' }
]

/** The first streams of a kind. */
function some(kind: string, count: number): string[] {
  return Array.from({ length: count }, (_, i) => `${kind}-${i}`)
}

function idsFor(kind: string, count: number): string[] {
  return kind === 'mixed' ? [...some('busy', 20), ...some('quiet', count - 20)] : some(kind, count)
}

function nameOf(kind: string, count: number): string {
  return `${count} ${kind}`
}
