/** Remembers how ids are derived for each account: deriving those of streams takes longer than looking them up. */
import { RecordIds } from '../../imports/pipeline/record-ids.js'
import type { UserStore } from '../../storage/user/user-store.js'
import { requireAccountKey } from '../imports/memory.js'

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
