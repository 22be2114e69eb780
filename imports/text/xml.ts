/**
 * A tolerant scanner of XML: elements and texts one by one, in memory of one tag. It knows the named entities of XML and
 * of Western languages and those by number, skips declarations and comments without reading them, and stops at nothing.
 */
import { Finder } from './finder.js'

export interface XmlHandler {
  /** An element begins. `attributes` is the text between its name and its end. */
  open(name: string, attributes: string, isEmpty: boolean): void
  close(name: string): void
  text?(text: string): void
  /** Takes whole elements at `<`, if it can; returns where they end, `start` for none. */
  take?(text: string, start: number): number
}

/** Longest tag that is waited for, in characters; whatever is longer is skipped to where it ends. */
const longestTag = 256 * 1024
/** Characters between two tags that are given out; the rest is not. */
const longestText = 256 * 1024
/** Longest entity, such as `&#x10ffff;`. */
const longestEntity = 10

/** Scans pieces of a text. */
export class XmlScanner {
  #rest = ''
  /** What ends the part that is being skipped. */
  #skipsTo = ''
  #isCutOff = false
  /** Characters that have been given out since the last tag. */
  #given = 0

  constructor(private readonly handler: XmlHandler) {}

  /** Whether the text has ended within a tag. */
  get isCutOff(): boolean {
    return this.#isCutOff
  }

  write(piece: string): void {
    const text = this.#rest === '' ? piece : this.#rest + piece
    this.#rest = text.slice(this.#scan(text))
    if (this.#rest.length <= longestTag) return
    this.#skipsTo = this.#rest.startsWith('<![CDATA[') ? ']]>' : '>'
    this.#rest = ''
  }

  end(): void {
    this.#isCutOff = this.#rest.trimStart().startsWith('<') || this.#skipsTo !== ''
    if (!this.#isCutOff) this.#text(this.#rest)
    this.#rest = ''
  }

  /** Scans what is whole; returns where the rest begins. */
  #scan(text: string): number {
    let at = 0
    const quotes = new Finder(text, '"')
    for (;;) {
      if (this.#skipsTo !== '') {
        const end = text.indexOf(this.#skipsTo, at)
        if (end < 0) return Math.max(at, text.length - this.#skipsTo.length)
        at = end + this.#skipsTo.length
        this.#skipsTo = ''
      }
      const start = text.indexOf('<', at)
      if (start < 0) {
        const end = textEnd(text, at)
        if (end > at) this.#text(text.slice(at, end))
        return end
      }
      if (start > at) this.#text(text.slice(at, start))
      if (this.handler.take) {
        at = this.handler.take(text, start)
        if (at > start) continue
      }
      const second = text.charCodeAt(start + 1)
      if (second === 33 || second === 63) {
        const next = this.#declaration(text, start)
        if (next < 0) return start
        at = next
        continue
      }
      const end = tagEnd(text, start, quotes)
      if (end < 0) return start
      this.#tag(text, start, end)
      at = end + 1
    }
  }

  /** Where reading goes on after `<!…` or `<?…`; negative if more is needed to tell. */
  #declaration(text: string, start: number): number {
    if (text.startsWith('<![CDATA[', start)) {
      const end = text.indexOf(']]>', start)
      if (end < 0) return -1
      this.#give(text.slice(start + 9, end))
      return end + 3
    }
    if (text.length - start < 9) return -1
    if (text.startsWith('<!--', start)) this.#skipsTo = '-->'
    else if (text.startsWith('<?', start)) this.#skipsTo = '?>'
    else {
      const end = text.indexOf('>', start)
      if (end < 0) return -1
      if (!text.slice(start, end).includes('[')) return end + 1
      // The declarations within may be broken: their end is what counts.
      this.#skipsTo = ']>'
    }
    return start + 2
  }

  #tag(text: string, start: number, end: number): void {
    this.#given = 0
    if (text.charCodeAt(start + 1) === 47) {
      this.handler.close(text.slice(start + 2, end).trim())
      return
    }
    const isEmpty = text.charCodeAt(end - 1) === 47
    const last = isEmpty ? end - 1 : end
    let nameEnd = start + 1
    while (nameEnd < last && text.charCodeAt(nameEnd) > 32) nameEnd++
    const name = text.slice(start + 1, nameEnd)
    this.handler.open(name, text.slice(nameEnd, last), isEmpty)
    if (isEmpty) this.handler.close(name)
  }

  #text(text: string): void {
    if (this.handler.text && text.length > 0) this.#give(decodeEntities(text))
  }

