/** Parses number formats of workbooks: whether a number is a date, a time of day, a duration, a percentage, or has a unit. */

/** What the display format of a number says about its meaning. */
export interface NumberFormat {
  readonly hasDate?: boolean
  readonly hasClock?: boolean
  readonly isPercent?: boolean
  /** Text after it, such as `kg` in `0.0" kg"`. */
  readonly unit?: string
  /** True if the display depends on the size of the number, or divides it by thousands. */
  readonly isUnclear?: boolean
}

const plainFormat: NumberFormat = {}
const dateFormat: NumberFormat = { hasDate: true }
const clockFormat: NumberFormat = { hasClock: true }
const dateAndClock: NumberFormat = { hasDate: true, hasClock: true }
const percentFormat: NumberFormat = { isPercent: true }
const unclearFormat: NumberFormat = { isUnclear: true }

/** Maximum length of a format, in characters; apps allow 255. */
const maxCodeLength = 1000

/**
 * Returns the built-in format with an id. East Asian formats are dates or times, depending on the value.
 * Other ids are plain numbers.
 */
export function getBuiltInFormat(id: number): NumberFormat {
  if (id === 9 || id === 10) return percentFormat
  if (id >= 14 && id <= 17) return dateFormat
  if ((id >= 18 && id <= 21) || (id >= 45 && id <= 47)) return clockFormat
  if (id === 22) return dateAndClock
  if ((id >= 27 && id <= 31) || id === 36 || (id >= 50 && id <= 54) || id === 57 || id === 58)
    return dateFormat
  if ((id >= 32 && id <= 35) || id === 55 || id === 56) return dateAndClock
  return plainFormat
}

/** A section of a format: there may be several, for positive and negative numbers, zeros and texts. */
interface FormatSection {
  /** The format without literal text. */
  pattern: string
  /** Literal text before and after the digits. */
  before: string
  after: string
  hasCondition: boolean
}

/** Parses a format code such as `dd.mm.yyyy hh:mm` or `[h]:mm`. */
export function parseFormat(code: string): NumberFormat {
  const sections = splitSections(code.slice(0, maxCodeLength))
  const [first, ...others] = sections.map(toFormat)
  // Sections with conditions may display numbers in different units.
  const isUniform = others.every(other => JSON.stringify(other) === JSON.stringify(first))
  return sections.some(({ hasCondition }) => hasCondition) && !isUniform ? unclearFormat : first!
}

/** Splits a number format at its semicolons, and each section into its pattern and the text around it. */
function splitSections(code: string): FormatSection[] {
  let section: FormatSection = { pattern: '', before: '', after: '', hasCondition: false }
  const sections = [section]
  const addText = (text: string): void => {
    if (/[0#?]/.test(section.pattern)) section.after += text
    else section.before += text
  }
  for (let index = 0; index < code.length; index++) {
    const character = code[index]!
    if (character === ';')
      sections.push((section = { pattern: '', before: '', after: '', hasCondition: false }))
    else if (character === '"' || character === '[') {
      const close = code.indexOf(character === '"' ? '"' : ']', index + 1)
      const end = close < 0 ? code.length : close
      const inner = code.slice(index + 1, end)
      if (character === '"') addText(inner)
      // Elapsed hours, minutes or seconds, which may exceed a day.
      else if (/^(?:h+|m+|s+)$/i.test(inner)) section.pattern += `h${inner}`
      else if (/^[<>=]/.test(inner)) section.hasCondition = true
      index = end
    } else if (character === '\\') addText(code[++index] ?? '')
    // Widths of spaces, and fill characters.
    else if (character === '_' || character === '*') index++
    else section.pattern += character
  }
  return sections
}

function toFormat({ after, pattern, before }: FormatSection): NumberFormat {
  const letters = pattern.replaceAll(/general|standard|am\/pm|a\/p/gi, '')
  const hasClock = /[hs]/i.test(letters)
  const hasDate = /[dy]|mmm/i.test(letters) || (!hasClock && /m/i.test(letters))
  if (hasDate) return hasClock ? dateAndClock : dateFormat
  if (hasClock) return clockFormat
  // Commas after all digits divide by thousands; signs before them mean "more than" or "about".
  if (/[0#?],+(?![0#?,])|%.*%/.test(pattern) || /[<>≤≥~]/.test(before)) return unclearFormat
  if (pattern.includes('%')) return percentFormat
  const unit = (/[0#?]/.test(pattern) ? after : before).trim()
  return /[\p{L}%°]/u.test(unit) ? { unit } : plainFormat
}
