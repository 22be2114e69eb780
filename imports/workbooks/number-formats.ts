/** Formats of numbers in workbooks: whether a number is a date, a time of the day, a length, a percentage, or has a unit. */

/** How a number is shown, as far as that tells what it is. */
export interface NumberFormat {
  readonly hasDate?: boolean
  readonly hasClock?: boolean
  readonly isPercent?: boolean
  /** What stands after it, such as `kg` of `0.0" kg"`. */
  readonly unit?: string
  /** Whether numbers are shown in several ways by their size, or divided by thousands. */
  readonly isUnclear?: boolean
}

const plain: NumberFormat = {}
const date: NumberFormat = { hasDate: true }
const clock: NumberFormat = { hasClock: true }
const both: NumberFormat = { hasDate: true, hasClock: true }
const percent: NumberFormat = { isPercent: true }
const unclear: NumberFormat = { isUnclear: true }

/** Characters of a format that are looked at: programs allow 255. */
const longestCode = 1000

/** Returns the format that a number stands for in every workbook. Those of East Asia are dates or times, by their values. */
export function builtInFormat(id: number): NumberFormat {
  if (id === 9 || id === 10) return percent
  if (id >= 14 && id <= 17) return date
  if ((id >= 18 && id <= 21) || (id >= 45 && id <= 47)) return clock
  if (id === 22) return both
  if ((id >= 27 && id <= 31) || id === 36 || (id >= 50 && id <= 54) || id === 57 || id === 58) return date
  if ((id >= 32 && id <= 35) || id === 55 || id === 56) return both
  return plain
}

/** A part of a format, of which there may be several for positive and negative numbers, zeros and texts. */
interface Section {
  /** Without what is shown as it is written. */
  bare: string
  /** What is shown before and after the digits. */
  before: string
  after: string
  hasCondition: boolean
}

/** Reads the code of a format, such as `dd.mm.yyyy hh:mm` or `[h]:mm`. */
export function parseFormat(code: string): NumberFormat {
  const sections = sectionsIn(code.slice(0, longestCode))
  const [first, ...others] = sections.map(formatOf)
  // By their sizes, numbers may be shown in other units.
  const isOne = others.every(other => JSON.stringify(other) === JSON.stringify(first))
  return sections.some(({ hasCondition }) => hasCondition) && !isOne ? unclear : first!
}

function sectionsIn(code: string): Section[] {
  let section: Section = { bare: '', before: '', after: '', hasCondition: false }
  const sections = [section]
  const show = (text: string): void => {
    if (/[0#?]/.test(section.bare)) section.after += text
    else section.before += text
  }
  for (let at = 0; at < code.length; at++) {
    const character = code[at]!
    if (character === ';') sections.push((section = { bare: '', before: '', after: '', hasCondition: false }))
    else if (character === '"' || character === '[') {
      const close = code.indexOf(character === '"' ? '"' : ']', at + 1)
      const end = close < 0 ? code.length : close
      const inner = code.slice(at + 1, end)
      if (character === '"') show(inner)
      // Hours, minutes or seconds of which there may be more than those of a day.
      else if (/^(?:h+|m+|s+)$/i.test(inner)) section.bare += `h${inner}`
      else if (/^[<>=]/.test(inner)) section.hasCondition = true
      at = end
    } else if (character === '\\') show(code[++at] ?? '')
    // Widths of spaces, and what fills a cell.
    else if (character === '_' || character === '*') at++
    else section.bare += character
  }
  return sections
}

function formatOf({ after, bare, before }: Section): NumberFormat {
  const letters = bare.replaceAll(/general|standard|am\/pm|a\/p/gi, '')
  const hasClock = /[hs]/i.test(letters)
  const hasDate = /[dy]|mmm/i.test(letters) || (!hasClock && /m/i.test(letters))
  if (hasDate) return hasClock ? both : date
  if (hasClock) return clock
  // Commas after all digits divide by thousands; marks before them say that it is more or less.
  if (/[0#?],+(?![0#?,])|%.*%/.test(bare) || /[<>≤≥~]/.test(before)) return unclear
  if (bare.includes('%')) return percent
  const unit = (/[0#?]/.test(bare) ? after : before).trim()
  return /[\p{L}%°]/u.test(unit) ? { unit } : plain
}
