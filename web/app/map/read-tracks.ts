/** Reads places and tracks in a time range. */
import type { Client } from '../data/client.js'
import type { Event, SeriesPoints } from '../data/model.js'
import { measureDistance, type Place } from './projection.js'

/** A position at a time in seconds. */
export interface Fix extends Place {
  readonly time: number
  /** Accuracy in metres. */
  readonly accuracy?: number
  /** In metres per second. */
  readonly speed?: number
}

/** A track, or a place if it has one position. */
export interface Track {
  readonly event: Event
  readonly fixes: readonly Fix[]
  /** In metres. */
  readonly length: number
}

export interface TrackList {
  /** Latest first. */
  readonly tracks: readonly Track[]
  /** Whether some were not read because of limits. */
  readonly isTruncated: boolean
}

/** Maximum events, tracks and positions per track. */
const maxEvents = 1000
const maxTracks = 100
const maxFixes = 1200
/** Maximum seconds between positions that are connected by a line. */
export const maxGap = 600

export const placeTypes = ['position/wgs84', 'series:position/wgs84'] as const

/**
 * Reads the places and tracks in a time range, the latest first. Tracks are sampled. `isTruncated`: there are
 * more. Rejects with a `Refusal`, or with an abort error if `signal` aborts.
 */
export async function readTracks(
  client: Client,
  { from, to }: { readonly from: number; readonly to: number },
  signal: AbortSignal
): Promise<TrackList> {
  const query = { types: placeTypes, fromTime: from, toTime: to, limit: maxEvents }
  const { events } = await client.callAlone<{ events: readonly Event[] }>('events.get', query, signal)
  const holders = events.filter(({ type }) => type.startsWith('series:'))
  const read = await Promise.all(
    holders.slice(0, maxTracks).map(async event => await readTrack(client, event, { from, to }, signal))
  )
  const places = events.filter(({ type }) => !type.startsWith('series:')).map(toPlace)
  const tracks = [...places, ...read].filter(({ fixes }) => fixes.length > 0)
  return {
    tracks: tracks.toSorted((a, b) => b.fixes[0]!.time - a.fixes[0]!.time),
    isTruncated: events.length === maxEvents || holders.length > maxTracks
  }
}

function toPlace(event: Event): Track {
  const fix = toFix(event.time, event.content)
  return { event, fixes: fix ? [fix] : [], length: 0 }
}

/** Reads the positions of a series in a range of seconds, sampled if there are many. */
async function readTrack(
  client: Client,
  event: Event,
  { from, to }: { readonly from: number; readonly to: number },
  signal: AbortSignal
): Promise<Track> {
  const { fields, points } = await client.callAlone<SeriesPoints>(
    'hfs.get',
    {
      id: event.id,
      fromDeltaTime: Math.max(0, from - event.time),
      toDeltaTime: Math.max(0, to - event.time),
      sample: maxFixes / 4
    },
    signal
  )
  const fixes = points.flatMap(cells => {
    const content = Object.fromEntries(fields.map((field, index) => [field, cells[index]]))
    const fix = toFix(event.time + Number(content['deltaTime']), content)
    return fix ? [fix] : []
  })
  return { event, fixes, length: getLength(fixes) }
}

/** Returns a position of a track; `undefined` if it is not on the earth. */
function toFix(time: number, content: unknown): Fix | undefined {
  if (typeof content !== 'object' || content === null) return undefined
  const { latitude, longitude, speed, horizontalAccuracy } = content as Record<string, unknown>
  if (typeof latitude !== 'number' || typeof longitude !== 'number') return undefined
  if (Math.abs(latitude) > 90 || Math.abs(longitude) > 180) return undefined
  return {
    time,
    latitude,
    longitude,
    ...(isValid(speed) ? { speed } : {}),
    ...(isValid(horizontalAccuracy) ? { accuracy: horizontalAccuracy } : {})
  }
}

/** Returns whether a value is known: negative numbers mean unknown. */
function isValid(value: unknown): value is number {
  return typeof value === 'number' && value >= 0
}

/** Returns the length of a track in metres, without gaps. */
function getLength(fixes: readonly Fix[]): number {
  let sum = 0
  for (let at = 1; at < fixes.length; at++) {
    const [before, fix] = [fixes[at - 1]!, fixes[at]!]
    if (fix.time - before.time <= maxGap) sum += measureDistance(before, fix)
  }
  return sum
}
