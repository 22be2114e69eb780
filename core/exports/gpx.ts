/** Positions as GPX 1.1: a track for each stream, with a segment for each time without a gap; waypoints for single ones. */
import type { Event } from '../../schemas/event.js'
import type { StreamsCriteria } from '../../storage/event-query/query.js'
import { isSeries } from '../events/fields.js'
import { selected, type Narrow } from '../events/selection.js'
import { microseconds, pathOf, type Form, type Sources } from './form.js'
import { truncate, type Pieces } from './pieces.js'
import { eventIn, pointsOf, textsOf } from './source.js'
import { decimal, escaped } from './xml.js'

const positions = 'position/wgs84'
const kinds = [positions, `series:${positions}`]
/** Longest name of a waypoint, in characters. */
const longestName = 1024
/** Seconds without a position after which another segment begins. */
const gap = 15 * 60

const begin = `<?xml version="1.0" encoding="UTF-8"?>
<gpx version="1.1" creator="Coffer" xmlns="http://www.topografix.com/GPX/1/1" xmlns:gpxtpx="http://www.garmin.com/xmlschemas/TrackPointExtension/v2" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:schemaLocation="http://www.topografix.com/GPX/1/1 http://www.topografix.com/GPX/1/1/gpx.xsd http://www.garmin.com/xmlschemas/TrackPointExtension/v2 http://www.garmin.com/xmlschemas/TrackPointExtensionv2.xsd">
`

export const gpx: Form = {
  mediaType: 'application/gpx+xml; charset=utf-8',
  extension: 'gpx',
  takesAudit: false,
  takesSeries: true,
  isOrdered: true,
  write
}

/** A position that can be written. */
interface Place {
  readonly time: number
  readonly latitude: number
  readonly longitude: number
  readonly altitude: unknown
  readonly speed: unknown
  readonly bearing: unknown
  readonly description?: string | undefined
}

/** What is known of a stream after the first time through. */
interface Lane {
  /** When its last position was. */
  last: number
  /** A position that stands alone as long as none follows. */
  alone: Place | undefined
  hasTrack: boolean
}

function* write(sources: Sources): Pieces {
  yield begin
  const lanes = new Map<string, Lane>()
  yield* waypoints(sources, lanes)
  for (const [id, { hasTrack }] of lanes) if (hasTrack) yield* track(sources, id)
  yield '</gpx>\n'
}

/** Waypoints come first in a file: those of all streams, while it is noted which of these have tracks. */
function* waypoints(sources: Sources, lanes: Map<string, Lane>): Pieces {
  const { names, turn } = sources
  const one = (id: string, place: Place): string =>
    pointText('wpt', place, place.description || names.path(turn.reader, id).at(-1)!)
  for (const text of eventsOf(sources, true)) {
    if (text === '') {
      yield ''
      continue
    }
    const event = eventIn(text)
    const id = event.streamIds[0]!
    let lane = lanes.get(id)
    if (!lane) lanes.set(id, (lane = { last: -Infinity, alone: undefined, hasTrack: false }))
    const place = placeOf(event)
    if (isSeries(event.type)) lane.hasTrack = true
    else if (place && isStay(event)) yield one(id, place)
    else if (place) {
      const follows = place.time - lane.last <= gap
      if (!follows && lane.alone) yield one(id, lane.alone)
      lane.alone = follows ? undefined : place
      lane.hasTrack ||= follows
      lane.last = place.time
    }
  }
  for (const [id, { alone }] of lanes) if (alone) yield one(id, alone)
}

/** The track of a stream; what stands alone in it is a waypoint. */
function* track(sources: Sources, id: string): Pieces {
  yield `<trk><name>${escaped(pathOf(sources, { streamIds: [id] }).join(' / '))}</name>\n`
  let before: Place | undefined
  let isOpen = false
  const end = (): string => {
    const text = isOpen ? `${pointText('trkpt', before!)}</trkseg>\n` : ''
    isOpen = false
    before = undefined
    return text
  }
  for (const text of eventsOf(sources, false, inStream(sources, id))) {
    const event = text === '' ? undefined : eventIn(text)
    if (!event || event.streamIds[0] !== id) {
      yield ''
      continue
    }
    if (isSeries(event.type)) {
      yield end()
      for (const places of placesOf(sources, event)) yield* segments(places)
      yield* segments([], true)
      continue
    }
    const place = isStay(event) ? undefined : placeOf(event)
    if (!place) continue
    if (before && place.time - before.time <= gap) {
      yield `${isOpen ? '' : '<trkseg>\n'}${pointText('trkpt', before)}`
      isOpen = true
    } else yield end()
    before = place
  }
  yield `${end()}</trk>\n`

  /** Points of a series, which are segments even by themselves. */
  function* segments(places: readonly Place[], isLast = false): Pieces {
    for (const place of places) {
      const isNew = !before || place.time - before.time > gap
      yield `${isNew && before ? '</trkseg>\n' : ''}${isNew ? '<trkseg>\n' : ''}${pointText('trkpt', place)}`
      before = place
    }
    if (isLast && before) {
      yield '</trkseg>\n'
      before = undefined
    }
    yield ''
  }
}

