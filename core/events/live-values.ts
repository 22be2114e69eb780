/**
 * Events whose content is the account's storage use: counted with every write, inserted into their text when they are read.
 * (docs/spec/accounts.md#system-streams)
 */
import type { Event } from '../../schemas/event.js'
import type { StorageUsed } from '../../storage/repositories/storage-used.js'
import type { UserStore } from '../../storage/user/user-store.js'
import { getStorageCount } from '../account/account-object.js'
import { computeEventIntegrity } from '../integrity.js'
import { getAccountStreams } from '../account/fields.js'
import type { Services } from '../call/services.js'

/**
 * This is part of the text of every value in force. Other events may contain it too, so it is only a first test.
 * Searching for a text that begins with a rare character is fastest.
 */
const activeMark = '_system:active'

/** Inserts current counts into the stored text of events. */
export function insertLiveValues(services: Services, text: string, store: UserStore): string {
  // Most texts hold no values of account fields.
  if (!text.includes(activeMark)) return text
  return getLiveTexts(services, store).reduce(
    (all, { stored, live }) => all.replace(stored, () => live),
    text
  )
}

/** The text of an event, as stored and with the current count. */
interface LiveText {
  readonly stored: string
  readonly live: string
}

interface CachedTexts {
  readonly used: StorageUsed
  readonly texts: readonly LiveText[]
}

const textsByStore = new WeakMap<UserStore, CachedTexts>()

/** Returns the texts of count events, computed again when the storage use has changed. */
function getLiveTexts({ config }: Services, store: UserStore): readonly LiveText[] {
  const used = store.storageUsed()
  const before = textsByStore.get(store)
  if (before?.used.documents === used.documents && before.used.attachments === used.attachments)
    return before.texts
  const fields = [...getAccountStreams(config).byName.values()].filter(({ isCounted }) => isCounted)
  const texts = fields.flatMap(({ name }) => {
    const stored = store.fields.findFirstBody(name)
    if (stored === undefined) return []
    const { integrity, ...event }: Event = {
      ...(JSON.parse(stored) as Event),
      content: getStorageCount(name, used)
    }
    const proof = integrity && { integrity: computeEventIntegrity(event, config.integrity.algorithm) }
    return [{ stored, live: JSON.stringify({ ...event, ...proof }) }]
  })
  textsByStore.set(store, { used, texts })
  return texts
}
