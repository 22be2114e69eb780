/**
 * Events whose content is what the account stores: counted with every write, worked into their text when they are read.
 * (docs/spec/accounts.md#system-streams)
 */
import type { Event } from '../../schemas/event.js'
import type { StorageUsed } from '../../storage/repositories/storage-used.js'
import type { UserStore } from '../../storage/user/user-store.js'
import { countOf } from '../account/view.js'
import { eventIntegrity } from '../integrity.js'
import { accountStreams } from '../account/fields.js'
import type { Services } from '../call/services.js'

/** In the text of every value in force. Contents may hold it too: it only says where to look closer. It begins with a rare letter, which is found quickest. */
const mark = '_system:active'

/** Brings counts up to date in the text of events as they are kept. */
export function withLiveValues(core: Services, text: string, store: UserStore): string {
  // Most texts hold no values of account fields.
  if (!text.includes(mark)) return text
  return liveTexts(core, store).reduce((all, { kept, live }) => all.replace(kept, () => live), text)
}

/** The text of an event, as it is kept and as it is at the moment. */
interface LiveText {
  readonly kept: string
  readonly live: string
}

interface Known {
  readonly used: StorageUsed
  readonly texts: readonly LiveText[]
}

const known = new WeakMap<UserStore, Known>()

/** The events of counts. Their texts are made again when something else is stored. */
function liveTexts({ config }: Services, store: UserStore): readonly LiveText[] {
  const used = store.storageUsed()
  const before = known.get(store)
  if (before?.used.documents === used.documents && before.used.attachments === used.attachments)
    return before.texts
  const fields = [...accountStreams(config).byName.values()].filter(({ isCounted }) => isCounted)
  const texts = fields.flatMap(({ name }) => {
    const kept = store.fields.firstText(name)
    if (kept === undefined) return []
    const { integrity, ...event }: Event = { ...(JSON.parse(kept) as Event), content: countOf(name, used) }
    const proof = integrity && { integrity: eventIntegrity(event, config.integrity.algorithm) }
    return [{ kept, live: JSON.stringify({ ...event, ...proof }) }]
  })
  known.set(store, { used, texts })
  return texts
}
