/** Health Auto Export's JSON, as the iOS app saves and sends it: metrics, workouts, and lists of everything else. */
import type { Format, Sink } from '../../record.js'
import { eachObject, isJson, numberAt, textAt, type Json } from '../json-files.js'
import { Metrics, timeIn } from './health-auto-export-metrics.js'
import { moodIn, medicationIn, symptomIn, Workouts } from './health-auto-export-records.js'

export const healthAutoExport: Format = {
  id: 'health-auto-export',
  name: 'Health Auto Export',
  recognises: head =>
    isJson(head) &&
    /"data"\s*:\s*\{\s*"(?:metrics|workouts|symptoms|stateOfMind|medications|cycleTracking|ecg|heartRateNotifications)"\s*:\s*\[/.test(
      head.text
    ),
  async read(source, head, sink, { options }) {
    // Names and units may stand after the values: they are read first.
    const owners = new Map<number, Json>()
    const unheard = { leftOut: () => undefined, warn: () => undefined, drained: () => undefined }
    const note = (object: Json, path: readonly string[], frames: number): void => {
      if (isOwner(path) && path[1] !== 'workouts' && owners.size < mostOwners)
        owners.set(frames, Object.fromEntries(kept.map(name => [name, keptOf(object[name])])))
    }
    await eachObject(source, head, unheard, isWanted, note, isOwner)
    const reader = new Reader(owners, options.zone, sink)
    await eachObject(source, head, sink, isWanted, (...each) => reader.read(...each), isOwner)
  }
}

/** Metrics and electrocardiograms that are remembered. */
const mostOwners = 20_000
/** What is remembered of them, in so many characters. */
const kept = ['name', 'units', 'start', 'source', 'samplingFrequency'] as const
const longestKept = 200

/** Only texts and numbers say something here: the rest may be as large as the file. */
function keptOf(value: unknown): unknown {
  return typeof value === 'string'
    ? value.slice(0, longestKept)
    : typeof value === 'number'
      ? value
      : undefined
}

/** Lists by the member that holds them; of a workout, all. */
const parts: Readonly<Record<string, string | undefined>> = {
  metrics: 'data',
  ecg: 'voltageMeasurements',
  workouts: undefined
}

function isOwner([top, list, ...rest]: readonly string[]): boolean {
  return top === 'data' && list !== undefined && rest.length === 0 && Object.hasOwn(parts, list)
}

function isWanted(path: readonly string[]): boolean {
  const [top, list = '', part] = path
  if (top !== 'data' || path.length < 2 || path.length > 3) return false
  if (path.length === 2) return !Object.hasOwn(parts, list)
  return Object.hasOwn(parts, list) && (parts[list] ?? part) === part
}

/** Volts of what voltages are written in. */
const volts: Readonly<Record<string, number>> = { V: 1, mV: 1e-3, mcV: 1e-6, uV: 1e-6, µV: 1e-6, μV: 1e-6 }
const voltage = 'ecg voltageMeasurements'

class Reader {
  readonly #metrics: Metrics
  readonly #workouts: Workouts
  /** The electrocardiogram whose voltages are read, and how many there were. */
  #ecg = 0
  #voltages = 0

  constructor(
    private readonly owners: ReadonlyMap<number, Json>,
    private readonly zone: string | undefined,
    private readonly sink: Sink
  ) {
    this.#metrics = new Metrics(zone, sink)
    this.#workouts = new Workouts(zone, sink, this.#metrics)
  }

  read(object: Json, path: readonly string[], frames: number): void {
    const [, list = '', part] = path
    if (part === undefined) this.#record(list, object)
    else if (list === 'workouts') this.#workouts.part(part, object)
    else {
      const owner = this.owners.get(frames)
      if (!owner) this.sink.leftOut(`${list} ${part}`, 'cut off before its end')
      else if (list === 'ecg') this.#voltage(owner, frames, object)
      else this.#metrics.value(textAt(owner, 'name') ?? 'metric', textAt(owner, 'units') ?? '', object)
    }
  }

  #record(list: string, object: Json): void {
    const time = timeIn(textAt(object, 'start') ?? textAt(object, 'scheduledDate'), this.zone)
    const end = timeIn(textAt(object, 'end'), this.zone)
    const span = { source: textAt(object, 'source') ?? '', time, ...(end > time && { duration: end - time }) }
    if (list === 'metrics') return
    if (list === 'workouts') this.#workouts.workout({ kind: list, ...span }, object)
    else if (Number.isNaN(time)) this.sink.leftOut(list, 'without a time')
    else if (list === 'ecg') {
      const { source: _source, start: _start, end: _end, voltageMeasurements: _list, ...rest } = object
      this.sink.datum({
        kind: list,
        ...span,
        type: 'note/txt',
        stream: 'Electrocardiogram results',
        content: textAt(object, 'classification') ?? 'Electrocardiogram',
        clientData: { 'health-auto-export:ecg': rest }
      })
    } else {
      const found =
        list === 'symptoms'
          ? symptomIn(object)
          : list === 'stateOfMind'
            ? moodIn(object)
            : list === 'medications'
              ? medicationIn(object)
              : 'of a kind without a type here'
      if (typeof found === 'string') this.sink.leftOut(list, found)
      else this.sink.datum({ kind: list, isEvent: true, ...span, ...found })
    }
  }

  /** Voltages name the second alone: they are as far apart as the frequency says. */
  #voltage(owner: Json, frames: number, object: Json): void {
    if (frames !== this.#ecg) this.#voltages = 0
    this.#ecg = frames
    const start = timeIn(textAt(owner, 'start'), this.zone)
    const rate = numberAt(owner, 'samplingFrequency') ?? 0
    const value = numberAt(object, 'voltage')
    const unit = textAt(object, 'units') ?? ''
    const time = start + this.#voltages++ / rate
    if (value === undefined) this.sink.leftOut(voltage, 'without a number')
    else if (!Object.hasOwn(volts, unit)) this.sink.leftOut(voltage, 'in a unit without a type here')
    else if (!(rate > 0) || Number.isNaN(time)) this.sink.leftOut(voltage, 'without a time')
    else
      this.sink.datum({
        kind: voltage,
        source: textAt(owner, 'source') ?? '',
        type: 'electromotive-force/v',
        stream: 'Electrocardiograms',
        time,
        content: Number((value * volts[unit]!).toPrecision(12)),
        track: `ecg ${start}`
      })
  }
}
