/**
 * Receives single positions: of OsmAnd and Traccar Client, both their form with parameters and that with JSON, and of GPSLogger and
 * PhoneTrack, which use other names. (https://www.traccar.org/osmand/)
 */
import { fail } from '../../core/errors.js'
import { getMember, getNumber, getText, isObject, type Json } from '../../imports/formats/json-files.js'
import { parseIsoTime } from '../../imports/text/times.js'
import { scaleValue } from '../../imports/text/units.js'
import type { Dialect, ReceivedRequest } from './dialect.js'
import {
  getKnownNumber,
  parseJsonObject,
  ReadingBuilder,
  toBattery,
  toPosition,
  type PositionValues
} from './reading-builder.js'

/** Metres per second of a knot, and of a kilometre per hour. */
const knot = 0.514444
const kilometrePerHour = 1 / 3.6
/** Smallest number that is a time in milliseconds. */
const minMilliseconds = 2 ** 31
/** Tokens, which apps may also send as their id. */
const tokenPattern = /^c[a-z0-9]{24}$/
/** Short names, which GPSLogger and PhoneTrack use. Their speed is in metres per second. */
const shortNames = ['acc', 'alt', 'bat', 'sat', 'dir', 'prov', 'spd']

/** A position as an app sends it. */
interface Point extends PositionValues {
  readonly id: string | undefined
  readonly time: number | undefined
  /** Percent. */
  readonly battery: number | undefined
  readonly isValid: boolean
}

export const osmand: Dialect = {
  id: 'osmand',
  name: 'OsmAnd',
  hasTokenInUrl: true,
  read(request) {
    const reading = new ReadingBuilder()
    for (const point of readPoints(request)) addPoint(reading, point, request)
    return reading
  },
  answer: () => ({ status: 200, body: '' })
}

/** Adds a position and the battery level, or counts the position as skipped if it is not valid. */
function addPoint(reading: ReadingBuilder, point: Point, { connection, now }: ReceivedRequest): void {
  reading.received++
  const content = toPosition(point)
  const { battery, id, isValid } = point
  const time = point.time ?? now
  if (!content || !isValid || Number.isNaN(time)) {
    reading.skip('position')
    return
  }
  const source = id === undefined || id === '' || tokenPattern.test(id) ? connection.name : id
  reading.add({
    kind: 'position',
    source,
    type: 'position/wgs84',
    stream: 'Positions',
    time,
    content,
    isFrequent: true
  })
  if (battery !== undefined && battery <= 100) reading.add(toBattery('battery', source, time, battery))
}

/** Reads the points of a request. Error: `invalid-request-structure` if there is no position at all. */
function readPoints({ body, query }: ReceivedRequest): Point[] {
  const text = body.toString().trim()
  if (text.startsWith('{')) return readJson(parseJsonObject(body))
  const values = { ...query, ...Object.fromEntries(new URLSearchParams(text)) }
  if (values['location'] === undefined && (values['lat'] === undefined || values['lon'] === undefined))
    fail('invalid-request-structure', 'The position is missing: send "lat" and "lon"')
  return [readParameters(values)]
}

/** Returns the point in the parameters of a request, by the names of several clients. */
function readParameters(values: Json): Point {
  const [latitude, longitude] = getText(values, 'location')?.split(',', 2) ?? []
  return {
    id: getText(values, 'id') ?? getText(values, 'deviceid') ?? getText(values, 'ser'),
    time: readTime(values['timestamp'] ?? values['time']),
    latitude: getNumber(values, 'lat') ?? getNumber({ latitude }, 'latitude'),
    longitude: getNumber(values, 'lon') ?? getNumber({ longitude }, 'longitude'),
    altitude: getNumber(values, 'altitude') ?? getNumber(values, 'alt'),
    horizontalAccuracy: getNumber(values, 'accuracy') ?? getNumber(values, 'acc'),
    bearing: getNumber(values, 'bearing') ?? getNumber(values, 'heading') ?? getNumber(values, 'dir'),
    speed: readSpeed(values),
    battery: getKnownNumber(values, 'batt') ?? getKnownNumber(values, 'bat'),
    isValid: values['valid'] !== 'false' && values['valid'] !== '0'
  }
}

/** Returns the speed in metres per second. `speed` is in knots, except in the requests of apps that use short names. */
function readSpeed(values: Json): number | undefined {
  const metresPerSecond = getKnownNumber(values, 'spd')
  if (metresPerSecond !== undefined) return metresPerSecond
  const kilometresPerHour = getKnownNumber(values, 'spd_kph')
  if (kilometresPerHour !== undefined) return scaleValue(kilometresPerHour, kilometrePerHour)
  const speed = getKnownNumber(values, 'speed')
  if (speed === undefined || shortNames.some(name => values[name] !== undefined)) return speed
  return scaleValue(speed, knot)
}

/** Reads the form of newer apps: one location or a list, with its coordinates in `coords` or in itself. */
function readJson(message: Json): Point[] {
  const location = message['location'] ?? message
  const locations = Array.isArray(location) ? location : [location]
  const points = locations.filter(isObject).map(each => readLocation(message, each))
  if (points.every(({ latitude, longitude }) => latitude === undefined || longitude === undefined))
    fail('invalid-request-structure', 'The position is missing: send "location" with its coordinates')
  return points
}

/** Reads a position in the form with JSON; what is missing is `undefined`. */
function readLocation(message: Json, location: Json): Point {
  const coordinates = getMember(location, 'coords') ?? location
  const level = getKnownNumber(location, 'battery', 'level') ?? getKnownNumber(message, 'battery', 'level')
  return {
    id: getText(message, 'device_id') ?? getText(message, 'id'),
    time: readTime(location['timestamp'] ?? message['timestamp']),
    latitude: getNumber(coordinates, 'latitude'),
    longitude: getNumber(coordinates, 'longitude'),
    altitude: getNumber(coordinates, 'altitude'),
    horizontalAccuracy: getNumber(coordinates, 'accuracy'),
    bearing: getNumber(coordinates, 'heading'),
    speed: getNumber(coordinates, 'speed'),
    battery: level === undefined ? undefined : scaleValue(level, 100),
    isValid: true
  }
}

/** Reads a time: seconds, milliseconds, or ISO. Returns `NaN` if it is malformed, and `undefined` if there is none. */
function readTime(value: unknown): number | undefined {
  if (value === undefined || value === '') return undefined
  const number = typeof value === 'number' ? value : Number(value)
  if (Number.isFinite(number)) return number >= minMilliseconds ? number / 1000 : number
  return typeof value === 'string' ? parseIsoTime(value) : NaN
}
