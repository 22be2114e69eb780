/** The forms that exports have, and what they are made of. */
import type { Event } from '../../schemas/event.js'
import type { Call } from '../call/method.js'
import type { Selection } from '../events/selection.js'
import type { Instants } from './instants.js'
import type { Pieces, Turn } from './pieces.js'
import type { StreamNames } from './stream-names.js'
import type { Values } from './values.js'

/** What is asked for, besides the events. */
export interface Wishes extends Selection {
  /** Name of the time zone in which times are written. */
  readonly zone?: string
  /** Whether the points of series are wanted, too. */
  readonly series?: boolean
  /** Columns of a wide table. */
  readonly columns?: string[]
  /** What stands above them. */
  readonly titles?: string[]
  /** Whether a byte order mark comes first. */
  readonly bom?: boolean
}

/** What a form writes from. */
export interface Sources {
  readonly call: Call
  readonly turn: Turn
  readonly wishes: Wishes
  readonly instants: Instants
  readonly names: StreamNames
  readonly values: Values
  /** The JSON texts of the events; empty ones let others get on. */
  readonly texts: () => Pieces
}

/** A form that exports have. */
export interface Form {
  readonly mediaType: string
  readonly extension: string
  /** Whether it holds what has no place in streams, such as records of the audit. */
  readonly takesAudit: boolean
  /** Whether it can hold points of series. */
  readonly takesSeries: boolean
  /** Whether its order is its own, so that nothing can be skipped. */
  readonly isOrdered?: true
  write(sources: Sources): Pieces
}

/** The names of an event's first stream, as the reader may see them. */
export function pathOf({ names, turn }: Sources, { streamIds }: Pick<Event, 'streamIds'>): readonly string[] {
  return names.path(turn.reader, streamIds[0]!)
}

/** A time in seconds, without the noise of adding. */
export function microseconds(time: number): number {
  return Math.round(time * 1e6) / 1e6
}
