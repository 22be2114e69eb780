/** Leaves out what cannot be stored in any account. */
import { isBeyond } from '../../core/events/attachments.js'
import { LimitingSink } from '../../imports/pipeline/limiting-sink.js'
import type { AttachedFile } from '../../imports/record.js'
import { isPlausible } from '../../imports/text/times.js'
import type { Steps } from '../../storage/steps.js'
import type { Reading, ReceivedRecord } from './dialect.js'

/** The records of a request that fit the limits of records, and their files. */
interface LimitedReading {
  readonly records: readonly Omit<ReceivedRecord, 'fileBytes'>[]
  readonly files: readonly (AttachedFile & { readonly bytes: Buffer })[]
  readonly notUnderstood: ReadonlyMap<string, number>
}

/** Number of records of a step. */
const stepRecords = 200

/** Omits and counts records that cannot be stored in any account: too large, or with impossible times or numbers. */
export function* limitReadingInSteps(reading: Reading, maxFileBytes: number): Steps<LimitedReading> {
  const notUnderstood = new Map(reading.notUnderstood)
  const records: Omit<ReceivedRecord, 'fileBytes'>[] = []
  const files: LimitedReading['files'][number][] = []
  const skip = (kind: string, count = 1): void =>
    void notUnderstood.set(kind, (notUnderstood.get(kind) ?? 0) + count)
  const sink = new LimitingSink({
    addRecord: record => records.push(record),
    skip: (kind, _reason, count) => skip(kind, count),
    addFile: () => Promise.resolve(),
    warn: () => undefined
  })
  for (const [index, { fileBytes, ...record }] of reading.records.entries()) {
    if (index % stepRecords === 0) yield
    const own = (record.files ?? []).flatMap(file => {
      const bytes = fileBytes?.get(file.key)
      return bytes ? [{ ...file, bytes }] : []
    })
    const isFit = isPlausible(record.time) && !own.some(({ bytes }) => isBeyond(maxFileBytes, bytes.length))
    if (!isFit) {
      skip(record.kind)
      continue
    }
    sink.addRecord(record)
    files.push(...own)
  }
  return { records, files, notUnderstood }
}
