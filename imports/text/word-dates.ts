/** Parses dates with month names, in English, German, French, Italian, Spanish, Portuguese, Dutch and Nordic languages. */

/** Patterns of month names, without accents. */
const monthPatterns = [
  /^(?:jan|ene|gen)/,
  /^fe[bv]/,
  /^(?:mar(?:ch|z|s|zo|co)?|maerz|mrz|maart|mrt)$/,
  /^a[pvb]r/,
  /^(?:ma[iyjg]|mayo|maio|maggio|mei)$/,
  /^(?:jui?n[ei]?|junio|junho|giu(?:gno)?)$/,
  /^(?:jui?l(?:let|[iy])?|julio|julho|lug(?:lio)?)$/,
  /^(?:aug|aou|ago)/,
  /^se[pt]/,
  /^(?:o[ck]t|ott|out)/,
  /^nov/,
  /^(?:de[czs]|dic)/
]

interface WordDate {
  readonly year: string
  /** Number of the month, from 1. */
  readonly month: number
  readonly day: number
  /** Text after the date. */
  readonly rest: string
}

const weekdayPrefix = /^(?:[a-z]{2,10}\.?,? +)?/
const dayFirstDate =
  /^(\d{1,2})(?:\.|st|nd|rd|th|er)?[ -]+(?:of |de )?([a-z]{3,10})\.?,?[ -]+(?:de )?(\d{4}|\d{2})(?![\d:])(.*)$/
const monthFirstDate = /^([a-z]{3,10})\.? +(\d{1,2})(?:st|nd|rd|th)?,? +(\d{4})(?!\d)(.*)$/
/**
 * Parses `Wed, 27 Oct 2024 08:00`, `Oct 27, 2024 8:00 AM`, `Mittwoch, 1. Mai 2024` or `1er mai 2024`; returns `undefined` for other
 * texts.
 */
export function parseWordDate(text: string): WordDate | undefined {
  const folded = text
    .toLowerCase()
    .normalize('NFD')
    .replaceAll(/[\u0300-\u036f]/g, '')
  if (!/[a-z]{3}/.test(folded)) return undefined
  const plain = folded.slice(weekdayPrefix.exec(folded)![0].length)
  // What looks like a weekday may be a month.
  for (const each of plain === folded ? [folded] : [folded, plain]) {
    const found = parseDate(each)
    if (found) return found
  }
  return undefined
}

function parseDate(text: string): WordDate | undefined {
  const day = dayFirstDate.exec(text)
  if (day) return toWordDate(day[3]!, day[2]!, day[1]!, day[4]!)
  const month = monthFirstDate.exec(text)
  return month ? toWordDate(month[3]!, month[1]!, month[2]!, month[4]!) : undefined
}

function toWordDate(year: string, name: string, day: string, rest: string): WordDate | undefined {
  const month = monthPatterns.findIndex(each => each.test(name)) + 1
  if (month === 0) return undefined
  return { year, month, day: Number(day), rest: rest.replace(/^[, -]+(?:(?:at|um|a) )?/, '') }
}
