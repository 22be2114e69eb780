/** Regular expressions of matchers. They are compiled and matched at once, so their size is limited. */
import { RE2JS } from 're2js'
import { refuseMalformed, refuseUnsupported } from './query-error.js'

/** Maximum size of a pattern: its characters, each as often as its repetitions repeat them. */
const maxSize = 10_000
/** Maximum number of characters that the ranges and classes of a pattern consist of, each of which `(?i)` looks at: about 30 ms. */
const maxFolded = 1_000_000
/** The last character that has another case. */
const lastCased = 0x1_e9_43
/** Number of characters that take as long as a class of Unicode, such as `\pL`. */
const foldedOfClass = 10_000
/** Maximum number of branches of a pattern, times the length of a label: about 40 ms. */
const maxMatchWork = 150_000

/**
 * Compiles a pattern, which takes time linear in its size. The returned function matches whole labels, in time linear in their
 * length. Both throw a `QueryError` for what is too large, and the first for what is not a pattern of RE2.
 */
export function compilePattern(pattern: string): (text: string) => boolean {
  const shown = pattern.slice(0, 100)
  const measured = measurePattern(pattern)
  if (measured && measured.size > maxSize)
    refuseUnsupported(`A regular expression is too large: repeat less in "${shown}"`)
  if (countFolded(pattern) > maxFolded)
    refuseUnsupported(`A regular expression is too large: use fewer ranges and classes in "${shown}"`)
  const compiled = measured && tryCompile(pattern)
  if (!compiled) return refuseMalformed(`"${shown}" is not a regular expression of RE2`)
  return text => {
    if (measured.branches * text.length > maxMatchWork)
      refuseUnsupported(`A regular expression is too large for long labels: "${shown}"`)
    return compiled.matches(text)
  }
}

function tryCompile(pattern: string): RE2JS | undefined {
  try {
    // As in Prometheus, a dot is any character.
    return RE2JS.compile(pattern, RE2JS.DOTALL)
  } catch {
    return undefined
  }
}

/** How many characters a pattern has once its repetitions are written out, and how many branches at most are followed at a time. */
interface Measured {
  size: number
  branches: number
}

/** A group, and the last item in it, to which a repetition applies. */
interface Group extends Measured {
  last: Measured
}

/** Quotations, escapes, classes and repetitions; otherwise single characters. */
const tokens =
  /\\Q[^]*?(?:\\E|$)|\\[pPx]\{[^}]*\}|\\[^]|\[\^?\]?(?:\[:\^?\w+:\]|\\[^]|[^\]\\])*\]|\{(\d+)(?:,(\d*))?\}|[^]/g

/** Measures a pattern; `undefined` if its groups are not closed, or closed too often. Repetitions in each other multiply. */
function measurePattern(pattern: string): Measured | undefined {
  const open: Group[] = []
  let group = createGroup()
  for (const [token, least, most] of pattern.matchAll(tokens)) {
    if (token === '(') {
      open.push(group)
      group = createGroup()
    } else if (token === ')') {
      const closed = group
      const around = open.pop()
      if (!around) return undefined
      group = around
      addItem(group, closed)
    } else if (least !== undefined) {
      const times = Math.max(1, Number(least), Number(most ?? 0))
      const { branches, size } = group.last
      addItem(group, { size: size * (times - 1) + token.length, branches: (branches + 1) * times - branches })
      group.last = { size: size * times + token.length, branches: (branches + 1) * times }
    } else if ('*+?|'.includes(token)) {
      group.size++
      group.branches++
      group.last.size++
      group.last.branches++
    } else addItem(group, { size: token.length, branches: 0 })
  }
  return open.length > 0 ? undefined : { size: group.size, branches: 1 + group.branches }
}

/** What ends a range of characters beyond ASCII, wherever it is, and the beginning of a class of Unicode. */
const folded = /-(?:\\x\{([^}]*)\}|(\P{ASCII}))|\\[pP]/gu

/** Returns at least as many characters as the ranges and classes of a pattern consist of. Where ranges begin does not count. */
function countFolded(pattern: string): number {
  let count = 0
  for (const [, code, character] of pattern.matchAll(folded)) {
    const last = code === undefined ? character?.codePointAt(0) : parseInt(code, 16)
    count += last === undefined ? foldedOfClass : Math.min(last, lastCased) || 0
  }
  return count
}

function createGroup(): Group {
  return { size: 1, branches: 0, last: { size: 0, branches: 0 } }
}

function addItem(group: Group, { branches, size }: Measured): void {
  group.size += size
  group.branches += branches
  group.last = { size, branches }
}
