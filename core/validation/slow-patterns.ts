/**
 * Finds regular expressions with super-linear run time, by timing them on texts made of characters that the pattern
 * itself names but that do not match as a whole. Operators' patterns are tested against texts of any client.
 */

/**
 * Lengths of the repeated part, in small steps at first: with exponential time the next length must not take forever.
 */
const lengths = [
  8, 10, 12, 15, 18, 22, 27, 33, 41, 51, 63, 78, 97, 121, 151, 188, 235, 512, 1024, 4096, 16_384
]
/** Milliseconds below which a text is not slow; a text that takes longer is timed again to be sure. */
const slowMs = 8
/** Factor by which the time may grow with four times the length; linear time grows fourfold. */
const maxGrowth = 9
/** Characters that are tried in addition to those that the pattern names. */
const commonCharacters = ['a', ' ', '0']
/** Ends of the texts that keep the whole from matching. */
const ends = ['\u0000', '!\n', '']
/** Maximum number of beginnings, and of repeated parts, that are tried. */
const maxVariants = 24

/**
 * Returns a text on which a pattern is slow within `maxLength` characters; `undefined` if none was found. A
 * pattern that takes only a few milliseconds at that length is not slow, however its time grows. Takes a
 * while: it tries the pattern on many texts.
 */
export function findSlowText(pattern: RegExp, maxLength = lengths.at(-1)!): string | undefined {
  const atoms = listAtoms(pattern.source)
  // A sticky pattern is only tried at one position.
  const source = pattern.sticky ? `^(?:${pattern.source})` : pattern.source
  const stateless = new RegExp(source, pattern.flags.replaceAll(/[gy]/g, ''))
  const beginnings = listBeginnings(atoms)
  const parts = removeDuplicates([...atoms, ...listPairs(atoms), ...commonCharacters]).slice(0, maxVariants)
  for (const beginning of beginnings)
    for (const part of parts)
      for (const end of ends) {
        const make = (size: number): string => beginning + part.repeat(size / part.length) + end
        if (isSlow(stateless, make, maxLength)) return make(32)
      }
  return undefined
}

/** Returns whether a pattern takes long for texts made by `make`, and longer than in proportion to their length. */
function isSlow(pattern: RegExp, make: (size: number) => string, maxLength: number): boolean {
  for (const size of lengths) {
    if (size > maxLength) return false
    if (measureTime(pattern, make(size)) < slowMs) continue
    // Other work may have slowed this down: the fastest of several runs counts.
    const again = measureFastest(pattern, make(size))
    if (again < slowMs) continue
    // Exponential time is detected here, before longer texts are tried.
    if (size < 1024 || again > maxGrowth * measureFastest(pattern, make(size / 4))) return true
  }
  return false
}

function measureFastest(pattern: RegExp, text: string): number {
  return Math.min(...Array.from({ length: 5 }, () => measureTime(pattern, text)))
}

/** Returns how many milliseconds a pattern takes for a text. */
function measureTime(pattern: RegExp, text: string): number {
  const begin = performance.now()
  try {
    pattern.test(text)
  } catch {
    // The engine has run out of stack: users of the pattern have to expect that.
  }
  return performance.now() - begin
}

/** Lists texts that match the pattern up to each of its atoms. */
function listBeginnings(atoms: readonly string[]): string[] {
  const all = ['', ...atoms.map((_atom, index) => atoms.slice(0, index + 1).join(''))]
  return removeDuplicates(
    all.length <= maxVariants ? all : [...all.slice(0, maxVariants / 2), ...all.slice(-maxVariants / 2)]
  )
}

function listPairs(atoms: readonly string[]): string[] {
  return atoms.slice(1).map((atom, index) => atoms[index]! + atom)
}

function removeDuplicates(texts: readonly string[]): string[] {
  return [...new Set(texts)]
}

const shorthands: Readonly<Record<string, string>> = {
  d: '0',
  w: 'a',
  s: ' ',
  n: '\n',
  r: '\r',
  t: '\t',
  D: 'a',
  W: ' ',
  S: 'a',
  b: '',
  B: '',
  p: 'a',
  P: ' '
}

/**
 * Lists the characters that the positions of a pattern accept, in order; of a character class only the first ones.
 * Ignores groups and counts.
 */
function listAtoms(source: string): string[] {
  const atoms: string[] = []
  for (let at = 0; at < source.length; at++) {
    const character = source[at]!
    if (character === '\\') {
      const { end, text } = parseEscape(source, at)
      if (text !== '') atoms.push(text)
      at = end
    } else if (character === '[') {
      const { end, texts } = parseClass(source, at)
      atoms.push(...texts)
      at = end
    } else if (character === '{') at = Math.max(at, source.indexOf('}', at))
    else if (character === '(' && source[at + 1] === '?') at = Math.max(at, findGroupHeadEnd(source, at))
    else if (character === '.') atoms.push('a')
    else if (!'^$|()*+?'.includes(character)) atoms.push(character)
  }
  return atoms
}

/** Returns where `(?:`, `(?=`, `(?<name>` and similar heads end. */
function findGroupHeadEnd(source: string, at: number): number {
  const isNamed = source[at + 2] === '<' && !'=!'.includes(source[at + 3]!)
  if (isNamed) return source.indexOf('>', at)
  return at + (source[at + 2] === '<' ? 3 : 2)
}

function parseEscape(source: string, at: number): { end: number; text: string } {
  const letter = source[at + 1] ?? ''
  const [code] = /^[0-9a-f]{4}|^\{[0-9a-f]+\}/i.exec(source.slice(at + 2, at + 12)) ?? []
  if (letter === 'u' && code) {
    const digits = code.startsWith('{') ? code.slice(1, -1) : code
    return { end: at + 1 + code.length, text: String.fromCodePoint(Math.min(parseInt(digits, 16), 0x10ffff)) }
  }
  const isProperty = (letter === 'p' || letter === 'P') && source[at + 2] === '{'
  const end = isProperty ? Math.max(at + 1, source.indexOf('}', at)) : at + 1
  return { end, text: shorthands[letter] ?? letter }
}

/** Parses a class; returns some of its characters or, if it is negated, characters that it matches. */
function parseClass(source: string, start: number): { end: number; texts: string[] } {
  const isNegated = source[start + 1] === '^'
  const texts: string[] = []
  let at = start + (isNegated ? 2 : 1)
  for (; at < source.length && source[at] !== ']'; at++) {
    if (source[at] === '\\') {
      const { end, text } = parseEscape(source, at)
      texts.push(text)
      at = end
    } else if (source[at] !== '-') texts.push(source[at]!)
  }
  const some = isNegated ? ['x', ' '].filter(text => !texts.includes(text)) : texts
  return { end: at, texts: some.filter(text => text !== '').slice(0, 2) }
}
