/** What readers of foreign files take and give: a source of bytes in, data one by one out. */
import { inEnglish, noticeOf, type Message, type Notice, type Values } from './messages.js'
import type { Reason } from './reasons.js'

/** One record of a file, in the terms of the service. */
export interface Datum {
  /** What the file calls it: records are counted by this. */
  readonly kind: string
  /** The device or program that measured it; empty where the file does not tell. */
  readonly source: string
  /** The type of an event with this content. */
  readonly type: string
  /** Name of its stream below that of the format. */
  readonly stream: string
  /** Names of streams between that of the format and its own, for files that hold a tree. */
  readonly path?: readonly string[] | undefined
  /** Further streams that it is in, each as the names of a path with its own at the end. */
  readonly also?: readonly (readonly string[])[] | undefined
  /** It was an event where it comes from, and is to be one however many there are. */
  readonly isEvent?: boolean | undefined
  /** Seconds since the epoch. */
  readonly time: number
  /** Seconds; `null` for what was still going on. */
  readonly duration?: number | null | undefined
  /** A number or flat object of numbers may become a point of a series; anything else is always an event. */
  readonly content?: unknown
  /** The point belongs to this track, which becomes a series of its own; a text that is the same each time the file is read. */
  readonly track?: string | undefined
  /** What tells it from others of its time; its content unless given. */
  readonly identity?: string | undefined
  /** Where it was measured, as the file says. */
  readonly zone?: string | undefined
  readonly description?: string | undefined
  readonly clientData?: Readonly<Record<string, unknown>> | undefined
  /** Files that belong to it. Their bytes come later, by {@link Sink.file}; only records with `isEvent` have files. */
  readonly files?: readonly FileName[] | undefined
}

/** A file that belongs to a record. */
export interface FileName {
  /** By which its bytes name it; the same each time the file is read. */
  readonly key: string
  readonly fileName: string
  /** MIME type. */
  readonly type: string
}

/** Takes what a reader finds. Each record of the file goes to exactly one call of `datum` or `leftOut`. */
export interface Sink {
  datum(datum: Datum): void
  /** Records that cannot be brought in. `row` is that of a table, from 1, or of a sheet with its name: `Weights!5`. */
  leftOut(kind: string, reason: Reason, count?: number, row?: number | string): void
  /** The bytes of a file that a record has named, which is a record of this kind itself. To be awaited. */
  file(kind: string, key: string, source: Source): Promise<void>
  /** Something about the file as a whole that the person should know. */
  warn(message: Message, values?: Values): void
  /** To be awaited every now and then, so that the reader is not faster than the writer. */
  drained(): Promise<void> | undefined
}

/** A sink that is told which format comes next. */
export interface FormatSink extends Sink {
  begin(format: Pick<Format, 'id' | 'name'>): void
}

/** A file, or one within an archive. */
export interface Source {
  readonly name: string
  /** Bytes, unpacked. */
  readonly size: number
  /** Where it lies on the disk as it is, if it does: for what is not read from beginning to end. */
  readonly path?: string
  /** Reads it from its beginning; may be called again. */
  bytes(): AsyncIterable<Buffer>
}

/** The beginning of a file, for recognising it. */
export interface Head {
  readonly bytes: Buffer
  /** The same as text, without a byte order mark. */
  readonly text: string
  readonly name: string
}

export type DateOrder = 'dmy' | 'mdy' | 'ymd'
export type Decimals = 'comma' | 'point'

/** How the columns of a table are to be understood. */
export interface Mapping {
  /** Index of the column of times. */
  readonly time: number
  /** Index of a column that holds the time of the day, where `time` holds the date alone. */
  readonly clock?: number
  /** Index of a column that holds ends, or lengths in seconds. */
  readonly end?: number
  /** Seconds that a length of 1 in the column of ends stands for; 1 unless given. */
  readonly endFactor?: number
  /** Index of a column that names the source. */
  readonly source?: number
  /** Index of a column that describes what is measured. */
  readonly description?: number
  /** Time zone of the table, as an IANA name or an offset such as `+02:00`; that of the options unless given. */
  readonly zone?: string
  /** Index of a column of time zones or offsets. */
  readonly zoneColumn?: number
  /** Order of the parts of dates such as 03/04/2024, or 24/03/04. */
  readonly dates?: DateOrder
  /** What stands before decimals, in columns of which neither their cells nor what they measure tell it. */
  readonly decimals?: Decimals
  readonly values: readonly ColumnMapping[]
}

export interface ColumnMapping {
  readonly column: number
  readonly type: string
  readonly stream: string
  /** For types whose content is an object: which of its fields. Columns of one type and stream make one record together. */
  readonly field?: string
  /** By which the value is multiplied, such as 100 for fractions that are to be percent. */
  readonly factor?: number
  /** Whether a zero means that nothing was measured. */
  readonly skipsZero?: boolean
  /** Contents by what stands in a cell, in small letters. */
  readonly codes?: Readonly<Record<string, unknown>>
}

/** What the person says of a file. */
export interface Options {
  /** IANA zone of times that name none. */
  readonly zone?: string
  /** By the header of the table that it was made for. */
  readonly mappings?: Readonly<Record<string, Mapping>>
}

/** How a table was understood, to be shown and corrected. */
export interface TableView {
  /** Identifies tables of the same make. */
  readonly header: string
  readonly columns: readonly string[]
  readonly sample: readonly (readonly string[])[]
  readonly mapping: Mapping | undefined
  /** What has to be said before these columns are brought in. */
  readonly questions?: readonly Question[]
}

/** A column that may be read in more than one way. */
export interface Question {
  /** Index of the column. */
  readonly column: number
  /** The member of the mapping that answers it. */
  readonly asks: 'dates' | 'decimals'
  /** Some cells that may be read in several ways. */
  readonly cells: readonly string[]
  /** By the answer, what the cells would be: numbers, or times in seconds. */
  readonly readings: Readonly<Record<string, readonly number[]>>
}

export interface Context {
  readonly options: Options
  /** Told of tables as they are understood. */
  table(view: TableView): void
}

/** A format that can be read. */
export interface Format {
  readonly id: string
  /** As it is called by people; names its stream. */
  readonly name: string
  /** Whether a file is of this format, by its content. */
  recognises(head: Head): boolean
  read(source: Source, head: Head, sink: Sink, context: Context): Promise<void>
}

/** A format whose files are archives as a whole. */
export interface ArchiveFormat extends Omit<Format, 'read'> {
  /** Whether an archive is of this format, by its first file. */
  recognises(first: Head): boolean
  /** Reads its files, each until the next one is taken. */
  read(files: AsyncIterable<Source>, sink: Sink, context: Context): Promise<void>
}

/** Something in a file that keeps it, or the rest of it, from being read. The message is meant for people. */
export class Unreadable extends Error {
  readonly notice: Notice

  constructor(message: Message, values?: Values) {
    const notice = noticeOf(message, values)
    super(inEnglish(notice))
    this.name = 'Unreadable'
    this.notice = notice
  }
}
