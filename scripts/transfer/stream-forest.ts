/** Looks whether streams form trees: the service goes up and down them without looking. */
import { UserInspection } from '../../storage/inspection.js'
import type { Layout } from '../../storage/layout.js'
import { TransferError } from './transfer-error.js'

/** Raises {@link TransferError} for a stream without its parent, or below itself. */
export function mustBeTree(layout: Layout, account: string): void {
  const inspection = new UserInspection(layout, account)
  let parents: ReadonlyMap<string, string | null>
  try {
    parents = new Map(Array.from(inspection.streams(), ({ id, parentId }) => [id, parentId]))
  } finally {
    inspection.close()
  }
  const sound = new Set<string>()
  for (const id of parents.keys()) {
    const way = new Set<string>()
    for (let at: string | null = id; at !== null && !sound.has(at); at = parents.get(at) ?? null) {
      if (way.has(at)) throw new TransferError(`the stream ${at} is below itself`)
      if (!parents.has(at)) throw new TransferError(`the stream ${at} is missing`)
      way.add(at)
    }
    for (const each of way) sound.add(each)
  }
}
