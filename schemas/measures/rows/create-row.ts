/** Builders for rows of the catalogue. */
import type { Category, Kind, Measure, Names } from '../measure.js'
import { bloodConcentration } from './units.js'

/** A measure without its category. */
export type Row = Omit<Measure, 'category'>

/** Names in English, German and French. */
export type NameList = readonly [en: string, de: string, fr: string]

/** Returns measures with their category. */
export function inCategory(category: Category, rows: readonly Row[]): Measure[] {
  return rows.map(row => ({ ...row, category }))
}

/** Builds a row from what every measure has and what else this one has. */
export function createRow(
  id: string,
  names: NameList,
  icon: string,
  hue: number,
  kind: Kind,
  types: readonly string[],
  others: Partial<Row> = {}
): Row {
  return { id, names: toNames(names), icon, hue, kind, types, ...others }
}

/** Returns names by language. The list is in the order English, German, French. */
export function toNames([en, de, fr]: NameList): Names {
  return { en, de, fr }
}

type Range = readonly [min: number, max: number]

/** Builds a concentration (mmol/L), with the molar mass of what is measured (g/mol). */
export function createMolar(
  id: string,
  names: NameList,
  hue: number,
  molarMass: number,
  [plausible, possible]: readonly [Range, Range],
  others: Partial<Row>
): Row {
  return createRow(id, names, 'test-tube', hue, 'level', ['density/mmol-l', 'density/mg-dl'], {
    unit: bloodConcentration,
    molarMass,
    plausible,
    possible,
    ...others
  })
}

/** Builds a share (percent). */
export function createShare(
  id: string,
  names: NameList,
  icon: string,
  hue: number,
  plausible: Range,
  codes: Row['codes']
): Row {
  return createRow(id, names, icon, hue, 'level', ['ratio/percent'], {
    plausible,
    possible: [0, 100],
    ...(codes && { codes })
  })
}
