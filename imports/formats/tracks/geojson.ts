/** Reads GeoJSON: points with a time, and lines whose points have times. */
import type { Format, Sink } from '../../record.js'
import { parseIsoTime, isPlausible } from '../../text/times.js'
import {
  getMember,
  readObjects,
  isJson,
  isObject,
  getList,
  getNumber,
  getText,
  type Json
} from '../json-files.js'
import { isValidPosition, TrackWriter } from '../track-writer.js'

export const geojson: Format = {
  id: 'geojson',
  name: 'GeoJSON',
  recognises: head =>
    isJson(head) &&
    /"type"\s*:\s*"(?:FeatureCollection|Feature)"/.test(head.text) &&
    /"(?:geometry|features)"\s*:/.test(head.text),
  async read(source, head, sink, { options }) {
    const reader = new GeoJsonReader(sink, options.zone)
    const isSingleFeature = /^\s*\{\s*"type"\s*:\s*"Feature"/.test(head.text)
    await readObjects(
      source,
      head,
      sink,
      path =>
        isSingleFeature ? path.length === 0 : path.at(-1) === 'features' || path.at(-1) === 'locations',
      object => reader.readFeature(object)
    )
  }
}

/** Members in which apps write the time of a point, and lists of times and heart rates of a line. */
const timeMembers = ['time', 'timestamp', 'datetime', 'date', 'recorded_at', 'when', 'tst'] as const
const timeListPaths = [['coordTimes'], ['times'], ['timestamps'], ['coordinateProperties', 'times']] as const
const heartRatePaths = [['heartRates'], ['heart_rates'], ['coordinateProperties', 'heart']] as const

class GeoJsonReader {
  constructor(
    private readonly sink: Sink,
    private readonly zone: string | undefined
  ) {}

  /** Reads one feature: a point as a position, lines as tracks; skips other geometries. */
  readFeature(feature: Json): void {
    const properties = feature['properties']
    const geometry = feature['geometry']
    const type = getText(geometry, 'type') ?? 'Feature'
    if (!isObject(geometry)) this.sink.skip(type, 'without a position')
    else if (type === 'Point') this.#addPoint(properties, getList(geometry, 'coordinates'))
    else if (type === 'LineString') this.#addLine(properties, getList(geometry, 'coordinates'))
    else if (type === 'MultiLineString') this.#addLines(properties, getList(geometry, 'coordinates'))
    else this.sink.skip(type, 'of a kind without a type here')
  }

  /** Adds a point as a position, or with a name as a place. Points without a time are skipped. */
  #addPoint(properties: unknown, coordinates: readonly unknown[]): void {
    const kind = 'Point'
    const time =
      timeMembers
        .map(name => this.#parseTime(getMember(properties, name)))
        .find(each => !Number.isNaN(each)) ?? NaN
    const [longitude, latitude, altitude] = coordinates.map(toNumber)
    const name = getText(properties, 'name') ?? getText(properties, 'title')
    if (Number.isNaN(time)) this.sink.skip(kind, 'without a time')
    else if (!isValidPosition(latitude, longitude)) this.sink.skip(kind, 'at coordinates beyond the earth')
    else {
      const others = {
        altitude: altitude ?? getNumber(properties, 'altitude'),
        horizontalAccuracy: getNumber(properties, 'horizontal_accuracy') ?? getNumber(properties, 'accuracy'),
        verticalAccuracy: getNumber(properties, 'vertical_accuracy'),
        bearing: getNumber(properties, 'course') ?? getNumber(properties, 'bearing'),
        // Other apps write kilometres per hour without saying so.
        speed:
          getMember(properties, 'horizontal_accuracy') === undefined
            ? undefined
            : getNumber(properties, 'speed')
      }
      const content: Record<string, number> = { latitude: latitude!, longitude: longitude! }
      for (const [member, value] of Object.entries(others)) if (value !== undefined) content[member] = value
      this.sink.addRecord({
        kind,
        source: getText(properties, 'device_id') ?? '',
        type: 'position/wgs84',
        stream: name === undefined ? 'Positions' : 'Places',
        time,
        content,
        ...(name !== undefined && { isEvent: true, description: name })
      })
      if (others.speed === undefined && getMember(properties, 'speed') !== undefined)
        this.sink.skip(`${kind} speed`, 'of a unit that is not known')
    }
  }

  #addLines(properties: unknown, lines: readonly unknown[]): void {
    // The times of lines are nested lists.
    const lineTimes =
      timeListPaths.map(path => getList(properties, ...path)).find(list => Array.isArray(list[0])) ?? []
    for (const [index, line] of lines.entries())
      this.#addLine(properties, Array.isArray(line) ? line : [], toList(lineTimes[index]))
  }

  /** Adds a line as a track, with the times and heart rates in its properties, and as an activity if it has times. */
  #addLine(properties: unknown, positions: readonly unknown[], givenTimes?: readonly unknown[]): void {
    const kind = 'LineString'
    const pointTimes =
      givenTimes ??
      timeListPaths.map(path => getList(properties, ...path)).find(list => list.length > 0) ??
      []
    const heartRates =
      heartRatePaths.map(path => getList(properties, ...path)).find(list => list.length > 0) ?? []
    const track = new TrackWriter(this.sink, '')
    for (const [index, position] of positions.entries()) {
      const [longitude, latitude, altitude] = toList(position).map(toNumber)
      track.addPoint({
        kind,
        time: this.#parseTime(pointTimes[index]),
        latitude: latitude ?? NaN,
        longitude: longitude ?? NaN,
        altitude,
        heartRate: toNumber(heartRates[index])
      })
    }
    const { end, start } = track.span
    if (!Number.isNaN(start))
      track.addActivity({ kind: 'Feature', name: getText(properties, 'name') ?? '', start, end })
  }

  /** Parses a time as text, or in seconds or milliseconds since the epoch. */
  #parseTime(value: unknown): number {
    if (typeof value === 'string' && !/^\d+(?:\.\d+)?$/.test(value)) return parseIsoTime(value, this.zone)
    const number = typeof value === 'string' ? Number(value) : value
    if (typeof number !== 'number') return NaN
    // Seconds of plausible years have ten digits, milliseconds thirteen.
    return isPlausible(number) ? number : isPlausible(number / 1000) ? number / 1000 : NaN
  }
}

function toList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

function toNumber(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined
}
