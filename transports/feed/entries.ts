/** The events that feeds show: those that last, and words, files and photos. Readings are not, unless their type is requested. */
import { truncate } from '../../core/exports/chunks.js'
import { findMeasure, findMeasureByType } from '../../schemas/measures/catalogue.js'
import { measureKey } from '../../schemas/measures/measure.js'
import type { Event } from '../../schemas/event.js'
import { convertUnit, splitType } from '../../schemas/units.js'
import type { UserCalls } from '../user-calls.js'

/** What a feed is about. */
export interface FeedSource {
  /** Name of the access, and of the feed. */
  readonly name: string
  /** URL of the user's root, with a trailing slash. Feeds identify their entries by it. */
  readonly rootUrl: string
  /** Time zone in which days begin. */
  readonly zone: string
  /** Seconds. */
  readonly now: number
}

/** An event with what feeds need of its streams. */
export interface Entry {
  readonly event: Event
  /** One line: the name of its stream, and what it says. */
  readonly title: string
  /** The text of a note, and the description. */
  readonly text: string
  /** Names of the event's streams that the caller may see. */
  readonly streamNames: readonly string[]
}

export interface EntryQuery {
  /** Seconds. */
  readonly fromTime?: number
  readonly toTime?: number
  readonly streams?: readonly string[]
  readonly types?: readonly string[]
  readonly limit: number
  readonly skip?: number
}

interface Stream {
  readonly id: string
  readonly name: string
  readonly clientData?: Readonly<Record<string, unknown>>
  readonly children?: readonly Stream[]
}

/** A page of entries. */
export interface EntryPage {
  readonly entries: readonly Entry[]
  /** True if there may be older events. */
  readonly hasMore: boolean
}

/** Maximum length of a title and of a text, in characters. */
const maxTitleLength = 120
const maxTextLength = 4000

/**
 * Reads a page of entries, newest first. Unless types are named, events that people do not put into calendars
 * are omitted. Errors: the errors of `events.get`.
 */
export async function readEntries(calls: UserCalls, query: EntryQuery): Promise<EntryPage> {
  const { streams } = await calls.call<{ streams: readonly Stream[] }>('streams.get', {})
  const { events } = await calls.call<{ events: readonly Event[] }>('events.get', {
    ...query,
    sortAscending: false
  })
  const byId = new Map<string, Stream>()
  const note = (list: readonly Stream[]): void => {
    for (const stream of list) {
      byId.set(stream.id, stream)
      note(stream.children ?? [])
    }
  }
  note(streams)
  const isWanted = query.types ? (): boolean => true : isShown
  const entries = events.filter(isWanted).map(event => toEntry(event, byId))
  return { entries, hasMore: events.length === query.limit }
}

/** Returns whether an event is one that people put into calendars. */
function isShown({ content, duration, type }: Event): boolean {
  const [unitClass] = splitType(type)
  if (unitClass === 'position' || type.startsWith('series:')) return false
  return duration === null || (duration ?? 0) > 0 || typeof content === 'string' || wordy.has(unitClass)
}

const wordy = new Set(['activity', 'note', 'message', 'picture', 'file', 'audio', 'video'])

function toEntry(event: Event, byId: ReadonlyMap<string, Stream>): Entry {
  const streams = event.streamIds.flatMap(id => byId.get(id) ?? [])
  const { content, description, type } = event
  const name = streams[0]?.name ?? splitType(type)[1]
  const words = typeof content === 'string' && !type.startsWith('encrypted/') ? content : ''
  const value = words === '' ? describeValue(event, streams[0]) : words.split('\n')[0]!
  const title = [name, value].filter(text => text !== '').join(', ')
  return {
    event,
    title: truncate(title, maxTitleLength),
    text: truncate([words, description ?? ''].filter(text => text !== '').join('\n\n'), maxTextLength),
    streamNames: streams.map(stream => stream.name)
  }
}

/** Describes a number in the unit that people use: `8.2 km`. Returns '' for other contents. */
function describeValue({ content, type }: Event, stream: Stream | undefined): string {
  if (typeof content !== 'number') return ''
  const mark = stream?.clientData?.[measureKey]
  const measure = typeof mark === 'string' ? findMeasure(mark) : findMeasureByType(type)
  const shown = measure?.unit?.shown ?? type
  const converted = shown === type ? content : convertUnit(content, type, shown)
  const unit = splitType(converted === undefined ? type : shown)[1]
  const number = Math.round((converted ?? content) * 100) / 100
  return unit === 'generic' ? String(number) : `${number} ${unit}`
}
