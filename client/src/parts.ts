/** Splits a long batch into requests. */
import type { AnyCall } from './calls.js'

/** Calls of one request, and their JSON. */
export interface Part {
  readonly calls: readonly AnyCall[]
  readonly json: string
}

/** Maximum characters per request, unless a single call has more: the service's default limit is 10 MB. */
const mostLetters = 2_000_000

/** Yields the calls in order, at most `maxCalls` per request. */
export function* parts(calls: readonly AnyCall[], most: number): Generator<Part, void> {
  let begin = 0
  let letters = 0
  let texts: string[] = []
  for (const [index, { method, params = {} }] of calls.entries()) {
    const text = JSON.stringify({ method, params })
    if (texts.length === most || (texts.length > 0 && letters + text.length > mostLetters)) {
      yield { calls: calls.slice(begin, index), json: `[${texts.join()}]` }
      begin = index
      letters = 0
      texts = []
    }
    texts.push(text)
    letters += text.length
  }
  if (texts.length > 0) yield { calls: calls.slice(begin), json: `[${texts.join()}]` }
}
