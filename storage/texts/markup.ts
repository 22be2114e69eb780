/** Extracts the visible text of an HTML fragment. */

/** Elements that may occur within words. All others separate words. */
const inlineTags =
  /^\/?(?:a|abbr|b|bdi|bdo|big|cite|code|del|dfn|em|font|i|ins|kbd|mark|q|s|samp|small|span|strike|strong|sub|sup|tt|u|var|wbr)(?![\w-])/i
/** Elements that are not visible, and their ends. */
const hiddenElements: readonly [begin: string, end: string][] = [
  ['<!--', '-->'],
  ['<script', '</script'],
  ['<style', '</style']
]

/** Removes tags, comments, scripts and styles, and decodes character references. Takes linear time. */
export function removeMarkup(html: string): string {
  const read = removeHidden(html)
  // A tag ends before the next one begins: otherwise a text of only `<` would take quadratic time.
  const text = read.replace(/<([!/?a-z][^<>]*)>?/gi, (_, tag: string) => (inlineTags.test(tag) ? '' : ' '))
  return text.replace(/&(?:#(\d{1,7})|#x([\da-f]{1,6})|([a-z]+\d?));?/gi, decodeCharacter)
}

/**
 * Replaces comments and elements that are not shown, such as scripts, with spaces. One without an end hides the rest.
 */
function removeHidden(html: string): string {
  const lower = toAsciiLowerCase(html)
  let text = ''
  let at = 0
  /** The next position of each of them. */
  const next = hiddenElements.map(([begin]) => lower.indexOf(begin))
  for (;;) {
    let first = -1
    for (const [index, [begin]] of hiddenElements.entries()) {
      if (next[index]! >= 0 && next[index]! < at) next[index] = lower.indexOf(begin, at)
      if (next[index]! >= 0 && (first < 0 || next[index]! < next[first]!)) first = index
    }
    if (first < 0) return text + html.slice(at)
    text += `${html.slice(at, next[first])} `
    const end = lower.indexOf(hiddenElements[first]![1], next[first]! + hiddenElements[first]![0].length)
    if (end < 0) return text
    at = end + hiddenElements[first]![1].length
    // The rest of an end tag has no `<`.
    if (first > 0) {
      const close = html.indexOf('>', at)
      if (close < 0) return text
      at = close + 1
    }
  }
}

/** `toLowerCase` may change the length of a text. */
function toAsciiLowerCase(text: string): string {
  return text.replace(/[A-Z]+/g, capitals => capitals.toLowerCase())
}

const namedCharacters: Readonly<Record<string, string>> = {
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

/** Letters with an accent: without it they are sufficient for a search. */
const accentedLetters = /^([a-z])(?:acute|breve|caron|cedil|circ|grave|macr|ogon|ring|slash|tilde|uml)$/i

function decodeCharacter(_: string, decimal?: string, hexadecimal?: string, name?: string): string {
  if (name !== undefined)
    return Object.hasOwn(namedCharacters, name)
      ? namedCharacters[name]!
      : (accentedLetters.exec(name)?.[1] ?? ' ')
  const code = decimal === undefined ? Number.parseInt(hexadecimal!, 16) : Number(decimal)
  const isCharacter = code > 0 && code <= 0x10ffff && !(code >= 0xd800 && code <= 0xdfff)
  // The soft hyphen occurs within words.
  return !isCharacter ? ' ' : code === 0xad ? '' : String.fromCodePoint(code)
}
