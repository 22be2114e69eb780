/** Google's location history in its shapes: `Records.json`, months of semantic history, and the exports of phones. */
import type { Format, Sink } from '../record.js'
import { isoTime } from '../text/times.js'
import { at, eachObject, isJson, isObject, listAt, numberAt, textAt, type Json } from './json-files.js'
import { isPlace } from './tracks.js'

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

class Reader {
  constructor(private readonly sink: Sink) {}

  read(object: Json, list: string): void {
    if (list === 'locations') this.#location(object)
    else if (list === 'timelineObjects') this.#timeline(object)
    else if (list === 'semanticSegments' || list === '') this.#segment(object)
    else if (list === 'rawSignals') this.#signal(object)
    else this.sink.leftOut(list, 'of no use without the timeline')
  }

  #location(object: Json): void {
    const kind = 'location'
    const stamp = numberAt(object, 'timestampMs')
    const time = stamp === undefined ? isoTime(textAt(object, 'timestamp') ?? '') : stamp / 1000
    const [latitude, longitude] = [
      fromE7(numberAt(object, 'latitudeE7')),
      fromE7(numberAt(object, 'longitudeE7'))
    ]
    const source =
      object['deviceTag'] === undefined ? '' : `Device ${String(numberAt(object, 'deviceTag') ?? '')}`
    this.#position(kind, time, latitude, longitude, source, {
      altitude: numberAt(object, 'altitude'),
      horizontalAccuracy: numberAt(object, 'accuracy'),
      speed: numberAt(object, 'velocity'),
      bearing: numberAt(object, 'heading')
    })
  }

  #position(
    kind: string,
    time: number,
    latitude: number | undefined,
    longitude: number | undefined,
    source: string,
    others: Readonly<Record<string, number | undefined>> = {}
  ): void {
    if (Number.isNaN(time)) this.sink.leftOut(kind, 'without a time')
    else if (latitude === undefined || longitude === undefined) this.sink.leftOut(kind, 'without a position')
    else if (!isPlace(latitude, longitude)) this.sink.leftOut(kind, 'at coordinates beyond the earth')
    else {
      const content: Record<string, number> = { latitude, longitude }
      for (const [name, value] of Object.entries(others)) if (value !== undefined) content[name] = value
      const track = new Date(time * 1000).toISOString().slice(0, 7)
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
    const [kind, part] = visit === undefined ? ['activitySegment', activity] : ['placeVisit', visit]
    const [time, end] = ['start', 'end'].map(each => {
      const stamp = numberAt(part, 'duration', `${each}TimestampMs`)
      return stamp === undefined ? isoTime(textAt(part, 'duration', `${each}Timestamp`) ?? '') : stamp / 1000
    }) as [number, number]
    if (visit === undefined) {
      this.#activity(kind, time, end, textAt(part, 'activityType') ?? '')
      return
    }
    const place = at(part, 'location')
    const name = textAt(place, 'name') ?? textAt(place, 'address')
    this.#visit(
      kind,
      time,
      end,
      fromE7(numberAt(place, 'latitudeE7')),
      fromE7(numberAt(place, 'longitudeE7')),
      name
    )
  }

  /** Of the phones' own exports. */
  #segment(object: Json): void {
    const [time, end] = [isoTime(textAt(object, 'startTime') ?? ''), isoTime(textAt(object, 'endTime') ?? '')]
    const path = listAt(object, 'timelinePath')
    if (path.length > 0) {
      for (const point of path) {
        const offset = numberAt(point, 'durationMinutesOffsetFromStartTime')
        const own = offset === undefined ? isoTime(textAt(point, 'time') ?? '') : time + offset * 60
        const [latitude, longitude] = placeOf(textAt(point, 'point'))
        this.#position('timelinePath', own, latitude, longitude, '')
      }
      return
    }
    const visit = at(object, 'visit')
    const activity = at(object, 'activity')
    if (isObject(visit)) {
      const candidate = at(visit, 'topCandidate')
      const [latitude, longitude] = placeOf(
        textAt(candidate, 'placeLocation') ?? textAt(candidate, 'placeLocation', 'latLng')
      )
      this.#visit('visit', time, end, latitude, longitude, textAt(candidate, 'semanticType'))
    } else if (isObject(activity))
      this.#activity('activity', time, end, textAt(activity, 'topCandidate', 'type') ?? '')
    else this.sink.leftOut('segment', 'of a kind without a type here')
  }

  /** The path is made of them: they would all be there twice. */
  #signal(object: Json): void {
    this.sink.leftOut(
      'rawSignal',
      isObject(object['position']) ? 'in the path of the timeline, too' : 'of a kind without a type here'
    )
  }

  #visit(
    kind: string,
    time: number,
    end: number,
    latitude: number | undefined,
    longitude: number | undefined,
    description: string | undefined
  ): void {
    if (Number.isNaN(time)) this.sink.leftOut(kind, 'without a time')
    else if (!isPlace(latitude, longitude)) this.sink.leftOut(kind, 'without a position')
    else
      this.sink.datum({
        kind,
        source: '',
        type: 'position/wgs84',
        stream: 'Visits',
        time,
        duration: end > time ? end - time : undefined,
        content: { latitude: latitude!, longitude: longitude! },
        // An event each: a visit has a name.
        identity: JSON.stringify([latitude, longitude]),
        description
      })
  }

  #activity(kind: string, time: number, end: number, name: string): void {
    const description = name.toLowerCase().replaceAll('_', ' ')
    const duration = end > time ? end - time : undefined
    this.sink.datum({
      kind,
      source: '',
      type: 'activity/plain',
      stream: 'Movements',
      time,
      duration,
      identity: name,
      description
    })
  }
}

function fromE7(value: number | undefined): number | undefined {
  if (value === undefined) return undefined
  return Number(((value > highestE7 ? value - wrap : value) / 1e7).toFixed(7))
}

/** `46.2°, 6.1°`, also where the sign was read in another encoding, and `geo:46.2,6.1`. */
function placeOf(text: string | undefined): [number | undefined, number | undefined] {
  const parts = /^(?:geo:)?\s*(-?\d+(?:\.\d+)?)[^\d,.-]*,\s*(-?\d+(?:\.\d+)?)/.exec(text ?? '')
  return parts ? [Number(parts[1]), Number(parts[2])] : [undefined, undefined]
}
