/** Reads Sleep as Android's `sleep-export.csv`: each record has its own header, with the times and events of its night. */
import type { SkipReason } from '../../skip-reasons.js'
import type { ImportedRecord, Format, Sink } from '../../record.js'
import { RowScanner, readTableText } from '../../text/row-scanner.js'
import { findRepeatedTime, toTime } from '../../text/times.js'
import { parseNumber } from '../../text/units.js'
import { findZone } from '../../text/zones.js'
import { getNightContent } from '../../night-record.js'

const kind = 'record'

export const sleepAsAndroid: Format = {
  id: 'sleep-as-android',
  name: 'Sleep as Android',
  recognises: ({ text }) => /^"?Id"?,"?Tz"?,"?From"?,"?To"?,"?Sched"?,"?Hours"?,/.test(text),
  async read(source, head, sink) {
    const reader = new SleepAsAndroidReader(sink)
    const scanner = new RowScanner(',', cells => reader.addRow(cells))
    for await (const chunk of readTableText(source, head)) {
      scanner.write(chunk)
    }
    scanner.finish()
    if (scanner.brokenCount > 0) sink.skip(kind, 'torn by a quote that does not close', scanner.brokenCount)
  }
}

/** Columns with their own handling. Other named columns are kept with the record. */
const handledColumns: ReadonlySet<string> = new Set(['Id', 'Tz', 'From', 'To', 'Hours', 'Comment'])
/** Sleep stages by the prefix of their events. */
const analysisByStage: Readonly<Record<string, string>> = {
  DEEP: 'asleep',
  LIGHT: 'asleep',
  REM: 'asleep',
  AWAKE: 'awake'
}
/** Events with a value. */
const measuresByEvent: Readonly<Record<string, Pick<ImportedRecord, 'type' | 'stream'>>> = {
  HR: { type: 'frequency/bpm', stream: 'Heart rate' },
  SPO2: { type: 'ratio/percent', stream: 'Oxygen saturation' },
  RR: { type: 'frequency/brpm', stream: 'Respiratory rate' },
  SDNN: { type: 'time/ms', stream: 'Heart rate variability' },
  SDANN: { type: 'time/ms', stream: 'Heart rate variability of nights' }
}
/** Events about the device and its computations. */
const deviceEvents: ReadonlySet<string> = new Set(['DEVICE', 'DHA', 'FLAGS', 'LOW_BATTERY', 'NO_AWAKE'])

interface Night {
  readonly time: number
  readonly end: number
  readonly zone: string
}

class SleepAsAndroidReader {
  #header: readonly string[] = []

  constructor(private readonly sink: Sink) {}

  /** Reads one row: a header, a record, or the noise that belongs to a record (skipped). */
  addRow(cells: readonly string[]): void {
    if (cells[0] === 'Id') this.#header = cells
    else if (cells[0]?.trim()) this.#addRecord(cells)
    else {
      // A second row contains the noise at these times.
      const count = cells.filter(cell => cell.trim() !== '').length
      if (count > 0) this.sink.skip('noise', 'of a kind without a type here', count)
    }
  }

  /** Adds the night and the events of a row, whose columns are those of the header before it. */
  #addRecord(cells: readonly string[]): void {
    const values = new Map<string, string>()
    const events: string[] = []
    let movements = 0
    // A header may have thousands of names, and rows only one cell.
    for (const [index, each] of cells.slice(0, this.#header.length).entries()) {
      const [name, cell] = [this.#header[index]!, each.trim()]
      if (cell === '') continue
      if (name === 'Event') events.push(cell)
      else if (/^\d\d?:\d\d$/.test(name)) movements++
      else if (name !== '') values.set(name, cell)
    }
    const night = parseNight(values)
    const isNight = typeof night !== 'string'
    if (isNight) this.#addNight(night, values, events)
    else this.sink.skip(kind, night)
    if (movements > 0) this.sink.skip('movement', 'of a kind without a type here', movements)
    this.#addEvents(events, isNight ? night.end : NaN)
  }

  /** Adds a night, and the hours asleep as a value of their own. */
  #addNight(
    { end, time, zone }: Night,
    values: ReadonlyMap<string, string>,
    events: readonly string[]
  ): void {
    const base = { source: '', time, zone, duration: end > time ? end - time : undefined }
    const comment = values.get('Comment')
    const hours = parseDecimal(values.get('Hours'))
    // Stages are more precise than the hours.
    const asleep = hours === undefined || events.some(isStageEvent) ? undefined : hours * 3600
    const keptColumns = [...values].flatMap(([name, cell]) => {
      const value = parseDecimal(cell) ?? cell
      return handledColumns.has(name) || value === -1 ? [] : [[name, value] as const]
    })
    this.sink.addRecord({
      kind,
      ...base,
      type: 'sleep/analysis',
      stream: 'Sleep',
      identity: `${values.get('Id')} ${end}`,
      content: getNightContent(asleep, end - time),
      description: comment,
      clientData: { 'sleep-as-android:record': Object.fromEntries(keptColumns) }
    })
    if (hours === undefined) return
    if (hours > 0)
      this.sink.addRecord({ kind: 'Hours', ...base, type: 'time/h', stream: 'Time asleep', content: hours })
    else this.sink.skip('Hours', 'zero, which stands for none')
  }

