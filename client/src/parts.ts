/** Cuts a long batch into parts that a request may hold. */

interface Made {
  readonly method: string
  readonly params?: object | undefined
}

/** Calls that go together, and their JSON. */
export interface Part<C extends Made = Made> {
  readonly calls: readonly C[]
  readonly json: string
}

/** Characters in a part, at most, unless a single call has more: a service takes 10 MB unless told otherwise. */
const mostLetters = 2_000_000

/** Yields the calls in their order, `most` in a part. */
export function* parts<C extends Made>(calls: readonly C[], most: number): Generator<Part<C>, void> {
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
