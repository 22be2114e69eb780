/** The events that feeds show: those that last, and words, files and photos. Readings are not, unless their type is requested. */
import { nextTurn } from '../../storage/steps.js'
import { truncate } from '../../core/exports/chunks.js'
import { getRootOfCopy, isFollowedId } from '../../core/system-ids.js'
import { findMeasure, findMeasureByType } from '../../schemas/measures/catalogue.js'
import { readMeasureMark, type Measure } from '../../schemas/measures/measure.js'
import type { Event } from '../../schemas/event.js'
import type { EventTypeDirectory } from '../../schemas/event-types/directory.js'
import { convertUnit, splitType } from '../../schemas/units.js'
import { type PlacedStream, readStreams, type UserCalls } from '../user-calls.js'
import { advance, listBeginning, readEventsAfter, type EventList, type Position } from '../event-positions.js'

/** What a feed is about. */
export interface FeedSource {
  /** Name of the access, and of the feed. */
  readonly name: string
  /** URL of the user's root, with a trailing slash. */
  readonly rootUrl: string
  /** A URL with a trailing slash by which feeds identify their entries: unlike the root, it does not change with the user name. */
  readonly idUrl: string
  /** Time zone in which days begin. */
  readonly zone: string
  /** When the access was changed last, in seconds: the time of a feed without entries. */
  readonly changed: number
}

/** An event with what feeds need of its streams. */
export interface Entry {
  readonly event: Pick<Event, 'created' | 'duration' | 'id' | 'modified' | 'time'>
  /** One line: the person whom it is about if that is not the user, the name of its stream, and what it says. */
  readonly title: string
  /** The text of a note, and the description; without the first line of the latter if that is in the title. */
  readonly text: string
  /** The place of an imported entry of a calendar; '' if it has none. */
  readonly location: string
  /** Names of the event's first streams that the caller may see. */
  readonly streamNames: readonly string[]
}

export interface EntryQuery {
  /** Seconds. */
  readonly fromTime: number
  readonly toTime: number
  readonly streams?: readonly string[]
  readonly types?: readonly string[]
  /** Where a page begins: entries at `toTime` follow these. */
  readonly after?: readonly (Position | undefined)[]
  readonly limit: number
  /** True if numbers that last are the first to be omitted where there are more entries than the limit; by default, the oldest ones are. */
  readonly omitsNumbers?: boolean
}

/** Maximum length of a title, of the name of a person in it, of a place, and of a text, in characters. */
const maxTitleLength = 120
const maxLocationLength = 500
const maxPersonLength = 60
const maxTextLength = 4000
/** Maximum number of names of streams, and of characters of each: an event may be in thousands of streams with long names. */
const [maxNames, maxNameLength] = [10, 120]

/** What entries have none of after {@link maxFeedText}. */
type Texts = Pick<Entry, 'location' | 'streamNames' | 'text'>
export const noTexts: Texts = { location: '', streamNames: [], text: '' }

/** Maximum number of characters of the texts, places and names of streams of all entries: those after them have none. */
export const maxFeedText = 1_000_000

/** Returns the number of characters of an entry's text, place and names of streams. */
export function countTextLength({ location, streamNames, text }: Texts): number {
  return streamNames.reduce((sum, name) => sum + name.length, text.length + location.length)
}

/** Events read at once, at most. */
const maxRead = 1000
/**
 * Maximum number of events among which those are found that are shown because they last, or because they are texts of types that
 * the directory does not know; and nights among events about sleep. Types that hold entries only are read by themselves: no
 * readings come before them.
 */
const maxLooked = 20_000

/** A list of events in which entries are found. */
interface EntryList {
  readonly params: Readonly<Record<string, unknown>>
  readonly isWanted: (event: Event) => boolean
  /** Maximum number of events that are examined. */
  readonly maxEvents: number
}

/** Where the next page begins. */
export interface NextPage {
  /** Time of the last entry of this page, in seconds. */
  readonly time: number
  /** The last event of this time in each list; `undefined`: none has been read. */
  readonly after: readonly (Position | undefined)[]
}

/**
 * Reads the latest entries in a range, newest first, and where the next page begins; absent if there are no more. Unless types are
 * named, events that people do not put into calendars are omitted. `directory`: the known types. Errors: the errors of `events.get`.
 */
