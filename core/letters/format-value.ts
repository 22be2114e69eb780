/** Formats the values of measures in letters, with their units. */
import type { LetterSettings } from '../../schemas/plans/letter.js'
import { findMeasure } from '../../schemas/measures/catalogue.js'
import { convertUnit } from '../../schemas/units.js'
import { getUcumUnit } from '../exports/ucum.js'
import type { OwnMeasure } from '../measures/known-measures.js'
import { getLetterTexts } from './texts.js'

type Language = LetterSettings['language']

/** What is needed to show a measure. */
export interface Shown {
  readonly name: string
  /** Formats a value, or both of a pair. */
  readonly format: (value: unknown) => string
}

/** Significant digits of numbers. */
const digits = 4

/**
 * Returns how a measure is shown; `undefined` for one that is unknown by now. The names of the catalogue are
 * in the language, own ones as the user wrote them.
 */
export function showMeasure(id: string, own: readonly OwnMeasure[], language: Language): Shown | undefined {
  const known = findMeasure(id)
  const measure = known ?? own.find(each => each.id === id)
  if (!measure) return undefined
  const name = known ? known.names[language] : (measure as OwnMeasure).name
  if (measure.kind === 'span')
    return { name, format: value => (typeof value === 'number' ? formatSeconds(value, language) : '') }
  const [first = ''] = measure.types
  const shown = measure.unit?.shown ?? first
  const unit = getSymbol(shown)
  const toNumber = (value: unknown): string =>
    typeof value === 'number'
      ? formatNumber(convertUnit(value, first, shown, known?.molarMass) ?? value, language)
      : String(value)
  return {
    name,
    format: value => {
      const text = Array.isArray(value) ? value.map(toNumber).join('/') : toNumber(value)
      return unit === '' ? text : `${text} ${unit}`
    }
  }
}

function formatNumber(value: number, language: Language): string {
  const options =
    Math.abs(value) >= 1000 ? { maximumFractionDigits: 0 } : { maximumSignificantDigits: digits }
  return new Intl.NumberFormat(language, options).format(value)
}

function formatSeconds(seconds: number, language: Language): string {
  const minutes = Math.round(seconds / 60)
  return getLetterTexts(language).hours(Math.floor(minutes / 60), String(minutes % 60).padStart(2, '0'))
}

/** Returns the symbol of a unit, from its UCUM code: `mm[Hg]` is mmHg, and `{steps}` no unit. */
function getSymbol(type: string): string {
  const code = getUcumUnit(type)
  if (code === 'Cel') return '°C'
  return code === '1' || code.startsWith('{') ? '' : code.replaceAll(/[[\]]|_\w+/g, '')
}
