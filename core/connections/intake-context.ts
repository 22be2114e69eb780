/** What storing received records needs. */
import type { RecordIds } from '../../imports/pipeline/record-ids.js'
import type { ImportedRecord } from '../../imports/record.js'
import type { DialectInfo } from '../call/dialects.js'
import type { Call, UserMethod } from '../call/method.js'

/** A record to store, as a dialect has read it. */
export interface ReceivedRecord extends ImportedRecord {
  /** True if records of its kind are frequent: in a new lane, they become data points, however few have arrived. */
  readonly isFrequent?: boolean | undefined
  /** True if its time is that of its arrival, so that it does not identify the record. */
  readonly isUndated?: boolean | undefined
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
  readonly provideStream: (record: ImportedRecord) => string
  /** Counts a record that cannot be stored. */
  readonly refuse: (kind: string, count?: number) => void
}

/** Records of one type and source, which are stored in the same form. */
export interface ReceivedLane {
  readonly key: string
  readonly records: readonly ReceivedRecord[]
}
