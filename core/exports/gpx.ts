/** Positions as GPX 1.1: a track for each stream, with a segment for each time without a gap; waypoints for single ones. */
import type { Event } from '../../schemas/event.js'
import type { StreamsCriteria } from '../../storage/event-query/query.js'
import { isSeries } from '../events/fields.js'
import { createSelector, withoutSecrets, type QueryFilter } from '../events/selection.js'
import { roundToMicroseconds } from '../time.js'
import { getPath, type ExportFormat, type ExportSources } from './format.js'
import { truncate, type Chunks } from './chunks.js'
import { parseEvent, listPoints, listEventTexts } from './event-source.js'

const positionType = 'position/wgs84'
const positionTypes = [positionType, `series:${positionType}`]
/** Longest name of a waypoint, in characters. */
const maxNameLength = 1024
/** Seconds without a position after which another segment begins. */
const segmentGap = 15 * 60

const documentStart = `<?xml version="1.0" encoding="UTF-8"?>
<gpx version="1.1" creator="Coffer" xmlns="http://www.topografix.com/GPX/1/1" xmlns:gpxtpx="http://www.garmin.com/xmlschemas/TrackPointExtension/v2" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:schemaLocation="http://www.topografix.com/GPX/1/1 http://www.topografix.com/GPX/1/1/gpx.xsd http://www.garmin.com/xmlschemas/TrackPointExtension/v2 http://www.garmin.com/xmlschemas/TrackPointExtensionv2.xsd">
`

export const gpx: ExportFormat = {
  mediaType: 'application/gpx+xml; charset=utf-8',
  extension: 'gpx',
  supportsAudit: false,
  supportsSeries: true,
  hasFixedOrder: true,
  write: writeGpx
}

/** A position that can be written. */
interface Position {
  readonly time: number
  readonly latitude: number
  readonly longitude: number
  readonly altitude: unknown
  readonly speed: unknown
  readonly bearing: unknown
  readonly description?: string | undefined
}

/** State of a stream after the first pass. */
interface TrackState {
  /** Time of the last position of the track, in seconds. */
  last: number
  /** The last position, if it is not part of a segment so far. */
  single: Position | undefined
  hasTrack: boolean
}

function* writeGpx(sources: ExportSources): Chunks {
  yield documentStart
  const states = new Map<string, TrackState>()
  const list = createLister(sources)
  yield* writeWaypoints(sources, list(true), states)
  for (const [id, { hasTrack }] of states)
    if (hasTrack) yield* writeTrack(sources, id, list(false, restrictToStream(sources, id)))
  yield '</gpx>\n'
}

/** Writes the waypoints of all streams, which come first in a file, and records which streams have tracks. */
function* writeWaypoints(sources: ExportSources, texts: Chunks, states: Map<string, TrackState>): Chunks {
  const { names, context } = sources
  const one = (id: string, place: Position): string =>
    formatPoint('wpt', place, place.description || names.path(context.reader, id).at(-1)!)
  for (const text of texts) {
    if (text === '') {
      yield ''
      continue
    }
    const event = parseEvent(text)
    const id = event.streamIds[0]!
    let state = states.get(id)
    if (!state) states.set(id, (state = { last: -Infinity, single: undefined, hasTrack: false }))
    if (isSeries(event.type)) {
      // No segment of single positions goes on after a series.
      if (state.single) yield one(id, state.single)
      states.set(id, { last: -Infinity, single: undefined, hasTrack: true })
      continue
    }
    const place = toPosition(event)
    if (place && hasDuration(event)) yield one(id, place)
    else if (place) {
      const follows = place.time - state.last <= segmentGap
      if (!follows && state.single) yield one(id, state.single)
      state.single = follows ? undefined : place
      state.hasTrack ||= follows
      state.last = place.time
    }
  }
  for (const [id, { single }] of states) if (single) yield one(id, single)
}

/** Writes the track of a stream; single positions are waypoints. */
function* writeTrack(sources: ExportSources, id: string, texts: Chunks): Chunks {
  yield `<trk><name>${escapeXml(getPath(sources, { streamIds: [id] }).join(' / '))}</name>\n`
  let before: Position | undefined
  let isOpen = false
  const end = (): string => {
    const text = isOpen ? `${formatPoint('trkpt', before!)}</trkseg>\n` : ''
    isOpen = false
    before = undefined
    return text
  }
  for (const text of texts) {
    const event = text === '' ? undefined : parseEvent(text)
    if (!event || event.streamIds[0] !== id) {
      yield ''
      continue
    }
    if (isSeries(event.type)) {
      yield end()
      for (const places of listPositions(sources, event)) yield* segments(places)
      yield* segments([], true)
      continue
    }
    const place = hasDuration(event) ? undefined : toPosition(event)
    if (!place) continue
    if (before && place.time - before.time <= segmentGap) {
      yield `${isOpen ? '' : '<trkseg>\n'}${formatPoint('trkpt', before)}`
      isOpen = true
    } else yield end()
    before = place
  }
  yield `${end()}</trk>\n`

  /** Writes points of a series, which form segments even when single. */
  function* segments(places: readonly Position[], isLast = false): Chunks {
    for (const place of places) {
      const isNew = !before || place.time - before.time > segmentGap
      yield `${isNew && before ? '</trkseg>\n' : ''}${isNew ? '<trkseg>\n' : ''}${formatPoint('trkpt', place)}`
      before = place
    }
    if (isLast && before) {
      yield '</trkseg>\n'
      before = undefined
    }
    yield ''
  }
}

