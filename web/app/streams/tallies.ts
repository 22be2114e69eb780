/** What streams hold, of their own and with all below them: counts, and what came last. */
import type { Fact } from '../data/model.js'
import type { Tree } from '../data/tree.js'

export interface Tally {
  readonly own: number
  /** With all below it. */
  readonly all: number
  /** What came last, here or below. */
  readonly last?: Fact
}

const nothing: Tally = { own: 0, all: 0 }

/** Returns the tallies of all streams by their ids. */
export function talliesOf(tree: Tree, facts: readonly Fact[]): (id: string) => Tally {
  const tallies = new Map<string, Tally>()
  for (const fact of facts)
    for (const { id } of tree.pathOf(fact.streamId)) {
      const { all, last, own } = tallies.get(id) ?? nothing
      const isLater = last === undefined || fact.last > last.last
      tallies.set(id, {
        own: own + (id === fact.streamId ? fact.count : 0),
        all: all + fact.count,
        ...(isLater ? { last: fact } : last ? { last } : {})
      })
    }
  return id => tallies.get(id) ?? nothing
}
