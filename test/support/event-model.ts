/** The events of a user as plain arrays, queried the slow and obvious way: the reference for the service. */
import type { Event } from '../../schemas/event.js'
import type { Level } from '../../schemas/permission.js'
import type { Stream } from '../../schemas/stream.js'
import { meetsAll, type ModelCondition } from './content-model.js'
import { meetsText } from './text-model.js'

export interface ModelQuery {
  readonly streams?: string[] | StreamsObject | StreamsObject[]
  readonly types?: string[]
  readonly fromTime?: number
  readonly toTime?: number
  readonly running?: boolean
  readonly sortAscending?: boolean
  readonly skip?: number
  readonly limit?: number
  readonly state?: 'default' | 'trashed' | 'all'
  readonly modifiedSince?: number
  /** Stream ids without their first character: the service is configured with that as the prefix of tags. */
  readonly tags?: string[]
  readonly content?: ModelCondition[]
  readonly clientData?: ModelCondition[]
  readonly text?: string
}

export interface StreamsObject {
  readonly any: string[]
  readonly all?: string[]
  readonly not?: string[]
}

/** Permissions by stream id; `undefined` for a personal access. */
export type Permissions = Readonly<Record<string, Level>> | undefined

/** A stream as `streams.get` returns it. */
interface Tree extends Stream {
  readonly children: readonly Tree[]
}

export class EventModel {
  readonly streams = new Map<string, Stream>()
  /** In order of creation. */
  readonly events: Event[] = []
  readonly #paths = new Map<string, string[]>()

  /** Returns the ids that `events.get` should return, in order. */
  get(query: ModelQuery, permissions: Permissions, now: number): string[] {
    const found = this.events
      .map((event, index) => ({ event, index }))
      .filter(({ event }) => this.#matches(event, query, permissions, now))
      .toSorted((a, b) => a.event.time - b.event.time || a.index - b.index)
    if (!query.sortAscending) found.reverse()
    const { fromTime, toTime, skip = 0 } = query
    const usual = fromTime === undefined && toTime === undefined ? 20 : Infinity
    return found.slice(skip, skip + (query.limit ?? usual)).map(({ event }) => event.id)
  }

  /** Replaces all streams by those of a tree. */
  replaceStreams(trees: readonly Tree[]): void {
    this.streams.clear()
    this.#paths.clear()
    const add = ({ children, ...stream }: Tree): void => {
      this.streams.set(stream.id, stream)
      children.forEach(add)
    }
    trees.forEach(add)
  }

  level(id: string, permissions: Permissions): Level | undefined {
    if (!permissions) return 'manage'
    for (const at of this.#path(id)) if (permissions[at]) return permissions[at]
    return permissions['*']
  }

  /** Returns whether an event matches a query and may be read. */
  #matches(event: Event, query: ModelQuery, permissions: Permissions, now: number): boolean {
    const { types = [], state = 'default', modifiedSince = -Infinity } = query
    if (types.length > 0 && !types.some(type => isOfType(event.type, type))) return false
    if (state !== 'all' && (event.trashed === true) !== (state === 'trashed')) return false
    if (event.modified <= modifiedSince || !isInTime(event, query, now)) return false
    const { tags, content, clientData } = query
    if (tags && !event.streamIds.some(id => tags.includes(id.slice(1)))) return false
    if (!meetsAll(event.content ?? undefined, content) || !meetsAll(event.clientData, clientData))
      return false
    if (query.text !== undefined && !meetsText(event, query.text)) return false
    const levels = event.streamIds.map(id => this.level(id, permissions))
    if (levels.some(level => level === 'none' || level === 'create-only')) return false
    return asObjects(query.streams).some(one => this.#meets(event, one, permissions, state === 'default'))
  }

  /** Returns whether an event is in the streams of one query object, as far as they may be listed. */
  #meets(
    event: Event,
    { any, all = [], not = [] }: StreamsObject,
    permissions: Permissions,
    isLive: boolean
  ) {
    const usable = event.streamIds.filter(id => !isLive || !this.#isTrashed(id))
    const isIn = (ids: readonly string[], wanted: string): boolean =>
      ids.some(id => (wanted.endsWith('!') ? id === wanted.slice(0, -1) : this.#path(id).includes(wanted)))
    const isListed = (wanted: string): boolean =>
      !['none', undefined].includes(this.level(wanted.replace('!', ''), permissions))
    const readable = usable.filter(id => this.level(id, permissions) !== undefined)
    return (
      (any[0] === '*' ? readable.length > 0 : any.some(wanted => isIn(usable, wanted))) &&
      all.every(wanted => isListed(wanted) && isIn(usable, wanted)) &&
      !not.some(wanted => isListed(wanted) && isIn(event.streamIds, wanted))
    )
  }

  /** Returns the ids from a stream up to its root. */
  #path(id: string): string[] {
    let path = this.#paths.get(id)
    if (!path) {
      const stream = this.streams.get(id)
      path = stream ? [id, ...(stream.parentId === null ? [] : this.#path(stream.parentId))] : []
      this.#paths.set(id, path)
    }
    return path
  }

  #isTrashed(id: string): boolean {
    return this.#path(id).some(at => this.streams.get(at)?.trashed)
  }
}

function asObjects(streams: ModelQuery['streams']): StreamsObject[] {
  if (streams === undefined) return [{ any: ['*'] }]
  if (!Array.isArray(streams)) return [streams]
  const ids = streams.filter(item => typeof item === 'string')
  return ids.length === streams.length ? [{ any: ids }] : (streams as StreamsObject[])
}

function isOfType(type: string, wanted: string): boolean {
  return wanted.endsWith('/*') ? type.startsWith(wanted.slice(0, -1)) : type === wanted
}

function isInTime(
  { time, duration }: Event,
  { fromTime, toTime, running }: ModelQuery,
  now: number
): boolean {
  const to = toTime ?? (fromTime === undefined ? Infinity : now)
  if (running) return duration === null && time <= to
  const from = fromTime ?? (toTime === undefined ? -Infinity : toTime - 86_400)
  const end = duration === null ? Infinity : time + (duration ?? 0)
  return from <= to && time <= to && end >= from
}
