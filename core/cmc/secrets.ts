/** The credentials in events, which are stored apart from them: who sees them. (docs/spec/consent.md#credentials) */
import { cmcInbox, isCmcId } from '../cmc-ids.js'
import type { Credentials } from '../call/credentials.js'
import type { Reader } from '../call/reader.js'
import { getCreatorId } from '../permissions/access.js'
import { allows } from '../permissions/levels.js'
import type { Event } from '../../schemas/event.js'
import { isObject } from '../validation/is-object.js'

/**
 * Returns the function that adds credentials to the texts of events, for callers who may see some;
 * `undefined` for all others. The function returns `undefined` for an event to which it adds nothing. Texts with
 * credentials lack the integrity value, which is that of the stored event.
 */
export function createEventSecrets(
  reader: Reader & { readonly credentials: Credentials }
): ((body: string) => string | undefined) | undefined {
  const { caller, credentials, store } = reader
  if (credentials.isAssistant || !caller.access || !store.cmc.isUsed) return undefined
  return body => {
    if (!body.includes('"consent/')) return undefined
    const event = JSON.parse(body) as Event
    const secrets = store.cmc.findSecrets(event.id)
    if (!secrets || !maySee(reader, event)) return undefined
    // The integrity value is that of the event as it is stored.
    const { integrity: _integrity, ...shown } = event
    return JSON.stringify({ ...shown, content: mergeSecrets(event.content, secrets) })
  }
}

function mergeSecrets(content: unknown, secrets: Readonly<Record<string, unknown>>): object {
  const merged: Record<string, unknown> = { ...(isObject(content) ? content : {}) }
  for (const [key, value] of Object.entries(secrets)) {
    const below = merged[key]
    merged[key] = isObject(value) && isObject(below) ? { ...below, ...value } : value
  }
  return merged
}

/**
 * Returns whether a caller sees the credentials of an event: the user, the app that wrote it, and accesses with a permission on the
 * event's very stream, or one above it below `:_cmc:`. The inbox is common to all apps: there, a permission on the stream of the
 * relationship is needed as well.
 */
function maySee({ caller }: Reader, event: Event): boolean {
  if (caller.isPersonal) return true
  if (getCreatorId(event) === caller.access?.id) return true
  const id = event.streamIds.find(isCmcId)
  if (id === undefined || !isNamed(id, caller)) return false
  if (id !== cmcInbox) return true
  const content = isObject(event.content) ? event.content : {}
  const scope = content['requesterOriginStreamId'] ?? content['scopeStreamId']
  return typeof scope === 'string' && isCmcId(scope) && isNamed(scope, caller)
}

/** Returns whether a permission names a stream or one above it, and permits to read it. */
function isNamed(id: string, caller: Reader['caller']): boolean {
  if (!caller.names.has(id)) {
    const end = id.lastIndexOf(':')
    const parent = id.slice(0, end)
    const above = parent === ':_cmc' ? ':_cmc:' : parent
    return above !== id && isCmcId(above) && id !== ':_cmc:' && isNamed(above, caller)
  }
  return allows(caller.level(id), 'read')
}
