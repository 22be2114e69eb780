/** Counts the places of visits: positions within about 200 m of each other are one place. (docs/api/measure-methods.md#a-week) */
import type { Call } from '../call/method.js'
import { KnownMeasures, type MeasureForm } from './known-measures.js'
import type { MeasureWeek } from './measure-week.js'
import { readOwn } from './read-own.js'
import type { StartedRun } from './run-listing.js'
import { createMeasureScope, listMeasuredTypes } from './scope.js'

/** The result, once it is known. */
export interface Visited {
  places?: MeasureWeek['places']
}

interface Place {
  readonly latitude: number
  readonly longitude: number
  seconds: number
}

/** Size of a place, in degrees of latitude. */
const placeSize = 0.002
/** Largest number of places that are kept of each source. */
const maxPlaces = 5000
/** Values of about 150 bytes for which a place takes memory, and a source besides its places. */
const [valuesPerPlace, valuesPerSource] = [1.5, 2]

/**
 * Starts reading visits between two times, in seconds, and puts the result into `visited`. Those of the
 * source with the most places count; their seconds end at `end`. Lists no items.
 */
export function startVisits(
  call: Call,
  measure: MeasureForm,
  { end, from, visited }: { readonly from: number; readonly end: number; readonly visited: Visited }
): StartedRun<unknown> {
  const bySource = new Map<number, Map<string, Place>>()
  let held = 0
  delete visited.places
  return {
    run: call.store.measures.createContents({
      scope: createMeasureScope(call, new KnownMeasures(call), undefined),
      measure: measure.id,
      types: listMeasuredTypes(call, measure, undefined),
      from,
      end,
      take({ content, source, time, until }) {
        if (content === undefined) return
        const value: unknown = JSON.parse(content)
        const [latitude, longitude] = [readOwn(value, 'latitude'), readOwn(value, 'longitude')]
        if (typeof latitude !== 'number' || typeof longitude !== 'number') return
        let places = bySource.get(source)
        if (!places) {
          bySource.set(source, (places = new Map()))
          held += valuesPerSource
        }
        const key = getPlaceKey(latitude, longitude)
        const seconds = until === undefined ? 0 : Math.max(0, Math.min(until, end) - time)
        const known = places.get(key)
        if (known) known.seconds += seconds
        else if (places.size < maxPlaces) {
          places.set(key, { latitude, longitude, seconds })
          held += valuesPerPlace
        }
      },
      countHeld: () => held
    }),
    *finish() {
      const [largest] = [...bySource.values()].toSorted((a, b) => b.size - a.size)
      if (!largest) return
      const all = [...largest.values()]
      const most = all.reduce((best, place) => (place.seconds > best.seconds ? place : best))
      visited.places = { count: all.length, most }
      yield
    }
  }
}

/** Degrees of longitude are shorter away from the equator. */
function getPlaceKey(latitude: number, longitude: number): string {
  const row = Math.round(latitude / placeSize)
  const width = placeSize / Math.max(0.01, Math.cos((row * placeSize * Math.PI) / 180))
  return `${row},${Math.round(longitude / width)}`
}
