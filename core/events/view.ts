/** Events as one caller sees them: stored texts, but for those with files, whose read tokens are the caller's own. */
import type { Event } from '../../schemas/event.js'
import { JsonText } from '../json/json-text.js'
import { withLiveValues } from './live-values.js'
import type { Call } from '../call/method.js'
import { withReadTokens } from '../auth/read-token.js'

/** Turns an event's stored text into what the caller gets. */
export function presenter({
  account,
  caller,
  core
}: Pick<Call, 'account' | 'caller' | 'core'>): (body: string) => string {
  return body => {
    const { access } = caller
    // Most events have no files; the rest are told apart without being parsed. Contents may hold the same words.
    if (!access || !body.includes('"attachments":[')) return body
    return JSON.stringify(withReadTokens(core, account, access, JSON.parse(body) as Event))
  }
}

/** One event, from its stored text. */
export function shown(call: Call, body: string): JsonText {
  const { core, store } = call
  return new JsonText(withLiveValues(core, presenter(call)(body), store))
}
