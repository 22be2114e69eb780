/** Where the records of a lane go: a measure, a stream, or nowhere. */
import { useEffect, useMemo, useState } from 'preact/hooks'
import { getLocale, t } from '../../language.js'
import { toPlainText } from '../../plain-text.js'
import { useAccount } from '../data/account.js'
import { getMeasureName, type AnyMeasure, type MeasureFact } from '../data/measures.js'
import { useStore } from '../data/store.js'
import type { Tree } from '../data/tree.js'
import type { Lane, LaneChoice } from './model.js'

/** Measures, and what the account has of them. */
export class Measures {
  readonly #byId: ReadonlyMap<string, AnyMeasure>
  readonly #facts: ReadonlyMap<string, MeasureFact>

  constructor(measures: readonly AnyMeasure[], facts: readonly MeasureFact[]) {
    this.#byId = new Map(measures.map(measure => [measure.id, measure]))
    this.#facts = new Map(facts.map(fact => [fact.measure, fact]))
  }

  /** Returns a measure; undefined without an id or if it is unknown. */
  find(id: string | undefined): AnyMeasure | undefined {
    return id === undefined ? undefined : this.#byId.get(id)
  }

  /** Returns what the account has of a measure; undefined if nothing. */
  getFact(id: string): MeasureFact | undefined {
    return this.#facts.get(id)
  }

  /** Lists the measures that are stored in a type, by name. */
  listOfType(type: string): { readonly id: string; readonly name: string }[] {
    return [...this.#byId.values()]
      .filter(({ types }) => types.includes(type))
      .map(measure => ({ id: measure.id, name: getMeasureName(measure) }))
      .toSorted((a, b) => a.name.localeCompare(b.name, getLocale()))
  }
}

/** Reads the measures; undefined until they are here, and if they cannot be read: then lanes are shown without them. */
export function useMeasures(): Measures | undefined {
  const account = useAccount()
  const facts = useStore(account.measureFacts)
  const [all, setAll] = useState<readonly AnyMeasure[]>()
  useEffect(() => {
    account.measures.readAll().then(setAll, () => undefined)
  }, [account])
  return useMemo(() => all && new Measures(all, facts), [all, facts])
}

/** Returns the choice that applies to a lane: the user's new one, `null` if it was taken back, or the one of the review. */
export function getChoice(lane: Lane, choices: LaneChoices): LaneChoice | null | undefined {
  return Object.hasOwn(choices, lane.key) ? choices[lane.key] : lane.choice
}

/** Choices by key of the lane; `null` takes one back. */
export type LaneChoices = Readonly<Record<string, LaneChoice | null>>

/** Returns the id of the measure of a lane with a choice; undefined if there is none, or if it is not known yet. */
export function getMeasureId(lane: Lane, choice: LaneChoice | null | undefined): string | undefined {
  if (choice === lane.choice) return lane.measure
  return choice?.measure ?? undefined
}

/** Formats the path of a stream: `Health › Weight`; its id if it is unknown. */
export function formatStreamPath(tree: Tree | undefined, streamId: string): string {
  const path = tree?.getPath(streamId) ?? []
  return path.length === 0 ? streamId : path.map(({ name }) => toPlainText(name)).join(' › ')
}

/** Formats the path of the streams of a lane, which may not exist yet. */
export function formatLanePath(tree: Tree | undefined, { path = [] }: Lane): string {
  return path
    .map(({ id, name }, at) => {
      const stream = tree?.find(id)
      if (!stream) return toPlainText(name)
      // The first one that exists may be below others.
      return at === 0 ? formatStreamPath(tree, id) : toPlainText(stream.name)
    })
    .join(' › ')
}

/** Returns the name of a lane: its measure's, or its own name in the file, or a general one. */
export function getLaneName(lane: Lane, measures: Measures | undefined): string {
  const measure = measures?.find(lane.measure)
  return measure ? getMeasureName(measure) : toPlainText(lane.stream) || t('import.what')
}
