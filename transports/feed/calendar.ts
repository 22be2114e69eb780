/** Writes a calendar (RFC 5545). Loaded on the first request, with its library. */
import { ICalCalendarMethod, ICalCalendar, type ICalEventData } from 'ical-generator'
import { getLocalDay } from '../../schemas/zones.js'
import { runInTurns, type Steps } from '../../storage/steps.js'
import type { Entry, FeedSource } from './entries.js'
import { removeControls } from './text.js'

/** Seconds after which calendars should read again. */
const refreshSeconds = 3600
const daySeconds = 86_400
/** Seconds that a calendar can show: the years 0 to 9999. */
const [firstTime, lastTime] = [-62_167_219_200, 253_402_300_799]

/** Maximum number of characters of the descriptions and categories of a calendar: further entries have none. */
const maxTextLength = 1_000_000
const firstLine = '\r\nBEGIN:VEVENT'
const lastLine = '\r\nEND:VCALENDAR'

/** Returns text as the value of a property (RFC 5545, 3.3.11): the library escapes those of events only. */
function escapeText(text: string): string {
  return removeControls(text)
    .replaceAll(/[\\;,]/g, String.raw`\$&`)
    .replaceAll('\n', String.raw`\n`)
}

/**
 * Returns the calendar of some entries. The library handles text slowly, so each entry is written by itself, and other work has
 * its turn in between, other calendars too. Entries outside of the years that calendars can show are omitted, and so are texts
 * beyond a total length. Throws the reason of the signal once it has aborted.
 */
export async function writeCalendar(
  source: FeedSource,
  entries: readonly Entry[],
  signal?: AbortSignal
): Promise<string> {
  const parts = await runInTurns(writeEntries(source, entries, signal))
  const empty = new ICalCalendar({
    name: escapeText(source.name),
    prodId: { company: 'Coffer', product: 'Coffer', language: 'EN' },
    method: ICalCalendarMethod.PUBLISH,
    ttl: refreshSeconds
  }).toString()
  const end = empty.lastIndexOf(lastLine)
  return empty.slice(0, end) + parts.join('') + empty.slice(end)
}

function* writeEntries(
  source: FeedSource,
  entries: readonly Entry[],
  signal: AbortSignal | undefined
): Steps<string[]> {
  const host = new URL(source.rootUrl).host
  const parts: string[] = []
  let left = maxTextLength
  for (const entry of entries) {
    const { duration, time } = entry.event
    if (time < firstTime || time + (duration ?? 0) > lastTime) continue
    const length = entry.streamNames.reduce((sum, name) => sum + name.length, entry.text.length)
    const kept = length <= left ? entry : { ...entry, text: '', streamNames: [] }
    if (kept === entry) left -= length
    const calendar = new ICalCalendar()
    calendar.createEvent(toCalendarEvent(kept, source, host))
    const written = calendar.toString()
    parts.push(written.slice(written.indexOf(firstLine), written.lastIndexOf(lastLine)))
    yield
    signal?.throwIfAborted()
  }
  return parts
}

/** Converts an event to an entry of a calendar: whole days as such, other events with their times. */
function toCalendarEvent(
  { event, streamNames, text, title }: Entry,
  { zone }: FeedSource,
  host: string
): ICalEventData {
  const { created, duration, id, modified, time } = event
  const days = findWholeDays(time, duration ?? 0, zone)
  // Calendars count seconds, and an end must be later than the start.
  const isEndLater = typeof duration === 'number' && Math.floor(time + duration) > Math.floor(time)
  return {
    id: `${id}@${host}`,
    stamp: toDate(modified),
    created: toDate(created),
    lastModified: toDate(modified),
    // Grows with each change, as calendars expect.
    sequence: Math.min(2 ** 31 - 1, Math.max(0, Math.floor(modified - created))),
    summary: removeControls(title),
    ...(text !== '' && { description: removeControls(text) }),
    categories: streamNames.map(name => ({ name: removeControls(name) })),
    ...(days
      ? { allDay: true, start: days.from, end: days.to }
      : { start: toDate(time), ...(isEndLater && { end: toDate(time + duration) }) })
  }
}

/** Returns the dates of an event that lasts whole local days; `undefined` if it does not. The date at `to` is the first after it. */
function findWholeDays(time: number, duration: number, zone: string): { from: Date; to: Date } | undefined {
  if (duration < daySeconds - 7200) return undefined
  const first = getLocalDay(zone, time)
  const last = getLocalDay(zone, time + duration)
  if (first.from !== time || last.from !== time + duration) return undefined
  return { from: toDate(first.number * daySeconds), to: toDate(last.number * daySeconds) }
}

/** Converts seconds, within the years that a calendar can show. */
function toDate(time: number): Date {
  return new Date(Math.min(Math.max(Math.floor(time), firstTime), lastTime) * 1000)
}
