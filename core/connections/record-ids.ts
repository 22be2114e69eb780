/** Remembers how ids are derived for each account: deriving those of streams takes longer than looking them up. */
import type { StreamDraft } from '../../imports/protocol.js'
import { getLaneKey } from '../../imports/pipeline/lane-key.js'
import { RecordIds } from '../../imports/pipeline/record-ids.js'
import type { UserStore } from '../../storage/user/user-store.js'
import type { DialectInfo } from '../call/dialects.js'
import { requireAccountKey } from '../imports/memory.js'
import type { ReceivedRecord } from './intake-context.js'

/** Maximum number of accounts, or of their streams, that are remembered. */
const maxRemembered = 500

const remembered = new Map<string, RecordIds>()

/** Returns the ids of what is stored below a stream. Creates the key of the account, within a transaction, if there is none. */
export function getRecordIds(store: UserStore, parentId: string | null): RecordIds {
  const key = requireAccountKey(store)
  const name = `${key} ${parentId ?? ''}`
  const found = remembered.get(name) ?? new RecordIds(key, parentId ?? '')
  // The one that was used last comes last.
  remembered.delete(name)
  remembered.set(name, found)
  if (remembered.size > maxRemembered) remembered.delete(remembered.keys().next().value!)
  return found
}

/**
 * Returns the streams of a record, from the stream of its format down to the one that holds it. A record with a measure that
 * the user has chosen gets a stream of its own.
 */
export function getStreamPath(
  ids: RecordIds,
  format: DialectInfo['format'],
  record: ReceivedRecord
): readonly StreamDraft[] {
  const path = ids.getPath(format, record)
  const { measure } = record
  if (measure === undefined) return path
  const id = ids.getMeasureStreamId(format.id, measure, record)
  return [...path.slice(0, -1), { id, name: path.at(-1)!.name, measure }]
}

/** Returns the key of the lane of a record. Records of different streams have different keys. */
export function getReceivedLaneKey(format: string, record: ReceivedRecord): string {
  const key = getLaneKey(format, record)
  return record.measure === undefined ? key : `${key}\nmeasure ${record.measure}`
}
