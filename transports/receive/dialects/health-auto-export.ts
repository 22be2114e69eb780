/**
 * Receives Health Auto Export. Its data goes to the same streams as the data of Apple's export.
 * (https://www.healthyapps.dev)
 */
import { fail } from '../../../core/errors.js'
import { mapCategory } from '../../../imports/formats/apple/types.js'
import { getNumber, getText, isObject, type Json } from '../../../imports/formats/json-files.js'
import { MetricReader, parseTime } from '../../../imports/formats/vendors/health-auto-export-metrics.js'
import type { Dialect, Reading, ReceivedRecord } from '../dialect.js'
import { parseJsonObject } from '../reading-builder.js'
import { ItemSink } from './item-sink.js'
import { metricKinds, sensitiveMetrics, sleepValues } from './health-auto-export-kinds.js'
import { toQuantity } from './health-auto-export-quantities.js'
import { OtherReader } from './health-auto-export-others.js'

export const healthAutoExport: Dialect = {
  id: 'health-auto-export',
  name: 'Health Auto Export',
  format: { id: 'apple-health', name: 'Apple Health' },
  read({ body, connection: { sensitive }, headers }) {
    if (/^multipart\//i.test(headers['content-type'] ?? ''))
      fail(
        'invalid-request-structure',
        'Choose JSON as the export format of the automation: CSV cannot be received'
      )
    const { data } = parseJsonObject(body)
    if (!isObject(data)) fail('invalid-request-structure', 'The body must have an object "data"')
    const items = new ItemSink()
    const metrics = new Metrics(items, sensitive)
    const others = new OtherReader(items, sensitive)
    for (const [name, list] of Object.entries(data))
      for (const item of Array.isArray(list) ? list : [list])
        if (name === 'metrics' && isObject(item)) metrics.read(item)
        else if (!isObject(item)) items.read(name, () => undefined)
        else others.read(name, item)
    return items.reading
  },
  answer: (_request, { received }: Reading) => ({
    status: 200,
    body: { success: true, message: `${received} items received` }
  })
}

/** Streams of the lowest and highest of several heart rates, which are sent with their average. */
const heartRateStreams = [
  ['Min', 'Heart rate, lowest'],
  ['Max', 'Heart rate, highest']
] as const
/** Members that describe a value, with what they say if they say nothing. */
const contextMembers = ['mealTime', 'reason'] as const

class Metrics {
  /** Reads what Apple's export does not contain. */
  readonly #reader: MetricReader

  constructor(
    private readonly items: ItemSink,
    private readonly isSensitive: boolean
  ) {
    this.#reader = new MetricReader(undefined, items)
  }

  read(metric: Json): void {
    const name = getText(metric, 'name') ?? 'metric'
    const units = getText(metric, 'units') ?? ''
    const list = metric['data']
    for (const item of Array.isArray(list) ? list : [list]) {
      if (sensitiveMetrics.has(name) && !this.isSensitive) this.items.ignore()
      else this.items.read(name, () => isObject(item) && this.#readItem(name, units, item))
    }
  }

  /** Adds the records of one value of a metric; a value that is not understood adds none. */
  #readItem(name: string, units: string, item: Json): void {
    const time = parseTime(
      getText(item, 'date') ?? getText(item, 'startDate') ?? getText(item, 'start'),
      undefined
    )
    const end = parseTime(getText(item, 'endDate') ?? getText(item, 'end'), undefined)
    const source = getText(item, 'source') ?? ''
    const base = { source, time, ...(end > time && { duration: end - time }) }
    const metric = metricKinds.get(name)
    if (name === 'sleep_analysis' && getText(item, 'startDate') === undefined)
      this.items.identify('', () => this.#reader.addValue(name, units, item))
    else if (Number.isNaN(time)) return
    else if (name === 'sleep_analysis') this.#addStage(base, item)
    else if (name === 'heart_rate') this.#addHeartRate(base, units, item)
    else if (name === 'mindful_minutes') this.#addMindfulSession(base, units, item)
    else if (name === 'blood_pressure') this.#addPressure(base, units, item)
    else if (name === 'sexual_activity') this.#reader.addValue(name, units, item)
    else if (name === 'handwashing' || name === 'toothbrushing') this.#addHabit(name, base, item)
    else if (metric)
      this.#addQuantity(name, base, units, getNumber(item, 'qty') ?? getNumber(item, 'Avg'), item)
  }

  /** Adds a value with a unit; nothing if the unit is unknown or the value is missing. */
  #addQuantity(
    name: string,
    base: Pick<ReceivedRecord, 'source' | 'time' | 'duration'>,
    units: string,
    value: number | undefined,
    item: Json,
    stream?: string
  ): void {
    const metric = metricKinds.get(name)!
    const quantity = value === undefined ? undefined : toQuantity(metric, units, value)
    if (!quantity) return
    const { original, ...content } = quantity
    const context = contextMembers.flatMap(member => {
      const text = getText(item, member)
      return text === undefined || text === 'Unspecified' ? [] : [[member, text] as const]
    })
    const clientData = {
      ...(original && { 'health-auto-export:original': original }),
      ...(context.length > 0 && { 'health-auto-export:value': Object.fromEntries(context) })
    }
    this.items.add({
      kind: metric.kind,
      ...base,
      ...content,
      ...(stream !== undefined && { stream }),
      ...(metric.isFrequent && { isFrequent: true }),
      ...(Object.keys(clientData).length > 0 && { clientData })
    })
  }

  /** Adds the average of heart rates, and the lowest and highest where they differ from it. */
  #addHeartRate(base: Pick<ReceivedRecord, 'source' | 'time' | 'duration'>, units: string, item: Json): void {
    const average = getNumber(item, 'Avg') ?? getNumber(item, 'qty')
    this.#addQuantity('heart_rate', base, units, average, item)
    const extremes = heartRateStreams.map(([member, stream]) => ({ stream, value: getNumber(item, member) }))
    if (extremes.every(({ value }) => value === undefined || value === average)) return
    for (const { stream, value } of extremes)
      this.#addQuantity('heart_rate', base, units, value, item, stream)
  }

  /** Adds a stage of sleep, as Apple's export writes it. */
  #addStage(base: Pick<ReceivedRecord, 'source' | 'time' | 'duration'>, item: Json): void {
    const word = sleepValues.get((getText(item, 'value') ?? '').toLowerCase())
    const identity = `HKCategoryValueSleepAnalysis${word}`
    const category = word === undefined ? undefined : mapCategory('SleepAnalysis', identity)
    if (category) this.items.add({ kind: 'SleepAnalysis', ...base, identity, ...category })
  }

  /** Adds a mindful session. Those whose minutes cannot be read are omitted. */
  #addMindfulSession(base: Pick<ReceivedRecord, 'source' | 'time'>, units: string, item: Json): void {
    const minutes = getNumber(item, 'qty')
    const identity = 'HKCategoryValueNotApplicable'
    const category = mapCategory('MindfulSession', identity)!
    if (minutes === undefined || minutes < 0 || !/^min/i.test(units)) return
    const duration = Math.round(minutes * 60)
    this.items.add({
      kind: 'MindfulSession',
      ...base,
      ...(duration > 0 && { duration }),
      identity,
      ...category
    })
  }

  #addPressure(base: Pick<ReceivedRecord, 'source' | 'time'>, units: string, item: Json): void {
    const [systolic, diastolic] = [getNumber(item, 'systolic'), getNumber(item, 'diastolic')]
    if (!systolic || !diastolic || systolic < 0 || diastolic < 0 || !/^mmhg$/i.test(units)) return
    this.items.add({
      kind: 'BloodPressure',
      ...base,
      type: 'blood-pressure/mmhg-bpm',
      stream: 'Blood pressure',
      content: { systolic, diastolic }
    })
  }

  /** Adds whether a habit, handwashing or toothbrushing, was completed. */
  #addHabit(name: string, base: Pick<ReceivedRecord, 'source' | 'time'>, item: Json): void {
    const value = getText(item, 'value')
    if (value !== 'Complete' && value !== 'Incomplete') return
    const stream = name === 'handwashing' ? 'Handwashing' : 'Toothbrushing'
    this.items.add({
      kind: name,
      ...base,
      type: 'boolean/bool',
      stream,
      content: value === 'Complete',
      identity: ''
    })
  }
}