  #give(text: string): void {
    const room = longestText - this.#given
    if (room <= 0) return
    this.#given += text.length
    this.handler.text?.(text.length > room ? text.slice(0, room) : text)
  }
}

/** Index of the `>` that ends a tag, not one within a value; negative if it is not there yet. */
function tagEnd(text: string, start: number, quotes: Finder): number {
  let end = text.indexOf('>', start)
  if (end >= 0 && isAfterValue(text, end)) return end
  let quote = quotes.from(start)
  while (end >= 0 && quote < end) {
    const close = text.indexOf('"', quote + 1)
    if (close < 0) return -1
    if (close > end) end = text.indexOf('>', close)
    quote = quotes.from(close + 1)
  }
  return end
}

/** Where a text ends that goes on in the next piece: not within an entity. */
function textEnd(text: string, at: number): number {
  const entity = text.lastIndexOf('&')
  const isOpen = entity >= at && text.length - entity < longestEntity && !text.includes(';', entity)
  return isOpen ? entity : text.length
}

/** Whether a `>` follows the quote that closes a value: no value holds such a quote, and one that opens follows a `=`. */
function isAfterValue(text: string, end: number): boolean {
  const at = text.charCodeAt(end - 1) === 47 ? end - 2 : end - 1
  const before = text.charCodeAt(at - 1)
  return text.charCodeAt(at) === 34 && before > 32 && before !== 61
}

/** The value of an attribute in the text of a tag, its bytes made characters by `decode` before its entities are replaced. */
export function attribute(
  attributes: string,
  name: string,
  decode?: (part: string) => string
): string | undefined {
  for (let from = 0; ;) {
    const at = attributes.indexOf(name, from)
    if (at < 0) return undefined
    from = at + name.length
    if (at > 0 && attributes.charCodeAt(at - 1) > 32) continue
    let open = from
    while (attributes.charCodeAt(open) <= 32) open++
    if (attributes.charCodeAt(open) !== 61) continue
    do open++
    while (attributes.charCodeAt(open) <= 32)
    const quote = attributes[open]
    if (quote !== '"' && quote !== "'") continue
    const close = attributes.indexOf(quote, open + 1)
    const raw = attributes.slice(open + 1, close < 0 ? undefined : close)
    return decodeEntities(decode ? decode(raw) : raw)
  }
}

/** Names of the characters from U+00A0 to U+00FF, in their order. */
const latin =
  'nbsp iexcl cent pound curren yen brvbar sect uml copy ordf laquo not shy reg macr deg plusmn sup2 sup3 acute micro para middot cedil sup1 ordm raquo frac14 frac12 frac34 iquest Agrave Aacute Acirc Atilde Auml Aring AElig Ccedil Egrave Eacute Ecirc Euml Igrave Iacute Icirc Iuml ETH Ntilde Ograve Oacute Ocirc Otilde Ouml times Oslash Ugrave Uacute Ucirc Uuml Yacute THORN szlig agrave aacute acirc atilde auml aring aelig ccedil egrave eacute ecirc euml igrave iacute icirc iuml eth ntilde ograve oacute ocirc otilde ouml divide oslash ugrave uacute ucirc uuml yacute thorn yuml'
/** Those of XML, and those of HTML that people's texts have. */
const entities = new Map<string, string>([
  ...latin.split(' ').map((name, index) => [name, String.fromCodePoint(0xa0 + index)] as const),
  ...Object.entries({ amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }),
  ...Object.entries({ lsquo: '‘', rsquo: '’', sbquo: '‚', ldquo: '“', rdquo: '”', bdquo: '„' }),
  ...Object.entries({ ndash: '–', mdash: '—', hellip: '…', bull: '•', euro: '€', trade: '™' }),
  ...Object.entries({ OElig: 'Œ', oelig: 'œ', Scaron: 'Š', scaron: 'š', Yuml: 'Ÿ' })
])

/** A text with its entities replaced; unknown ones stay as they are. */
export function decodeEntities(text: string): string {
  if (!text.includes('&')) return text
  return text.replaceAll(
    /&(?:#x([0-9a-f]{1,6})|#([0-9]{1,7})|([a-z]{2,6}[0-9]{0,2}));/gi,
    (whole, hex, decimal, name) => {
      if (name !== undefined) return entities.get(String(name)) ?? whole
      const code = hex === undefined ? Number(decimal) : Number.parseInt(String(hex), 16)
      return code > 0 && code <= 0x10_ffff ? String.fromCodePoint(code) : ''
    }
  )
}

/** The name of an element without its prefix. */
export function localName(name: string): string {
  return name.slice(name.indexOf(':') + 1)
}
