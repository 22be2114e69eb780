/** Reads Apple Health's `export.xml`: records, correlations and workouts with their details. */
import type { Format, Sink } from '../../record.js'
import { readByteText } from '../../text/decode.js'
import { parseIsoTime } from '../../text/times.js'
import { getAttribute, XmlScanner } from '../../text/xml.js'
import { mapCategory, stripPrefix } from './types.js'
import { PressurePairs } from './pressure-pairs.js'
import { addQuantity, pressureUnit } from './quantities.js'
import { parseNumber } from '../../text/units.js'
import { findZone } from '../../text/zones.js'

export const appleHealth: Format = {
  id: 'apple-health',
  name: 'Apple Health',
  recognises: ({ text }) => /<HealthData[\s>]/.test(text) || /<!DOCTYPE\s+HealthData/.test(text),
  async read(source, head, sink) {
    const { decode, chunks } = readByteText(source, head)
    const reader = new HealthReader(sink, decode)
    const scanner = new XmlScanner(reader)
    for await (const chunk of chunks) {
      scanner.write(chunk)
    }
    scanner.finish()
    reader.end()
    if (scanner.isCutOff || !reader.isClosed) sink.warn('The file is cut off: what is whole was read')
  }
}

/**
 * Elements that contain other elements, describe an element, or belong to a skipped element. All other elements that
 * are not read are counted as skipped.
 */
