/**
 * The accounts of the table "neighbours": an account that sends light requests, and accounts that send heavy requests.
 */
import { createId } from '../../../core/ids.js'
import {
  addAccountCopies,
  createEvent,
  insertStream,
  rootStream,
  withSeeder,
  getEventTime,
  type SeededUser,
  type AccountShape
} from './seeder.js'

/** Ways to delete `deletedStream`, each with its own account. */
export const deletions = ['deleted', 'merged', 'deleted, history kept', 'merged, history kept'] as const
type Deletion = (typeof deletions)[number]

export interface NeighbourAccounts {
  readonly light: SeededUser
  /** Has a million events. */
  readonly large: SeededUser
  /** Receives large requests. */
  readonly writer: SeededUser
  readonly deletionUsers: Readonly<Record<Deletion, SeededUser>>
}

/** A trashed stream below the root. */
export const deletedStream = 'going'

/** Creates the accounts; smaller ones if `isQuick`. */
export async function createNeighbourAccounts(dataDir: string, isQuick: boolean): Promise<NeighbourAccounts> {
  const many = isQuick ? 100_000 : 1_000_000
  const { model, ...others } = await withSeeder(dataDir, async seeder => ({
    light: await seeder.createUser('light', { events: 1000 }),
    large: await seeder.createUser('large', { events: many }),
    writer: await seeder.createUser('writer'),
    model: await seeder.createUser('going', { events: many / 10, shape: goingShape })
  }))
  const names = deletions.map((_, index) => `going-${index}`)
  addAccountCopies(dataDir, model, names)
  const going = Object.fromEntries(
    deletions.map((name, index) => [name, { ...model, username: names[index]! }])
  ) as NeighbourAccounts['deletionUsers']
  return { ...others, deletionUsers: going }
}

/** Events in a stream to delete. Some are also in another stream, some have attachments. */
const goingShape: AccountShape = {
  accesses: [],
  insertStreams(store) {
    insertStream(store, rootStream, null)
    insertStream(store, deletedStream, rootStream)
    store.streams.update({ ...store.streams.find(deletedStream)!.stream, trashed: true })
  },
  event(i) {
    const event = createEvent(deletedStream, getEventTime(i))
    if (i % 10 === 3) return { ...event, streamIds: [deletedStream, rootStream] }
    const file = { id: createId(), fileName: 'a.txt', type: 'text/plain', size: 10 }
    if (i % 10 === 5) return { ...event, attachments: [file] }
    return event
  }
}
