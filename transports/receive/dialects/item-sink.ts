/** Lets readers of import formats read the entries of a request. */
import type { ImportedRecord, Sink } from '../../../imports/record.js'
import type { ReceivedRecord } from '../dialect.js'
import { ReadingBuilder } from '../reading-builder.js'

export class ItemSink implements Sink {
  readonly reading = new ReadingBuilder()
  #identity: string | undefined

  /** Reads an entry. It is counted under its kind if nothing of it could be stored. */
  read(kind: string, readItem: () => void): void {
    this.reading.received++
    const before = this.reading.records.length
    readItem()
    if (this.reading.records.length === before) this.reading.skip(kind)
  }

  /** Counts an entry that the user does not want to store. */
  ignore(): void {
    this.reading.received++
  }

  /** Gives an identity to records without one: other values of the same time are corrections. */
  identify(identity: string, addRecords: () => void): void {
    this.#identity = identity
    addRecords()
    this.#identity = undefined
  }

  add(record: ReceivedRecord): void {
    const identity = record.identity ?? this.#identity
    this.reading.add(identity === undefined ? record : { ...record, identity })
  }

  addRecord(record: ImportedRecord): void {
    this.add(record)
  }

  skip(): void {
    // The entry is counted as a whole.
  }

  addFile(): Promise<void> {
    return Promise.resolve()
  }

  warn(): void {
    // Nothing is reported for a request as a whole.
  }
}
