/** Reads iCalendar (RFC 5545): events, journal entries and completed tasks. */
import { Unreadable, type ImportedRecord, type Format, type Sink } from '../../record.js'
import type { SkipReason } from '../../skip-reasons.js'
import { findZone } from '../../text/zones.js'
import { getDescription, toBaseRecord, getText, type CalendarEntry } from './entry.js'
import { readFoldedText, LineScanner, unescapeText, type ContentLine } from './lines.js'
import { parseCalendarTime, parseDuration, type CalendarTime } from './times.js'
import { CalendarZones, CustomZone } from './zones.js'

export const ical: Format = {
  id: 'ical',
  name: 'Calendar',
  recognises: ({ text }) => /^\s*BEGIN:VCALENDAR\s/i.test(text),
  async read(source, head, sink, { options }) {
    const { decode, chunks } = readFoldedText(source, head)
    const reader = new CalendarReader(sink, options.zone)
    const scanner = new LineScanner(decode, line => reader.readLine(line))
    for await (const chunk of chunks) {
      scanner.write(chunk)
    }
    scanner.end()
    reader.finish()
  }
}

/** Properties of an entry that are read. Of the others, those that carry data are counted as skipped. */
const readProperties = new Set(
  'UID RECURRENCE-ID DTSTART DTEND DUE DURATION COMPLETED CREATED DTSTAMP SUMMARY DESCRIPTION LOCATION CATEGORIES STATUS URL GEO RRULE RDATE EXDATE'.split(
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
const maxEntryLength = 150_000
/** Limit in characters of entries held until the end of the file: recurring entries, and those whose zone is not yet known. */
const maxHeldLength = 20_000_000
/** Maximum number of changed occurrences that are remembered. */
const maxChanged = 100_000
const maxKeyLength = 500
/** Memory of each entry and each line besides its text, in characters. */
const entryOverhead = 1000
const lineOverhead = 300
const entryKinds = new Set(['VEVENT', 'VJOURNAL', 'VTODO'])
/** Maximum depth of nested components. */
const maxDepth = 100

class CalendarReader {
  readonly #zones = new CalendarZones()
  /** Components that contain the current line. */
  readonly #path: string[] = []
  #calendar = { name: '', zone: undefined as string | undefined, isCancelled: false }
  #entry: CalendarEntry | undefined
  #timezone: { id: string; readonly zone: CustomZone } | undefined
  readonly #heldEntries: CalendarEntry[] = []
  #heldSize = 0
  /** Occurrences that have an entry of their own, as UID and time. */
  readonly #changedOccurrences = new Set<string>()

  constructor(
    private readonly sink: Sink,
    private readonly zone: string | undefined
  ) {}

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

  /** Ends the file: adds the entries that had to wait for this, and reports what was cut off. */
  finish(): void {
    if (this.#entry) this.sink.skip(this.#entry.kind, 'cut off before its end')
    if (this.#path.length > 0) this.sink.warn('The file is cut off: what is whole was read')
    for (const entry of this.#heldEntries) this.#emit(entry)
  }

  /** Handles `BEGIN`. A calendar or an entry also ends unfinished components before it. */
  #openComponent(name: string): void {
    if (this.#path.length >= maxDepth)
      throw new Unreadable('It is nested deeper than {count} levels, as no export is', { count: maxDepth })
    if (name === 'VCALENDAR' || entryKinds.has(name)) {
      // The end of the previous component may be missing.
      if (this.#entry) this.sink.skip(this.#entry.kind, 'torn: its end is missing')
      this.#entry = this.#timezone = undefined
      this.#path.length = name === 'VCALENDAR' ? 0 : Math.min(this.#path.length, 1)
    }
    this.#path.push(name)
    if (name === 'VCALENDAR') this.#calendar = { name: '', zone: undefined, isCancelled: false }
    else if (name === 'VTIMEZONE') this.#timezone = { id: '', zone: new CustomZone() }
    else if (name === 'STANDARD' || name === 'DAYLIGHT') this.#timezone?.zone.beginObservance()
    else if (entryKinds.has(name)) {
      const { isCancelled, name: calendar, zone } = this.#calendar
      this.#entry = { kind: name, calendar, zone: zone ?? this.zone, isCancelled, lines: new Map(), size: 0 }
    } else this.sink.skip(name.slice(0, 100), 'of a kind without a type here')
  }

  #closeComponent(name: string): void {
    const index = this.#path.lastIndexOf(name)
    if (index < 0) return
    this.#path.length = index
    if (name === 'VTIMEZONE' && this.#timezone) {
      this.#zones.define(this.#timezone.id, this.#timezone.zone)
      this.#timezone = undefined
    } else if (this.#entry && (name === this.#entry.kind || index === 0)) {
      const entry = this.#entry
      this.#entry = undefined
      if (index === 0) this.sink.skip(entry.kind, 'torn: its end is missing')
      else this.#addEntry(entry)
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
    if (countedProperties.has(name)) this.sink.skip(`${entry.kind} ${name}`, 'of a kind without a type here')
    if (!readProperties.has(name)) return
    entry.size += isTruncated ? maxEntryLength + 1 : length
    if (entry.size > maxEntryLength) return
    const lines = entry.lines.get(name)
    if (lines) lines.push(line)
    else entry.lines.set(name, [line])
  }

  /** Processes a complete entry. Entries that depend on others are held. */
  #addEntry(entry: CalendarEntry): void {
    const occurrence = this.#getTime(entry, 'RECURRENCE-ID')
    const key = occurrence && `${getText(entry, 'UID')}\n${occurrence.time}`
    if (key !== undefined && key.length < maxKeyLength && this.#changedOccurrences.size < maxChanged)
      this.#changedOccurrences.add(key)
    const isOpen = entry.lines.has('RRULE') || this.#getTime(entry, 'DTSTART')?.lacksZone === true
    if (isOpen && this.#heldSize < maxHeldLength) {
      this.#heldEntries.push(entry)
      this.#heldSize += entry.size + entryOverhead
      for (const lines of entry.lines.values()) this.#heldSize += lines.length * lineOverhead
    } else this.#emit(entry)
  }

  #getTime(entry: CalendarEntry, name: string): CalendarTime | undefined {
    const line = entry.lines.get(name)?.[0]
    return line && parseCalendarTime(line, this.#zones, entry.zone)
  }

  #emit(entry: CalendarEntry): void {
    const { kind } = entry
    this.#skipRecurrences(entry)
    const result =
      kind === 'VTODO'
        ? this.#toTaskRecord(entry)
        : kind === 'VJOURNAL'
          ? this.#toJournalRecord(entry)
          : this.#toEvent(entry)
    const reason = this.#findSkipReason(entry) ?? (typeof result === 'string' ? result : undefined)
    if (reason !== undefined) this.sink.skip(kind, reason)
    else if (typeof result === 'object') this.sink.addRecord(result)
  }

  /** Counts further occurrences as skipped: a rule may have no end. */
  #skipRecurrences({ kind, lines }: CalendarEntry): void {
    for (const name of ['RRULE', 'RDATE'])
      for (const { value } of lines.get(name) ?? [])
        this.sink.skip(
          `${kind} ${name}`,
          'further occurrences of an event that repeats',
          name === 'RRULE' ? 1 : value.split(',').length
        )
  }

  #findSkipReason(entry: CalendarEntry): SkipReason | undefined {
    const { isCancelled, lines, size } = entry
    if (size > maxEntryLength) return 'larger than a record can be'
    if (isCancelled || getText(entry, 'STATUS').toUpperCase() === 'CANCELLED')
      return 'cancelled, not carried out or ruled out'
    if (!lines.has('RRULE') && !lines.has('RDATE')) return undefined
    const time = this.#getTime(entry, 'DTSTART')?.time
    const excluded = (lines.get('EXDATE') ?? []).flatMap(line =>
      line.value.split(',').map(value => parseCalendarTime({ ...line, value }, this.#zones, entry.zone).time)
    )
    if (time !== undefined && excluded.includes(time)) return 'cancelled, not carried out or ruled out'
    return !lines.has('RECURRENCE-ID') && this.#changedOccurrences.has(`${getText(entry, 'UID')}\n${time}`)
      ? 'an earlier version of a record that is in the file'
      : undefined
  }

  /** Converts a `VEVENT` to a record; returns the reason if it is skipped. */
  #toEvent(entry: CalendarEntry): ImportedRecord | SkipReason {
    const start = this.#getTime(entry, 'DTSTART')
    if (!start) return 'without a time'
    if (start.lacksZone) return 'of a time zone that cannot be read'
    if (Number.isNaN(start.time)) return 'of a time that cannot be read'
    const duration = this.#getDuration(entry, start)
    if (Number.isNaN(duration)) return 'of an end that cannot be read'
    return {
      ...toBaseRecord(entry),
      type: 'activity/plain',
      stream: 'Events',
      time: start.time,
      duration: duration > 0 ? duration : undefined,
      zone: start.zone,
      description: getDescription(entry)
    }
  }

  /** Returns the duration in seconds: 0 if the entry states none, `NaN` if its end is unreadable. */
  #getDuration(entry: CalendarEntry, start: CalendarTime): number {
    const end = this.#getTime(entry, 'DTEND')
    if (end) return end.time < start.time ? 0 : end.time - start.time
    const length = entry.lines.get('DURATION')?.[0]
    if (length) return parseDuration(length.value)
    return start.isDay ? start.nextDay - start.time : 0
  }

  /** Converts a `VJOURNAL` to a record; returns the reason if it is skipped. */
  #toJournalRecord(entry: CalendarEntry): ImportedRecord | SkipReason {
    const times = ['DTSTART', 'CREATED', 'DTSTAMP'].map(name => this.#getTime(entry, name))
    const start = times.find(each => each !== undefined)
    if (!start) return 'without a time'
    if (start.lacksZone) return 'of a time zone that cannot be read'
    if (Number.isNaN(start.time)) return 'of a time that cannot be read'
    const [title, text] = [getText(entry, 'SUMMARY'), getText(entry, 'DESCRIPTION')]
    if (title === '' && text === '') return 'empty'
    return {
      ...toBaseRecord(entry),
      type: 'note/txt',
      stream: 'Journal',
      time: start.time,
      zone: start.zone,
      content: text || title,
      description: text === '' || title === '' ? undefined : title
    }
  }

  #toTaskRecord(entry: CalendarEntry): ImportedRecord | SkipReason {
    const done = this.#getTime(entry, 'COMPLETED')
    if (!done) return 'a plan or a goal, not something that took place'
    if (Number.isNaN(done.time)) return 'of a time that cannot be read'
    return {
      ...toBaseRecord(entry),
      type: 'activity/plain',
      stream: 'Tasks',
      time: done.time,
      description: getDescription(entry)
    }
  }
}
