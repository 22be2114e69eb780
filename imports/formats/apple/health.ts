/** Apple Health's `export.xml`: records, correlations, workouts, and what belongs to them. */
import type { Format, Sink } from '../../record.js'
import { byteTextsOf } from '../../text/decode.js'
import { isoTime } from '../../text/times.js'
import { attribute, XmlScanner } from '../../text/xml.js'
import { categoryOf, nameOf } from './types.js'
import { PressurePairs } from './pressure.js'
import { giveQuantity, pressureUnit } from './quantities.js'
import { numberOf } from '../../text/units.js'
import { zoneOf } from '../../text/zones.js'

export const appleHealth: Format = {
  id: 'apple-health',
  name: 'Apple Health',
  recognises: ({ text }) => /<HealthData[\s>]/.test(text) || /<!DOCTYPE\s+HealthData/.test(text),
  async read(source, head, sink) {
    const { decode, pieces } = byteTextsOf(source, head)
    const reader = new Reader(sink, decode)
    const scanner = new XmlScanner(reader)
    for await (const piece of pieces) {
      scanner.write(piece)
    }
    scanner.end()
    reader.end()
    if (scanner.isCutOff || !reader.isClosed) sink.warn('The file is cut off: what is whole was read')
  }
}

/** Elements that hold others, tell about one, or belong to one that is left out; all others that are not read are counted. */
const parts = new Set([
  'HealthData',
  'ExportDate',
  'HeartRateVariabilityMetadataList',
  'WorkoutRoute',
  'FileReference',
  'SensitivityPoint',
  'Prescription',
  'RightEye',
  'LeftEye',
  'Attachment'
])
/** The entry of a record that is of use. */
const zoneKey = 'HKTimeZone'
/** Statistics of a workout, one for each kind of record, and entries about it. */
const mostStatistics = 200
const unnamed = 'a record without what makes one'

interface Item {
  readonly kind: string
  readonly attributes: string
  zone: string | undefined
  readonly statistics: Record<string, unknown>[]
  readonly metadata: Map<string, string>
}

function itemOf(kind: string, attributes: string): Item {
  return { kind, attributes, zone: undefined, statistics: [], metadata: new Map() }
}

/** Records that belong together, as far as they have been read. */
interface Correlation {
  readonly attributes: string
  systolic?: number
  diastolic?: number
  parts: number
}

class Reader {
  isClosed = false
  /** The element whose parts are being read. */
  #item: Item | undefined
  /** Set within a correlation: its parts stand at the top once more. */
  #correlation: Correlation | undefined
  readonly #pairs: PressurePairs
  /** The last times that were read: two of the three of a record are often the same. */
  #lastText = ''
  #lastTime = NaN

  constructor(
    private readonly sink: Sink,
    private readonly decode: (part: string) => string
  ) {
    this.#pairs = new PressurePairs(sink)
  }

  open(name: string, attributes: string, isEmpty: boolean): void {
    if (name === 'Record') {
      if (this.#correlation) this.#part(attributes)
      else if (isEmpty) this.#record(attributes, undefined)
      else this.#item = itemOf('Record', attributes)
    } else if (name === 'MetadataEntry') this.#entry(attributes)
    else if (name === 'Correlation') this.#correlation = { attributes, parts: 0 }
    else if (name === 'Workout') {
      this.#item = itemOf('Workout', attributes)
      if (isEmpty) this.close('Workout')
    } else if (name === 'WorkoutStatistics') this.#statistics(attributes)
    else if (name === 'ActivitySummary')
      this.sink.leftOut(name, 'a summary of records that are in the file themselves')
    else if (name === 'Me') this.sink.leftOut(name, 'a description of the person')
    else if (!parts.has(name)) this.sink.leftOut(name, 'of a kind without a type here')
  }

  close(name: string): void {
    const item = this.#item
    if (name === 'Record' && item?.kind === 'Record') {
      this.#item = undefined
      this.#record(item.attributes, item.zone)
    } else if (name === 'Workout' && item?.kind === 'Workout') {
      this.#item = undefined
      this.#workout(item)
    } else if (name === 'Correlation' && this.#correlation) {
      this.#correlated(this.#correlation)
      this.#correlation = undefined
    } else if (name === 'HealthData') this.isClosed = true
  }

  end(): void {
    this.#pairs.end()
  }

  /** What is said about a record: its time zone, and of a workout all, as far as there is room. */
  #entry(attributes: string): void {
    const item = this.#item
    const key = this.#text(attributes, 'key')
    const value = this.#text(attributes, 'value')
    const hasRoom = item?.kind === 'Workout' && item.metadata.size < mostStatistics
    if (item && key === zoneKey) item.zone = value
    else if (hasRoom && !item.metadata.has(key)) item.metadata.set(key, value)
    else this.sink.leftOut(`MetadataEntry ${key}`, 'of a kind without a type here')
  }

