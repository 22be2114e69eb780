/** Reads series: min, max and mean per part, merged over all holder events in the range. */
import type { Event, SeriesPoints } from '../data/model.js'
import type { LaneData, Part } from './lane-data.js'
import type { Grid, LoadRequest } from './load-request.js'

/** Maximum holder events, each of which takes a call. */
const maxHolders = 400

/**
 * Reads the series of a plan in the range of the grid: of the first {@link maxHolders} holder events, one part for each step
 * with points, by time. Rejects with a `Refusal`, or if it is cancelled.
 */
export async function loadSeries({ client, grid, plan, signal }: LoadRequest): Promise<LaneData> {
  const { streamIds, types } = plan
  const params = { streams: streamIds, types, fromTime: grid.from, toTime: grid.to, limit: maxHolders }
  const [{ events }] = await client.batchStrict<[{ events: readonly Event[] }]>(
    [{ method: 'events.get', params }],
    signal
  )
  const requests = events.flatMap(holder => buildRequests(holder, grid))
  if (requests.length === 0) return { kind: 'band', parts: [], step: grid.step }
  const calls = requests.map(({ params: own }) => ({ method: 'hfs.get' as const, params: own }))
  const results = await client.batchStrict<SeriesPoints[]>(calls, signal)
  const parts = new Map<number, Part>()
  results.forEach((result, at) => {
    for (const part of toParts(result, requests[at]!.holder, grid)) {
      const existing = parts.get(part.time)
      parts.set(part.time, existing ? mergeParts(existing, part) : part)
    }
  })
  return {
    kind: 'band',
    step: grid.step,
    parts: Array.from(parts.values()).toSorted((one, other) => one.time - other.time)
  }
}

/** Returns the params for a holder event: the parts of the grid in which it may have points. */
function buildRequests(holder: Event, { from, step, to }: Grid) {
  const end = holder.duration === null ? to : Math.min(to, holder.time + (holder.duration ?? 0) + step)
  const first = Math.floor((Math.max(from, holder.time) - from) / step)
  const last = Math.ceil((end - from) / step)
  if (last <= first) return []
  const begin = from + first * step - holder.time
  const params = {
    id: holder.id,
    fromDeltaTime: begin,
    toDeltaTime: begin + (last - first) * step,
    sample: last - first,
    summary: true
  }
  return [{ holder, params }]
}

/** Converts the sampled points of a series to parts of the grid; empty if they have no mean. */
function toParts({ fields, points }: SeriesPoints, { time }: Event, { from, step }: Grid): Part[] {
  const column = fields.find(name => name === 'value.mean') ?? fields.find(name => name.endsWith('.mean'))
  if (column === undefined) return []
  const name = column.slice(0, -'.mean'.length)
  const [delta, count, min, max, mean] = ['deltaTime', 'count', `${name}.min`, `${name}.max`, column].map(
    each => fields.indexOf(each)
  )
  return points.flatMap(row => {
    const [low, high] = [row[min!], row[max!]]
    if (typeof low !== 'number' || typeof high !== 'number') return []
    // Removes rounding errors: parts begin on the grid.
    const place = Math.round((time + row[delta!]! - from) / step)
    return [
      {
        time: from + place * step,
        count: row[count!]!,
        min: low,
        max: high,
        mean: row[mean!] ?? (low + high) / 2
      }
    ]
  })
}

function mergeParts(one: Part, other: Part): Part {
  const count = one.count + other.count
  return {
    time: one.time,
    count,
    min: Math.min(one.min, other.min),
    max: Math.max(one.max, other.max),
    mean: (one.mean * one.count + other.mean * other.count) / count
  }
}
