/** Writes a calendar (RFC 5545). Loaded on the first request, with its library. */
import { ICalCalendarMethod, ICalCalendar, type ICalEventData } from 'ical-generator'
import { getLocalDay } from '../../schemas/zones.js'
import { runInTurns, type Steps } from '../../storage/steps.js'
import { countTextLength, maxFeedText, noTexts, type Entry, type FeedSource } from './entries.js'
import { removeControls } from './text.js'

/** Seconds after which calendars should read again. */
const refreshSeconds = 3600
const daySeconds = 86_400
/** Maximum length of a line. */
const maxOctets = 75
/** Seconds that a calendar can show: the years 0 to 9999. */
const [firstTime, lastTime] = [-62_167_219_200, 253_402_300_799]

const lastLine = '\r\nEND:VCALENDAR'
/** What a calendar without entries consists of: it must have a component (RFC 5545, 3.6), and this one shows nothing. */
const noComponents = [
  '',
  'BEGIN:VTIMEZONE',
  'TZID:Etc/UTC',
  'BEGIN:STANDARD',
  'DTSTART:19700101T000000',
  'TZOFFSETFROM:+0000',
  'TZOFFSETTO:+0000',
  'END:STANDARD',
  'END:VTIMEZONE'
].join('\r\n')

/** Returns text as the value of a property (RFC 5545, 3.3.11): the library escapes those of events only. */
function escapeText(text: string): string {
  return removeControls(text)
    .replaceAll(/[\\;,]/g, String.raw`\$&`)
    .replaceAll('\n', String.raw`\n`)
}

/**
 * Returns the calendar of some entries. Each is written by itself, and other work has its turn in between, other calendars too.
 * Entries outside of the years that calendars can show are omitted, and so are texts beyond a total length. Throws the reason of the
 * signal once it has aborted.
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
  const components = parts.length > 0 ? parts.join('') : noComponents
  return `${empty.slice(0, end)}${components}${empty.slice(end)}\r\n`
}

function* writeEntries(
  source: FeedSource,
  entries: readonly Entry[],
  signal: AbortSignal | undefined
): Steps<string[]> {
  const host = new URL(source.idUrl).host
  const calendar = new ICalCalendar()
  const parts: string[] = []
  let left = maxFeedText
  for (const entry of entries) {
    const { duration, time } = entry.event
    if (time < firstTime || time + (duration ?? 0) > lastTime) continue
    left -= countTextLength(entry)
    const kept = left >= 0 ? entry : { ...entry, ...noTexts }
    const lines = calendar
      .createEvent(toCalendarEvent(kept, source, host))
      .toString()
      .trimEnd()
      .split('\r\n')
    calendar.clear()
    parts.push(lines.map(line => `\r\n${foldLine(line)}`).join(''))
    yield
    signal?.throwIfAborted()
  }
  return parts
}

/**
 * Cuts a line into lines of at most 75 octets (RFC 5545, 3.1), between characters. That of the library takes seconds for a calendar of
 * long texts.
 */
function foldLine(line: string): string {
  if (line.length <= maxOctets && Buffer.byteLength(line) <= maxOctets) return line
  const octets = Buffer.from(line)
  const pieces: string[] = []
  for (let start = 0, end = 0; start < octets.length; start = end) {
    // Those after the first begin with a space.
    end = Math.min(start + maxOctets - (start > 0 ? 1 : 0), octets.length)
    while (end < octets.length && isContinuation(octets[end]!)) end--
    pieces.push(octets.toString('utf8', start, end))
  }
  return pieces.join('\r\n ')
}

/** Returns whether an octet is inside a character. */
function isContinuation(octet: number): boolean {
  return (octet & 0xc0) === 0x80
}

/** Converts an event to an entry of a calendar: whole days as such, other events with their times. */
function toCalendarEvent(
  { event, location, streamNames, text, title }: Entry,
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
    ...(location !== '' && { location: removeControls(location) }),
    categories: streamNames.flatMap(name => {
      const shown = removeControls(name)
      return shown === '' ? [] : [{ name: shown }]
    }),
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
