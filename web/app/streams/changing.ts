/** Changes streams, each with what takes it back. Reject with a `Refusal`. */
import type { Account } from '../data/account.js'
import type { Stream } from '../data/model.js'

/** Takes a change back. */
export type Undo = () => Promise<void>

/** Changes fields of a stream; the result sets those that had other values to them again. */
export async function changeStream(
  account: Account,
  { id, ...before }: Stream,
  update: { readonly name?: string; readonly parentId?: string | null; readonly clientData?: object }
): Promise<Undo> {
  const set = async (fields: object): Promise<void> => {
    await account.client.call('streams.update', { id, update: fields })
    await account.readStreams()
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

/** Puts a stream, with all below it, into the trash. */
export async function trashStream(account: Account, id: string): Promise<Undo> {
  await account.client.call('streams.delete', { id })
  await readAgain(account)
  return async () => await restoreStream(account, id)
}

/** Takes a stream out of the trash. */
export async function restoreStream(account: Account, id: string): Promise<void> {
  await account.client.call('streams.update', { id, update: { trashed: false } })
  await readAgain(account)
}

/** Deletes a stream that is in the trash for good, with all below it. `isMerged`: its events join the stream above it. */
export async function deleteStream(account: Account, id: string, isMerged: boolean): Promise<void> {
  await account.client.call('streams.delete', { id, mergeEventsWithParent: isMerged })
  await readAgain(account)
}

async function readAgain(account: Account): Promise<void> {
  await Promise.all([account.readStreams(), account.readFacts(), account.readAccesses()])
}
