/** The events that feeds show: those that last, and words, files and photos. Readings are not, unless their type is requested. */
import { nextTurn } from '../../storage/steps.js'
import { truncate } from '../../core/exports/chunks.js'
import { findMeasure, findMeasureByType } from '../../schemas/measures/catalogue.js'
import { measureKey } from '../../schemas/measures/measure.js'
import type { Event } from '../../schemas/event.js'
import type { EventTypeDirectory } from '../../schemas/event-types/directory.js'
import { convertUnit, splitType } from '../../schemas/units.js'
import { advance, listBeginning, readEventsAfter } from '../event-positions.js'
import { readStreams, type PlacedStream, type Stream } from '../read-streams.js'
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
  readonly event: Pick<Event, 'created' | 'duration' | 'id' | 'modified' | 'time'>
  /** One line: the name of its stream, and what it says. */
  readonly title: string
  /** The text of a note, and the description. */
  readonly text: string
  /** Names of the event's streams that the caller may see. */
  readonly streamNames: readonly string[]
}

export interface EntryQuery {
  /** Seconds. */
  readonly fromTime: number
  readonly toTime: number
  readonly streams?: readonly string[]
  readonly types?: readonly string[]
  readonly limit: number
}

/** Maximum length of a title and of a text, in characters. */
const maxTitleLength = 120
const maxTextLength = 4000

/** Events read at once, at most. */
const maxRead = 1000
/**
 * Maximum number of events among which those are found that are shown because they last, or because they are texts of types that
 * the directory does not know; and nights among events about sleep. Types that hold entries only are read by themselves: no
 * readings come before them.
 */
const maxLooked = 20_000

/**
 * Reads the latest entries in a range, newest first. Unless types are named, events that people do not put
 * into calendars are omitted. `directory`: the known types. Errors: the errors of `events.get`.
 */
export async function readEntries(
  calls: UserCalls,
  query: EntryQuery,
  directory: EventTypeDirectory
): Promise<Entry[]> {
  const byId = await readStreams(calls)
  if (query.types) return await findEntries(calls, query, byId, () => true)
  const types = [...classes, ...listTextTypes(directory)]
  const found = await findEntries(calls, { ...query, types }, byId, isShown)
  found.push(...(await findEntries(calls, { ...query, types: otherTypes }, byId, isShown, maxLooked)))
  const ids = new Set(found.map(({ event }) => event.id))
  const isFurther = (event: Event): boolean => isShown(event) && !ids.has(event.id)
  const further = await findEntries(calls, query, byId, isFurther, maxLooked)
  // Stable: at the same time, the former come first.
  return [...found, ...further].toSorted((a, b) => b.event.time - a.event.time).slice(0, query.limit)
}

/** Finds entries among the latest events, `maxEvents` at most. */
async function findEntries(
  calls: UserCalls,
  { fromTime: from, limit, toTime: to, ...params }: EntryQuery,
  streams: ReadonlyMap<string, PlacedStream>,
  isWanted: (event: Event) => boolean,
  maxEvents = Infinity
): Promise<Entry[]> {
  const found: Entry[] = []
  let size = Math.min(limit, maxRead)
  let largest = maxRead
  let position = listBeginning
  const list = { params, order: 'descending', from, to } as const
  for (let looked = 0; looked < maxEvents && found.length < limit;) {
    const read = await readEventsAfter(calls, list, position, size)
    looked += read.events.length
    position = read.position
    for (const event of read.events) {
      if (found.length === limit) break
      position = advance(position, event, list)
      if (isWanted(event)) found.push(toEntry(event, streams))
    }
    if (read.events.length < read.limit) break
    if (read.limit < size) largest = Math.ceil(size / 2)
    size = Math.min(largest, read.limit * 2)
    await nextTurn()
  }
  return found
}

/** Lists the types whose content is a text. */
function listTextTypes({ types }: EventTypeDirectory): string[] {
  return Object.entries(types).flatMap(([type, schema]) =>
    schema['type'] === 'string' && !isHiddenType(type) ? [type] : []
  )
}

/** Returns whether an event is one that people put into calendars. */
function isShown({ content, duration, type }: Event): boolean {
  if (isHiddenType(type)) return false
  const isWordy = typeof content === 'string' || classes.includes(`${splitType(type)[0]}/*`)
  return duration === null || (duration ?? 0) > 0 || isWordy
}

function isHiddenType(type: string): boolean {
  return type.startsWith('position/') || type.startsWith('series:')
}

/** Classes all of whose events are shown. */
const classes = ['activity/*', 'note/*', 'message/*', 'picture/*', 'file/*', 'audio/*', 'video/*']
/** Further types whose events usually last. */
const otherTypes = ['sleep/analysis']

/** Returns the entry of an event, with its value or first line in the title. Encrypted contents are not shown. */
function toEntry(event: Event, byId: ReadonlyMap<string, PlacedStream>): Entry {
  const streams = event.streamIds.flatMap(id => byId.get(id)?.stream ?? [])
  const { content, created, description, duration, id, modified, time, type } = event
  const name = streams[0]?.name ?? splitType(type)[1]
  const words = typeof content === 'string' && !type.startsWith('encrypted/') ? content : ''
  const value = words === '' ? describeValue(event, streams[0]) : words.split('\n')[0]!
  const title = [name, value].filter(text => text !== '').join(', ')
  return {
    // Not the content, which may be long.
    event: { created, id, modified, time, ...(duration !== undefined && { duration }) },
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
