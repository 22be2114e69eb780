/** The forms that exports have, and what they are made of. */
import type { Event } from '../../schemas/event.js'
import type { Call } from '../call/method.js'
import type { Selection } from '../events/selection.js'
import type { TimeFormatter } from './time-formatter.js'
import type { Pieces, ReadContext } from './pieces.js'
import type { StreamNames } from './stream-names.js'
import type { ValueReader } from './value-reader.js'

/** What is asked for, besides the events. */
export interface ExportOptions extends Selection {
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
export interface ExportSources {
  readonly call: Call
  readonly context: ReadContext
  readonly options: ExportOptions
  readonly instants: TimeFormatter
  readonly names: StreamNames
  readonly values: ValueReader
  /** The JSON texts of the events; empty ones let others get on. */
  readonly texts: () => Pieces
}

/** A form that exports have. */
export interface ExportFormat {
  readonly mediaType: string
  readonly extension: string
  /** Whether it holds what has no place in streams, such as records of the audit. */
  readonly supportsAudit: boolean
  /** Whether it can hold points of series. */
  readonly supportsSeries: boolean
  /** Whether its order is its own, so that nothing can be skipped. */
  readonly hasFixedOrder?: true
  write(sources: ExportSources): Pieces
}

/** The names of an event's first stream, as the reader may see them. */
export function getPath(
  { names, context }: ExportSources,
  { streamIds }: Pick<Event, 'streamIds'>
): readonly string[] {
  return names.path(context.reader, streamIds[0]!)
}

/** A time in seconds, without the noise of adding. */
export function roundToMicroseconds(time: number): number {
  return Math.round(time * 1e6) / 1e6
}