/** Returns a function that yields the texts of events that hold positions, in order of time. */
function createLister({
  call,
  context,
  options
}: ExportSources): (isCounted: boolean, narrow?: QueryFilter) => Chunks {
  const { types = [] } = options
  const wanted =
    types.length === 0
      ? positionTypes
      : positionTypes.filter(kind => types.includes(kind) || types.includes(kind.replace(/\/.*/, '/*')))
  const params = { ...options, sortAscending: true, types: wanted.length === 0 ? ['none/at-all'] : wanted }
  const select = createSelector(withoutSecrets({ ...call, ...context.reader }), params, Infinity)
  return (isCounted, narrow) => listEventTexts(context, select(context.reader, narrow).events, isCounted)
}

/** Restricts a query to events in the stream itself. */
function restrictToStream({ context }: ExportSources, id: string): QueryFilter {
  return query => {
    const number = context.reader.store.streams.find(id)?.number
    if (number === undefined) return { ...query, streams: [] }
    const own = new Set([number])
    const within = (criteria: StreamsCriteria): StreamsCriteria =>
      criteria.any?.has(number) === false
        ? { ...criteria, all: [...criteria.all, own] }
        : { ...criteria, any: own }
    return { ...query, streams: (query.streams ?? [{ all: [], not: new Set() }]).map(within) }
  }
}

/** Returns whether an event describes a stay at a place rather than a point of a track. */
function hasDuration({ duration }: Event): boolean {
  return typeof duration === 'number' && duration > 0
}

/** Returns the position of an event; `undefined` if its content has no valid coordinates. */
function toPosition({ content, description, time }: Event): Position | undefined {
  if (typeof content !== 'object' || content === null) return undefined
  const { altitude, bearing, latitude, longitude, speed } = content as Record<string, unknown>
  if (!isValidCoordinate(latitude, longitude)) return undefined
  return {
    time,
    latitude: latitude as number,
    longitude: longitude as number,
    altitude,
    bearing,
    speed,
    description: description && truncate(description, maxNameLength)
  }
}

/** Yields the positions of a series, page by page. Rows without valid coordinates are omitted. */
function* listPositions(
  { context, options }: ExportSources,
  event: Event
): Generator<readonly Position[], void, undefined> {
  for (const { columns, rows } of listPoints(context, event, options)) {
    const [latitude, longitude, altitude, speed, bearing] = [
      'latitude',
      'longitude',
      'altitude',
      'speed',
      'bearing'
    ].map(name => columns.indexOf(name)) as [number, number, number, number, number]
    yield rows.flatMap(row => {
      if (!isValidCoordinate(row[latitude], row[longitude])) return []
      return {
        time: roundToMicroseconds(event.time + (row[0] as number)),
        latitude: row[latitude] as number,
        longitude: row[longitude] as number,
        altitude: row[altitude],
        speed: row[speed],
        bearing: row[bearing]
      }
    })
  }
}

function isValidCoordinate(latitude: unknown, longitude: unknown): boolean {
  const [north, east] = [latitude, longitude]
  return (
    typeof north === 'number' && typeof east === 'number' && Math.abs(north) <= 90 && Math.abs(east) <= 180
  )
}

/** Range of years that every XML reader supports, in seconds. */
const [earliest, latest] = [Date.UTC(1, 0, 1), Date.UTC(9999, 11, 31)].map(ms => ms / 1000) as [
  number,
  number
]

/** Formats a position as a waypoint or a track point. A speed, bearing or time out of range is omitted. */
function formatPoint(kind: 'wpt' | 'trkpt', place: Position, name?: string): string {
  const { altitude, bearing, latitude, longitude, speed, time } = place
  // The meridian has two names; the format uses the western one.
  const east = longitude === 180 ? -180 : longitude
  const elevation = formatDecimal(altitude)
  const more = [
    typeof speed === 'number' && speed >= 0 ? formatElement('gpxtpx:speed', formatDecimal(speed)) : '',
    typeof bearing === 'number' && bearing >= 0 && bearing < 360
      ? formatElement('gpxtpx:course', formatDecimal(bearing))
      : ''
  ].join('')
  return [
    `<${kind} lat="${formatDecimal(latitude)}" lon="${formatDecimal(east)}">`,
    formatElement('ele', elevation),
    time >= earliest && time <= latest
      ? `<time>${new Date(Math.round(time * 1000)).toISOString()}</time>`
      : '',
    formatElement('name', name === undefined ? undefined : escapeXml(name)),
    more && `<extensions><gpxtpx:TrackPointExtension>${more}</gpxtpx:TrackPointExtension></extensions>`,
    `</${kind}>\n`
  ].join('')
}

function formatElement(name: string, text: string | undefined): string {
  return text === undefined || text === '' ? '' : `<${name}>${text}</${name}>`
}

// What is no character of XML 1.0: control characters, halves of surrogate pairs, two others.
// oxlint-disable-next-line no-control-regex -- matches control characters on purpose
const invalidCharacters = /[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;'
}

/** Escapes text for XML; characters that XML cannot hold are replaced by U+FFFD. */
function escapeXml(text: string): string {
  return text.replace(invalidCharacters, '\ufffd').replace(/[&<>"]/g, character => entities[character]!)
}

/** Magnitude from which numbers have no fraction, and are soon written with exponents. */
const maxMagnitude = 1e15

/** Formats a number as `xs:decimal`, which has no exponents; `undefined` for other values. */
function formatDecimal(value: unknown): string | undefined {
  if (typeof value !== 'number' || !(Math.abs(value) < maxMagnitude)) return undefined
  const text = String(value)
  return text.includes('e')
    ? value
        .toFixed(15)
        .replace(/(?<!0)0+$/, '')
        .replace(/\.$/, '')
    : text
}
