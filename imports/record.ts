/** Defines formats: they read a source of bytes and emit records one by one. */
import { formatNotice, createNotice, type MessageText, type Notice, type MessageValues } from './messages.js'
import type { SkipReason } from './skip-reasons.js'

/** One record of a file, in the service's terms. */
export interface ImportedRecord {
  /** Kind of the record, as the file names it. Records are counted by kind. */
  readonly kind: string
  /** Device or app that measured the record; empty if unknown. */
  readonly source: string
  /** Event type of the content. */
  readonly type: string
  /** Name of the record's stream, below the stream of the format. */
  readonly stream: string
  /** Names of the streams between the stream of the format and the record's stream, for files that contain a tree. */
  readonly path?: readonly string[] | undefined
  /** Paths of the record's other streams, each ending with the name of the stream. */
  readonly otherPaths?: readonly (readonly string[])[] | undefined
  /** The marks of the streams on its path and of its own: the measure of each, in files that name it. */
  readonly marks?: StreamMarks | undefined
  /** The same for its other paths. */
  readonly otherMarks?: readonly StreamMarks[] | undefined
  /** True if the record must become an event, however many records there are. */
  readonly isEvent?: boolean | undefined
  /** Seconds since the epoch. */
  readonly time: number
  /** Seconds; `null` if the record was ongoing. */
  readonly duration?: number | null | undefined
  /** A number or a flat object of numbers may become a data point of a series. Anything else is always an event. */
  readonly content?: unknown
  /** Track of the data point, which becomes its own series. The text is the same each time the file is read. */
  readonly track?: string | undefined
  /** Tracks that the record is about: their series of positions have its description. */
  readonly describedTracks?: readonly string[] | undefined
  /** Distinguishes the record from other records of the same time; by default its content does. */
  readonly identity?: string | undefined
  /**
   * For records of which later files may contain other versions: digests of what all versions share, and of this one's content.
   * Only one version is imported.
   */
  readonly version?: RecordVersion | undefined
  /** Time zone in which the record was measured, as stated by the file. */
  readonly zone?: string | undefined
  /** Of a data point of a track: the description of its series, the same for all of its points. */
  readonly description?: string | undefined
  readonly clientData?: Readonly<Record<string, unknown>> | undefined
  /**
   * Files attached to the record. Their bytes follow through {@link Sink.addFile}. Only records with `isEvent` have
   * files.
   */
  readonly files?: readonly AttachedFile[] | undefined
}

/** The mark of the measure of each stream on a path; `null` for streams without one. */
export type StreamMarks = readonly (string | null)[]

/** Digests that identify a record over all its versions (`record`), and one of its versions (`state`). */
export interface RecordVersion {
  readonly record: string
  readonly state: string
}

/** A file that is attached to a record. */
export interface AttachedFile {
  /** Identifies its bytes; the same each time the file is read. */
  readonly key: string
  readonly fileName: string
  /** MIME type. */
  readonly type: string
}

/** Receives the records of a file. Each record results in exactly one call of `addRecord` or `skip`. */
export interface Sink {
  /** Adds a record, or ignores it if it is beyond a limit. */
  addRecord(record: ImportedRecord): void
  /**
   * Counts records that cannot be imported. `row` is the number of a row of a table, from 1, or of a sheet with its name:
   * `Weights!5`.
   */
  skip(kind: string, reason: SkipReason, count?: number, row?: number | string): void
  /** Adds the bytes of a file that a record has named; the file itself counts as a record of this kind. Await the result. */
  addFile(kind: string, key: string, source: SourceFile): Promise<void>
  /** Reports something about the whole file to the user. */
  warn(message: MessageText, values?: MessageValues): void
}

/** Ignores everything, for reading a file before its records are emitted. */
export const silentSink: Pick<Sink, 'skip' | 'warn'> = { skip: () => undefined, warn: () => undefined }

/** A sink that receives the format before its records. */
export interface FormatSink extends Sink {
  /** Called with the format of the records that follow. */
  beginFormat(format: Pick<Format, 'id' | 'name'>): void
}

/** A file, possibly within an archive. */
export interface SourceFile {
  readonly name: string
  /** Size in bytes, decompressed. */
  readonly size: number
  /** Path of the file's bytes on disk, for random access; absent if the bytes are in an archive. */
  readonly path?: string
  /** Reads the file from the beginning. May be called several times. */
  bytes(): AsyncIterable<Buffer>
}

