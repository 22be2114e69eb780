/** Sleep as Android's `sleep-export.csv`: each record has a header of its own, with the times and events of its night. */
import type { Reason } from '../../reasons.js'
import type { Datum, Format, Sink } from '../../record.js'
import { RowScanner, tableTexts } from '../../text/rows.js'
import { laterReading, timeOf } from '../../text/times.js'
import { numberOf } from '../../text/units.js'
import { zoneOf } from '../../text/zones.js'
import { nightContent } from '../sleep.js'

const kind = 'record'

export const sleepAsAndroid: Format = {
  id: 'sleep-as-android',
  name: 'Sleep as Android',
  recognises: ({ text }) => /^"?Id"?,"?Tz"?,"?From"?,"?To"?,"?Sched"?,"?Hours"?,/.test(text),
  async read(source, head, sink) {
    const reader = new Reader(sink)
    const scanner = new RowScanner(',', cells => reader.row(cells))
    for await (const piece of tableTexts(source, head)) {
      scanner.write(piece)
    }
    scanner.end()
    if (scanner.broken > 0) sink.leftOut(kind, 'torn by a quote that does not close', scanner.broken)
  }
}

/** Columns that are read by themselves; those of all others that have names of their own are kept with the record. */
const own: ReadonlySet<string> = new Set(['Id', 'Tz', 'From', 'To', 'Hours', 'Comment'])
/** Stages by the beginning of the names of their events. */
const stages: Readonly<Record<string, string>> = {
  DEEP: 'asleep',
  LIGHT: 'asleep',
  REM: 'asleep',
  AWAKE: 'awake'
}
/** Events that have a value. */
const measures: Readonly<Record<string, Pick<Datum, 'type' | 'stream'>>> = {
  HR: { type: 'frequency/bpm', stream: 'Heart rate' },
  SPO2: { type: 'ratio/percent', stream: 'Oxygen saturation' },
  RR: { type: 'frequency/brpm', stream: 'Respiratory rate' },
  SDNN: { type: 'time/ms', stream: 'Heart rate variability' },
  SDANN: { type: 'time/ms', stream: 'Heart rate variability of nights' }
}
/** Events about the device and what it computes with. */
const ofDevice: ReadonlySet<string> = new Set(['DEVICE', 'DHA', 'FLAGS', 'LOW_BATTERY', 'NO_AWAKE'])

interface Night {
  readonly time: number
  readonly end: number
  readonly zone: string
}

class Reader {
  #header: readonly string[] = []

  constructor(private readonly sink: Sink) {}

  row(cells: readonly string[]): void {
    if (cells[0] === 'Id') this.#header = cells
    else if (cells[0]?.trim()) this.#record(cells)
    else {
      // A second row has the noise at these times.
      const count = cells.filter(cell => cell.trim() !== '').length
      if (count > 0) this.sink.leftOut('noise', 'of a kind without a type here', count)
    }
  }

  #record(cells: readonly string[]): void {
    const values = new Map<string, string>()
    const events: string[] = []
    let movements = 0
    // A header may have thousands of names above rows of one cell.
    for (const [at, each] of cells.slice(0, this.#header.length).entries()) {
      const [name, cell] = [this.#header[at]!, each.trim()]
      if (cell === '') continue
      if (name === 'Event') events.push(cell)
      else if (/^\d\d?:\d\d$/.test(name)) movements++
      else if (name !== '') values.set(name, cell)
    }
    const night = nightIn(values)
    const isNight = typeof night !== 'string'
    if (isNight) this.#night(night, values, events)
    else this.sink.leftOut(kind, night)
    if (movements > 0) this.sink.leftOut('movement', 'of a kind without a type here', movements)
    this.#events(events, isNight ? night.end : NaN)
  }

  #night({ end, time, zone }: Night, values: ReadonlyMap<string, string>, events: readonly string[]): void {
    const span = { source: '', time, zone, duration: end > time ? end - time : undefined }
    const comment = values.get('Comment')
    const hours = decimal(values.get('Hours'))
    // Stages tell it better than the hours.
    const asleep = hours === undefined || events.some(isStage) ? undefined : hours * 3600
    const kept = [...values].flatMap(([name, cell]) => {
      const value = decimal(cell) ?? cell
      return own.has(name) || value === -1 ? [] : [[name, value] as const]
    })
    this.sink.datum({
      kind,
      ...span,
      type: 'sleep/analysis',
      stream: 'Sleep',
      identity: `${values.get('Id')} ${end}`,
      content: nightContent(asleep, end - time),
      description: comment,
      clientData: { 'sleep-as-android:record': Object.fromEntries(kept) }
    })
    if (hours === undefined) return
    if (hours > 0)
      this.sink.datum({ kind: 'Hours', ...span, type: 'time/h', stream: 'Time asleep', content: hours })
    else this.sink.leftOut('Hours', 'zero, which stands for none')
  }

