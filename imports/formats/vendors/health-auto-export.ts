/** Reads Health Auto Export's JSON, as the iOS app saves and sends it: metrics, workouts, and lists of other records. */
import { silentSink, type Format, type Sink } from '../../record.js'
import { readObjects, isJson, getNumber, getText, type Json } from '../json-files.js'
import { MetricReader, parseTime } from './health-auto-export-metrics.js'
import { toMood, toMedication, toSymptom, WorkoutReader } from './health-auto-export-records.js'

export const healthAutoExport: Format = {
  id: 'health-auto-export',
  name: 'Health Auto Export',
  recognises: head =>
    isJson(head) &&
    /"data"\s*:\s*\{\s*"(?:metrics|workouts|symptoms|stateOfMind|medications|cycleTracking|ecg|heartRateNotifications)"\s*:\s*\[/.test(
      head.text
    ),
  async read(source, head, sink, { options }) {
    // Names and units may follow the values, so they are read first.
    const owners = new Map<number, Json>()
    const rememberOwner = (object: Json, path: readonly string[], frames: number): void => {
      if (isOwner(path) && path[1] !== 'workouts' && owners.size < maxOwners)
        owners.set(
          frames,
          Object.fromEntries(rememberedMembers.map(name => [name, toRemembered(object[name])]))
        )
    }
    await readObjects(source, head, silentSink, isWanted, rememberOwner, isOwner)
    const reader = new HealthAutoExportReader(owners, options.zone, sink)
    await readObjects(source, head, sink, isWanted, (...each) => reader.read(...each), isOwner)
  }
}

/** Maximum number of remembered metrics and electrocardiograms. */
const maxOwners = 20_000
/** Members that are remembered, and the maximum length of each, in characters. */
const rememberedMembers = ['name', 'units', 'start', 'source', 'samplingFrequency'] as const
const maxRememberedLength = 200

/** Returns a text or number to remember. Other values may be as large as the file. */
function toRemembered(value: unknown): unknown {
  return typeof value === 'string'
    ? value.slice(0, maxRememberedLength)
    : typeof value === 'number'
      ? value
      : undefined
}

/** The member that contains the list of values; workouts may have any list. */
const valueLists: Readonly<Record<string, string | undefined>> = {
  metrics: 'data',
  ecg: 'voltageMeasurements',
  workouts: undefined
}

function isOwner([top, list, ...rest]: readonly string[]): boolean {
  return top === 'data' && list !== undefined && rest.length === 0 && Object.hasOwn(valueLists, list)
}

function isWanted(path: readonly string[]): boolean {
  const [top, list = '', part] = path
  if (top !== 'data' || path.length < 2 || path.length > 3) return false
  if (path.length === 2) return !Object.hasOwn(valueLists, list)
  return Object.hasOwn(valueLists, list) && (valueLists[list] ?? part) === part
}

/** Volts per unit of voltage. */
const voltsPerUnit: Readonly<Record<string, number>> = {
  V: 1,
  mV: 1e-3,
  mcV: 1e-6,
  uV: 1e-6,
  µV: 1e-6,
  μV: 1e-6
}
const voltageKind = 'ecg voltageMeasurements'

class HealthAutoExportReader {
  readonly #metrics: MetricReader
  readonly #workouts: WorkoutReader
  /** The current electrocardiogram, and the number of its voltages so far. */
  #currentEcg = 0
  #voltageCount = 0

  constructor(
    private readonly owners: ReadonlyMap<number, Json>,
    private readonly zone: string | undefined,
    private readonly sink: Sink
  ) {
    this.#metrics = new MetricReader(zone, sink)
    this.#workouts = new WorkoutReader(zone, sink, this.#metrics)
  }

  /** Reads one object by the path of its list. `frames`: key of the object in `owners` that contains the list. */
  read(object: Json, path: readonly string[], frames: number): void {
    const [, list = '', part] = path
    if (part === undefined) this.#addRecord(list, object)
    else if (list === 'workouts') this.#workouts.addListValue(part, object)
    else {
      const owner = this.owners.get(frames)
      if (!owner) this.sink.skip(`${list} ${part}`, 'cut off before its end')
      else if (list === 'ecg') this.#addVoltage(owner, frames, object)
      else this.#metrics.addValue(getText(owner, 'name') ?? 'metric', getText(owner, 'units') ?? '', object)
    }
  }

  /** Adds a workout, electrocardiogram, symptom, mood or medicine; skips what has no type here. */
  #addRecord(list: string, object: Json): void {
    const time = parseTime(getText(object, 'start') ?? getText(object, 'scheduledDate'), this.zone)
    const end = parseTime(getText(object, 'end'), this.zone)
    const base = {
      source: getText(object, 'source') ?? '',
      time,
      ...(end > time && { duration: end - time })
    }
    if (list === 'metrics') return
    if (list === 'workouts') this.#workouts.addWorkout({ kind: list, ...base }, object)
    else if (Number.isNaN(time)) this.sink.skip(list, 'without a time')
    else if (list === 'ecg') {
      const { source: _source, start: _start, end: _end, voltageMeasurements: _list, ...rest } = object
      this.sink.addRecord({
        kind: list,
        ...base,
        type: 'note/txt',
        stream: 'Electrocardiogram results',
        content: getText(object, 'classification') ?? 'Electrocardiogram',
        clientData: { 'health-auto-export:ecg': rest }
      })
    } else {
      const content =
        list === 'symptoms'
          ? toSymptom(object)
          : list === 'stateOfMind'
            ? toMood(object)
            : list === 'medications'
              ? toMedication(object)
              : 'of a kind without a type here'
      if (typeof content === 'string') this.sink.skip(list, content)
      else this.sink.addRecord({ kind: list, isEvent: true, ...base, ...content })
    }
  }

  /** Adds a voltage. Voltages only have a time in seconds: their distance follows from the sampling frequency. */
  #addVoltage(owner: Json, frames: number, object: Json): void {
    if (frames !== this.#currentEcg) this.#voltageCount = 0
    this.#currentEcg = frames
    const start = parseTime(getText(owner, 'start'), this.zone)
    const rate = getNumber(owner, 'samplingFrequency') ?? 0
    const value = getNumber(object, 'voltage')
    const unit = getText(object, 'units') ?? ''
    const time = start + this.#voltageCount++ / rate
    if (value === undefined) this.sink.skip(voltageKind, 'without a number')
    else if (!Object.hasOwn(voltsPerUnit, unit)) this.sink.skip(voltageKind, 'in a unit without a type here')
    else if (!(rate > 0) || Number.isNaN(time)) this.sink.skip(voltageKind, 'without a time')
    else
      this.sink.addRecord({
        kind: voltageKind,
        source: getText(owner, 'source') ?? '',
        type: 'electromotive-force/v',
        stream: 'Electrocardiograms',
        time,
        content: Number((value * voltsPerUnit[unit]!).toPrecision(12)),
        track: `ecg ${start}`
      })
  }
}
