/** Export formats and what they write from. */
import type { Event } from '../../schemas/event.js'
import type { Call } from '../call/method.js'
import type { Selection } from '../events/selection.js'
import type { TimeFormatter } from './time-formatter.js'
import type { Chunks, ReadContext } from './chunks.js'
import type { StreamNames } from './stream-names.js'
import type { ValueReader } from './value-reader.js'

/** Options of an export, besides the selection of events. */
export interface ExportOptions extends Selection {
  /** Name of the time zone in which times are written. */
  readonly zone?: string
  /** Whether the points of series are included. */
  readonly series?: boolean
  /** Columns of a wide table. */
  readonly columns?: string[]
  /** Titles of the columns. */
  readonly titles?: string[]
  /** Whether a byte order mark comes first. */
  readonly bom?: boolean
}

/** What a format writes from. */
export interface ExportSources {
  readonly call: Call
  readonly context: ReadContext
  readonly options: ExportOptions
  readonly instants: TimeFormatter
  readonly names: StreamNames
  readonly values: ValueReader
  /** The JSON texts of the events; an empty one lets other work run. */
  readonly texts: () => Chunks
}

/** An export format. */
export interface ExportFormat {
  readonly mediaType: string
  readonly extension: string
  /** True for a format of bytes: the chunks are texts in Latin-1, with a character for each byte. */
  readonly isBinary?: true
  /** Whether the format can hold records of the audit, which are in no stream. */
  readonly supportsAudit: boolean
  /** Whether the format can hold points of series. */
  readonly supportsSeries: boolean
  /** Whether the format has a fixed order, so that no events can be skipped. */
  readonly hasFixedOrder?: true
  /** Writes the export, chunk by chunk; the reader's permissions are checked as it is read. */
  write(sources: ExportSources): Chunks
}

/** Returns the names of an event's first stream and its ancestors, as the reader may see them. */
export function getPath(
  { names, context }: ExportSources,
  { streamIds }: Pick<Event, 'streamIds'>
): readonly string[] {
  return names.path(context.reader, streamIds[0]!)
}

/** Returns whether an export may contain trashed events: tables then have a column that tells them. */
export function includesTrash({ state }: ExportOptions): boolean {
  return state === 'all' || state === 'trashed'
}

/** Returns the last cell of all rows of an event: only tables that may contain trashed events have it. */
export function listTrashCells({ options }: ExportSources, { trashed }: Event): boolean[] {
  return includesTrash(options) ? [trashed === true] : []
}
