/**
 * Scans XML tolerantly: emits elements and texts one by one, with one tag in memory. It knows the named entities of XML and of
 * Western languages and numeric ones, skips declarations and comments, and accepts malformed input.
 */
import { SubstringFinder } from './substring-finder.js'

export interface XmlHandler {
  /** Called when an element begins. `attributes` is the text between its name and the end of the tag. */
  open(name: string, attributes: string, isEmpty: boolean): void
  /** Called when an element ends, also an empty one. End tags without an element are reported, too. */
  close(name: string): void
  /** Called with a text between tags, with its entities decoded. */
  text?(text: string): void
  /** Optionally reads whole elements at `<`; returns their end, or `start` if it reads none. */
  readElements?(text: string, start: number): number
  /** True once the reader needs no more of the text. */
  readonly isDone?: boolean
}

/** Maximum length of a tag, in characters; longer ones are skipped. */
const maxTagLength = 256 * 1024
/** Maximum length of the text between two tags, in characters. The rest is dropped. */
const maxTextLength = 256 * 1024
/** Maximum length of an entity such as */
const maxEntityLength = 10

/** Scans the chunks of a text. */
export class XmlScanner {
  #buffer = ''
  /** End of the part that is being skipped. */
  #skipEnd = ''
  #isCutOff = false
  /** Number of characters emitted since the last tag. */
  #emittedLength = 0

  constructor(private readonly handler: XmlHandler) {}

  /** True if the text ended within a tag. */
  get isCutOff(): boolean {
    return this.#isCutOff
  }

  /** Takes the next chunk, and emits the tags and texts that are complete. Tags that are too long are skipped. */
  write(chunk: string): void {
    const text = this.#buffer === '' ? chunk : this.#buffer + chunk
    this.#buffer = text.slice(this.#scan(text))
    if (this.#buffer.length <= maxTagLength) return
    this.#skipEnd = this.#buffer.startsWith('<![CDATA[') ? ']]>' : '>'
    this.#buffer = ''
  }

  /**
   * Ends the text: emits the remaining text, or records that the text was cut off. A part that is too long or
   * has no end is not emitted.
   */
  finish(): void {
    this.#isCutOff = this.#buffer.trimStart().startsWith('<') || this.#skipEnd !== ''
    if (!this.#isCutOff) this.#emitText(this.#buffer)
    this.#buffer = ''
  }

  /** Scans the complete part of a text; returns the index of the rest. */
  #scan(text: string): number {
    let at = 0
    const quotes = new SubstringFinder(text, '"')
    for (;;) {
      if (this.#skipEnd !== '') {
        const end = text.indexOf(this.#skipEnd, at)
        if (end < 0) return Math.max(at, text.length - this.#skipEnd.length)
        at = end + this.#skipEnd.length
        this.#skipEnd = ''
      }
      const start = text.indexOf('<', at)
      if (start < 0) {
        const end = findTextEnd(text, at)
        if (end > at) this.#emitText(text.slice(at, end))
        return end
      }
      if (start > at) this.#emitText(text.slice(at, start))
      if (this.handler.readElements) {
        at = this.handler.readElements(text, start)
        if (at > start) continue
      }
      const second = text.charCodeAt(start + 1)
      if (second === 33 || second === 63) {
        const next = this.#skipDeclaration(text, start)
        if (next < 0) return start
        at = next
        continue
      }
      const end = findTagEnd(text, start, quotes)
      if (end < 0) return start
      this.#emitTag(text, start, end)
      at = end + 1
    }
  }

  /** Returns the index after `<!…` or `<?…`; negative if more text is needed. */
  #skipDeclaration(text: string, start: number): number {
    if (text.startsWith('<![CDATA[', start)) {
      const end = text.indexOf(']]>', start)
      if (end < 0) return -1
      this.#emitDecoded(text.slice(start + 9, end))
      return end + 3
    }
    if (text.length - start < 9) return -1
    if (text.startsWith('<!--', start)) this.#skipEnd = '-->'
    else if (text.startsWith('<?', start)) this.#skipEnd = '?>'
    else {
      const end = text.indexOf('>', start)
      if (end < 0) return -1
      if (!text.slice(start, end).includes('[')) return end + 1
      // The inner declarations may be malformed: only their end matters.
      this.#skipEnd = ']>'
    }
    return start + 2
  }

  /** Calls the handler for the tag between two positions: `<` and `>`. An empty element is opened and closed. */
  #emitTag(text: string, start: number, end: number): void {
    this.#emittedLength = 0
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

  #emitText(text: string): void {
    if (this.handler.text && text.length > 0) this.#emitDecoded(decodeEntities(text))
  }

  #emitDecoded(text: string): void {
    const available = maxTextLength - this.#emittedLength
    if (available <= 0) return
    this.#emittedLength += text.length
    this.handler.text?.(text.length > available ? text.slice(0, available) : text)
  }
}

