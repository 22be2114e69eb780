/** Defines the messages between the thread that reads a file and the thread that owns the account. */
import type { Notice } from './messages.js'
import type { ContentSchemas, ReadOptions, StreamMarks, TableView } from './record.js'

/** How a lane is stored: as data points of series, or as events. */
export type LaneForm = 'series' | 'events'

/** Smallest or largest numbers of contents: one number, or one for each field of objects. */
type RangeBound = number | Readonly<Record<string, number>>

/** Example and range of the contents of a lane. */
export interface ContentSample {
  /** The first content, unless it is long; texts in it are truncated. */
  readonly example?: unknown
  readonly min?: RangeBound
  readonly max?: RangeBound
}

/** What the user has chosen for a lane: exactly one of these. */
export interface LaneChoice {
  /** Id of the measure; `null` for none. Records go to a stream of their own that is marked with it. */
  readonly measure?: string | null
  /** Id of an existing stream. */
  readonly streamId?: string
  readonly isLeftOut?: true
}

/** Records of one type and source, which are stored in the same form. */
export interface Lane extends ContentSample {
  /** Identifies the lane across files. */
  readonly key: string
  readonly format: string
  readonly stream: string
  readonly source: string
  readonly type: string
  readonly form: LaneForm
  readonly count: number
  /** Seconds. */
  readonly from: number
  readonly to: number
  /** The streams on the path to its records, whether or not they exist; only the last stream if the user has chosen it. */
  readonly path: readonly StreamDraft[]
  /** The choice that was applied. */
  readonly choice?: LaneChoice
}

export type Counts = Record<string, number>

/** The review of a file: what it contains and what will be imported. */
export interface ImportReview {
  /** Id of the format of most records. */
  readonly format: string
  readonly formatName: string
  /** Number of records by kind, as the file names it. */
  readonly records: Counts
  readonly leftOut: Counts
  /** Kinds of skipped records, by reason. */
  readonly leftOutKinds?: Readonly<Record<string, Counts>>
  /** First skipped rows of tables, by reason: from 1, in sheets with their name. Empty lines of texts do not count. */
  readonly leftOutRows?: Readonly<Record<string, readonly (number | string)[]>>
  readonly sources: Counts
  readonly types: Counts
  readonly lanes: readonly Lane[]
  readonly from: number | null
  readonly to: number | null
  readonly warnings: readonly string[]
  /** The same warnings, for translation. */
  readonly notices?: readonly Notice[]
  readonly tables: readonly TableView[]
}

/** A lane with the result of the first pass. */
export interface CountedLane extends ContentSample {
  readonly key: string
  readonly format: string
  readonly stream: string
  readonly path: readonly string[] | undefined
  readonly marks?: StreamMarks | undefined
  readonly source: string
  readonly type: string
  readonly mayBeSeries: boolean
  readonly isTrack: boolean
  /** For tracks: a text that describes it. */
  readonly description?: string | undefined
  readonly count: number
  /** Seconds. */
  readonly from: number
  readonly to: number
}

/** The result of the first pass, which is the same for the same bytes. */
export interface CountedFile {
  readonly look: ImportReview
  readonly lanes: readonly CountedLane[]
}

/** What to read, and how. */
export interface ReadAssignment {
  readonly file: string
  readonly fileName: string
  /** Path of the spool for nested files while they are read. */
  readonly spool: string
  /** Path of the spool for a file of an event until it is stored. */
  readonly attachmentSpool: string
  readonly options: ReadOptions
  /** Schemas of the directory's types. */
  readonly types: ContentSchemas
  /** Id of the stream below which data are created; empty if data are created at the root. */
  readonly parentStreamId: string
  /** The account's key for deriving ids, in hexadecimal. */
  readonly key: string
  /** Forms that lanes had in earlier imports. */
  readonly previousForms: Readonly<Record<string, LaneForm>>
  /** Choices by key of the lane. */
  readonly choices: Readonly<Record<string, LaneChoice>>
  /** Version of the software: another version may read the same bytes differently. */
  readonly version: string
}

