/** The text of an HTML fragment: what a reader sees of it. */

/** Elements that stand within words. All others part them. */
const inline =
  /^\/?(?:a|abbr|b|bdi|bdo|big|cite|code|del|dfn|em|font|i|ins|kbd|mark|q|s|samp|small|span|strike|strong|sub|sup|tt|u|var|wbr)(?![\w-])/i
/** What nobody reads, and how it ends. */
const unread: readonly [begin: string, end: string][] = [
  ['<!--', '-->'],
  ['<script', '</script'],
  ['<style', '</style']
]

/** A text without tags, comments, scripts and styles, references to characters resolved. Takes time in proportion to its length. */
export function withoutMarkup(html: string): string {
  const read = withoutUnread(html)
  // A tag ends before the next one begins: otherwise a text of nothing but `<` would take a look at the rest for each.
  const text = read.replace(/<([!/?a-z][^<>]*)>?/gi, (_, tag: string) => (inline.test(tag) ? '' : ' '))
  return text.replace(/&(?:#(\d{1,7})|#x([\da-f]{1,6})|([a-z]+\d?));?/gi, characterOf)
}

function withoutUnread(html: string): string {
  const lower = asciiLower(html)
  let text = ''
  let at = 0
  /** Where each of them comes next. */
  const next = unread.map(([begin]) => lower.indexOf(begin))
  for (;;) {
    let first = -1
    for (const [index, [begin]] of unread.entries()) {
      if (next[index]! >= 0 && next[index]! < at) next[index] = lower.indexOf(begin, at)
      if (next[index]! >= 0 && (first < 0 || next[index]! < next[first]!)) first = index
    }
    if (first < 0) return text + html.slice(at)
    text += `${html.slice(at, next[first])} `
    const end = lower.indexOf(unread[first]![1], next[first]! + unread[first]![0].length)
    if (end < 0) return text
    at = end + unread[first]![1].length
    // What is left of an end tag is a tag without its beginning.
    if (first > 0) {
      const close = html.indexOf('>', at)
      if (close < 0) return text
      at = close + 1
    }
  }
}

/** `toLowerCase` may change the length of a text. */
function asciiLower(text: string): string {
  return text.replace(/[A-Z]+/g, capitals => capitals.toLowerCase())
}

const named: Readonly<Record<string, string>> = {
  aelig: 'æ',
  AElig: 'Æ',
  amp: '&',
  apos: "'",
  eth: 'ð',
  ETH: 'Ð',
  gt: '>',
  lt: '<',
  oelig: 'œ',
  OElig: 'Œ',
  quot: '"',
  szlig: 'ß',
  thorn: 'þ',
  THORN: 'Þ',
  shy: ''
}

/** Letters with an accent: what they are without it is enough for a search. */
const accented = /^([a-z])(?:acute|breve|caron|cedil|circ|grave|macr|ogon|ring|slash|tilde|uml)$/i

function characterOf(_: string, decimal?: string, hexadecimal?: string, name?: string): string {
  if (name !== undefined) return Object.hasOwn(named, name) ? named[name]! : (accented.exec(name)?.[1] ?? ' ')
  const code = decimal === undefined ? Number.parseInt(hexadecimal!, 16) : Number(decimal)
  const isCharacter = code > 0 && code <= 0x10ffff && !(code >= 0xd800 && code <= 0xdfff)
  // The soft hyphen stands within words.
  return !isCharacter ? ' ' : code === 0xad ? '' : String.fromCodePoint(code)
}
