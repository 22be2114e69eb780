/** The catalogue of measures, and its lookups. */
import { activity } from './activity.js'
import { body } from './body.js'
import { heart } from './heart.js'
import { lab } from './lab.js'
import type { Measure } from './measure.js'
import { medication } from './medication.js'
import { mind } from './mind.js'
import { nutrition } from './nutrition.js'
import { places } from './places.js'
import { sleep } from './sleep.js'

/** All measures, by category; within each, the most common first. */
export const measures: readonly Measure[] = [
  ...body,
  ...heart,
  ...activity,
  ...sleep,
  ...mind,
  ...nutrition,
  ...medication,
  ...lab,
  ...places
]

const measuresById = new Map(measures.map(measure => [measure.id, measure]))
const measuresByType = new Map(
  measures.flatMap(measure => listDefaultTypes(measure).map(type => [type, measure] as const))
)

/** Returns the measure with an id. */
export function findMeasure(id: string): Measure | undefined {
  return measuresById.get(id)
}

/** Returns the measure to which events of a type, or series of it, belong if no stream is marked; `undefined` if there is none. */
export function findMeasureByType(type: string): Measure | undefined {
  return measuresByType.get(type.replace(/^series:/, ''))
}

/** Returns the types whose events belong to a measure if no stream is marked. */
export function listDefaultTypes({ isDefault, types }: Measure): readonly string[] {
  return isDefault === true ? types : isDefault === undefined || isDefault === false ? [] : isDefault
}