  /** Adds events. Stages last from their start to their end event, or to the end of the night. */
  #addEvents(events: readonly string[], end: number): void {
    const openStages = new Map<string, number>()
    for (const event of events) {
      const [, name = '', stamp, number] =
        /^([A-Z][A-Z0-9_]*)-(\d{1,15})(?:-(-?\d[\d.,E-]*))?$/.exec(event) ?? []
      const time = Number(stamp) / 1000
      const [stage = '', edge = ''] = /^(.*)_(START|END)$/.exec(name)?.slice(1) ?? []
      const eventKind = `event ${name}`
      const measure = Object.hasOwn(measuresByEvent, name) ? measuresByEvent[name] : undefined
      if (name === '') this.sink.skip('event', 'of a time that cannot be read')
      else if (Object.hasOwn(analysisByStage, stage)) {
        if (edge === 'START') {
          this.#addStage(stage, openStages.get(stage), undefined)
          openStages.set(stage, time)
        } else {
          this.#addStage(stage, openStages.get(stage), time)
          openStages.delete(stage)
        }
      } else if (measure) this.#addValue(eventKind, measure, time, parseDecimal(number))
      else
        this.sink.skip(
          eventKind,
          deviceEvents.has(name)
            ? 'about the file or the device, not a measurement'
            : 'of a kind without a type here'
        )
    }
    for (const [stage, time] of openStages) this.#addStage(stage, time, end)
  }

  /** Adds a stage of sleep between two events, or counts it as skipped if one of them is missing. */
  #addStage(stage: string, time: number | undefined, end: number | undefined): void {
    const stageKind = `event ${stage}`
    if (time === undefined) {
      // Skips an end without a start.
      if (end !== undefined) this.sink.skip(stageKind, 'half of a measurement whose other half is missing')
    } else if (end === undefined || !(end > time))
      this.sink.skip(stageKind, 'half of a measurement whose other half is missing')
    else
      this.sink.addRecord({
        kind: stageKind,
        source: '',
        type: 'sleep/analysis',
        stream: 'Sleep',
        time,
        duration: end - time,
        identity: stage,
        content: { analysis: analysisByStage[stage]! },
        clientData: { 'sleep-as-android:stage': stage }
      })
  }

  #addValue(
    eventKind: string,
    measure: Pick<ImportedRecord, 'type' | 'stream'>,
    time: number,
    value: number | undefined
  ): void {
    if (value === undefined) this.sink.skip(eventKind, 'without a number')
    else if (value <= 0) this.sink.skip(eventKind, 'zero, which means that nothing was measured')
    else if (measure.type === 'ratio/percent' && (value <= 1 || value > 100))
      this.sink.skip(eventKind, 'of a value that is impossible for what it measures')
    else this.sink.addRecord({ kind: eventKind, source: '', ...measure, time, content: value })
  }
}

function isStageEvent(event: string): boolean {
  const name = event.split('_', 1)[0]!
  return Object.hasOwn(analysisByStage, name)
}

/** Parses a number; some versions write a decimal comma. */
function parseDecimal(cell: string | undefined): number | undefined {
  return parseNumber(cell?.replace(',', '.'))
}

/** Parses the start and end of a record; returns the reason if they are unreadable. */
function parseNight(values: ReadonlyMap<string, string>): Night | SkipReason {
  const zone = findZone(values.get('Tz'))
  if (zone === undefined) return 'of a time zone that cannot be read'
  const from = parseLocalTime(values.get('From'), zone)
  const to = parseLocalTime(values.get('To'), zone)
  if (Number.isNaN(from)) return 'of a time that cannot be read'
  if (Number.isNaN(to)) return 'of an end that cannot be read'
  // The id is the start of tracking with its seconds. It stays when the user edits the times.
  const id = Number(values.get('Id')) / 1000
  const time = [from, findRepeatedTime(from, zone)].some(
    each => each !== undefined && Math.floor(id / 60) * 60 === each
  )
    ? id
    : from
  // When clocks are set back, an hour occurs twice: the duration tells which one is meant.
  const expected = time + (parseDecimal(values.get('Hours')) ?? 0) * 3600
  const later = findRepeatedTime(to, zone)
  const isLater = later !== undefined && (to <= time || Math.abs(later - expected) < Math.abs(to - expected))
  const end = isLater ? later : to
  return end >= time ? { time, end, zone } : 'of an end that cannot be read'
}

/** Parses a local time such as `27. 11. 2020 7:00`. */
function parseLocalTime(cell: string | undefined, zone: string): number {
  const parts = /^(\d\d?)\. ?(\d\d?)\. ?(\d{4}) (\d\d?):(\d\d)$/.exec(cell ?? '')
  if (!parts) return NaN
  const [day, month, year, hour, minute] = parts.slice(1).map(Number) as [
    number,
    number,
    number,
    number,
    number
  ]
  return toTime([year, month, day, hour, minute, 0], 0, undefined, zone)
}
