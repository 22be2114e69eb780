/** Reads Google's location history: `Records.json`, monthly semantic history, and exports of phones. */
import type { Format, Sink } from '../../record.js'
import { parseIsoTime } from '../../text/times.js'
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
import { isValidPosition } from '../track-writer.js'
import { CoveredTimes } from './covered-times.js'

export const googleLocation: Format = {
  id: 'google-location',
  name: 'Google location history',
  recognises: head =>
    isJson(head) &&
    (/"(?:latitudeE7|timelineObjects|semanticSegments|timelineEdits|rawSignals|timelinePath)"/.test(
      head.text
    ) ||
      isPhoneExport(head.text) ||
      /^\s*\{\s*"locations"\s*:/.test(head.text)),
  async read(source, head, sink) {
    if (head.text.includes('"timelineEdits"'))
      sink.warn('Timeline Edits hold nothing to import: export the timeline on the phone itself')
    const reader = new LocationReader(sink)
    const isList = /^\s*\[/.test(head.text)
    const wanted = new Set([
      'locations',
      'timelineObjects',
      'semanticSegments',
      'rawSignals',
      'timelineEdits'
    ])
    await readObjects(
      source,
      head,
      sink,
      // The export of iPhones is a list; the others are objects with lists.
      path => (isList ? path.length === 0 : path.length === 1 && wanted.has(path[0]!)),
      (object, path) => reader.read(object, path[0] ?? '')
    )
  }
}

/** Returns true for the export of iPhones: a list of segments with places as `geo:` addresses. */
function isPhoneExport(text: string): boolean {
  return (
    text.includes('geo:') &&
    /"(?:startTime|endTime)"/.test(text) &&
    /"(?:visit|activity|timelinePath)"/.test(text)
  )
}

/** Modulus of E7 coordinates that overflowed. */
const e7Modulus = 2 ** 32
const maxE7 = 1_800_000_000
/** Maximum nesting depth of visits that are read. */
const maxDepth = 5

type LatLng = readonly [latitude: number | undefined, longitude: number | undefined]

class LocationReader {
  readonly #coveredTimes = new CoveredTimes()

  constructor(private readonly sink: Sink) {}

  /** Reads one object of a list of a timeline export, by the name of the list. */
  read(object: Json, list: string): void {
    if (list === 'locations') this.#addLocation(object)
    else if (list === 'timelineObjects') this.#readTimelineObject(object)
    else if (list === 'semanticSegments' || list === '') this.#addSegment(object)
    else if (list === 'rawSignals') this.#addSignal(object)
    else this.sink.skip(list, 'of no use without the timeline')
  }

  #addLocation(object: Json): void {
    const source =
      object['deviceTag'] === undefined ? '' : `Device ${String(getNumber(object, 'deviceTag') ?? '')}`
    const others = {
      altitude: getNumber(object, 'altitude'),
      horizontalAccuracy: getNumber(object, 'accuracy'),
      verticalAccuracy: getNumber(object, 'verticalAccuracy'),
      speed: getNumber(object, 'velocity'),
      bearing: getNumber(object, 'heading')
    }
    this.#addPosition('location', getTimestamp(object, 'timestamp'), getE7Coordinates(object), source, others)
    // Detected activities, each with its confidence.
    const guesses = getList(object, 'activity').length
    if (guesses > 0) this.sink.skip('location activity', 'of a kind without a type here', guesses)
  }

  #addPosition(
    kind: string,
    time: number,
    [latitude, longitude]: LatLng,
    source = '',
    others: Readonly<Record<string, number | undefined>> = {}
  ): void {
    if (Number.isNaN(time)) this.sink.skip(kind, 'without a time')
    else if (latitude === undefined || longitude === undefined) this.sink.skip(kind, 'without a position')
    else if (!isValidPosition(latitude, longitude)) this.sink.skip(kind, 'at coordinates beyond the earth')
    else {
      const content: Record<string, number> = { latitude, longitude }
      for (const [name, value] of Object.entries(others)) if (value !== undefined) content[name] = value
      const date = new Date(time * 1000)
      const track = Number.isNaN(date.getTime()) ? '' : date.toISOString().slice(0, 7)
      this.sink.addRecord({
        kind,
        source,
        type: 'position/wgs84',
        stream: 'Positions',
        time,
        content,
        track: `month ${track}`
      })
    }
  }

  /** Reads an entry of the monthly semantic history. */
  #readTimelineObject(object: Json): void {
    const visit = getMember(object, 'placeVisit')
    const activity = getMember(object, 'activitySegment')
    if (isObject(visit)) this.#addPlaceVisit(visit, 'placeVisit', 0)
    else if (isObject(activity)) this.#addActivitySegment(activity)
    else this.sink.skip('timelineObject', 'of a kind without a type here')
  }

  #addPlaceVisit(visit: Json, kind: string, depth: number): void {
    const [time, end] = getTimeRange(visit)
    const place = getMember(visit, 'location')
    const name = getText(place, 'name') ?? getText(place, 'address')
    const [latitude, longitude] = getE7Coordinates(place)
    const centre = [fromE7(getNumber(visit, 'centerLatE7')), fromE7(getNumber(visit, 'centerLngE7'))] as const
    this.#addVisit(kind, time, end, latitude === undefined ? centre : [latitude, longitude], name)
    this.#addRawPath(visit)
    for (const child of getList(visit, 'childVisits'))
      if (isObject(child) && depth < maxDepth) this.#addPlaceVisit(child, 'childVisit', depth + 1)
      else this.sink.skip('childVisit', 'of a kind without a type here')
  }

  #addActivitySegment(segment: Json): void {
    const kind = 'activitySegment'
    const [time, end] = getTimeRange(segment)
    this.#addActivity(kind, time, end, getText(segment, 'activityType') ?? '', getNumber(segment, 'distance'))
    for (const [name, moment] of [
      ['startLocation', time],
      ['endLocation', end]
    ] as const)
      if (isObject(segment[name])) this.#addPosition(name, moment, getE7Coordinates(segment[name]))
    this.#addRawPath(segment)
    for (const [list, inner] of [
      ['waypointPath', 'waypoints'],
      ['transitPath', 'transitStops']
    ] as const) {
      const count = getList(segment, list, inner).length
      if (count > 0) this.sink.skip(list, 'without a time', count)
    }
  }

  /** Adds the timed positions of a visit or activity. */
  #addRawPath(object: Json): void {
    for (const point of getList(object, 'simplifiedRawPath', 'points'))
      this.#addPosition(
        'simplifiedRawPath',
        getTimestamp(point, 'timestamp'),
        [fromE7(getNumber(point, 'latE7')), fromE7(getNumber(point, 'lngE7'))],
        '',
        { horizontalAccuracy: getNumber(point, 'accuracyMeters') ?? getNumber(point, 'accuracy') }
      )
  }

  /** Reads a segment of a phone's export. */
  #addSegment(object: Json): void {
    const [time, end] = [
      parseIsoTime(getText(object, 'startTime') ?? ''),
      parseIsoTime(getText(object, 'endTime') ?? '')
    ]
    const path = getList(object, 'timelinePath')
    for (const point of path) {
      const offset = getNumber(point, 'durationMinutesOffsetFromStartTime')
      const pointTime = offset === undefined ? parseIsoTime(getText(point, 'time') ?? '') : time + offset * 60
      this.#addPosition('timelinePath', pointTime, parseCoordinates(getText(point, 'point')))
    }
    if (path.length > 0) this.#coveredTimes.add(time, end)
    const visit = getMember(object, 'visit')
    const activity = getMember(object, 'activity')
    if (isObject(visit)) {
      const candidate = getMember(visit, 'topCandidate')
      const place = getCoordinates(candidate, 'placeLocation')
      this.#addVisit('visit', time, end, place, getText(candidate, 'semanticType'))
    } else if (isObject(activity)) {
      const metres = getNumber(activity, 'distanceMeters')
      this.#addActivity('activity', time, end, getText(activity, 'topCandidate', 'type') ?? '', metres)
      for (const [name, moment] of [
        ['start', time],
        ['end', end]
      ] as const)
        if (activity[name] !== undefined)
          this.#addPosition(`activity ${name}`, moment, getCoordinates(activity, name))
    } else if (path.length === 0) this.sink.skip('segment', 'of a kind without a type here')
  }

  /** Adds a raw signal. Paths consist of such positions: positions within the time of a path would be duplicates. */
  #addSignal(object: Json): void {
    const position = object['position']
    if (!isObject(position)) {
      this.sink.skip('rawSignal', 'of a kind without a type here')
      return
    }
    const time = parseIsoTime(getText(position, 'timestamp') ?? '')
    if (this.#coveredTimes.has(time))
      this.sink.skip('rawSignal', 'within the time of a path that is brought in')
    else
      this.#addPosition(
        'rawSignal',
        time,
        getCoordinates(position, position['LatLng'] === undefined ? 'latLng' : 'LatLng'),
        '',
        {
          altitude: getNumber(position, 'altitudeMeters'),
          horizontalAccuracy: getNumber(position, 'accuracyMeters'),
          speed: getNumber(position, 'speedMetersPerSecond')
        }
      )
  }

  #addVisit(kind: string, time: number, end: number, place: LatLng, description: string | undefined): void {
    const [latitude, longitude] = place
    if (Number.isNaN(time)) this.sink.skip(kind, 'without a time')
    else if (latitude === undefined || longitude === undefined) this.sink.skip(kind, 'without a position')
    else if (!isValidPosition(latitude, longitude)) this.sink.skip(kind, 'at coordinates beyond the earth')
    else
      this.sink.addRecord({
        kind,
        source: '',
        type: 'position/wgs84',
        stream: 'Visits',
        time,
        duration: end > time ? end - time : undefined,
        content: { latitude, longitude },
        // Always an event, as a visit has a name.
        identity: JSON.stringify([latitude, longitude]),
        description
      })
  }

  #addActivity(kind: string, time: number, end: number, name: string, metres: number | undefined): void {
    if (Number.isNaN(time)) {
      this.sink.skip(kind, 'without a time')
      return
    }
    this.sink.addRecord({
      kind,
      source: '',
      type: 'activity/plain',
      stream: 'Movements',
      time,
      duration: end > time ? end - time : undefined,
      identity: name,
      description: name.toLowerCase().replaceAll('_', ' '),
      ...(metres !== undefined && { clientData: { 'google:activity': { metres } } })
    })
  }
}

