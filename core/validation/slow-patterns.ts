/**
 * Finds patterns that take much longer than the length of a text: they are tried on texts made of what the pattern itself
 * names, which then does not fit after all. What operators write is held against strangers' texts.
 */

/**
 * Lengths of the repeated part, in small steps at first: where time multiplies with each character, the next length must
 * not take for ever.
 */
const sizes = [8, 10, 12, 15, 18, 22, 27, 33, 41, 51, 63, 78, 97, 121, 151, 188, 235, 512, 1024, 4096, 16_384]
/** A text that takes less is no trouble, in milliseconds; one that takes longer is tried again, to be sure. */
const enoughMs = 8
/** How much longer a text of four times the length may take: where time grows with the length, about four times. */
const steepest = 9
/** Characters that texts are made of beside those that the pattern names. */
const usual = ['a', ' ', '0']
/** What follows the repeated part, so that the whole does not fit. */
const ends = ['\u0000', '!\n', '']
/** Beginnings and repeated parts that are tried at most. */
const most = 24

/**
 * A text on which a pattern is slow, as far as texts of `longest` characters go; `undefined` if none has been found. One
 * that takes less than some milliseconds at that length is not slow, however it gets there.
 */
export function slowText(pattern: RegExp, longest = sizes.at(-1)!): string | undefined {
  const atoms = atomsOf(pattern.source)
  // A sticky one is tried at one place alone.
  const source = pattern.sticky ? `^(?:${pattern.source})` : pattern.source
  const stateless = new RegExp(source, pattern.flags.replaceAll(/[gy]/g, ''))
  const beginnings = beginningsOf(atoms)
  const parts = distinct([...atoms, ...pairsOf(atoms), ...usual]).slice(0, most)
  for (const beginning of beginnings)
    for (const part of parts)
      for (const end of ends) {
        const make = (size: number): string => beginning + part.repeat(size / part.length) + end
        if (isSlow(stateless, make, longest)) return make(32)
      }
  return undefined
}

function isSlow(pattern: RegExp, make: (size: number) => string, longest: number): boolean {
  for (const size of sizes) {
    if (size > longest) return false
    if (timeOf(pattern, make(size)) < enoughMs) continue
    // Others have been busy, perhaps: the quickest of some runs counts.
    const again = quickest(pattern, make(size))
    if (again < enoughMs) continue
    // Exponential ones are found out here, before they are given more.
    if (size < 1024 || again > steepest * quickest(pattern, make(size / 4))) return true
  }
  return false
}

function quickest(pattern: RegExp, text: string): number {
  return Math.min(...Array.from({ length: 5 }, () => timeOf(pattern, text)))
}

function timeOf(pattern: RegExp, text: string): number {
  const begin = performance.now()
  try {
    pattern.test(text)
  } catch {
    // Too much to be kept in mind: what uses the pattern has to expect that.
  }
  return performance.now() - begin
}

/** What leads into the pattern, as far as each of its atoms. */
function beginningsOf(atoms: readonly string[]): string[] {
  const all = ['', ...atoms.map((_atom, index) => atoms.slice(0, index + 1).join(''))]
  return distinct(all.length <= most ? all : [...all.slice(0, most / 2), ...all.slice(-most / 2)])
}

function pairsOf(atoms: readonly string[]): string[] {
  return atoms.slice(1).map((atom, index) => atoms[index]! + atom)
}

function distinct(texts: readonly string[]): string[] {
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

/** A character for each place of a pattern that takes one, in order; of classes the first. Groups and counts are left out. */
function atomsOf(source: string): string[] {
  const atoms: string[] = []
  for (let at = 0; at < source.length; at++) {
    const character = source[at]!
    if (character === '\\') {
      const { end, text } = escapeAt(source, at)
      if (text !== '') atoms.push(text)
      at = end
    } else if (character === '[') {
      const { end, texts } = classAt(source, at)
      atoms.push(...texts)
      at = end
    } else if (character === '{') at = Math.max(at, source.indexOf('}', at))
    else if (character === '(' && source[at + 1] === '?') at = Math.max(at, endOfGroupHead(source, at))
    else if (character === '.') atoms.push('a')
    else if (!'^$|()*+?'.includes(character)) atoms.push(character)
  }
  return atoms
}

/** Where `(?:`, `(?=`, `(?<name>` and their like end. */
function endOfGroupHead(source: string, at: number): number {
  const isNamed = source[at + 2] === '<' && !'=!'.includes(source[at + 3]!)
  if (isNamed) return source.indexOf('>', at)
  return at + (source[at + 2] === '<' ? 3 : 2)
}

function escapeAt(source: string, at: number): { end: number; text: string } {
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

/** Some characters of a class; of a negated one something that it surely takes. */
function classAt(source: string, start: number): { end: number; texts: string[] } {
  const isNegated = source[start + 1] === '^'
  const texts: string[] = []
  let at = start + (isNegated ? 2 : 1)
  for (; at < source.length && source[at] !== ']'; at++) {
    if (source[at] === '\\') {
      const { end, text } = escapeAt(source, at)
      texts.push(text)
      at = end
    } else if (source[at] !== '-') texts.push(source[at]!)
  }
  const some = isNegated ? ['x', ' '].filter(text => !texts.includes(text)) : texts
  return { end: at, texts: some.filter(text => text !== '').slice(0, 2) }
}
