/** Measures: their names, and what the account has of each. (docs/api/measure-methods.md) */
import type { Measure, Names } from '../../../schemas/measures/measure.js'
import { getLanguage } from '../../language.js'
import { toPlainText } from '../../plain-text.js'

/** A measure of the user's own, which has one name and no category. */
export interface OwnMeasure extends Omit<Measure, 'category' | 'names' | 'choices'> {
  readonly name: string
}

/** A measure as `measures.get` returns it. */
export type AnyMeasure = Measure | OwnMeasure

/** What the account has of a measure, as `measures.facts` returns it. Times are in seconds. */
export interface MeasureFact {
  readonly measure: string
  readonly count: number
  readonly first: number
  readonly last: number
  /** In order of preference. */
  readonly sources: readonly {
    readonly streamId: string
    readonly type: string
    readonly count: number
    readonly first: number
    readonly last: number
  }[]
}

/** Returns the name of a measure in the language of the page. */
export function getMeasureName(measure: AnyMeasure): string {
  return 'name' in measure ? toPlainText(measure.name) : getLocalName(measure.names)
}

function getLocalName(names: Names): string {
  const language = getLanguage()
  return Object.hasOwn(names, language) ? names[language as keyof Names] : names.en
}
