/** Leaves out what cannot be stored in any account. */
import { LimitingSink } from '../../imports/pipeline/limiting-sink.js'
import { isPlausible } from '../../imports/text/times.js'
import type { Reading, ReceivedRecord } from './dialect.js'

/** Returns a reading without records that are too large or of an implausible time, which it counts as not understood. */
export function limitReading(reading: Reading): Reading {
  const notUnderstood = new Map(reading.notUnderstood)
  const records: ReceivedRecord[] = []
  const skip = (kind: string, count = 1): void => {
    notUnderstood.set(kind, (notUnderstood.get(kind) ?? 0) + count)
  }
  const sink = new LimitingSink({
    addRecord: record => records.push(record),
    skip: (kind, _reason, count) => skip(kind, count),
    addFile: () => Promise.resolve(),
    warn: () => undefined
  })
  for (const record of reading.records) {
    if (isPlausible(record.time)) sink.addRecord(record)
    else skip(record.kind)
  }
  return { ...reading, records, notUnderstood }
}
