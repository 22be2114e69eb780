/**
 * Events whose content is the account's storage use: counted with every write, inserted into their text when they are read.
 * (docs/spec/accounts.md#system-streams)
 */
import type { Event } from '../../schemas/event.js'
import type { StorageUsed } from '../../storage/repositories/storage-used.js'
import type { UserStore } from '../../storage/user/user-store.js'
import { countOf } from '../account/view.js'
import { eventIntegrity } from '../integrity.js'
import { accountStreams } from '../account/fields.js'
import type { Services } from '../call/services.js'

/** Part of the text of every value in force. Other contents may hold it too, so it is only a first test. Searching for a text
 * that begins with a rare character is fastest. */
const mark = '_system:active'

/** Inserts current counts into the stored text of events. */
export function withLiveValues(services: Services, text: string, store: UserStore): string {
  // Most texts hold no values of account fields.
  if (!text.includes(mark)) return text
  return liveTexts(services, store).reduce((all, { kept, live }) => all.replace(kept, () => live), text)
}

/** The text of an event, as stored and with the current count. */
interface LiveText {
  readonly kept: string
  readonly live: string
}

interface Known {
  readonly used: StorageUsed
  readonly texts: readonly LiveText[]
}

const known = new WeakMap<UserStore, Known>()

/** The texts of count events, computed again when the storage use has changed. */
function liveTexts({ config }: Services, store: UserStore): readonly LiveText[] {
  const used = store.storageUsed()
  const before = known.get(store)
  if (before?.used.documents === used.documents && before.used.attachments === used.attachments)
    return before.texts
  const fields = [...accountStreams(config).byName.values()].filter(({ isCounted }) => isCounted)
  const texts = fields.flatMap(({ name }) => {
    const kept = store.fields.findFirstBody(name)
    if (kept === undefined) return []
    const { integrity, ...event }: Event = { ...(JSON.parse(kept) as Event), content: countOf(name, used) }
    const proof = integrity && { integrity: eventIntegrity(event, config.integrity.algorithm) }
    return [{ kept, live: JSON.stringify({ ...event, ...proof }) }]
  })
  known.set(store, { used, texts })
  return texts
}
