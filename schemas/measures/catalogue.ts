/** The catalogue of measures, and its lookups. */
import { activity } from './categories/activity.js'
import { blood } from './categories/blood.js'
import { body } from './categories/body.js'
import { breathing } from './categories/breathing.js'
import { cycle } from './categories/cycle.js'
import { environment } from './categories/environment.js'
import { heart } from './categories/heart.js'
import { lab } from './categories/lab.js'
import { medication } from './categories/medication.js'
import { mind } from './categories/mind.js'
import { money } from './categories/money.js'
import { motion } from './categories/motion.js'
import { nutrients } from './categories/nutrients.js'
import { nutrition } from './categories/nutrition.js'
import { places } from './categories/places.js'
import { serum } from './categories/serum.js'
import { sleep } from './categories/sleep.js'
import { sports } from './categories/sports.js'
import { symptoms } from './categories/symptoms.js'
import { timeUse } from './categories/time-use.js'
import type { Measure } from './measure.js'

/** All measures, by category; within each, the most common first. */
export const measures: readonly Measure[] = [
  ...body,
  ...heart,
  ...breathing,
  ...activity,
  ...sports,
  ...motion,
  ...sleep,
  ...mind,
  ...nutrition,
  ...nutrients,
  ...cycle,
  ...medication,
  ...symptoms,
  ...lab,
  ...serum,
  ...blood,
  ...environment,
  ...places,
  ...timeUse,
  ...money
]

const measuresById = new Map(measures.map(measure => [measure.id, measure]))
const measuresByType = new Map(
  measures.flatMap(measure => listDefaultTypes(measure).map(type => [type, measure] as const))
)

/** Returns the measure of the catalogue with an id; `undefined` if there is none. */
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
