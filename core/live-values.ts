/**
 * Events whose content is what the account stores: counted with every write, worked into their text when they are read.
 * (supplement 7.1, 7.4)
 */
import type { Event } from '../schemas/event.js'
import type { StorageUsed } from '../storage/repositories/storage-used.js'
import { eventIntegrity } from './integrity.js'
import { countOf } from './account-view.js'
import type { Core } from './method.js'
import { accountStreams } from './system-streams.js'

/** In the text of every value in force. Contents may hold it too: it only says where to look closer. It begins with a rare letter, which is found quickest. */
const mark = '_system:active'

/** Brings counts up to date in the text of events, joined by commas. */
export function withLiveValues(core: Core, text: string, used: () => StorageUsed): string {
  // Most texts hold no values of account fields.
  if (!text.includes(mark)) return text
  const events = JSON.parse(`[${text}]`) as Event[]
  if (!events.some(event => isCounted(core, event))) return text
  const counts = used()
  return events
    .map(event => JSON.stringify(isCounted(core, event) ? counted(core, event, counts) : event))
    .join(',')
}

function isCounted({ config }: Core, { streamId }: Event): boolean {
  return accountStreams(config).fields.get(streamId)?.isCounted === true
}

function counted({ config }: Core, event: Event, used: StorageUsed): Event {
  const { name } = accountStreams(config).fields.get(event.streamId)!
  const { integrity, ...rest } = { ...event, content: countOf(name, used) }
  if (integrity === undefined) return rest
  return { ...rest, integrity: eventIntegrity(rest, config.integrity.algorithm) }
}
