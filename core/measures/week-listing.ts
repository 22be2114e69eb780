/** Lists what a week was like by each measure that has data, one measure after another. (docs/api/measure-methods.md#a-week) */
import { parseGoals, type Goal } from '../../schemas/measures/goals.js'
import type { MeasureFact } from '../../storage/measures/facts-run.js'
import type { Call } from '../call/method.js'
import type { Reader } from '../call/reader.js'
import { emptyPage, type Listing, type Page } from '../json/json-text.js'
import { startDays, type DayValue } from './day-values.js'
import { listDays, type DayRange } from './grids.js'
import { KnownMeasures, type MeasureForm } from './known-measures.js'
import { summariseWeek, usualDays, weekDays, type MeasureWeek, type WeekDays } from './measure-week.js'
import { RunListing } from './run-listing.js'
import { createMeasureScope } from './scope.js'
import { startVisits, type Visited } from './visited-places.js'

/** A measure that is being read. */
interface Reading {
  readonly runs: RunListing<unknown>[]
  readonly summarise: (reader: Reader) => MeasureWeek | undefined
}

/**
 * Lists the measures in the order of `measures.get`, without those that have no data in the week or the four
 * before. Own measures and goals are for the user only.
 */
export class WeekListing implements Listing<Reader> {
  readonly #days: DayRange
  readonly #week: WeekDays
  /** By measure; the latest data of each. */
  readonly #facts = new Map<string, { first: number; last: number }>()
  #search: RunListing<unknown> | undefined
  #waiting: MeasureForm[] = []
  #reading: Reading | undefined

  /** `last`: number of the last day of the week. */
  constructor(
    private readonly call: Call,
    { last, zone }: { readonly last: number; readonly zone: string }
  ) {
    const first = last + 1 - weekDays - usualDays
    this.#days = listDays(zone, first, last)
    this.#week = { zone, first, start: usualDays }
    this.#search = new RunListing(call, undefined, reading => this.#startSearch(reading))
  }

  /** Reads on, and returns the week of a measure once it is complete; empty pages until then. */
  next(reader: Reader): Page {
    if (this.#search) {
      const { done, isWaiting } = this.#search.next(reader)
      if (!done) return { ...emptyPage, isWaiting }
      this.#search = undefined
      this.#waiting = this.#listMeasures(reader)
      return emptyPage
    }
    this.#reading ??= this.#begin(reader)
    if (!this.#reading) return { ...emptyPage, done: true }
    const { runs, summarise } = this.#reading
    const page = runs[0]?.next(reader)
    if (page?.done) runs.shift()
    if (runs.length > 0) return { ...emptyPage, isWaiting: page?.isWaiting }
    this.#reading = undefined
    const week = summarise(reader)
    return week ? { text: JSON.stringify(week), count: 1, done: false } : emptyPage
  }

  close(): void {
    this.#search?.close()
    for (const run of this.#reading?.runs ?? []) run.close()
  }

  /** Starts looking for the measures that have data, with their first and last times. */
  #startSearch(call: Call): ReturnType<ConstructorParameters<typeof RunListing>[2]> {
    const facts = this.#facts
    const all = new KnownMeasures(call)
    const scope = createMeasureScope(call, all, undefined)
    const types = new Set(all.list().flatMap(measure => measure.types))
    return {
      run: call.store.measures.createFacts({
        scope,
        isRequested: type => types.has(type),
        createdSince: undefined
      }),
      *finish(_getReader, found) {
        facts.clear()
        for (const { first, last, measure } of found as readonly MeasureFact[]) {
          const known = facts.get(measure)
          facts.set(measure, {
            first: Math.min(first, known?.first ?? Infinity),
            last: Math.max(last, known?.last ?? -Infinity)
          })
          yield
        }
      }
    }
  }

  /** Returns the measures that may have data in the range. */
  #listMeasures(reader: Reader): MeasureForm[] {
    const { starts } = this.#days
    const [from, end] = [starts[0]!, starts.at(-1)!]
    return new KnownMeasures(reader).list().filter(({ id, kind }) => {
      const fact = this.#facts.get(id)
      // A period may last longer than until the time of its event.
      return fact && fact.first < end && (fact.last >= from || kind === 'span')
    })
  }

  /** Begins to read the next measure; `undefined` if there are no more. */
  #begin(reader: Reader): Reading | undefined {
    const measure = this.#waiting.shift()
    if (!measure) return undefined
    const call = { ...this.call, ...reader }
    const values = new Map<number, DayValue>()
    const runs: RunListing<unknown>[] = [
      new RunListing(call, undefined, reading => {
        values.clear()
        const format = (value: DayValue): string => {
          values.set(value.day, value)
          return ''
        }
        return startDays(reading, { measure, streams: undefined, unit: undefined, days: this.#days, format })
      })
    ]
    const visited: Visited = {}
    const { starts } = this.#days
    const week = { from: starts[this.#week.start]!, end: starts.at(-1)! }
    if (measure.id === 'visit')
      runs.push(
        new RunListing(call, undefined, reading => startVisits(reading, measure, { ...week, visited }))
      )
    return {
      runs,
      summarise: current => {
        const found = summariseWeek(measure, values, this.#week, findGoal(current, measure.id))
        return found && { ...found, ...(visited.places && { places: visited.places }) }
      }
    }
  }
}

/** Returns the user's goal, if the caller may read the private profile set. */
function findGoal({ caller, store }: Reader, measure: string): Goal | undefined {
  return caller.isPersonal ? parseGoals(store.profile.find('private')).get(measure) : undefined
}
