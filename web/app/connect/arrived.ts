/** What a connection has brought, by stream. */
import type { Account } from '../data/account.js'
import { useStore } from '../data/store.js'
import type { Connection } from './connections.js'

/** Contents of a stream. */
export interface Arrived {
  readonly streamId: string
  readonly type: string
  /** Number of values, and the time of the latest, in seconds: unknown for series that belong to no measure. */
  readonly values?: { readonly count: number; readonly last: number }
  /** Id of its measure. */
  readonly measure?: string
}

/**
 * Lists what is stored below the stream of a connection, and where its streams have been moved, the latest
 * first. Connections with the same app share a stream: below it, each has streams of its name, or those that
 * it has created. Empty until the streams are read.
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
  // Facts of streams count a series once; those of measures count its points.
  const measured = new Map(
    measureFacts.flatMap(({ measure, sources }) =>
      sources.map(
        ({ streamId, type, ...values }) =>
          [`${streamId} ${type.replace(seriesPrefix, '')}`, { measure, values }] as const
      )
    )
  )
  return facts
    .filter(({ streamId }) => {
      const stream = tree.find(streamId)
      if (!stream) return false
      // The user may have moved it.
      if (stream.createdBy.startsWith(connection.accessId)) return true
      return ids.has(streamId) && (!isShared || stream.name === connection.name)
    })
    .map(({ streamId, type, count, last }) => ({
      streamId,
      type,
      ...(type.startsWith(seriesPrefix) ? {} : { values: { count, last } }),
      ...measured.get(`${streamId} ${type.replace(seriesPrefix, '')}`)
    }))
    .toSorted((a, b) => (b.values?.last ?? 0) - (a.values?.last ?? 0))
}

const seriesPrefix = 'series:'