export async function readEntries(
  calls: UserCalls,
  query: EntryQuery,
  directory: EventTypeDirectory
): Promise<{ readonly entries: readonly Entry[]; readonly next: NextPage | undefined }> {
  const byId = await readStreams(calls)
  const lists = planLists(query, directory)
  const found: { readonly entry: Entry; readonly position: Position; readonly list: number }[] = []
  const known = new Set<string>()
  for (const [list, { isWanted, maxEvents, params }] of lists.entries()) {
    const { fromTime: from, limit, toTime: to } = query
    const start = query.after?.[list] ?? listBeginning
    const events = { params, order: 'descending', from, to } as const
    let left = maxFeedText
    for await (const { event, position } of findEvents(calls, events, start, {
      isWanted,
      limit: limit + 1,
      maxEvents
    })) {
      // One that was changed in between may be read twice.
      if (known.has(event.id)) continue
      known.add(event.id)
      const entry = toEntry(event, byId)
      left -= countTextLength(entry)
      // Of all lists together, even earlier ones have none.
      found.push({ entry: left >= 0 ? entry : { ...entry, ...noTexts }, position, list })
    }
  }
  // Numbers that last are in the last list.
  const kept = query.omitsNumbers ? found.slice(0, query.limit) : found
  // Stable: at the same time, those of the former lists come first.
  kept.sort((a, b) => b.entry.event.time - a.entry.event.time)
  const page = kept.slice(0, query.limit)
  const time = page.at(-1)?.entry.event.time
  const isLast = found.length === page.length || time === undefined
  const findLast = (list: number): Position | undefined =>
    page.findLast(each => each.list === list && each.entry.event.time === time)?.position ??
    (time === query.toTime ? query.after?.[list] : undefined)
  return {
    entries: page.map(({ entry }) => entry),
    next: isLast ? undefined : { time, after: lists.map((_, list) => findLast(list)) }
  }
}

/** Returns the lists in which entries are found. No event is an entry of two lists. */
function planLists({ streams, types }: EntryQuery, directory: EventTypeDirectory): EntryList[] {
  const params = streams ? { streams } : {}
  if (types) return [{ params: { ...params, types }, isWanted: () => true, maxEvents: Infinity }]
  const texts = listTextTypes(directory)
  const listed = new Set([...texts, ...otherTypes])
  const isFurther = (event: Event): boolean =>
    isShown(event) && !listed.has(event.type) && !isOfClass(event.type)
  return [
    { params: { ...params, types: [...classes, ...texts] }, isWanted: isShown, maxEvents: Infinity },
    { params: { ...params, types: otherTypes }, isWanted: isShown, maxEvents: maxLooked },
    { params, isWanted: isFurther, maxEvents: maxLooked }
  ]
}

/** Finds events among those after a position, with their positions. */
async function* findEvents(
  calls: UserCalls,
  list: EventList,
  start: Position,
  { isWanted, limit, maxEvents }: Omit<EntryList, 'params'> & { readonly limit: number }
): AsyncGenerator<{ readonly event: Event; readonly position: Position }> {
  let size = Math.min(limit, maxRead)
  let largest = maxRead
  let position = start
  for (let [looked, found] = [0, 0]; looked < maxEvents && found < limit;) {
    const read = await readEventsAfter(calls, list, position, size)
    looked += read.events.length
    position = read.position
    for (const event of read.events) {
      if (found === limit) break
      position = advance(position, event, list)
      if (!isWanted(event)) continue
      found++
      yield { event, position }
    }
    if (read.events.length < read.limit) break
    if (read.limit < size) largest = Math.ceil(size / 2)
    size = Math.min(largest, read.limit * 2)
    await nextTurn()
  }
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
  const isWordy = typeof content === 'string' || isOfClass(type)
  return duration === null || (duration ?? 0) > 0 || isWordy
}

function isOfClass(type: string): boolean {
  return classes.includes(`${splitType(type)[0]}/*`)
}

/** Returns whether events of a type are omitted unless it is named: calendars are kept by others, so credentials are among them. */
function isHiddenType(type: string): boolean {
  return ['position/', 'series:', 'credentials/'].some(hidden => type.startsWith(hidden))
}

/** Classes all of whose events are shown. */
const classes = ['activity/*', 'note/*', 'message/*', 'picture/*', 'file/*', 'audio/*', 'video/*']
/** Further types whose events usually last. */
const otherTypes = ['sleep/analysis']

