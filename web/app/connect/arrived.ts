/** What a connection has brought, by stream. */
import type { Account } from '../data/account.js'
import { useStore } from '../data/store.js'
import type { Connection } from './connections.js'

/** Contents of a stream. */
export interface Arrived {
  readonly streamId: string
  readonly type: string
  readonly count: number
  /** Time of the latest value, in seconds. */
  readonly last: number
  /** Id of its measure. */
  readonly measure?: string
}

/**
 * Lists what is stored below the stream of a connection, the latest first. Connections with the same app share a stream: below it,
 * each has streams of its name, or those that it has created.
 */
export function useArrived(
  account: Account,
  connection: Connection,
  all: readonly Connection[]
): readonly Arrived[] {
  const tree = useStore(account.tree)
  const facts = useStore(account.facts)
  const measureFacts = useStore(account.measureFacts)
  if (!tree) return []
  const ids = new Set(tree.listSubtreeIds(connection.streamId))
  const isShared = all.some(({ id, streamId }) => id !== connection.id && streamId === connection.streamId)
  const measures = new Map(
    measureFacts.flatMap(({ measure, sources }) =>
      sources.map(({ streamId }) => [streamId, measure] as const)
    )
  )
  return facts
    .filter(({ streamId }) => {
      const stream = ids.has(streamId) ? tree.find(streamId) : undefined
      return (
        stream !== undefined &&
        (!isShared || stream.name === connection.name || stream.createdBy.startsWith(connection.accessId))
      )
    })
    .map(({ streamId, type, count, last }) => {
      const measure = measures.get(streamId)
      return { streamId, type, count, last, ...(measure !== undefined && { measure }) }
    })
    .toSorted((a, b) => b.last - a.last)
}