/** Data with which the thread is started, besides its port, and the message with which it begins another file. */
export interface ReaderThreadData {
  readonly assignment: ReadAssignment
  /** Holds one number: the count of processed batches. The thread waits for it while it reads. */
  readonly processedCount: Int32Array<SharedArrayBuffer>
}

/** A stream in the path to data, created if it does not exist. */
export interface StreamDraft {
  readonly id: string
  readonly name: string
  /** The mark of its measure, if the user or the file says one; `null`: the file says that it has none, whatever its name is. */
  readonly measure?: string | null
  /** True if the user has chosen the stream: it exists, and is not created. */
  readonly isChosen?: true
}

export interface EventDraft {
  readonly id: string
  /** Id of what the record measures, which an app may have sent live, with another duration for example. */
  readonly itemId: string
  /** What distinguishes the record in its file, such as the id of an event that was exported. */
  readonly identity: string | undefined
  readonly path: readonly StreamDraft[]
  /** Paths of its other streams. */
  readonly otherPaths: readonly (readonly StreamDraft[])[]
  readonly type: string
  readonly time: number
  readonly duration: number | null | undefined
  readonly content: unknown
  readonly description: string | undefined
  readonly clientData: Readonly<Record<string, unknown>> | undefined
  /** Ids derived from the record of which the event is a version, and from this version. */
  readonly version: { readonly recordId: string; readonly versionId: string } | undefined
  /** Keys of the event's files, which will follow. */
  readonly fileKeys: readonly string[]
}

/** A file to attach to an event. */
export interface FileDraft {
  readonly id: string
  /** Id of the event to which the file belongs. */
  readonly eventId: string
  readonly fileName: string
  /** MIME type. */
  readonly type: string
  /** Size in bytes, as stated by its archive. */
  readonly size: number
}

/** Data points of one series, ascending by time. Several data points may share a time. */
export interface PointsDraft {
  /** Id of the series event. */
  readonly seriesId: string
  readonly path: readonly StreamDraft[]
  /** Type of the data points. */
  readonly type: string
  /** Start of the series in seconds, and its description, used if the series does not exist yet. */
  readonly origin: number
  readonly description: string | undefined
  readonly columns: readonly string[]
  /** Row by row: time (seconds), then a cell for each column, `NaN` for an empty cell. */
  readonly cells: Float64Array
}

export interface DraftBatch {
  readonly events: readonly EventDraft[]
  readonly points: readonly PointsDraft[]
}

export type ReaderMessage =
  | { readonly is: 'progress'; readonly done: number; readonly total: number; readonly pass: 1 | 2 }
  /** Digest of the file and of the options. The thread waits for {@link ReaderReply} `recalled`. */
  | { readonly is: 'digest'; readonly digest: string }
  /** `counted` can be recalled for the same digest, unless it is too large. */
  | { readonly is: 'counted'; readonly look: ImportReview; readonly counted: CountedFile | undefined }
  | { readonly is: 'batch'; readonly batch: DraftBatch }
  /** Announces a file. {@link ReaderReply} `offered` answers whether its bytes are wanted. */
  | { readonly is: 'file'; readonly file: FileDraft }
  /** The bytes are at the path of the assignment. {@link ReaderReply} `kept` confirms that they are stored. */
  | { readonly is: 'bytes'; readonly file: FileDraft }
  /** `leftOutCount`: number of records and files of lanes that the user has excluded. */
  | { readonly is: 'done'; readonly duplicates: Counts; readonly leftOutCount: number }
  | { readonly is: 'unreadable'; readonly message: string; readonly notice: Notice }

/** The last message about a file that was read to its end: another one may follow. */
export interface ReaderIdle {
  readonly is: 'idle'
}

export type ReaderReply =
  /** A batch has been processed. */
  | { readonly is: 'taken' }
  | { readonly is: 'offered'; readonly isWanted: boolean }
  | { readonly is: 'kept' }
  /**
   * Result of an earlier reading of the same bytes, if any. With `isSettled`, the outcome of the records is known as
   * well, so that no records are sent.
   */
  | { readonly is: 'recalled'; readonly counted: CountedFile | undefined; readonly isSettled: boolean }
