/** iCalendar (RFC 5545): entries of calendars and journals, and tasks that are done. */
import { Unreadable, type Datum, type Format, type Sink } from '../../record.js'
import type { Reason } from '../../reasons.js'
import { zoneOf } from '../../text/zones.js'
import { describe, recordOf, textIn, type Entry } from './entry.js'
import { foldedTextsOf, LineScanner, unescapeText, type ContentLine } from './lines.js'
import { calendarTime, durationIn, type CalendarTime } from './times.js'
import { CalendarZones, DescribedZone } from './zones.js'

export const ical: Format = {
  id: 'ical',
  name: 'Calendar',
  recognises: ({ text }) => /^\s*BEGIN:VCALENDAR\s/i.test(text),
  async read(source, head, sink, { options }) {
    const { decode, pieces } = foldedTextsOf(source, head)
    const reader = new Reader(sink, options.zone)
    const scanner = new LineScanner(decode, line => reader.line(line))
    for await (const piece of pieces) {
      scanner.write(piece)
    }
    scanner.end()
    reader.end()
  }
}

/** Lines of an entry that are kept. Others that say something are counted; what concerns the entry itself is not. */
const kept = new Set(
  'UID RECURRENCE-ID DTSTART DTEND DUE DURATION COMPLETED CREATED DTSTAMP SUMMARY DESCRIPTION LOCATION CATEGORIES STATUS URL GEO RRULE RDATE EXDATE'.split(
    ' '
  )
)
const counted = new Set(['ATTENDEE', 'ORGANIZER', 'ATTACH', 'COMMENT', 'CONTACT', 'RESOURCES', 'RELATED-TO'])
/** Characters of the lines of an entry. */
const longest = 150_000
/** Characters of entries that are held until the end of the file: those that repeat, and those whose zone is not known yet. */
const mostHeld = 20_000_000
/** Occurrences that are remembered. */
const mostChanged = 100_000
const longestKey = 500
/** What each entry counts besides its characters. */
const ofEntry = 1000
const ofLine = 300
const entries = new Set(['VEVENT', 'VJOURNAL', 'VTODO'])
/** Components within one another. */
const deepest = 100

class Reader {
  readonly #zones = new CalendarZones()
  /** Components around the present line. */
  readonly #path: string[] = []
  #calendar = { name: '', zone: undefined as string | undefined, isCancelled: false }
  #entry: Entry | undefined
  #timezone: { id: string; readonly zone: DescribedZone } | undefined
  readonly #held: Entry[] = []
  #heldSize = 0
  /** Occurrences that are told by themselves, as UID and time. */
  readonly #changed = new Set<string>()

  constructor(
    private readonly sink: Sink,
    private readonly zone: string | undefined
  ) {}

