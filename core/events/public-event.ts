/**
 * Events as one caller sees them: stored texts, except for events with files, whose read tokens belong to the caller.
 */
import type { Attachment } from '../../schemas/event.js'
import { JsonText } from '../json/json-text.js'
import { findMember, type TextRange } from '../json/reader.js'
import { insertLiveValues } from './live-values.js'
import type { Call } from '../call/method.js'
import { addReadTokens } from '../auth/read-token.js'

/**
 * Creates the function that turns an event's stored text into what the caller gets: with read tokens for its
 * files, and with the credentials that the caller may see.
 */
export function createPresenter({
  account,
  caller,
  services,
  ...call
}: Pick<Call, 'account' | 'caller' | 'credentials' | 'services' | 'store'>): (body: string) => string {
  const { credentials, store } = call
  const revealSecrets = services.eventSecrets?.({ caller, credentials, store })
  return stored => {
    const { access } = caller
    const body = revealSecrets?.(stored) ?? stored
    // Most events have no files; these are recognised without parsing. Contents may hold the same words.
    if (!access || !body.includes('"attachments":[')) return body
    const place = findMember(body, 'attachments')
    if (!place) return body
    // The rest may be megabytes: no objects are created from it.
    const id = parseAt(body, findMember(body, 'id')!) as string
    const files = parseAt(body, place) as Attachment[]
    const readable = JSON.stringify(addReadTokens({ services, account, access, eventId: id }, files))
    return body.slice(0, place.from) + readable + body.slice(place.to)
  }
}

function parseAt(text: string, { from, to }: TextRange): unknown {
  return JSON.parse(text.slice(from, to))
}

/** Returns one event from its stored text. */
export function toPublicEvent(call: Call, body: string): JsonText {
  const { services, store } = call
  return new JsonText(insertLiveValues(services, createPresenter(call)(body), store))
}
