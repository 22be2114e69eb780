/** Google's location history in its shapes: `Records.json`, months of semantic history, and the exports of phones. */
import type { Format, Sink } from '../../record.js'
import { isoTime } from '../../text/times.js'
import { at, eachObject, isJson, isObject, listAt, numberAt, textAt, type Json } from '../json-files.js'
import { isPlace } from '../tracks.js'
import { Covered } from './covered.js'

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
    const reader = new Reader(sink)
    const isList = /^\s*\[/.test(head.text)
    const wanted = new Set([
      'locations',
      'timelineObjects',
      'semanticSegments',
      'rawSignals',
      'timelineEdits'
    ])
    await eachObject(
      source,
      head,
      sink,
      // The export of one kind of phone is a list; the others are objects with lists.
      path => (isList ? path.length === 0 : path.length === 1 && wanted.has(path[0]!)),
      (object, path) => reader.read(object, path[0] ?? '')
    )
  }
}

/** One kind of phone writes segments in a list, with places as addresses. */
function isPhoneExport(text: string): boolean {
  return (
    text.includes('geo:') &&
    /"(?:startTime|endTime)"/.test(text) &&
    /"(?:visit|activity|timelinePath)"/.test(text)
  )
}

/** Where E7 coordinates wrap around. */
const wrap = 2 ** 32
const highestE7 = 1_800_000_000
/** Visits within visits that are looked into. */
const deepest = 5

type Place = readonly [latitude: number | undefined, longitude: number | undefined]

class Reader {
  readonly #covered = new Covered()

  constructor(private readonly sink: Sink) {}

  read(object: Json, list: string): void {
    if (list === 'locations') this.#location(object)
    else if (list === 'timelineObjects') this.#timeline(object)
    else if (list === 'semanticSegments' || list === '') this.#segment(object)
    else if (list === 'rawSignals') this.#signal(object)
    else this.sink.leftOut(list, 'of no use without the timeline')
  }

