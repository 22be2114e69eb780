/** Names of the kinds of events: of the measure to which they belong, otherwise of their type. */
import { useMemo } from 'preact/hooks'
import { getLocale } from '../../language.js'
import { useAccount } from '../data/account.js'
import { useReading } from '../data/reading.js'
import { getTypeName } from '../data/event-types.js'
import { getUnitSymbol } from '../data/format-values.js'
import { getMeasureName, type AnyMeasure, type MeasureFact } from '../data/measures.js'
import type { Event } from '../data/model.js'
import { useStore } from '../data/store.js'
import { toPointType } from '../data/units.js'

/** Returns the name of the kind of an event: `Resting heart rate`, `Note`. */
export type NameKind = (event: Pick<Event, 'streamIds' | 'type'>) => string

/**
 * Returns a function that names kinds; by measure as soon as the measures of the account are read. By type if
 * they cannot be read.
 */
export function useKindNames(): NameKind {
  const { measureFacts, measures } = useAccount()
  const facts = useStore(measureFacts)
  // Without measures, the names are the names of types.
  const { read: known } = useReading(
    async () => await measures.read(facts.map(({ measure }) => measure)),
    [facts, measures]
  )
  return useMemo(() => nameKinds(facts, known ?? []), [facts, known])
}

/** Returns a function that names the kind of an event. */
function nameKinds(facts: readonly MeasureFact[], measures: readonly AnyMeasure[]): NameKind {
  const names = new Map(measures.map(measure => [measure.id, getMeasureName(measure)]))
  const bySource = new Map<string, string>()
  for (const { measure, sources } of facts)
    for (const { streamId, type } of sources) {
      const name = names.get(measure)
      if (name !== undefined) bySource.set(`${streamId} ${type}`, name)
    }
  return ({ streamIds, type }) => {
    for (const id of streamIds) {
      const name = bySource.get(`${id} ${type}`)
      if (name !== undefined) return name
    }
    return getTypeName(type)
  }
}

/** A type, and its name among others. */
interface NamedType {
  readonly type: string
  readonly name: string
}

/** Names types for a list to choose from, in the order of the names. Types with the same name differ in unit, or show the type itself. */
export function nameTypes(types: readonly string[]): NamedType[] {
  const named = types.map(type => ({ type, name: getTypeName(type), point: toPointType(type) }))
  const isAmbiguous = (type: string, name: string): boolean =>
    named.some(other => other.type !== type && other.name === name)
  return named
    .map(({ name, point, type }) => {
      if (!isAmbiguous(type, name)) return { type, name }
      const unit = getUnitSymbol(point, { isAsStored: true })
      const isShared = named.some(
        other =>
          other.type !== type &&
          other.name === name &&
          getUnitSymbol(other.point, { isAsStored: true }) === unit
      )
      return { type, name: `${name} (${isShared || unit === '' ? type : unit})` }
    })
    .toSorted((one, other) => one.name.localeCompare(other.name, getLocale()))
}
