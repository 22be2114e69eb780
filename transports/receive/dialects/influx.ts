/** Receives the line protocol of InfluxDB 1 and 2: Home Assistant, Telegraf, xDrip and others. */
import { ApiError } from '../../../core/errors.js'
import { findMeasure, scaleValue, type UnitMeasure } from '../../../imports/text/units.js'
import type { Dialect, DialectAnswer, Reading, ReceivedRequest } from '../dialect.js'
import { ReadingBuilder } from '../reading-builder.js'
import { InvalidLine, parseLines, type FieldValue, type Line } from './line-protocol.js'

/** Maximum number of lanes of one write. */
const maxLanes = 2000
/** How many of a unit of timestamps are in a second, by the name of the unit in requests. */
const unitsPerSecond: ReadonlyMap<string, number> = new Map([
  ['ns', 1e9],
  ['n', 1e9],
  ['us', 1e6],
  ['u', 1e6],
  ['µ', 1e6],
  ['μ', 1e6],
  ['ms', 1e3],
  ['s', 1],
  ['m', 1 / 60],
  ['h', 1 / 3600]
])
const version = { 'X-Influxdb-Version': '1.8.10', 'X-Influxdb-Build': 'OSS' }
const writePaths: ReadonlySet<string> = new Set(['write', 'api/v2/write'])

export const influx: Dialect = {
  id: 'influx',
  name: 'InfluxDB',
  read(request) {
    const reading = new ReadingBuilder()
    if (!writePaths.has(request.path)) return reading
    const { connection, now, query } = request
    const scale = unitsPerSecond.get(query['precision'] ?? 'ns')
    if (scale === undefined) return refuse('The precision is unknown')
    const bucket = query['bucket'] ?? query['db'] ?? ''
    const lanes = new Set<string>()
    try {
      for (const line of parseLines(request.body.toString())) {
        reading.received++
        const time = line.timestamp === undefined ? now : toSeconds(line.timestamp, scale)
        for (const [name, value] of line.fields) {
          const point = toPoint(line, name, value)
          if (!point) {
            reading.skip(`${line.measurement} ${name}`)
            continue
          }
          lanes.add(`${line.measurement}\n${point.stream}`)
          if (lanes.size > maxLanes) refuse(`One write may have ${maxLanes} series at most`)
          reading.add({
            kind: `${line.measurement} ${name}`,
            source: connection.name,
            path: bucket === '' ? [line.measurement] : [bucket, line.measurement],
            time,
            ...point,
            // The last write wins.
            identity: '',
            isFrequent: true
          })
        }
      }
    } catch (error) {
      if (error instanceof InvalidLine) refuse(error.message)
      throw error
    }
    return reading
  },
  answer: (request: ReceivedRequest, _reading: Reading) => toAnswer(request)
}

/** Refuses a request in the form that clients of InfluxDB read. */
function refuse(message: string): never {
  throw new ApiError('invalid-request-structure', message, { beside: { code: 'invalid', message } })
}

function toAnswer({ body, path, query }: ReceivedRequest): DialectAnswer {
  if (writePaths.has(path) || path === 'ping') return { status: 204, headers: version, body: '' }
  if (path === 'health') {
    const health = { name: 'influxdb', message: 'ready for queries and writes', status: 'pass', checks: [] }
    return { status: 200, headers: version, body: { ...health, version: '1.8.10' } }
  }
  if (path === 'query') {
    const statement = query['q'] ?? new URLSearchParams(body.toString()).get('q') ?? ''
    return { status: 200, headers: version, body: { results: [{ statement_id: 0, ...runQuery(statement) }] } }
  }
  return { status: 404, body: { code: 'not found', message: 'path not found' } }
}

/** Returns the result of the queries with which clients begin. */
function runQuery(statement: string): object {
  if (/^\s*show\s+databases\b/i.test(statement))
    return { series: [{ name: 'databases', columns: ['name'], values: [['coffer']] }] }
  if (/^\s*create\s+database\b/i.test(statement)) return {}
  return { error: 'this query is not supported: read with the API of Coffer' }
}

/** Returns a timestamp in seconds. Nanoseconds have more digits than a number can hold precisely. */
function toSeconds(timestamp: string, perSecond: number): number {
  if (perSecond !== 1e9) return Number(timestamp) / perSecond
  return Number(BigInt(timestamp) / 1000n) / 1e6
}

/** Returns the stream, type and content of a field; `undefined` for texts. */
function toPoint(
  { measurement, tags }: Line,
  field: string,
  value: FieldValue
): { stream: string; type: string; content: number } | undefined {
  if (typeof value === 'string') return undefined
  const names = tags.toSorted(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))
  const stream = [formatTags(names), field === 'value' && names.length > 0 ? '' : field]
    .filter(part => part !== '')
    .join(' ')
  if (typeof value === 'boolean') return { stream, type: 'count/generic', content: Number(value) }
  const measure = findUnit(measurement, field)
  return { stream, type: measure?.type ?? 'count/generic', content: scaleValue(value, measure?.factor) }
}

/** Returns the tags as a name. Home Assistant names an entity by two of them. */
function formatTags(tags: Line['tags']): string {
  const [first, second] = tags
  if (tags.length === 2 && first![0] === 'domain' && second![0] === 'entity_id')
    return `${first![1]}.${second![1]}`
  return tags.map(([name, value]) => `${name}=${value}`).join(',')
}

/** Units that people measure their homes in, besides the units in files. */
const homeUnits: Readonly<Record<string, UnitMeasure>> = {
  kWh: { type: 'energy/kwh' },
  Wh: { type: 'energy/wh' },
  MWh: { type: 'energy/kwh', factor: 1000 },
  kW: { type: 'power/kw' },
  hPa: { type: 'pressure/pa', factor: 100 },
  mbar: { type: 'pressure/pa', factor: 100 },
  'm³': { type: 'volume/m3' },
  'km/h': { type: 'speed/km-h' },
  mV: { type: 'electromotive-force/v', factor: 0.001 }
}
/** Fields whose names contain their unit. */
const fieldUnits: Readonly<Record<string, UnitMeasure>> = {
  value_mmol: { type: 'density/mmol-l' },
  value_mgdl: { type: 'density/mg-dl' }
}

/** Returns the unit of a field: Home Assistant names measurements after the unit of their `value`. */
function findUnit(measurement: string, field: string): UnitMeasure | undefined {
  if (Object.hasOwn(fieldUnits, field)) return fieldUnits[field]
  if (field !== 'value') return undefined
  return Object.hasOwn(homeUnits, measurement) ? homeUnits[measurement] : findMeasure(measurement)
}
