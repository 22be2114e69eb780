/** What is asked of a loader. Times in seconds. */
import type { Client } from '../data/client.js'
import type { Plan } from './plan.js'

/** A range in parts of the same length. */
export interface Grid {
  readonly from: number
  readonly to: number
  readonly step: number
}

export interface Loading {
  readonly client: Client
  readonly plan: Plan
  readonly grid: Grid
  readonly signal: AbortSignal
}
