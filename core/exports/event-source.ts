/** Yields the events of a list one by one, and the points below them. */
import type { Event } from '../../schemas/event.js'
import type { Range } from '../../storage/series/page.js'
import type { Reader } from '../call/reader.js'
import { isListing, JsonText, type Listing } from '../json/json-text.js'
import { createValueEndFinder, findMember, type TextRange } from '../json/reader.js'
import { mayReadAt } from '../events/event-permissions.js'
import { guardListing } from '../series/holder.js'
import { PointListing } from '../series/listing.js'
import { timeColumn } from '../series/column-plan.js'
import type { Chunks, ReadContext } from './chunks.js'

/** Characters above which an event is not parsed completely: no measurement is as long. */
export const largeEventSize = 256 * 1024
/**
 * Maximum number of characters of large events in memory while they are written in steps, besides one event that is longer. Others are written
 * without yielding.
 */
const maxHeld = 32 * 1024 * 1024
let heldCharacters = 0
let isLongerHeld = false

/** Yields the JSON texts of the events of a list. `isCounted`: whether they count as read. Throws `SyntaxError` that names a damaged event. */
export function* listEventTexts(
  turn: ReadContext,
  events: Listing<Reader> | readonly never[],
  isCounted = true
): Chunks {
  if (!isListing(events)) return
  for (let isLast = false; !isLast;) {
    let { text, count, done } = events.next(turn.reader)
    isLast = done
    if (isCounted) turn.count += count
    let endOf = createValueEndFinder(text)
    for (let at = 0; at < text.length;) {
      const end = nameEvent(text, at, () => endOf(at))
      const own = text.slice(at, end)
      at = end + 1
      if (own.length <= largeEventSize) {
        yield own
        continue
      }
      if (text.length > at) {
        // The remainder must not keep the whole page in memory, however slowly it is read.
        text = Buffer.from(text.slice(at)).toString()
        endOf = createValueEndFinder(text)
        at = 0
      } else text = ''
      yield* holdEvent(turn, own)
    }
    yield ''
  }
}

/**
 * Yields the text of an event while counting it against the memory for held events. If there is no room, the event
 * must be written before anything else runs.
 */
function* holdEvent(turn: ReadContext, text: string): Chunks {
  const isLonger = text.length > maxHeld
  turn.isHolding = isLonger ? !isLongerHeld : heldCharacters + text.length <= maxHeld
  turn.mustWriteAtOnce = !turn.isHolding
  if (turn.isHolding) {
    if (isLonger) isLongerHeld = true
    else heldCharacters += text.length
  }
  try {
    yield text
  } finally {
    if (turn.isHolding) {
      if (isLonger) isLongerHeld = false
      else heldCharacters -= text.length
    }
    turn.isHolding = turn.mustWriteAtOnce = false
  }
}

/**
 * Parses an event. In a large event, a large content that is not a string becomes a `JsonText`, and large client data is
 * omitted. Throws `SyntaxError` that names an event whose JSON is damaged.
 */
export function parseEvent(text: string): Event {
  return nameEvent(text, 0, () => parseSound(text))
}

/** Calls `read`, which reads the event whose text begins at a position. Throws `SyntaxError` with its id if it is damaged. */
function nameEvent<T>(text: string, at: number, read: () => T): T {
  try {
    return read()
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    const [, id = 'without an id'] = /^\{"id":"([^"]{1,100})"/.exec(text.slice(at, at + 120)) ?? []
    throw new SyntaxError(`event ${id} is not valid JSON`, { cause: error })
  }
}

function parseSound(text: string): Event {
  if (text.length <= largeEventSize) return JSON.parse(text) as Event
  let rest = text
  const clientData = findMember(rest, 'clientData')
  if (clientData && clientData.to - clientData.from > largeEventSize) rest = replaceWithNull(rest, clientData)
  const place = findMember(rest, 'content')
  if (!place || place.to - place.from <= largeEventSize) return JSON.parse(rest) as Event
  const content = rest.slice(place.from, place.to)
  const own = content.startsWith('"') ? (JSON.parse(content) as unknown) : new JsonText(content)
  return { ...(JSON.parse(replaceWithNull(rest, place)) as Event), content: own }
}

function replaceWithNull(text: string, { from, to }: TextRange): string {
  return `${text.slice(0, from)}null${text.slice(to)}`
}

/** Points of a series: a row has the cells of its columns, deltaTime first. */
export interface Points {
  readonly columns: readonly string[]
  readonly rows: readonly (readonly unknown[])[]
  /** The same as JSON, joined by commas. */
  readonly text: string
}

/** Range of times in seconds; both ends are inclusive. */
interface TimeRange {
  readonly fromTime?: number | undefined
  readonly toTime?: number | undefined
}

/** Seconds that are added to the end of a range, since ranges of points exclude their end. */
const endTolerance = 1e-6

/** Yields the points below a holder, page by page; none if it has been deleted in the meantime. */
export function* listPoints(
  turn: ReadContext,
  { id, time }: Pick<Event, 'id' | 'time'>,
  { fromTime, toTime }: TimeRange,
  isParsed = true
): Generator<Points, void, undefined> {
  const holder = turn.reader.store.series.findHolder(id)
  if (!holder || !mayReadAt(turn.reader, holder.streams)) return
  const columns = turn.reader.store.series.getColumns(holder.number)
  if (!columns) return
  const range: Range = {
    from: fromTime === undefined ? 0 : Math.max(0, fromTime - time),
    to: toTime === undefined ? Infinity : toTime - time + endTolerance
  }
  const points = guardListing(
    holder,
    columns,
    new PointListing({
      event: holder.number,
      width: columns.length + 1,
      isFine: true,
      range,
      limit: Infinity,
      isAscending: true
    })
  )
  const named = [timeColumn, ...columns]
  for (let isLast = false; !isLast;) {
    const { text, count, done } = points.next(turn.reader)
    isLast = done
    turn.count += count
    if (text === '') continue
    const rows = isParsed ? (JSON.parse(`[${text}]`) as unknown[][]) : []
    yield { columns: named, rows, text }
  }
}
