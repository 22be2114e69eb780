/** Reads iCalendar (RFC 5545): events, journal entries and completed tasks. */
import { silentSink, type ImportedRecord, type Format, type Sink } from '../../record.js'
import type { SkipReason } from '../../skip-reasons.js'
import { CalendarReader, maxEntryLength } from './calendar-reader.js'
import { EntryVersions } from './entry-versions.js'
import { getDescription, toBaseRecord, getText, type CalendarEntry } from './entry.js'
import { readFoldedText, LineScanner } from './lines.js'
import { parseCalendarTime, parseDuration, type CalendarTime } from './times.js'
import { CalendarZones } from './zones.js'

export const ical: Format = {
  id: 'ical',
  name: 'Calendar',
  recognises: ({ text }) => /^\s*BEGIN:VCALENDAR\s/i.test(text),
  async read(source, head, sink, { options }) {
    const versions = new EntryVersions()
    const readLines = async (reader: CalendarReader): Promise<void> => {
      const { decode, chunks } = readFoldedText(source, head)
      const scanner = new LineScanner(decode, line => reader.readLine(line))
      for await (const chunk of chunks) scanner.write(chunk)
      scanner.end()
    }
    const { zone } = options
    const onEntry = (entry: CalendarEntry): void => versions.add(entry)
    await readLines(new CalendarReader({ sink: silentSink, zones: new CalendarZones(), zone, onEntry }))
    const zones = new CalendarZones()
    const records = new CalendarRecords(sink, zones, versions)
    const reader = new CalendarReader({ sink, zones, zone, onEntry: entry => records.add(entry) })
    await readLines(reader)
    reader.finish()
    records.finish()
  }
}

/** Limit in characters of entries held until the end of the file: recurring entries, and those whose zone is not yet known. */
const maxHeldLength = 20_000_000
/** Maximum number of changed occurrences that are remembered. */
const maxChanged = 100_000
const maxKeyLength = 500
/** Memory of each entry and each line besides its text, in characters. */
const entryOverhead = 1000
const lineOverhead = 300
/** Converts entries to records. */
class CalendarRecords {
  readonly #heldEntries: CalendarEntry[] = []
  #heldSize = 0
  /** Occurrences that have an entry of their own, as UID and time. */
  readonly #changedOccurrences = new Set<string>()

  constructor(
    private readonly sink: Sink,
    private readonly zones: CalendarZones,
    /** The versions of all entries of the file. */
    private readonly versions: EntryVersions
  ) {}

  /** Ends the file: adds the entries that had to wait for this. */
  finish(): void {
    for (const entry of this.#heldEntries) this.#emit(entry)
  }

  /** Processes a complete entry. Entries that depend on others are held. */
  add(entry: CalendarEntry): void {
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

  /** Returns the time of a property; `undefined` if the entry lacks it. A time that cannot be read is `NaN`. */
  #getTime(entry: CalendarEntry, name: string): CalendarTime | undefined {
    const line = entry.lines.get(name)?.[0]
    return line && parseCalendarTime(line, this.zones, entry.zone)
  }

  /** Adds the record of an entry, or counts it as skipped. */
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
    else if (typeof result === 'object')
      this.sink.addRecord({ ...result, version: this.versions.getRecordVersion(entry, result) })
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

  /** Returns why an entry is skipped, as cancelled or outdated ones are; `undefined` if it is imported. */
  #findSkipReason(entry: CalendarEntry): SkipReason | undefined {
    const { isCancelled, lines, size } = entry
    if (size > maxEntryLength) return 'larger than a record can be'
    if (this.versions.isOutdated(entry)) return 'an earlier version of a record that is in the file'
    if (isCancelled || getText(entry, 'STATUS').toUpperCase() === 'CANCELLED')
      return 'cancelled, not carried out or ruled out'
    if (!lines.has('RRULE') && !lines.has('RDATE')) return undefined
    const time = this.#getTime(entry, 'DTSTART')?.time
    const excluded = (lines.get('EXDATE') ?? []).flatMap(line =>
      line.value.split(',').map(value => parseCalendarTime({ ...line, value }, this.zones, entry.zone).time)
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