/** The first bytes of a file, for detecting its format. */
export interface FileHead {
  readonly bytes: Buffer
  /** The bytes as text, without a byte order mark. */
  readonly text: string
  readonly name: string
}

export type DateOrder = 'dmy' | 'mdy' | 'ymd'
export type Decimals = 'comma' | 'point'

/** How the columns of a table are interpreted. */
export interface Mapping {
  /** Index of the column of times. */
  readonly time: number
  /** Index of the column of the time of day, if `time` only contains the date. */
  readonly clock?: number
  /** Index of the column of ends, or of durations in seconds. */
  readonly end?: number
  /** Seconds per unit of a duration in the column of ends; 1 by default. */
  readonly endFactor?: number
  /** Index of the column of sources. */
  readonly source?: number
  /** Index of the column of descriptions. */
  readonly description?: number
  /** Time zone of the table: an IANA name or an offset such as `+02:00`; by default the zone in the options. */
  readonly zone?: string
  /** Index of the column of time zones or offsets. */
  readonly zoneColumn?: number
  /** Order of the parts of dates such as 03/04/2024, or 24/03/04. */
  readonly dates?: DateOrder
  /** The decimal separator, for columns in which neither cells nor measures show it. */
  readonly decimals?: Decimals
  readonly values: readonly ColumnMapping[]
}

export interface ColumnMapping {
  readonly column: number
  readonly type: string
  readonly stream: string
  /** Field of the content, for types whose content is an object. Columns with the same type and stream form one record. */
  readonly field?: string
  /** Factor of the value, such as 100 for fractions stored as percent. */
  readonly factor?: number
  /** True if a zero means that nothing was measured. */
  readonly skipsZero?: boolean
  /** Contents by cell, in lower case. */
  readonly codes?: Readonly<Record<string, unknown>>
}

/** What the user specifies for a file. */
export interface ReadOptions {
  /** IANA zone for times without a zone. */
  readonly zone?: string
  /** Mappings by the header of their table. */
  readonly mappings?: Readonly<Record<string, Mapping>>
}

export type ContentSchemas = Readonly<Record<string, Readonly<Record<string, unknown>>>>

/** How a table is interpreted, for review and correction. */
export interface TableView {
  /** Identifies tables with the same columns. */
  readonly header: string
  readonly columns: readonly string[]
  readonly sample: readonly (readonly string[])[]
  readonly mapping: Mapping | undefined
  /** Questions to answer before these columns can be imported. */
  readonly questions?: readonly Question[]
}

/** An ambiguous column. */
export interface Question {
  /** Index of the column. */
  readonly column: number
  /** Member of the mapping that answers the question. */
  readonly asks: 'dates' | 'decimals'
  /** Some ambiguous cells. */
  readonly cells: readonly string[]
  /** Values of the cells by answer: numbers, or times in seconds. */
  readonly readings: Readonly<Record<string, readonly number[]>>
}

export interface ReadContext {
  readonly options: ReadOptions
  /** JSON Schemas of contents by type; the format `*` stands for all other formats of its class. */
  readonly types?: ContentSchemas
  /** Reports how a table is interpreted. */
  reportTable(view: TableView): void
}

/** Number of characters at the beginning of a file in which formats look for what is theirs. */
export const markLength = 4000

/** A format that can be read. */
export interface Format {
  readonly id: string
  /** Display name; also names its stream. */
  readonly name: string
  /** Returns true if a file has this format, by its content. */
  recognises(head: FileHead): boolean
  /**
   * Reads a file and passes its records to the sink. Throws `Unreadable` if it cannot be read as this format.
   */
  read(source: SourceFile, head: FileHead, sink: Sink, context: ReadContext): Promise<void>
}

/** A format that consists of a whole archive. */
export interface ArchiveFormat extends Omit<Format, 'read'> {
  /** Returns true if an archive has this format, by its first file. */
  recognises(first: FileHead): boolean
  /** Reads the files of an archive. Each file is readable until the next one is requested. */
  read(files: AsyncIterable<SourceFile>, sink: Sink, context: ReadContext): Promise<void>
}

/** Thrown if a file, or the rest of it, cannot be read. The message is shown to the user. */
export class Unreadable extends Error {
  readonly notice: Notice

  constructor(message: MessageText, values?: MessageValues) {
    const notice = createNotice(message, values)
    super(formatNotice(notice))
    this.name = 'Unreadable'
    this.notice = notice
  }
}
