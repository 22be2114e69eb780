/** The accounts of the table "neighbours": a light one, and ones that send heavy requests. */
import { createId } from '../../../core/ids.js'
import {
  copyAccount,
  eventIn,
  insertStream,
  rootStream,
  seeded,
  timeOf,
  type SeededUser,
  type Shape
} from './seeder.js'

/** Ways to delete `goingStream`, each with its own account. */
export const deletions = ['deleted', 'merged', 'deleted, history kept', 'merged, history kept'] as const
type Deletion = (typeof deletions)[number]

export interface Street {
  readonly light: SeededUser
  /** Has a million events. */
  readonly large: SeededUser
  /** Receives large requests. */
  readonly writer: SeededUser
  readonly going: Readonly<Record<Deletion, SeededUser>>
}

/** A trashed stream below the root. */
export const goingStream = 'going'

/** Creates the accounts; smaller ones if `isQuick`. */
export async function makeStreet(dataDir: string, isQuick: boolean): Promise<Street> {
  const many = isQuick ? 100_000 : 1_000_000
  const { model, ...others } = await seeded(dataDir, async seeder => ({
    light: await seeder.createUser('light', { events: 1000 }),
    large: await seeder.createUser('large', { events: many }),
    writer: await seeder.createUser('writer'),
    model: await seeder.createUser('going', { events: many / 10, shape: goingShape })
  }))
  const names = deletions.map((_, index) => `going-${index}`)
  copyAccount(dataDir, model, names)
  const going = Object.fromEntries(
    deletions.map((name, index) => [name, { ...model, username: names[index]! }])
  ) as Street['going']
  return { ...others, going }
}

/** Events in a stream to delete. Some are also in another stream, some have attachments. */
const goingShape: Shape = {
  accesses: [],
  insertStreams(store) {
    insertStream(store, rootStream, null)
    insertStream(store, goingStream, rootStream)
    store.streams.update({ ...store.streams.find(goingStream)!.stream, trashed: true })
  },
  event(i) {
    const event = eventIn(goingStream, timeOf(i))
    if (i % 10 === 3) return { ...event, streamIds: [goingStream, rootStream] }
    const file = { id: createId(), fileName: 'a.txt', type: 'text/plain', size: 10 }
    if (i % 10 === 5) return { ...event, attachments: [file] }
    return event
  }
}
