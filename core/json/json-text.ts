/** Results as JSON text: what is stored as text is sent as text, without being parsed in between. */

/** A value that is JSON text already. `JSON.stringify` must not see it: use {@link joinMembers}. */
export class JsonText {
  /** `excess`: by how much the text's bytes outnumber its characters, where that is known. */
  constructor(
    readonly text: string,
    readonly excess?: number
  ) {}
}

/** A result that is JSON text already: its members, without braces, none of them a list in pages. */
export class JsonMembers {
  constructor(readonly text: string) {}
}

/** One page of a long list. */
export interface Page {
  /** The items' JSON texts, joined by commas; may be empty before the end. */
  readonly text: string
  /** The same as UTF-8 in place of `text`, for sources that take it, and never on the last page, nor with `holdsValue`. */
  readonly bytes?: Uint8Array | undefined
  /** Number of items in `text`. */
  readonly count: number
  /** Whether this was the last page. */
  readonly done: boolean
  /** By how much the text's bytes outnumber its characters, where that is known. */
  readonly excess?: number | undefined
  /** Whether the source keeps a large value in memory until its last page: it must not wait for slow clients. */
  readonly holdsValue?: boolean | undefined
  /** Whether the source waits for others of its account: it must not be asked again in the same turn of the event loop. */
  readonly isWaiting?: boolean | undefined
}

/** A page of a source that has to go on before it has anything to write. */
export const emptyPage: Page = { text: '', count: 0, done: false }

/**
 * A list too long to be sent at once. Each `next` is one short, synchronous read for `Source` (the caller and the
 * user's store: see `Reader`), which is passed in each time: nothing of it is kept between pages, and a page holds only what
 * the caller may see by then.
 */
export interface Listing<Source> {
  /**
   * Returns the next page. Throws if the reader may no longer read the list. Must not be called after the last
   * page.
   */
  next(source: Source): Page
  /** Releases resources; called if the list is not read to its end. */
  close?(): void
}

/** Any value too long to be sent at once: its pages are chunks of its JSON text. */
export interface TextListing<Source> extends Listing<Source> {
  readonly isText: true
  /** Transforms the text of each object in it, if set; must be set before the first page. */
  present: ((text: string) => string) | undefined
  /** Whether the text is the whole response body, a document in another format. Set before the first page. */
  isDocument?: boolean
}

/** Returns whether a listing is one of chunks of text. */
export function isTextListing<Source>(listing: Listing<Source>): listing is TextListing<Source> {
  return 'isText' in listing
}

/** Returns whether a result's value is a listing. */
export function isListing(value: unknown): value is Listing<unknown> {
  return typeof value === 'object' && value !== null && 'next' in value && typeof value.next === 'function'
}

/** Returns whether a member of a result is a listing. */
export function hasListing(result: object): boolean {
  for (const key in result) if (isListing((result as Record<string, unknown>)[key])) return true
  return false
}

/** Concatenates lists, without those that are empty arrays. */
export function concatLists<Source>(lists: readonly (Listing<Source> | readonly never[])[]): Listing<Source> {
  const remaining = lists.filter((list): list is Listing<Source> => isListing(list))
  return {
    next(source) {
      const page = remaining[0]?.next(source) ?? { text: '', count: 0, done: true }
      if (page.done) remaining.shift()
      return { ...page, done: remaining.length === 0 }
    }
  }
}

/** Texts per page of {@link listTexts}. */
const pageTexts = 1000

/**
 * Lists items that a write has changed, from their JSON texts. They are not counted as items: a result must not be
 * refused as too long after the write has been done.
 */
export function listTexts(texts: readonly string[]): Listing<unknown> {
  let at = 0
  return {
    next() {
      const page = texts.slice(at, (at += pageTexts))
      return { text: page.join(','), count: 0, done: at >= texts.length }
    }
  }
}

/** Returns the JSON text of one value; `undefined` for values that JSON cannot represent. */
export function toText(value: unknown): string | undefined {
  return isText(value) ? value.text : JSON.stringify(value)
}

/**
 * Returns the members of a JSON object, without its braces: `"event":{…},"history":[]`. Members without a
 * value are omitted.
 */
export function joinMembers(result: object): string {
  if (result instanceof JsonMembers) return result.text
  // Faster than writing member by member, which takes twice as long.
  if (!Object.values(result).some(isText)) return JSON.stringify(result).slice(1, -1)
  let text = ''
  for (const key of Object.keys(result)) {
    const value = toText((result as Record<string, unknown>)[key])
    if (value !== undefined) text += `${text && ','}${JSON.stringify(key)}:${value}`
  }
  return text
}

/**
 * Returns by how much the bytes of {@link joinMembers} outnumber their characters; `undefined` unless that is
 * known for all of them.
 */
export function sumExcess(result: object): number | undefined {
  let sum = 0
  for (const key in result) {
    const value = (result as Record<string, unknown>)[key]
    if (!isText(value) || value.excess === undefined) return undefined
    sum += value.excess
  }
  return sum
}

function isText(value: unknown): value is JsonText {
  return value instanceof JsonText
}

/** Sets a member whose name may be anything: `__proto__` is an ordinary name in JSON. */
export function setMember(object: Record<string, unknown>, name: string, value: unknown): void {
  if (name === '__proto__')
    Object.defineProperty(object, name, { value, writable: true, enumerable: true, configurable: true })
  else object[name] = value
}

const hexDigits = Buffer.from('0123456789abcdef')

/**
 * Returns a JSON text in ASCII: other characters, which occur in strings only, as `\uXXXX`. It may be cut anywhere before. Bytes
 * are written one by one: a regular expression takes ten times as long.
 */
export function toAsciiJson(text: string): string {
  const excess = Buffer.byteLength(text) - text.length
  if (excess === 0) return text
  // Each of these characters takes one more byte at least.
  const bytes = Buffer.allocUnsafe(text.length + 5 * excess)
  let end = 0
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code < 128) {
      bytes[end++] = code
      continue
    }
    bytes[end++] = backslash
    bytes[end++] = letterU
    bytes[end++] = hexDigits[code >> 12]!
    bytes[end++] = hexDigits[(code >> 8) & 15]!
    bytes[end++] = hexDigits[(code >> 4) & 15]!
    bytes[end++] = hexDigits[code & 15]!
  }
  return bytes.toString('latin1', 0, end)
}

const [backslash, letterU] = [92, 117]

/** Returns whether text must not be cut after this code unit, as it is the first half of a surrogate pair. */
export function isHighSurrogate(code: number): boolean {
  return code >= 0xd800 && code < 0xdc00
}
