/** Receives the batches of Overland. (https://github.com/aaronpk/Overland-iOS) */
import { fail } from '../../core/errors.js'
import { getMember, getNumber, getText } from '../../imports/formats/json-files.js'
import { parseIsoTime } from '../../imports/text/times.js'
import { scaleValue } from '../../imports/text/units.js'
import type { Dialect } from './dialect.js'
import { getKnownNumber, parseJsonObject, ReadingBuilder, toBattery, toPosition } from './reading-builder.js'

/** The app's placeholders for unknown ends of visits are years in the far past or future. */
const [firstYear, lastYear] = [1990, 2100]

export const overland: Dialect = {
  id: 'overland',
  name: 'Overland',
  read({ body, connection }) {
    const { locations } = parseJsonObject(body)
    if (!Array.isArray(locations)) fail('invalid-request-structure', 'The body must have a list "locations"')
    const reading = new ReadingBuilder()
    for (const feature of locations) addFeature(reading, feature, connection.name)
    return reading
  },
  // Any other result makes the app send the batch again.
  answer: () => ({ status: 200, body: { result: 'ok' } })
}

/** Adds a position, trip or visit, or counts it as skipped. */
function addFeature(reading: ReadingBuilder, feature: unknown, connectionName: string): void {
  reading.received++
  const properties = getMember(feature, 'properties')
  const source = getText(properties, 'device_id') || getText(properties, 'unique_id') || connectionName
  const [longitude, latitude] = toCoordinates(getMember(feature, 'geometry', 'coordinates'))
  const kind = getText(properties, 'type') ?? getText(properties, 'action') ?? 'location'
  if (kind === 'trip') {
    addTrip(reading, properties, source)
    return
  }
  const content = toPosition({
    latitude,
    longitude,
    altitude: getNumber(properties, 'altitude'),
    horizontalAccuracy: getNumber(properties, 'horizontal_accuracy'),
    verticalAccuracy: getNumber(properties, 'vertical_accuracy'),
    bearing: getNumber(properties, 'course'),
    speed: getNumber(properties, 'speed')
  })
  if (kind === 'visit' && content) {
    addVisit(reading, properties, source, content)
    return
  }
  const time = readTime(properties, 'timestamp')
  if (time === undefined || !content) {
    reading.skip(kind)
    return
  }
  reading.add({ kind, source, type: 'position/wgs84', stream: 'Positions', time, content, isFrequent: true })
  const battery = getKnownNumber(properties, 'battery_level')
  if (battery !== undefined && battery <= 1)
    reading.add(toBattery(`${kind} battery`, source, time, scaleValue(battery, 100)))
}

/** Adds a stay at a place. It is sent on arrival, and again with its end. */
function addVisit(
  reading: ReadingBuilder,
  properties: unknown,
  source: string,
  content: Record<string, number>
): void {
  const arrival = readTime(properties, 'arrival_date')
  const departure = readTime(properties, 'departure_date')
  const time = arrival ?? departure
  if (time === undefined) {
    reading.skip('visit')
    return
  }
  const duration = arrival === undefined ? 0 : departure === undefined ? null : Math.max(0, departure - time)
  reading.add({
    kind: 'visit',
    source,
    type: 'position/wgs84',
    stream: 'Visits',
    isEvent: true,
    time,
    duration,
    content,
    identity: 'visit'
  })
}

/** Adds a trip, which is sent when it has ended. */
function addTrip(reading: ReadingBuilder, properties: unknown, source: string): void {
  const start = readTime(properties, 'start')
  const end = readTime(properties, 'end')
  if (start === undefined || end === undefined || end < start) {
    reading.skip('trip')
    return
  }
  const mode = getText(properties, 'mode') ?? ''
  const distance = getKnownNumber(properties, 'distance')
  reading.add({
    kind: 'trip',
    source,
    type: 'activity/plain',
    stream: 'Trips',
    isEvent: true,
    time: start,
    duration: end - start,
    identity: `trip ${mode}`,
    description: mode === '' ? undefined : mode,
    ...(distance !== undefined && { clientData: { 'overland:distance': distance } })
  })
}

function readTime(properties: unknown, name: string): number | undefined {
  const time = parseIsoTime(getText(properties, name) ?? '')
  const year = new Date(time * 1000).getUTCFullYear()
  return year >= firstYear && year <= lastYear ? time : undefined
}

function toCoordinates(value: unknown): (number | undefined)[] {
  if (!Array.isArray(value)) return []
  return value.slice(0, 2).map(each => (typeof each === 'number' ? each : undefined))
}
