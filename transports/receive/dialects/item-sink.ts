/** Lets readers of import formats read the entries of a request. */
import { isDeepStrictEqual } from 'node:util'
import type { ImportedRecord, Sink } from '../../../imports/record.js'
import type { ReceivedRecord } from '../dialect.js'
import { ReadingBuilder } from '../reading-builder.js'

export class ItemSink implements Sink {
  readonly reading = new ReadingBuilder()
  /** Places of records without an identity, by stream, source, type and time. */
  readonly #places = new Map<string, number>()
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

  /**
   * Adds a record. Without an identity it replaces what has arrived for its time, as sums of a day do that is not over; unless the
   * request itself has several values of that time.
   */
  add(record: ReceivedRecord): void {
    const identity = record.identity ?? this.#identity
    if (identity !== undefined || record.track !== undefined) {
      this.reading.add(identity === undefined ? record : { ...record, identity })
      return
    }
    const { source, stream, time, type } = record
    const { records } = this.reading
    const key = JSON.stringify([stream, source, type, time])
    const place = this.#places.get(key)
    if (place === undefined) {
      this.#places.set(key, records.length)
      this.reading.add({ ...record, replaces: true })
    } else if (isDeepStrictEqual(records[place]!.content, record.content)) this.reading.add(records[place]!)
    else {
      records[place] = { ...records[place]!, replaces: undefined }
      this.reading.add(record)
    }
  }

  /** Adds a record like {@link add}. */
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
