/** Builders of laboratory values that have an event type with their unit. */
import { createRow, type NameList, type Row } from './create-row.js'
import { bloodConcentration } from './units.js'

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
