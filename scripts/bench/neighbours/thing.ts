/** What is done while a neighbour is watched. */
import type { Cast } from './cast.js'
import type { Hands } from './hands.js'

/** One heavy thing. */
export interface Heavy {
  readonly name: string
  /** Whether it can be done once only, in the course of the bench. */
  readonly isOnce?: true
  /** Whether the service is to keep earlier versions of events. */
  readonly keepsHistory?: true
  do(hands: Hands, cast: Cast): Promise<unknown>
}

/** To compare with. */
export const nothing: Heavy = { name: 'nothing', do: async hands => await hands.rest() }

/** Part of a query that no limit cuts short. */
export const everything = 'limit=1000000000'
