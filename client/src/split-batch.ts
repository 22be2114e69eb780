/** Splits a long batch into requests. */
import type { UntypedCall } from './calls.js'

/** Calls of one request, and their JSON. */
export interface BatchRequest {
  readonly calls: readonly UntypedCall[]
  readonly json: string
}

/** Maximum number of characters per request, unless a single call has more: the service's default limit is 10 MB. */
const maxCharacters = 2_000_000

/**
 * Yields the calls in order, at most `maxCalls` per request, and fewer if they would be too long together.
 */
export function* splitBatch(calls: readonly UntypedCall[], maxCalls: number): Generator<BatchRequest, void> {
  let begin = 0
  let characters = 0
  let texts: string[] = []
  for (const [index, { method, params = {} }] of calls.entries()) {
    const text = JSON.stringify({ method, params })
    if (texts.length === maxCalls || (texts.length > 0 && characters + text.length > maxCharacters)) {
      yield { calls: calls.slice(begin, index), json: `[${texts.join()}]` }
      begin = index
      characters = 0
      texts = []
    }
    texts.push(text)
    characters += text.length
  }
  if (texts.length > 0) yield { calls: calls.slice(begin), json: `[${texts.join()}]` }
}
