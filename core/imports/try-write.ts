/** Writes of records that may be refused. */
import type { EventDraft } from '../../imports/protocol.js'
import type { Call } from '../call/method.js'
import { ApiError } from '../errors.js'
import type { RecordResult } from './tally.js'

/** Runs a part of a transaction, which is rolled back if it is refused. Returns the result for its record. */
export function tryWrite({ store }: Call, work: () => void): RecordResult {
  try {
    store.savepoint(work)
    return 'broughtIn'
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    if (error.id === 'invalid-parameters-format' || error.id === 'invalid-event-type') return 'unfit'
    if (error.id === 'invalid-operation') return 'trashed'
    if (error.id === 'item-already-exists') return 'known'
    throw error
  }
}

/** Returns whether the content of a record is valid for its type. */
export function isValidContent({ services }: Call, { content, type }: EventDraft): boolean {
  try {
    services.eventTypes.check(type, content)
    return true
  } catch {
    return false
  }
}
