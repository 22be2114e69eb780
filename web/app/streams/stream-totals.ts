/** Counts and latest events of streams, with and without the streams below. */
import type { Fact } from '../data/model.js'
import type { Tree } from '../data/tree.js'

export interface StreamTotals {
  readonly own: number
  /** Including all streams below. */
  readonly all: number
  /** Number of events, including all streams below: series count as one. */
  readonly events: number
  /** Latest event, here or below. */
  readonly last?: Fact
}

const noEvents: StreamTotals = { own: 0, all: 0, events: 0 }

/**
 * Computes the totals of all streams. Returns a function that finds them by id. Unknown streams have none.
 */
export function computeTotals(tree: Tree, facts: readonly Fact[]): (id: string) => StreamTotals {
  const totals = new Map<string, StreamTotals>()
  for (const fact of facts)
    for (const { id } of tree.getPath(fact.streamId)) {
      const { all, events, last, own } = totals.get(id) ?? noEvents
      const isLater = last === undefined || fact.last > last.last
      totals.set(id, {
        own: own + (id === fact.streamId ? fact.shownCount : 0),
        all: all + fact.shownCount,
        events: events + fact.count,
        ...(isLater ? { last: fact } : last ? { last } : {})
      })
    }
  return id => totals.get(id) ?? noEvents
}
