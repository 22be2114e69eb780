/** What storing received records needs. */
import type { RecordIds } from '../../imports/pipeline/record-ids.js'
import type { ImportedRecord } from '../../imports/record.js'
import type { Steps } from '../../storage/steps.js'
import type { DialectInfo } from '../call/dialects.js'
import type { Call, UserMethod } from '../call/method.js'

/** A record to store, as a dialect has read it. */
export interface ReceivedRecord extends ImportedRecord {
  /** Id of the measure, if the user has chosen one: such records have a stream of their own, marked with it. */
  readonly measure?: string | undefined
  /** True if records of its kind are frequent: in a new lane, they become data points, however few have arrived. */
  readonly isFrequent?: boolean | undefined
  /** True if the record has no time but that of its arrival, so that the time does not identify it. */
  readonly isUndated?: boolean | undefined
  /** True if there is one record of its stream and type at a time, although its content identifies it: others are corrections. */
  readonly replaces?: boolean | undefined
  /** Seconds. The record is joined with an event of its stream, type and description to which it is closer than this. */
  readonly joinWithin?: number | undefined
  /** Seconds. The record ends the last ongoing event of its stream and type, if that began less than this before. */
  readonly endsOngoing?: number | undefined
}

/** Selects what a connection has stored: everything of a source, or what has one time. */
export interface Removal {
  readonly source: string
  /** Seconds. */
  readonly time?: number
}

/** The methods with which data is stored, so that all their rules apply. */
export interface IntakeMethods {
  readonly createEvent: UserMethod
  readonly createStream: UserMethod
}

/** Where and how the records of a connection are stored. */
export interface IntakeContext {
  /** A call of the connection's access with all permissions: data may belong to streams that have been moved. */
  readonly call: Call
  readonly methods: IntakeMethods
  readonly format: DialectInfo['format']
  readonly ids: RecordIds
  /** Makes sure that the streams of a record exist. Returns the id of its own stream. */
  readonly provideStream: (record: ReceivedRecord) => Steps<string>
  /** Counts a record that cannot be stored. */
  readonly refuse: (kind: string, count?: number) => void
}

/** Records of one type and source, which are stored in the same form. */
export interface ReceivedLane {
  readonly key: string
  readonly records: readonly ReceivedRecord[]
}
