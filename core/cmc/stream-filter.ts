/** Which streams below `:_cmc:` the query of a caller may name. (docs/spec/consent.md#streams) */
import type { Call } from '../call/method.js'
import { cmcApps, cmcInbox, cmcRoot, isInternalCmcId } from '../cmc-ids.js'
import { isObject } from '../validation/is-object.js'

/** Removes ids of hidden streams, and of streams that come into being when they are first named. */
export class StreamFilter {
  /** Whether it names a stream that does not exist yet. */
  isMissing = false

  constructor(private readonly call: Call) {}

  /**
   * Returns the query without these ids; `undefined` if nothing else is named. Sets {@link isMissing}. Throws
   * `forbidden` for a stream that does not exist yet and that the caller may not read.
   */
  apply(streams: unknown): unknown {
    const value = typeof streams === 'string' && /^\s*[[{]/.test(streams) ? parseOrKeep(streams) : streams
    if (typeof value === 'string') return this.#isKept(value) ? value : undefined
    if (!Array.isArray(value)) return this.#filterQuery(value)
    const kept = value.flatMap((item: unknown) => {
      if (typeof item !== 'string') return [this.#filterQuery(item)]
      if (/^\s*[[{]/.test(item)) return [JSON.stringify(this.#filterQuery(parseOrKeep(item)))]
      return this.#isKept(item) ? [item] : []
    })
    return kept.length === 0 && value.length > 0 ? undefined : kept
  }

  #filterQuery(query: unknown): unknown {
    if (Array.isArray(query)) return this.apply(query)
    if (!isObject(query)) return query
    const entries = Object.entries(query).map(([key, ids]) => [
      key,
      Array.isArray(ids) ? ids.filter(id => typeof id !== 'string' || this.#isKept(id)) : ids
    ])
    return Object.fromEntries(entries) as object
  }

  #isKept(text: string): boolean {
    const id = text.endsWith('!') ? text.slice(0, -1) : text
    if (isInternalCmcId(id)) return false
    if ((id !== cmcRoot && id !== cmcInbox && id !== cmcApps) || this.call.store.streams.find(id)) return true
    this.call.caller.must('read', id)
    this.isMissing = true
    return false
  }
}

function parseOrKeep(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
