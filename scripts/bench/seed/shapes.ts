/** Accounts with a thousand dense and sparse streams, and accounts whose live events are older than many trashed ones. */
import type { Access } from '../../../schemas/access.js'
import type { Event } from '../../../schemas/event.js'
import type { UserStore } from '../../../storage/user/user-store.js'
import {
  createEvent,
  insertStream,
  addDuration,
  createAccess,
  rootStream,
  getEventTime,
  type AccountShape
} from './seeder.js'

const groups = 20
/** Number of streams that share nine tenths of the events. */
const busy = 90
/** Number of streams that share one tenth of the events. */
export const quietCount = 878
/** Number of streams with ten events each, all among the oldest thousand. */
const rare = 10
/** A second stream of every seventh event. */
export const starred = 'starred'

/** Kinds and numbers of streams in the permissions of accesses. */
export const permittedStreams = [
  ['busy', 1],
  ['busy', 20],
  ['busy', 90],
  ['mixed', 200],
  ['rare', 10]
] as const

/** A thousand streams: a root, groups below it, and the other streams in these groups. */
export class BroadShape implements AccountShape {
  readonly accesses: readonly Access[]

  constructor(
    /** Number of events. */
    private readonly size: number
  ) {
    this.accesses = permittedStreams.map(([kind, count]) => ({
      ...createAccess('shared', getAccessName(kind, count)),
      permissions: getStreamIds(kind, count).map(streamId => ({ streamId, level: 'read' as const }))
    }))
  }

  /** Returns the token of an access. */
  token(name: string): string {
    return this.accesses.find(access => access.name === name)!.token
  }

  /** Creates the root, the groups and the streams in them. */
  insertStreams(store: UserStore): void {
    insertStream(store, rootStream, null)
    insertStream(store, starred, rootStream)
    for (let i = 0; i < groups; i++) insertStream(store, `group-${i}`, rootStream)
    for (const [kind, count] of Object.entries({ busy, quiet: quietCount, rare }))
      for (const [i, id] of listStreamIds(kind, count).entries())
        insertStream(store, id, `group-${i % groups}`)
  }

  event(i: number): Event {
    if (i < 1000 && i % 10 === 5) return this.#make(i, [`rare-${Math.floor(i / 10) % rare}`], 'mass/kg')
    // Counted from the end, so that the latest events are the same in accounts of any size.
    const age = this.size - i
    const ten = Math.floor(age / 10)
    const streamId =
      age % 10 === 0 ? `quiet-${ten % quietCount}` : `busy-${((ten * 9 + (age % 10)) * 7) % busy}`
    return this.#make(i, age % 7 === 0 ? [streamId, starred] : [streamId])
  }

  #make(i: number, streamIds: string[], type?: string): Event {
    const event = createEvent(streamIds[0]!, getEventTime(i))
    return addDuration(i, { ...event, streamIds, ...(type === undefined ? {} : { type, content: 70 }) })
  }
}

/** Number of live events, which are the oldest. */
const liveEvents = 1000

/** Like {@link BroadShape}, but all except the oldest events are in the trash. */
export class TrashShape extends BroadShape {
  override event(i: number): Event {
    const event = super.event(i)
    return i < liveEvents ? event : { ...event, trashed: true }
  }
}

/** Returns the ids of the first streams of a kind. */
export function listStreamIds(kind: string, count: number): string[] {
  return Array.from({ length: count }, (_, i) => `${kind}-${i}`)
}

function getStreamIds(kind: string, count: number): string[] {
  return kind === 'mixed'
    ? [...listStreamIds('busy', 20), ...listStreamIds('quiet', count - 20)]
    : listStreamIds(kind, count)
}

/** Returns the name of the access to `count` streams of a kind. */
export function getAccessName(kind: string, count: number): string {
  return `${count} ${kind}`
}
