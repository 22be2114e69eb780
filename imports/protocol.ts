/** What passes between the thread that reads a file and the one that owns the account. */
import type { Notice } from './messages.js'
import type { Options, TableView } from './record.js'

/** Whether a lane becomes points of series or events. */
export type Form = 'series' | 'events'

/** The least or greatest numbers of contents: one number, or one for each field of objects. */
export type Bound = number | Readonly<Record<string, number>>

/** What the contents of a lane are like. */
export interface Sampled {
  /** The first content, unless it is long; texts are cut. */
  readonly example?: unknown
  readonly min?: Bound
  readonly max?: Bound
}

/** Data of one type and source, which are kept alike. */
export interface Lane extends Sampled {
  /** Identifies it, in whichever file. */
  readonly key: string
  readonly format: string
  readonly stream: string
  readonly source: string
  readonly type: string
  readonly form: Form
  readonly count: number
  /** Seconds. */
  readonly from: number
  readonly to: number
}

export type Counts = Record<string, number>

/** What a file holds. */
export interface Look {
  /** Id of the format that most records are of. */
  readonly format: string
  readonly formatName: string
  /** By what the file calls them. */
  readonly records: Counts
  readonly leftOut: Counts
  /** By reason, what the file calls the records that are left out. */
  readonly leftOutKinds?: Readonly<Record<string, Counts>>
  /** By reason, the first rows of tables that are left out, from 1, of sheets with their names; empty lines of texts do not count. */
  readonly leftOutRows?: Readonly<Record<string, readonly (number | string)[]>>
  readonly sources: Counts
  readonly types: Counts
  readonly lanes: readonly Lane[]
  readonly from: number | null
  readonly to: number | null
  readonly warnings: readonly string[]
  /** The same, to be told in other languages. */
  readonly notices?: readonly Notice[]
  readonly tables: readonly TableView[]
}

/** A lane with what the first reading of its file has found. */
export interface CountedLane extends Sampled {
  readonly key: string
  readonly format: string
  readonly stream: string
  readonly path: readonly string[] | undefined
  readonly source: string
  readonly type: string
  readonly mayBeSeries: boolean
  readonly isTrack: boolean
  readonly count: number
  /** Seconds. */
  readonly from: number
  readonly to: number
}

/** The result of the first reading, which is the same for the same bytes. */
export interface Counted {
  readonly look: Look
  readonly lanes: readonly CountedLane[]
}

/** Which file is read, and how. */
export interface Assignment {
  readonly file: string
  readonly fileName: string
  /** Where an archive within the file is put while it is read. */
  readonly spool: string
  /** Where a file of an event is put until it is kept. */
  readonly unpacked: string
  readonly options: Options
  /** Id of the stream below which data go; empty for none. */
  readonly below: string
  /** The account's key of ids, as hexadecimal digits. */
  readonly key: string
  /** Forms that lanes have had before. */
  readonly forms: Readonly<Record<string, Form>>
  /** Version of the software: another one may read the same bytes differently. */
  readonly version: string
}

/** What the thread is started with, beside its port. */
export interface ReaderData {
  readonly assignment: Assignment
  /** One number: how many batches have been dealt with. The thread waits for it, wherever it is in the file. */
  readonly taken: Int32Array<SharedArrayBuffer>
}

/** A stream on the way to data, which is made if it is not there. */
export interface StreamDraft {
  readonly id: string
  readonly name: string
}

export interface EventDraft {
  readonly id: string
  readonly path: readonly StreamDraft[]
  /** Ways to the other streams that it is in. */
  readonly also: readonly (readonly StreamDraft[])[]
  readonly type: string
  readonly time: number
  readonly duration: number | null | undefined
  readonly content: unknown
  readonly description: string | undefined
  readonly clientData: Readonly<Record<string, unknown>> | undefined
  /** Whether files of it are to follow. */
  readonly hasFiles: boolean
}

/** A file that is to be added to an event. */
export interface FileDraft {
  readonly id: string
  /** Id of its event. */
  readonly event: string
  readonly fileName: string
  /** MIME type. */
  readonly type: string
  /** Bytes, as its archive says. */
  readonly size: number
}

/** Points of one series, ascending; several of one time may be there. */
export interface PointsDraft {
  /** Id of the event that holds the series. */
  readonly holder: string
  readonly path: readonly StreamDraft[]
  /** Of the points. */
  readonly type: string
  /** When the series begins, in seconds, if it does not exist yet. */
  readonly origin: number
  readonly columns: readonly string[]
  /** Row after row: time (seconds), then a cell for each column, `NaN` for none. */
  readonly cells: Float64Array
}

export interface Batch {
  readonly events: readonly EventDraft[]
  readonly points: readonly PointsDraft[]
}

export type FromReader =
  | { readonly is: 'progress'; readonly done: number; readonly total: number; readonly pass: 1 | 2 }
  /** The digest of the file and of how it is to be read; it waits for {@link ToReader} `recalled`. */
  | { readonly is: 'digest'; readonly digest: string }
  /** `counted` is what may be recalled for the same digest, where that is not too much. */
  | { readonly is: 'counted'; readonly look: Look; readonly counted: Counted | undefined }
  | { readonly is: 'batch'; readonly batch: Batch }
  /** A file, of which {@link ToReader} `offered` tells whether its bytes are wanted. */
  | { readonly is: 'file'; readonly file: FileDraft }
  /** Its bytes lie where the assignment says; {@link ToReader} `kept` tells that they are not needed there any more. */
  | { readonly is: 'bytes'; readonly file: FileDraft }
  | { readonly is: 'done'; readonly twice: Counts }
  | { readonly is: 'unreadable'; readonly message: string; readonly notice: Notice }

export type ToReader =
  /** A batch has been dealt with. */
  | { readonly is: 'taken' }
  | { readonly is: 'offered'; readonly isWanted: boolean }
  | { readonly is: 'kept' }
  /**
   * What an earlier reading of the same bytes has found, if there was one. With `isSettled` it is known what becomes of the
   * records, too: none is to be given out.
   */
  | { readonly is: 'recalled'; readonly counted: Counted | undefined; readonly isSettled: boolean }
