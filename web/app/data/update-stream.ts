/** Changes streams, with undo. All functions reject with a `Refusal`. */
import type { Account } from './account.js'
import type { Stream } from './model.js'

/** Undoes a change. */
type Undo = () => Promise<void>

/**
 * Updates fields of a stream, and reads streams and facts again. Returns a function that restores the
 * previous values. Rejects with a `Refusal`.
 */
export async function updateStream(
  account: Account,
  { id, ...before }: Stream,
  update: { readonly name?: string; readonly parentId?: string | null; readonly clientData?: object }
): Promise<Undo> {
  const set = async (fields: object): Promise<void> => {
    await account.client.call('streams.update', { id, update: fields })
    // Marks, and streams above, decide to which measures events belong.
    await Promise.all([account.readStreams(), account.readFacts()])
  }
  await set(update)
  const former = Object.fromEntries(
    Object.entries(update).map(([key, value]) => [
      key,
      key === 'clientData'
        ? Object.fromEntries(
            Object.keys(value as object).map(name => [name, before.clientData?.[name] ?? null])
          )
        : before[key as 'name' | 'parentId']
    ])
  )
  return async () => await set(former)
}

/**
 * Moves a stream and all below it to the trash, and reads streams, facts and accesses again. Returns a function
 * that restores it. Rejects with a `Refusal`.
 */
export async function trashStream(account: Account, id: string): Promise<Undo> {
  await account.client.call('streams.delete', { id })
  await reload(account)
  return async () => await restoreStream(account, id)
}

/**
 * Restores a stream from the trash, and reads the same again as {@link trashStream}. Rejects with a `Refusal`.
 */
export async function restoreStream(account: Account, id: string): Promise<void> {
  await account.client.call('streams.update', { id, update: { trashed: false } })
  await reload(account)
}

/**
 * Deletes a trashed stream and all below it permanently. `isMerged`: its events are moved to its parent.
 * Otherwise they are deleted, too. Reads the same again as {@link trashStream}. Rejects with a `Refusal`.
 */
export async function deleteStream(account: Account, id: string, isMerged: boolean): Promise<void> {
  await account.client.call('streams.delete', { id, mergeEventsWithParent: isMerged })
  await reload(account)
}

async function reload(account: Account): Promise<void> {
  await Promise.all([account.readStreams(), account.readFacts(), account.readAccesses()])
}