  /** Stages last from one event to another; the last one to the end of the night at most. */
  #events(events: readonly string[], end: number): void {
    const open = new Map<string, number>()
    for (const event of events) {
      const [, name = '', stamp, number] =
        /^([A-Z][A-Z0-9_]*)-(\d{1,15})(?:-(-?\d[\d.,E-]*))?$/.exec(event) ?? []
      const time = Number(stamp) / 1000
      const [stage = '', edge = ''] = /^(.*)_(START|END)$/.exec(name)?.slice(1) ?? []
      const eventKind = `event ${name}`
      const measure = Object.hasOwn(measures, name) ? measures[name] : undefined
      if (name === '') this.sink.leftOut('event', 'of a time that cannot be read')
      else if (Object.hasOwn(stages, stage)) {
        if (edge === 'START') {
          this.#stage(stage, open.get(stage), undefined)
          open.set(stage, time)
        } else {
          this.#stage(stage, open.get(stage), time)
          open.delete(stage)
        }
      } else if (measure) this.#value(eventKind, measure, time, decimal(number))
      else
        this.sink.leftOut(
          eventKind,
          ofDevice.has(name)
            ? 'about the file or the device, not a measurement'
            : 'of a kind without a type here'
        )
    }
    for (const [stage, time] of open) this.#stage(stage, time, end)
  }

  #stage(stage: string, time: number | undefined, end: number | undefined): void {
    const stageKind = `event ${stage}`
    if (time === undefined) {
      // An end alone has nothing to end.
      if (end !== undefined) this.sink.leftOut(stageKind, 'half of a measurement whose other half is missing')
    } else if (end === undefined || !(end > time))
      this.sink.leftOut(stageKind, 'half of a measurement whose other half is missing')
    else
      this.sink.datum({
        kind: stageKind,
        source: '',
        type: 'sleep/analysis',
        stream: 'Sleep',
        time,
        duration: end - time,
        identity: stage,
        content: { analysis: stages[stage]! },
        clientData: { 'sleep-as-android:stage': stage }
      })
  }

  #value(
    eventKind: string,
    measure: Pick<Datum, 'type' | 'stream'>,
    time: number,
    value: number | undefined
  ): void {
    if (value === undefined) this.sink.leftOut(eventKind, 'without a number')
    else if (value <= 0) this.sink.leftOut(eventKind, 'zero, which means that nothing was measured')
    else if (measure.type === 'ratio/percent' && (value <= 1 || value > 100))
      this.sink.leftOut(eventKind, 'of a value that is impossible for what it measures')
    else this.sink.datum({ kind: eventKind, source: '', ...measure, time, content: value })
  }
}

function isStage(event: string): boolean {
  const name = event.split('_', 1)[0]!
  return Object.hasOwn(stages, name)
}

/** Some versions write a comma before decimals. */
function decimal(cell: string | undefined): number | undefined {
  return numberOf(cell?.replace(',', '.'))
}

/** Beginning and end of a record, or why it has none. */
function nightIn(values: ReadonlyMap<string, string>): Night | Reason {
  const zone = zoneOf(values.get('Tz'))
  if (zone === undefined) return 'of a time zone that cannot be read'
  const from = localTime(values.get('From'), zone)
  const to = localTime(values.get('To'), zone)
  if (Number.isNaN(from)) return 'of a time that cannot be read'
  if (Number.isNaN(to)) return 'of an end that cannot be read'
  // The id is the time at which tracking began, with its seconds; it stays when somebody changes the times.
  const id = Number(values.get('Id')) / 1000
  const time = [from, laterReading(from, zone)].some(
    each => each !== undefined && Math.floor(id / 60) * 60 === each
  )
    ? id
    : from
  // Clocks that are put back show an hour twice: the length tells which one is meant.
  const expected = time + (decimal(values.get('Hours')) ?? 0) * 3600
  const later = laterReading(to, zone)
  const isLater = later !== undefined && (to <= time || Math.abs(later - expected) < Math.abs(to - expected))
  const end = isLater ? later : to
  return end >= time ? { time, end, zone } : 'of an end that cannot be read'
}

/** Reads `27. 11. 2020 7:00`. */
function localTime(cell: string | undefined, zone: string): number {
  const parts = /^(\d\d?)\. ?(\d\d?)\. ?(\d{4}) (\d\d?):(\d\d)$/.exec(cell ?? '')
  if (!parts) return NaN
  const [day, month, year, hour, minute] = parts.slice(1).map(Number) as [
    number,
    number,
    number,
    number,
    number
  ]
  return timeOf([year, month, day, hour, minute, 0], 0, undefined, zone)
}
