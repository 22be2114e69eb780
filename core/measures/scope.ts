/** Which events belong to which measure, as the caller sees the tree of streams. (docs/api/measure-methods.md#what-belongs-to-a-measure) */
import { findMeasureByType } from '../../schemas/measures/catalogue.js'
import type { MeasuredType } from '../../storage/measures/measured-type.js'
import type { MeasureScope } from '../../storage/measures/measure-streams.js'
import type { StreamRepository } from '../../storage/repositories/streams.js'
import { convertUnit } from '../../schemas/units.js'
import type { Call } from '../call/method.js'
import { fail } from '../errors.js'
import { resolveMergedScope } from '../events/scope.js'
import { createMarkFinder } from '../streams/marks.js'
import { readSourceOrder, type KnownMeasures, type MeasureForm } from './known-measures.js'

/**
 * Returns which events of a `streams` parameter belong to which measure. Events in trashed streams do not
 * count. Errors: as `resolveMergedScope`.
 */
export function createMeasureScope(call: Call, known: KnownMeasures, streams: unknown): MeasureScope {
  const ranks = numberSources(call)
  const marks = getMarks(call)
  return {
    streams: resolveMergedScope(call, streams, false),
    findMeasure(numbers, type) {
      let isClaimed = false
      for (const number of numbers) {
        const mark = marks.get(number)
        if (mark === undefined) continue
        const measure = known.find(mark)
        if (measure?.types.includes(type)) return mark
        // What belongs to an unknown measure is not added to another one.
        if (!measure) isClaimed = true
      }
      return isClaimed ? undefined : findMeasureByType(type)?.id
    },
    getRank: (measure, stream) => ranks.get(measure)?.get(stream) ?? Infinity
  }
}

/** Returns a text that is the same for scopes that assign all events alike. */
export function describeMeasureScope(call: Call, streams: unknown): string {
  return JSON.stringify(
    [resolveMergedScope(call, streams, false), getMarks(call), numberSources(call)],
    listItems
  )
}

/** Turns sets and maps into lists, for `JSON.stringify`. */
function listItems(_key: string, value: unknown): unknown {
  return value instanceof Map || value instanceof Set ? [...value] : value
}

/** Kinds whose contents are not read. */
const countedKinds: ReadonlySet<string> = new Set(['place', 'span', 'text'])

/** Returns the types of a measure that can be given in a unit (an event type), or all of them if it is not numerical. */
export function listMeasuredTypes(
  { services, store }: Call,
  { fields: all, kind, molarMass, types }: MeasureForm,
  unit: string | undefined
): MeasuredType[] {
  const { types: numbers } = store.events
  // Only pairs have two numbers; what is merely counted needs none.
  const fields = kind === 'pair' ? all : countedKinds.has(kind) ? undefined : all?.slice(0, 1)
  return types.flatMap(name => {
    if (unit !== undefined && convertUnit(1, name, unit, molarMass) === undefined) return []
    const known = services.eventTypes.fields(name)
    const isValue = !fields || known.some(field => field.name === 'value' && !fields.includes('value'))
    return {
      name,
      number: numbers.find(name),
      seriesNumber: numbers.find(`series:${name}`),
      fields: isValue ? [undefined] : fields,
      convert: (value: number) =>
        unit === undefined ? value : (convertUnit(value, name, unit, molarMass) ?? value)
    }
  })
}

/** Marks by number of the stream. */
type Marks = ReadonlyMap<number, string>

interface CachedMarks {
  readonly streams: StreamRepository
  readonly version: number
  readonly marks: Marks
}

const cacheByAccess = new WeakMap<object, CachedMarks>()

/**
 * Returns the marks of the streams that a caller sees: a stream's own, else that of its nearest marked ancestor, whether the caller
 * sees that or not. Cached per version of the tree.
 */
function getMarks({ caller, store: { streams } }: Call): Marks {
  const access = caller.access ?? fail('invalid-access-token')
  const found = cacheByAccess.get(access)
  if (found?.streams === streams && found.version === streams.version) return found.marks
  const marks = new Map<number, string>()
  const find = createMarkFinder()
  for (const node of streams.list()) {
    const mark = caller.mayAt('list', node) ? find(node) : undefined
    if (mark !== undefined) marks.set(node.number, mark)
  }
  cacheByAccess.set(access, { streams, version: streams.version, marks })
  return marks
}

/** Returns the user's order of sources, by measure and number of the stream. */
function numberSources({ store }: Call): Map<string, ReadonlyMap<number, number>> {
  const ranks = new Map<string, ReadonlyMap<number, number>>()
  for (const [measure, ids] of readSourceOrder({ store })) {
    const numbers = ids.flatMap(id => store.streams.find(id)?.number ?? [])
    // The first place of a stream counts.
    ranks.set(measure, new Map(numbers.map((number, rank) => [number, rank] as const).toReversed()))
  }
  return ranks
}
