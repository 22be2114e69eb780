/** Orders the sources of a measure: as the user has, then those with the most data. (docs/api/measure-methods.md#order-of-sources) */
import type { MeasureScope } from '../../storage/measures/measure-streams.js'
import { sortInSteps, type Steps } from '../../storage/steps.js'
import type { Call } from '../call/method.js'
import type { Reader } from '../call/reader.js'
import { readSourceOrder } from './known-measures.js'
import { describeMarksAbove } from '../streams/marks.js'
import { Pauses } from './pauses.js'

/** A stream by its number, and how much data it has. */
interface Counted {
  readonly stream: number
  readonly count: number
}

/**
 * Returns the sources in order of preference, with the ids of their streams; without those that no longer exist. `getReader` returns
 * the reader of the current step: there may be thousands of sources.
 */
export function* orderSources<T extends Counted>(
  getReader: () => Pick<Reader, 'store'>,
  scope: MeasureScope,
  measure: string,
  sources: readonly T[]
): Steps<readonly (T & { readonly streamId: string })[]> {
  const pauses = new Pauses()
  const known: (T & { readonly streamId: string; readonly rank: number })[] = []
  for (const source of sources) {
    const streamId = getReader().store.streams.findByNumber(source.stream)?.stream.id
    if (streamId !== undefined)
      known.push({ ...source, streamId, rank: scope.getRank(measure, source.stream) })
    if (pauses.isDue(1)) yield
  }
  return yield* sortInSteps(
    known,
    (a, b) =>
      (a.rank === b.rank ? 0 : a.rank - b.rank) || b.count - a.count || (a.streamId < b.streamId ? -1 : 1)
  )
}

/**
 * Returns the user's order of sources, and the marks of hidden streams, for the validators of others: they apply to them, but are not
 * published to them. Contains only what their responses depend on: the order of the requested measures, of streams that
 * they may read. Returns `undefined` for the user.
 */
export function describeHiddenState(
  call: Call,
  {
    measure,
    measures,
    other
  }: { readonly measure?: string; readonly measures?: readonly string[] | null; readonly other?: string }
): unknown {
  const { caller, store } = call
  if (caller.isPersonal) return undefined
  const requested = measure === undefined ? measures : [measure, other]
  const mayRead = (id: string): boolean => {
    const node = store.streams.find(id)
    return node !== undefined && caller.mayAt('read', node)
  }
  const orders = [...readSourceOrder({ store })]
    .flatMap(([id, streams]) => {
      if (requested && !requested.includes(id)) return []
      const readable = [...new Set(streams)].filter(mayRead)
      return readable.length > 0 ? [[id, readable]] : []
    })
    .toSorted(([a], [b]) => (a! < b! ? -1 : 1))
  return [orders, describeMarksAbove(call)]
}