  #location(object: Json): void {
    const source =
      object['deviceTag'] === undefined ? '' : `Device ${String(numberAt(object, 'deviceTag') ?? '')}`
    const others = {
      altitude: numberAt(object, 'altitude'),
      horizontalAccuracy: numberAt(object, 'accuracy'),
      verticalAccuracy: numberAt(object, 'verticalAccuracy'),
      speed: numberAt(object, 'velocity'),
      bearing: numberAt(object, 'heading')
    }
    this.#position('location', stampOf(object, 'timestamp'), e7Of(object), source, others)
    // What the phone took somebody to be doing, each time with how sure it was.
    const guesses = listAt(object, 'activity').length
    if (guesses > 0) this.sink.leftOut('location activity', 'of a kind without a type here', guesses)
  }

  #position(
    kind: string,
    time: number,
    [latitude, longitude]: Place,
    source = '',
    others: Readonly<Record<string, number | undefined>> = {}
  ): void {
    if (Number.isNaN(time)) this.sink.leftOut(kind, 'without a time')
    else if (latitude === undefined || longitude === undefined) this.sink.leftOut(kind, 'without a position')
    else if (!isPlace(latitude, longitude)) this.sink.leftOut(kind, 'at coordinates beyond the earth')
    else {
      const content: Record<string, number> = { latitude, longitude }
      for (const [name, value] of Object.entries(others)) if (value !== undefined) content[name] = value
      const date = new Date(time * 1000)
      const track = Number.isNaN(date.getTime()) ? '' : date.toISOString().slice(0, 7)
      this.sink.datum({
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

  /** Of the months of semantic history. */
  #timeline(object: Json): void {
    const visit = at(object, 'placeVisit')
    const activity = at(object, 'activitySegment')
    if (isObject(visit)) this.#placeVisit(visit, 'placeVisit', 0)
    else if (isObject(activity)) this.#activitySegment(activity)
    else this.sink.leftOut('timelineObject', 'of a kind without a type here')
  }

  #placeVisit(visit: Json, kind: string, depth: number): void {
    const [time, end] = durationOf(visit)
    const place = at(visit, 'location')
    const name = textAt(place, 'name') ?? textAt(place, 'address')
    const [latitude, longitude] = e7Of(place)
    const centre = [fromE7(numberAt(visit, 'centerLatE7')), fromE7(numberAt(visit, 'centerLngE7'))] as const
    this.#visit(kind, time, end, latitude === undefined ? centre : [latitude, longitude], name)
    this.#rawPath(visit)
    for (const child of listAt(visit, 'childVisits'))
      if (isObject(child) && depth < deepest) this.#placeVisit(child, 'childVisit', depth + 1)
      else this.sink.leftOut('childVisit', 'of a kind without a type here')
  }

  #activitySegment(segment: Json): void {
    const kind = 'activitySegment'
    const [time, end] = durationOf(segment)
    this.#activity(kind, time, end, textAt(segment, 'activityType') ?? '', numberAt(segment, 'distance'))
    for (const [name, moment] of [
      ['startLocation', time],
      ['endLocation', end]
    ] as const)
      if (isObject(segment[name])) this.#position(name, moment, e7Of(segment[name]))
    this.#rawPath(segment)
    for (const [list, inner] of [
      ['waypointPath', 'waypoints'],
      ['transitPath', 'transitStops']
    ] as const) {
      const count = listAt(segment, list, inner).length
      if (count > 0) this.sink.leftOut(list, 'without a time', count)
    }
  }

  /** Positions with times that a stay or a way was made of. */
  #rawPath(object: Json): void {
    for (const point of listAt(object, 'simplifiedRawPath', 'points'))
      this.#position(
        'simplifiedRawPath',
        stampOf(point, 'timestamp'),
        [fromE7(numberAt(point, 'latE7')), fromE7(numberAt(point, 'lngE7'))],
        '',
        { horizontalAccuracy: numberAt(point, 'accuracyMeters') ?? numberAt(point, 'accuracy') }
      )
  }

  /** Of the phones' own exports. */
  #segment(object: Json): void {
    const [time, end] = [isoTime(textAt(object, 'startTime') ?? ''), isoTime(textAt(object, 'endTime') ?? '')]
    const path = listAt(object, 'timelinePath')
    for (const point of path) {
      const offset = numberAt(point, 'durationMinutesOffsetFromStartTime')
      const own = offset === undefined ? isoTime(textAt(point, 'time') ?? '') : time + offset * 60
      this.#position('timelinePath', own, placeOf(textAt(point, 'point')))
    }
    if (path.length > 0) this.#covered.add(time, end)
    const visit = at(object, 'visit')
    const activity = at(object, 'activity')
    if (isObject(visit)) {
      const candidate = at(visit, 'topCandidate')
      const place = placeAt(candidate, 'placeLocation')
      this.#visit('visit', time, end, place, textAt(candidate, 'semanticType'))
    } else if (isObject(activity)) {
      const metres = numberAt(activity, 'distanceMeters')
      this.#activity('activity', time, end, textAt(activity, 'topCandidate', 'type') ?? '', metres)
      for (const [name, moment] of [
        ['start', time],
        ['end', end]
      ] as const)
        if (activity[name] !== undefined) this.#position(`activity ${name}`, moment, placeAt(activity, name))
    } else if (path.length === 0) this.sink.leftOut('segment', 'of a kind without a type here')
  }

  /** What a phone received. A path is made of positions such as these: those within it would be there twice. */
  #signal(object: Json): void {
    const position = object['position']
    if (!isObject(position)) {
      this.sink.leftOut('rawSignal', 'of a kind without a type here')
      return
    }
    const time = isoTime(textAt(position, 'timestamp') ?? '')
    if (this.#covered.has(time))
      this.sink.leftOut('rawSignal', 'within the time of a path that is brought in')
    else
      this.#position(
        'rawSignal',
        time,
        placeAt(position, position['LatLng'] === undefined ? 'latLng' : 'LatLng'),
        '',
        {
          altitude: numberAt(position, 'altitudeMeters'),
          horizontalAccuracy: numberAt(position, 'accuracyMeters'),
          speed: numberAt(position, 'speedMetersPerSecond')
        }
      )
  }

  #visit(kind: string, time: number, end: number, place: Place, description: string | undefined): void {
    const [latitude, longitude] = place
    if (Number.isNaN(time)) this.sink.leftOut(kind, 'without a time')
    else if (latitude === undefined || longitude === undefined) this.sink.leftOut(kind, 'without a position')
    else if (!isPlace(latitude, longitude)) this.sink.leftOut(kind, 'at coordinates beyond the earth')
    else
      this.sink.datum({
        kind,
        source: '',
        type: 'position/wgs84',
        stream: 'Visits',
        time,
        duration: end > time ? end - time : undefined,
        content: { latitude, longitude },
        // An event each: a visit has a name.
        identity: JSON.stringify([latitude, longitude]),
        description
      })
  }

  #activity(kind: string, time: number, end: number, name: string, metres: number | undefined): void {
    if (Number.isNaN(time)) {
      this.sink.leftOut(kind, 'without a time')
      return
    }
    this.sink.datum({
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

/** A time by its name, which older files write in milliseconds. */
function stampOf(value: unknown, name: string): number {
  const milliseconds = numberAt(value, `${name}Ms`)
  return milliseconds === undefined ? isoTime(textAt(value, name) ?? '') : milliseconds / 1000
}

function durationOf(value: unknown): [number, number] {
  const duration = at(value, 'duration')
  return [stampOf(duration, 'startTimestamp'), stampOf(duration, 'endTimestamp')]
}

function e7Of(value: unknown): Place {
  return [fromE7(numberAt(value, 'latitudeE7')), fromE7(numberAt(value, 'longitudeE7'))]
}

function fromE7(value: number | undefined): number | undefined {
  if (value === undefined) return undefined
  return Number(((value > highestE7 ? value - wrap : value) / 1e7).toFixed(7))
}

/** A place by its name: one kind of phone has it within an object. */
function placeAt(value: unknown, name: string): Place {
  return placeOf(textAt(value, name) ?? textAt(value, name, 'latLng'))
}

/** `46.2°, 6.1°`, also where the sign was read in another encoding, and `geo:46.2,6.1`. */
function placeOf(text: string | undefined): Place {
  const parts = /^(?:geo:)?\s*(-?\d+(?:\.\d+)?)[^\d,.-]*,\s*(-?\d+(?:\.\d+)?)/.exec(text ?? '')
  return parts ? [Number(parts[1]), Number(parts[2])] : [undefined, undefined]
}