const ignoredElements = new Set([
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
/** The metadata entry of a record that is used. */
const zoneKey = 'HKTimeZone'
/** Maximum number of statistics of a workout, one for each kind of record, and of its metadata entries. */
const maxDetails = 200
const unnamed = 'a record without what makes one'

interface Item {
  readonly kind: string
  readonly attributes: string
  zone: string | undefined
  readonly statistics: Record<string, unknown>[]
  readonly metadata: Map<string, string>
}

function createItem(kind: string, attributes: string): Item {
  return { kind, attributes, zone: undefined, statistics: [], metadata: new Map() }
}

/** A correlation (group of records), as far as it has been read. */
interface Correlation {
  readonly attributes: string
  systolic?: number
  diastolic?: number
  parts: number
}

class HealthReader {
  isClosed = false
  /** The element whose children are being read. */
  #currentItem: Item | undefined
  /** Set within a correlation. Its records are also at the top level. */
  #correlation: Correlation | undefined
  readonly #pairs: PressurePairs
  /** Caches the last parsed time: two of the three times of a record are often equal. */
  #lastText = ''
  #lastTime = NaN

  constructor(
    private readonly sink: Sink,
    private readonly decode: (part: string) => string
  ) {
    this.#pairs = new PressurePairs(sink)
  }

  /** Handles a start tag. `isEmpty`: the element has no end tag. */
  open(name: string, attributes: string, isEmpty: boolean): void {
    if (name === 'Record') {
      if (this.#correlation) this.#readCorrelatedRecord(attributes)
      else if (isEmpty) this.#readRecord(attributes, undefined)
      else this.#currentItem = createItem('Record', attributes)
    } else if (name === 'MetadataEntry') this.#readMetadata(attributes)
    else if (name === 'Correlation') this.#correlation = { attributes, parts: 0 }
    else if (name === 'Workout') {
      this.#currentItem = createItem('Workout', attributes)
      if (isEmpty) this.close('Workout')
    } else if (name === 'WorkoutStatistics') this.#readStatistics(attributes)
    else if (name === 'ActivitySummary')
      this.sink.skip(name, 'a summary of records that are in the file themselves')
    else if (name === 'Me') this.sink.skip(name, 'a description of the person')
    else if (!ignoredElements.has(name)) this.sink.skip(name, 'of a kind without a type here')
  }

  /** Handles an end tag: adds the record that is complete now. */
  close(name: string): void {
    const item = this.#currentItem
    if (name === 'Record' && item?.kind === 'Record') {
      this.#currentItem = undefined
      this.#readRecord(item.attributes, item.zone)
    } else if (name === 'Workout' && item?.kind === 'Workout') {
      this.#currentItem = undefined
      this.#addWorkout(item)
    } else if (name === 'Correlation' && this.#correlation) {
      this.#addCorrelation(this.#correlation)
      this.#correlation = undefined
    } else if (name === 'HealthData') this.isClosed = true
  }

  /** Ends the file: adds the complete pairs of blood pressures, and skips the halves that are left. */
  end(): void {
    this.#pairs.end()
  }

  /** Reads a metadata entry: the time zone of any record, and all entries of a workout up to the limit. */
  #readMetadata(attributes: string): void {
    const item = this.#currentItem
    const key = this.#getText(attributes, 'key')
    const value = this.#getText(attributes, 'value')
    const mayAdd = item?.kind === 'Workout' && item.metadata.size < maxDetails
    if (item && key === zoneKey) item.zone = value
    else if (mayAdd && !item.metadata.has(key)) item.metadata.set(key, value)
    else this.sink.skip(`MetadataEntry ${key}`, 'of a kind without a type here')
  }

  #readStatistics(attributes: string): void {
    const statistics = this.#currentItem?.statistics
    if (statistics && statistics.length < maxDetails) statistics.push(this.#parseStatistics(attributes))
    else this.sink.skip('WorkoutStatistics', 'of a kind without a type here')
  }

  #parseStatistics(attributes: string): Record<string, unknown> {
    const result: Record<string, unknown> = { type: stripPrefix(getAttribute(attributes, 'type') ?? '') }
    for (const name of ['average', 'minimum', 'maximum', 'sum']) {
      const value = parseNumber(getAttribute(attributes, name))
      if (value !== undefined) result[name] = value
    }
    return { ...result, unit: this.#getText(attributes, 'unit') }
  }

  /** Returns an attribute that may contain characters beyond ASCII; an empty string if it is missing. */
  #getText(attributes: string, name: string): string {
    return getAttribute(attributes, name, this.decode) ?? ''
  }

  #parseTime(text: string | undefined): number {
    if (text === undefined) return NaN
    if (text === this.#lastText) return this.#lastTime
    this.#lastText = text
    return (this.#lastTime = parseIsoTime(text))
  }

  /** Adds a record of a category or a quantity, or counts it as skipped. */
  #readRecord(attributes: string, zone: string | undefined): void {
    const name = getAttribute(attributes, 'type')
    if (name === undefined) {
      this.sink.skip('Record', unnamed)
      return
    }
    const kind = stripPrefix(name)
    const time = this.#parseTime(getAttribute(attributes, 'startDate'))
    const end = this.#parseTime(getAttribute(attributes, 'endDate'))
    const source = this.#getText(attributes, 'sourceName')
    const value = getAttribute(attributes, 'value') ?? ''
    const duration = end > time ? end - time : undefined
    if (name.startsWith('HKCategoryType')) {
      const category = mapCategory(kind, value)
      if (category)
        this.sink.addRecord({
          kind,
          source,
          time,
          duration,
          zone: findZone(zone),
          identity: value,
          ...category
        })
      else this.sink.skip(kind, 'of a kind without a type here')
      return
    }
    const unit = this.#getText(attributes, 'unit')
    addQuantity({ kind, source, time, duration, unit, value }, this.#pairs, this.sink)
  }

  /** Reads a record within a correlation. */
  #readCorrelatedRecord(attributes: string): void {
    const correlation = this.#correlation!
    correlation.parts++
    const kind = stripPrefix(getAttribute(attributes, 'type') ?? '')
    const value = parseNumber(getAttribute(attributes, 'value'))
    if (value === undefined || getAttribute(attributes, 'unit') !== pressureUnit) return
    if (kind === 'BloodPressureSystolic') correlation.systolic = value
    else if (kind === 'BloodPressureDiastolic') correlation.diastolic = value
  }

  #addCorrelation({ attributes, diastolic, systolic }: Correlation): void {
    const kind = stripPrefix(getAttribute(attributes, 'type') ?? 'Correlation')
    const time = this.#parseTime(getAttribute(attributes, 'startDate'))
    const source = this.#getText(attributes, 'sourceName')
    if (systolic !== undefined && diastolic !== undefined)
      this.#pairs.correlation({ kind, source, time, systolic, diastolic })
    else this.sink.skip(kind, 'a group of records that are in the file themselves')
  }

  /** Adds a workout with its figures and details in `clientData`. */
  #addWorkout({ attributes, metadata, statistics, zone }: Item): void {
    const kind = 'Workout'
    const time = this.#parseTime(getAttribute(attributes, 'startDate'))
    const end = this.#parseTime(getAttribute(attributes, 'endDate'))
    const activity = (getAttribute(attributes, 'workoutActivityType') ?? '').replace(
      'HKWorkoutActivityType',
      ''
    )
    const workout: Record<string, unknown> = { activity }
    for (const name of ['duration', 'totalDistance', 'totalEnergyBurned']) {
      const value = parseNumber(getAttribute(attributes, name))
      if (value !== undefined) workout[name] = { value, unit: this.#getText(attributes, `${name}Unit`) }
    }
    if (statistics.length > 0) workout['statistics'] = statistics
    if (metadata.size > 0) workout['metadata'] = Object.fromEntries(metadata)
    this.sink.addRecord({
      kind,
      source: this.#getText(attributes, 'sourceName'),
      type: 'activity/plain',
      stream: 'Workouts',
      time,
      duration: end > time ? end - time : undefined,
      identity: activity,
      description: activity,
      zone: findZone(zone),
      clientData: { 'apple:workout': workout }
    })
  }
}
