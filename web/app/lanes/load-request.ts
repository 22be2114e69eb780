/** A request to load the data of a lane. Times are in seconds. */
import type { Client } from '../data/client.js'
import type { Zones } from './calendar.js'
import type { LanePlan } from './plan-lane.js'

/** A time range divided into parts of equal length. */
export interface Grid {
  readonly from: number
  readonly to: number
  readonly step: number
}

export interface LoadRequest {
  readonly client: Client
  readonly plan: LanePlan
  readonly grid: Grid
  readonly zones: Zones
  readonly signal: AbortSignal
}

/** Returns the number of parts of a grid that are requested. */
export function countParts({ from, step, to }: Grid): number {
  return Math.max(1, Math.min(4000, Math.round((to - from) / step)))
}