  #statistics(attributes: string): void {
    const statistics = this.#item?.statistics
    if (statistics && statistics.length < mostStatistics) statistics.push(this.#statisticsOf(attributes))
    else this.sink.leftOut('WorkoutStatistics', 'of a kind without a type here')
  }

  #statisticsOf(attributes: string): Record<string, unknown> {
    const result: Record<string, unknown> = { type: nameOf(attribute(attributes, 'type') ?? '') }
    for (const name of ['average', 'minimum', 'maximum', 'sum']) {
      const value = numberOf(attribute(attributes, name))
      if (value !== undefined) result[name] = value
    }
    return { ...result, unit: this.#text(attributes, 'unit') }
  }

  /** An attribute that may have characters beyond ASCII; empty where it is missing. */
  #text(attributes: string, name: string): string {
    return attribute(attributes, name, this.decode) ?? ''
  }

  #time(text: string | undefined): number {
    if (text === undefined) return NaN
    if (text === this.#lastText) return this.#lastTime
    this.#lastText = text
    return (this.#lastTime = isoTime(text))
  }

  #record(attributes: string, zone: string | undefined): void {
    const name = attribute(attributes, 'type')
    if (name === undefined) {
      this.sink.leftOut('Record', unnamed)
      return
    }
    const kind = nameOf(name)
    const time = this.#time(attribute(attributes, 'startDate'))
    const end = this.#time(attribute(attributes, 'endDate'))
    const source = this.#text(attributes, 'sourceName')
    const value = attribute(attributes, 'value') ?? ''
    const duration = end > time ? end - time : undefined
    if (name.startsWith('HKCategoryType')) {
      const category = categoryOf(kind, value)
      if (category)
        this.sink.datum({ kind, source, time, duration, zone: zoneOf(zone), identity: value, ...category })
      else this.sink.leftOut(kind, 'of a kind without a type here')
      return
    }
    const unit = this.#text(attributes, 'unit')
    giveQuantity({ kind, source, time, duration, unit, value }, this.#pairs, this.sink)
  }

  /** A record within a correlation. */
  #part(attributes: string): void {
    const correlation = this.#correlation!
    correlation.parts++
    const kind = nameOf(attribute(attributes, 'type') ?? '')
    const value = numberOf(attribute(attributes, 'value'))
    if (value === undefined || attribute(attributes, 'unit') !== pressureUnit) return
    if (kind === 'BloodPressureSystolic') correlation.systolic = value
    else if (kind === 'BloodPressureDiastolic') correlation.diastolic = value
  }

  #correlated({ attributes, diastolic, systolic }: Correlation): void {
    const kind = nameOf(attribute(attributes, 'type') ?? 'Correlation')
    const time = this.#time(attribute(attributes, 'startDate'))
    const source = this.#text(attributes, 'sourceName')
    if (systolic !== undefined && diastolic !== undefined)
      this.#pairs.correlation({ kind, source, time, systolic, diastolic })
    else this.sink.leftOut(kind, 'a group of records that are in the file themselves')
  }

  #workout({ attributes, metadata, statistics, zone }: Item): void {
    const kind = 'Workout'
    const time = this.#time(attribute(attributes, 'startDate'))
    const end = this.#time(attribute(attributes, 'endDate'))
    const activity = (attribute(attributes, 'workoutActivityType') ?? '').replace('HKWorkoutActivityType', '')
    const workout: Record<string, unknown> = { activity }
    for (const name of ['duration', 'totalDistance', 'totalEnergyBurned']) {
      const value = numberOf(attribute(attributes, name))
      if (value !== undefined) workout[name] = { value, unit: this.#text(attributes, `${name}Unit`) }
    }
    if (statistics.length > 0) workout['statistics'] = statistics
    if (metadata.size > 0) workout['metadata'] = Object.fromEntries(metadata)
    this.sink.datum({
      kind,
      source: this.#text(attributes, 'sourceName'),
      type: 'activity/plain',
      stream: 'Workouts',
      time,
      duration: end > time ? end - time : undefined,
      identity: activity,
      description: activity,
      zone: zoneOf(zone),
      clientData: { 'apple:workout': workout }
    })
  }
}