/**
 * Returns the entry of an event. Its title has the value or the first line of the content, or else of the description. Encrypted
 * contents and the bytes of pictures are not shown.
 */
function toEntry(event: Event, byId: ReadonlyMap<string, PlacedStream>): Entry {
  const places = event.streamIds.flatMap(id => byId.get(id) ?? [])
  const streams = places.map(({ stream }) => stream)
  const { clientData, content, created, duration, id, modified, time, type } = event
  const description = event.description?.trim() ?? ''
  const name = streams[0]?.name ?? splitType(type)[1]
  const isReadable = !type.startsWith('encrypted/') && type !== 'picture/base64'
  const words = typeof content === 'string' && isReadable ? content : ''
  const value = words === '' ? describeValue(event, places.slice(0, maxNames)) : getFirstLine(words)
  const isDescribed = words === '' && value === ''
  const said = isDescribed ? getFirstLine(description).trimEnd() : value
  const person = findPerson(event, byId)
  const title = `${person}${[name, said].filter(text => text !== '').join(', ')}`
  const rest =
    isDescribed && title.length <= maxTitleLength ? description.slice(said.length).trimStart() : description
  const { location }: { location?: unknown } = Object(clientData?.['ical:entry'])
  return {
    // Not the content, which may be long.
    event: { created, id, modified, time, ...(duration !== undefined && { duration }) },
    title: truncate(title, maxTitleLength),
    text: truncate([words, rest].filter(text => text !== '').join('\n\n'), maxTextLength),
    location: typeof location === 'string' ? truncate(location, maxLocationLength) : '',
    streamNames: streams.slice(0, maxNames).map(stream => truncate(stream.name, maxNameLength))
  }
}

function getFirstLine(text: string): string {
  return text.split(/[\r\n\u0085\u2028\u2029]/, 1)[0]!
}

/** Returns the beginning of the title of what is in a copy, with the name of the person whom it is about; '' for other events. */
function findPerson({ streamIds }: Event, byId: ReadonlyMap<string, PlacedStream>): string {
  const copied = streamIds.find(isFollowedId)
  if (copied === undefined) return ''
  const root = getRootOfCopy(copied)
  // Those who may not list the root know it from the ids of the streams.
  const name = byId.get(root)?.stream.name ?? root.split(':').at(-1)!
  return `${truncate(name, maxPersonLength)}: `
}

/** What periods of sleep are called. */
const sleepStates = new Map<unknown, string>([
  ['inBed', 'in bed'],
  ['asleep', 'asleep'],
  ['awake', 'awake']
])

/** Describes a number in the unit that people use: `8.2 km`; yes or no; and the state of a period of sleep. Returns '' for other contents. */
function describeValue({ content, type }: Event, places: readonly PlacedStream[]): string {
  if (typeof content === 'boolean') return content ? 'yes' : 'no'
  if (type === 'sleep/analysis') return sleepStates.get(Object(content).analysis) ?? ''
  if (typeof content !== 'number') return ''
  const measure = findMeasureOf(type, places)
  const shown = measure?.unit?.shown ?? type
  const converted = shown === type ? content : convertUnit(content, type, shown)
  const unit = splitType(converted === undefined ? type : shown)[1]
  const number = roundNumber(converted ?? content)
  return unit === 'generic' ? String(number) : `${number} ${unit}`
}

/** Returns the measure of events of a type: that of the first stream whose mark has such events, or that of the type. */
function findMeasureOf(type: string, places: readonly PlacedStream[]): Measure | undefined {
  const marks = places.flatMap(place => findMark(place) ?? [])
  const measures = marks.flatMap(mark => findMeasure(mark) ?? [])
  // What has the mark of an unknown measure is of no other.
  const isOther = measures.length < marks.length
  return measures.find(({ types }) => types.includes(type)) ?? (isOther ? undefined : findMeasureByType(type))
}

/** Returns the mark of the nearest stream that has one. */
function findMark(place: PlacedStream | undefined): string | undefined {
  return place && (readMeasureMark(place.stream.clientData) ?? findMark(place.above))
}

/** Rounds a number to two decimals, or if it is small to four digits: 0.0625 mg are no 0.06 mg. */
function roundNumber(number: number): number {
  return Number(Math.abs(number) < 10 ? number.toPrecision(4) : number.toFixed(2))
}