/** Returns the time of a member, which older files write in milliseconds. */
function getTimestamp(value: unknown, name: string): number {
  const milliseconds = getNumber(value, `${name}Ms`)
  return milliseconds === undefined ? parseIsoTime(getText(value, name) ?? '') : milliseconds / 1000
}

function getTimeRange(value: unknown): [number, number] {
  const duration = getMember(value, 'duration')
  return [getTimestamp(duration, 'startTimestamp'), getTimestamp(duration, 'endTimestamp')]
}

function getE7Coordinates(value: unknown): LatLng {
  return [fromE7(getNumber(value, 'latitudeE7')), fromE7(getNumber(value, 'longitudeE7'))]
}

function fromE7(value: number | undefined): number | undefined {
  if (value === undefined) return undefined
  return Number(((value > maxE7 ? value - e7Modulus : value) / 1e7).toFixed(7))
}

/** Returns the coordinates of a member: one kind of phone nests them in an object. */
function getCoordinates(value: unknown, name: string): LatLng {
  return parseCoordinates(getText(value, name) ?? getText(value, name, 'latLng'))
}

/** Parses coordinates: `46.2°, 6.1°`, even if the degree sign was decoded wrongly, and `geo:46.2,6.1`. */
function parseCoordinates(text: string | undefined): LatLng {
  const parts = /^(?:geo:)?\s*(-?\d+(?:\.\d+)?)[^\d,.-]*,\s*(-?\d+(?:\.\d+)?)/.exec(text ?? '')
  return parts ? [Number(parts[1]), Number(parts[2])] : [undefined, undefined]
}