/** The texts of events that hold positions, in order of time. */
function eventsOf({ call, turn, wishes }: Sources, isCounted: boolean, narrow?: Narrow): Pieces {
  const { types = [] } = wishes
  const wanted =
    types.length === 0
      ? kinds
      : kinds.filter(kind => types.includes(kind) || types.includes(kind.replace(/\/.*/, '/*')))
  const params = { ...wishes, sortAscending: true, types: wanted.length === 0 ? ['none/at-all'] : wanted }
  return textsOf(turn, selected({ ...call, ...turn.reader }, params, Infinity, narrow).events, isCounted)
}

/** Only events in this stream itself. */
function inStream({ turn }: Sources, id: string): Narrow {
  return query => {
    const number = turn.reader.store.streams.find(id)?.number
    if (number === undefined) return { ...query, streams: [] }
    const own = new Set([number])
    const within = (criteria: StreamsCriteria): StreamsCriteria =>
      criteria.any?.has(number) === false
        ? { ...criteria, all: [...criteria.all, own] }
        : { ...criteria, any: own }
    return { ...query, streams: (query.streams ?? [{ all: [], not: new Set() }]).map(within) }
  }
}

/** Whether somebody was at a place for a while, rather than on the way. */
function isStay({ duration }: Event): boolean {
  return typeof duration === 'number' && duration > 0
}

function placeOf({ content, description, time }: Event): Place | undefined {
  if (typeof content !== 'object' || content === null) return undefined
  const { altitude, bearing, latitude, longitude, speed } = content as Record<string, unknown>
  if (!isOnEarth(latitude, longitude)) return undefined
  return {
    time,
    latitude: latitude as number,
    longitude: longitude as number,
    altitude,
    bearing,
    speed,
    description: description && truncate(description, longestName)
  }
}

function* placesOf({ turn, wishes }: Sources, event: Event): Generator<readonly Place[], void, undefined> {
  for (const { columns, rows } of pointsOf(turn, event, wishes)) {
    const [latitude, longitude, altitude, speed, bearing] = [
      'latitude',
      'longitude',
      'altitude',
      'speed',
      'bearing'
    ].map(name => columns.indexOf(name)) as [number, number, number, number, number]
    yield rows.flatMap(row => {
      if (!isOnEarth(row[latitude], row[longitude])) return []
      return {
        time: microseconds(event.time + (row[0] as number)),
        latitude: row[latitude] as number,
        longitude: row[longitude] as number,
        altitude: row[altitude],
        speed: row[speed],
        bearing: row[bearing]
      }
    })
  }
}

function isOnEarth(latitude: unknown, longitude: unknown): boolean {
  const [north, east] = [latitude, longitude]
  return (
    typeof north === 'number' && typeof east === 'number' && Math.abs(north) <= 90 && Math.abs(east) <= 180
  )
}

/** The years that every reader of XML knows, in seconds. */
const [earliest, latest] = [Date.UTC(1, 0, 1), Date.UTC(9999, 11, 31)].map(ms => ms / 1000) as [
  number,
  number
]

function pointText(kind: 'wpt' | 'trkpt', place: Place, name?: string): string {
  const { altitude, bearing, latitude, longitude, speed, time } = place
  // There are two names for one meridian, of which the format takes the western one.
  const east = longitude === 180 ? -180 : longitude
  const elevation = decimal(altitude)
  const more = [
    typeof speed === 'number' && speed >= 0 ? element('gpxtpx:speed', decimal(speed)) : '',
    typeof bearing === 'number' && bearing >= 0 && bearing < 360
      ? element('gpxtpx:course', decimal(bearing))
      : ''
  ].join('')
  return [
    `<${kind} lat="${decimal(latitude)}" lon="${decimal(east)}">`,
    element('ele', elevation),
    time >= earliest && time <= latest
      ? `<time>${new Date(Math.round(time * 1000)).toISOString()}</time>`
      : '',
    element('name', name === undefined ? undefined : escaped(name)),
    more && `<extensions><gpxtpx:TrackPointExtension>${more}</gpxtpx:TrackPointExtension></extensions>`,
    `</${kind}>\n`
  ].join('')
}

function element(name: string, text: string | undefined): string {
  return text === undefined || text === '' ? '' : `<${name}>${text}</${name}>`
}
