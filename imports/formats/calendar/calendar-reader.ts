/** Reads the components of a calendar: zones, and entries with their lines. */
import { Unreadable, type Sink } from '../../record.js'
import { findZone } from '../../text/zones.js'
import type { CalendarEntry } from './entry.js'
import { unescapeText, type ContentLine } from './lines.js'
import { CustomZone, type CalendarZones } from './zones.js'

/** Properties of an entry that are read. Of the others, those that carry data are counted as skipped. */
const readProperties = new Set(
  'UID RECURRENCE-ID DTSTART DTEND DUE DURATION COMPLETED CREATED DTSTAMP LAST-MODIFIED SEQUENCE SUMMARY DESCRIPTION LOCATION CATEGORIES STATUS URL GEO RRULE RDATE EXDATE'.split(
    ' '
  )
)
const countedProperties = new Set([
  'ATTENDEE',
  'ORGANIZER',
  'ATTACH',
  'COMMENT',
  'CONTACT',
  'RESOURCES',
  'RELATED-TO'
])
/** Maximum length of an entry's lines, in characters. */
export const maxEntryLength = 150_000
const entryKinds = new Set(['VEVENT', 'VJOURNAL', 'VTODO'])
/** Maximum depth of nested components. */
const maxDepth = 100

interface CalendarReaderOptions {
  readonly sink: Pick<Sink, 'skip' | 'warn'>
  /** Where zones that the file defines are added. */
  readonly zones: CalendarZones
  /** Zone for times without a zone. */
  readonly zone: string | undefined
  /** Takes each complete entry. */
  readonly onEntry: (entry: CalendarEntry) => void
}

export class CalendarReader {
  /** Components that contain the current line. */
  readonly #path: string[] = []
  #calendar = { name: '', zone: undefined as string | undefined, isCancelled: false }
  #entry: CalendarEntry | undefined
  #timezone: { id: string; readonly zone: CustomZone } | undefined

  constructor(private readonly options: CalendarReaderOptions) {}

  /** Reads one unfolded line. */
  readLine(line: ContentLine): void {
    const { name, value } = line
    if (name === 'BEGIN') this.#openComponent(value.trim().toUpperCase())
    else if (name === 'END') this.#closeComponent(value.trim().toUpperCase())
    else if (this.#timezone) this.#readZoneLine(this.#timezone, line)
    else if (this.#entry) {
      if (this.#path.at(-1) === this.#entry.kind) this.#readEntryLine(this.#entry, line)
    } else if (this.#path.length === 1) this.#readCalendarLine(line)
  }

  /** Ends the file: reports what was cut off. */
  finish(): void {
    const { sink } = this.options
    if (this.#entry) sink.skip(this.#entry.kind, 'cut off before its end')
    if (this.#path.length > 0) sink.warn('The file is cut off: what is whole was read')
  }

  /** Handles `BEGIN`. A calendar or an entry also ends unfinished components before it. */
  #openComponent(name: string): void {
    if (this.#path.length >= maxDepth)
      throw new Unreadable('It is nested deeper than {count} levels, as no export is', { count: maxDepth })
    if (name === 'VCALENDAR' || entryKinds.has(name)) {
      // The end of the previous component may be missing.
      if (this.#entry) this.options.sink.skip(this.#entry.kind, 'torn: its end is missing')
      this.#entry = this.#timezone = undefined
      this.#path.length = name === 'VCALENDAR' ? 0 : Math.min(this.#path.length, 1)
    }
    this.#path.push(name)
    if (name === 'VCALENDAR') this.#calendar = { name: '', zone: undefined, isCancelled: false }
    else if (name === 'VTIMEZONE') this.#timezone = { id: '', zone: new CustomZone() }
    else if (name === 'STANDARD' || name === 'DAYLIGHT') this.#timezone?.zone.beginObservance()
    else if (entryKinds.has(name)) {
      const { isCancelled, name: calendar, zone } = this.#calendar
      this.#entry = {
        kind: name,
        calendar,
        zone: zone ?? this.options.zone,
        isCancelled,
        lines: new Map(),
        size: 0
      }
    } else this.options.sink.skip(name.slice(0, 100), 'of a kind without a type here')
  }

  /** Ends a component: passes on the entry or time zone that is complete now. Superfluous ends are ignored. */
  #closeComponent(name: string): void {
    const index = this.#path.lastIndexOf(name)
    if (index < 0) return
    this.#path.length = index
    if (name === 'VTIMEZONE' && this.#timezone) {
      this.options.zones.define(this.#timezone.id, this.#timezone.zone)
      this.#timezone = undefined
    } else if (this.#entry && (name === this.#entry.kind || index === 0)) {
      const entry = this.#entry
      this.#entry = undefined
      if (index === 0) this.options.sink.skip(entry.kind, 'torn: its end is missing')
      else this.options.onEntry(entry)
    }
  }

  #readZoneLine(timezone: { id: string; readonly zone: CustomZone }, line: ContentLine): void {
    if (this.#path.at(-1) !== 'VTIMEZONE') timezone.zone.addLine(line)
    else if (line.name === 'TZID') timezone.id = line.value.trim()
    else if (line.name === 'X-LIC-LOCATION') timezone.zone.name = findZone(line.value.trim())
  }

  #readCalendarLine({ name, value }: ContentLine): void {
    const text = unescapeText(value).trim()
    if (name === 'X-WR-CALNAME' || name === 'NAME') this.#calendar.name = text
    else if (name === 'X-WR-TIMEZONE') this.#calendar.zone = findZone(text)
    else if (name === 'METHOD') this.#calendar.isCancelled = text.toUpperCase() === 'CANCEL'
    else if (name === 'VERSION' && text === '1.0')
      throw new Unreadable('It is a calendar of version 1.0: export it as iCalendar (.ics)')
  }

  #readEntryLine(entry: CalendarEntry, line: ContentLine): void {
    const { isTruncated, length, name } = line
    if (countedProperties.has(name))
      this.options.sink.skip(`${entry.kind} ${name}`, 'of a kind without a type here')
    if (!readProperties.has(name)) return
    entry.size += isTruncated ? maxEntryLength + 1 : length
    if (entry.size > maxEntryLength) return
    const lines = entry.lines.get(name)
    if (lines) lines.push(line)
    else entry.lines.set(name, [line])
  }
}