/**
 * Returns the index of the `>` that ends a tag, ignoring those in values; negative if the text does not contain it yet.
 */
function findTagEnd(text: string, start: number, quotes: SubstringFinder): number {
  let end = text.indexOf('>', start)
  if (end >= 0 && followsValue(text, end)) return end
  let quote = quotes.findFrom(start)
  while (end >= 0 && quote < end) {
    const close = text.indexOf('"', quote + 1)
    if (close < 0) return -1
    if (close > end) end = text.indexOf('>', close)
    quote = quotes.findFrom(close + 1)
  }
  return end
}

/** Returns the end of a text that continues in the next chunk, so that no entity is split. */
function findTextEnd(text: string, at: number): number {
  const entity = text.lastIndexOf('&')
  const isOpen = entity >= at && text.length - entity < maxEntityLength && !text.includes(';', entity)
  return isOpen ? entity : text.length
}

/**
 * Returns true if a `>` follows the closing quote of a value: a value cannot contain such a quote, and an opening quote
 * follows a `=`.
 */
function followsValue(text: string, end: number): boolean {
  const at = text.charCodeAt(end - 1) === 47 ? end - 2 : end - 1
  const before = text.charCodeAt(at - 1)
  return text.charCodeAt(at) === 34 && before > 32 && before !== 61
}

/**
 * Returns the value of an attribute in the text of a tag. `decode` converts its bytes to characters before
 * entities are replaced. Returns `undefined` if there is no such attribute.
 */
export function getAttribute(
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

/** Entity names of the characters from U+00A0 to U+00FF, in order. */
const latinEntities =
  'nbsp iexcl cent pound curren yen brvbar sect uml copy ordf laquo not shy reg macr deg plusmn sup2 sup3 acute micro para middot cedil sup1 ordm raquo frac14 frac12 frac34 iquest Agrave Aacute Acirc Atilde Auml Aring AElig Ccedil Egrave Eacute Ecirc Euml Igrave Iacute Icirc Iuml ETH Ntilde Ograve Oacute Ocirc Otilde Ouml times Oslash Ugrave Uacute Ucirc Uuml Yacute THORN szlig agrave aacute acirc atilde auml aring aelig ccedil egrave eacute ecirc euml igrave iacute icirc iuml eth ntilde ograve oacute ocirc otilde ouml divide oslash ugrave uacute ucirc uuml yacute thorn yuml'
/** Entities of XML, and common ones of HTML. */
const entities = new Map<string, string>([
  ...latinEntities.split(' ').map((name, index) => [name, String.fromCodePoint(0xa0 + index)] as const),
  ...Object.entries({ amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }),
  ...Object.entries({ lsquo: '‘', rsquo: '’', sbquo: '‚', ldquo: '“', rdquo: '”', bdquo: '„' }),
  ...Object.entries({ ndash: '–', mdash: '—', hellip: '…', bull: '•', euro: '€', trade: '™' }),
  ...Object.entries({ OElig: 'Œ', oelig: 'œ', Scaron: 'Š', scaron: 'š', Yuml: 'Ÿ' })
])

/** Replaces entities; unknown ones stay unchanged. Impossible characters are removed. */
export function decodeEntities(text: string): string {
  if (!text.includes('&')) return text
  return text.replaceAll(
    /&(?:#x([0-9a-f]{1,6})|#([0-9]{1,7})|([a-z]{2,6}[0-9]{0,2}));/gi,
    (entity, hex, decimal, name) => {
      if (name !== undefined) return entities.get(String(name)) ?? entity
      const code = hex === undefined ? Number(decimal) : Number.parseInt(String(hex), 16)
      return code > 0 && code <= 0x10_ffff ? String.fromCodePoint(code) : ''
    }
  )
}

/** Returns the name of an element without its prefix. */
export function getLocalName(name: string): string {
  return name.slice(name.indexOf(':') + 1)
}