  line(line: ContentLine): void {
    const { name, value } = line
    if (name === 'BEGIN') this.#begin(value.trim().toUpperCase())
    else if (name === 'END') this.#close(value.trim().toUpperCase())
    else if (this.#timezone) this.#ofZone(this.#timezone, line)
    else if (this.#entry) {
      if (this.#path.at(-1) === this.#entry.kind) this.#ofEntry(this.#entry, line)
    } else if (this.#path.length === 1) this.#ofCalendar(line)
  }

  end(): void {
    if (this.#entry) this.sink.leftOut(this.#entry.kind, 'cut off before its end')
    if (this.#path.length > 0) this.sink.warn('The file is cut off: what is whole was read')
    for (const entry of this.#held) this.#give(entry)
  }

  #begin(name: string): void {
    if (this.#path.length >= deepest)
      throw new Unreadable('It is nested deeper than {count} levels, as no export is', { count: deepest })
    if (name === 'VCALENDAR' || entries.has(name)) {
      // The end of what came before may be missing.
      if (this.#entry) this.sink.leftOut(this.#entry.kind, 'torn: its end is missing')
      this.#entry = this.#timezone = undefined
      this.#path.length = name === 'VCALENDAR' ? 0 : Math.min(this.#path.length, 1)
    }
    this.#path.push(name)
    if (name === 'VCALENDAR') this.#calendar = { name: '', zone: undefined, isCancelled: false }
    else if (name === 'VTIMEZONE') this.#timezone = { id: '', zone: new DescribedZone() }
    else if (name === 'STANDARD' || name === 'DAYLIGHT') this.#timezone?.zone.begin()
    else if (entries.has(name)) {
      const { isCancelled, name: calendar, zone } = this.#calendar
      this.#entry = { kind: name, calendar, zone: zone ?? this.zone, isCancelled, lines: new Map(), size: 0 }
    } else this.sink.leftOut(name.slice(0, 100), 'of a kind without a type here')
  }

  #close(name: string): void {
    const at = this.#path.lastIndexOf(name)
    if (at < 0) return
    this.#path.length = at
    if (name === 'VTIMEZONE' && this.#timezone) {
      this.#zones.describe(this.#timezone.id, this.#timezone.zone)
      this.#timezone = undefined
    } else if (this.#entry && (name === this.#entry.kind || at === 0)) {
      const entry = this.#entry
      this.#entry = undefined
      if (at === 0) this.sink.leftOut(entry.kind, 'torn: its end is missing')
      else this.#take(entry)
    }
  }

  #ofZone(timezone: { id: string; readonly zone: DescribedZone }, line: ContentLine): void {
    if (this.#path.at(-1) !== 'VTIMEZONE') timezone.zone.add(line)
    else if (line.name === 'TZID') timezone.id = line.value.trim()
    else if (line.name === 'X-LIC-LOCATION') timezone.zone.name = zoneOf(line.value.trim())
  }

  #ofCalendar({ name, value }: ContentLine): void {
    const text = unescapeText(value).trim()
    if (name === 'X-WR-CALNAME' || name === 'NAME') this.#calendar.name = text
    else if (name === 'X-WR-TIMEZONE') this.#calendar.zone = zoneOf(text)
    else if (name === 'METHOD') this.#calendar.isCancelled = text.toUpperCase() === 'CANCEL'
    else if (name === 'VERSION' && text === '1.0')
      throw new Unreadable('It is a calendar of version 1.0: export it as iCalendar (.ics)')
  }

  #ofEntry(entry: Entry, line: ContentLine): void {
    const { isCut, length, name } = line
    if (counted.has(name)) this.sink.leftOut(`${entry.kind} ${name}`, 'of a kind without a type here')
    if (!kept.has(name)) return
    entry.size += isCut ? longest + 1 : length
    if (entry.size > longest) return
    const lines = entry.lines.get(name)
    if (lines) lines.push(line)
    else entry.lines.set(name, [line])
  }

  /** An entry that is whole. Those that depend on others are held. */
  #take(entry: Entry): void {
    const occurrence = this.#timeOf(entry, 'RECURRENCE-ID')
    const key = occurrence && `${textIn(entry, 'UID')}\n${occurrence.time}`
    if (key !== undefined && key.length < longestKey && this.#changed.size < mostChanged)
      this.#changed.add(key)
    const isOpen = entry.lines.has('RRULE') || this.#timeOf(entry, 'DTSTART')?.lacksZone === true
    if (isOpen && this.#heldSize < mostHeld) {
      this.#held.push(entry)
      this.#heldSize += entry.size + ofEntry
      for (const lines of entry.lines.values()) this.#heldSize += lines.length * ofLine
    } else this.#give(entry)
  }

  #timeOf(entry: Entry, name: string): CalendarTime | undefined {
    const line = entry.lines.get(name)?.[0]
    return line && calendarTime(line, this.#zones, entry.zone)
  }

  #give(entry: Entry): void {
    const { kind } = entry
    this.#countRepeated(entry)
    const found =
      kind === 'VTODO' ? this.#task(entry) : kind === 'VJOURNAL' ? this.#journal(entry) : this.#event(entry)
    const fault = this.#faultOf(entry) ?? (typeof found === 'string' ? found : undefined)
    if (fault !== undefined) this.sink.leftOut(kind, fault)
    else if (typeof found === 'object') this.sink.datum(found)
  }

  /** Further occurrences, which are not made events: a rule may have no end. */
  #countRepeated({ kind, lines }: Entry): void {
    for (const name of ['RRULE', 'RDATE'])
      for (const { value } of lines.get(name) ?? [])
        this.sink.leftOut(
          `${kind} ${name}`,
          'further occurrences of an event that repeats',
          name === 'RRULE' ? 1 : value.split(',').length
        )
  }

  #faultOf(entry: Entry): Reason | undefined {
    const { isCancelled, lines, size } = entry
    if (size > longest) return 'larger than a record can be'
    if (isCancelled || textIn(entry, 'STATUS').toUpperCase() === 'CANCELLED')
      return 'cancelled, not carried out or ruled out'
    if (!lines.has('RRULE') && !lines.has('RDATE')) return undefined
    const time = this.#timeOf(entry, 'DTSTART')?.time
    const excluded = (lines.get('EXDATE') ?? []).flatMap(line =>
      line.value.split(',').map(value => calendarTime({ ...line, value }, this.#zones, entry.zone).time)
    )
    if (time !== undefined && excluded.includes(time)) return 'cancelled, not carried out or ruled out'
    return !lines.has('RECURRENCE-ID') && this.#changed.has(`${textIn(entry, 'UID')}\n${time}`)
      ? 'an earlier version of a record that is in the file'
      : undefined
  }

  #event(entry: Entry): Datum | Reason {
    const start = this.#timeOf(entry, 'DTSTART')
    if (!start) return 'without a time'
    if (start.lacksZone) return 'of a time zone that cannot be read'
    if (Number.isNaN(start.time)) return 'of a time that cannot be read'
    const duration = this.#durationOf(entry, start)
    if (Number.isNaN(duration)) return 'of an end that cannot be read'
    return {
      ...recordOf(entry),
      type: 'activity/plain',
      stream: 'Events',
      time: start.time,
      duration: duration > 0 ? duration : undefined,
      zone: start.zone,
      description: describe(entry)
    }
  }

  /** Returns seconds: 0 for none, `NaN` where there is an end that cannot be read. */
  #durationOf(entry: Entry, start: CalendarTime): number {
    const end = this.#timeOf(entry, 'DTEND')
    if (end) return end.time < start.time ? 0 : end.time - start.time
    const length = entry.lines.get('DURATION')?.[0]
    if (length) return durationIn(length.value)
    return start.isDay ? start.nextDay - start.time : 0
  }

  #journal(entry: Entry): Datum | Reason {
    const times = ['DTSTART', 'CREATED', 'DTSTAMP'].map(name => this.#timeOf(entry, name))
    const at = times.find(each => each !== undefined)
    if (!at) return 'without a time'
    if (at.lacksZone) return 'of a time zone that cannot be read'
    if (Number.isNaN(at.time)) return 'of a time that cannot be read'
    const [title, text] = [textIn(entry, 'SUMMARY'), textIn(entry, 'DESCRIPTION')]
    if (title === '' && text === '') return 'empty'
    return {
      ...recordOf(entry),
      type: 'note/txt',
      stream: 'Journal',
      time: at.time,
      zone: at.zone,
      content: text || title,
      description: text === '' || title === '' ? undefined : title
    }
  }

  #task(entry: Entry): Datum | Reason {
    const done = this.#timeOf(entry, 'COMPLETED')
    if (!done) return 'a plan or a goal, not something that took place'
    if (Number.isNaN(done.time)) return 'of a time that cannot be read'
    return {
      ...recordOf(entry),
      type: 'activity/plain',
      stream: 'Tasks',
      time: done.time,
      description: describe(entry)
    }
  }
}
