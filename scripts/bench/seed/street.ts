/** The accounts of the table "neighbours": a light one, and large ones that send heavy requests. */
import { createId } from '../../../core/ids.js'
import type { Access } from '../../../schemas/access.js'
import {
  copyAccount,
  eventIn,
  insertStream,
  newAccess,
  rootStream,
  seeded,
  timeOf,
  type SeededUser,
  type Shape
} from './seeder.js'
import { some } from './shapes.js'

/** Ways to delete `goingStream`, each with its own account. */
export const deletions = ['deleted', 'merged', 'deleted, history kept', 'merged, history kept'] as const
export type Deletion = (typeof deletions)[number]

export interface Street {
  readonly light: SeededUser
  /** Has a million events, and a series of a million points. */
  readonly large: SeededUser
  /** Has ten thousand streams, and two thousand accesses shared by one app. */
  readonly wide: SeededUser
  readonly going: Readonly<Record<Deletion, SeededUser>>
}

/** A stream in the trash, below the root. */
export const goingStream = 'going'
/** In the account with many streams: the parent of most of them, and an empty one. */
export const [crowdedStream, emptyStream] = ['crowded', 'empty']
/** Number of accesses that the app's access has shared. */
const sharedAccesses = 2000

/** Makes the accounts; smaller ones if `isQuick`. */
export async function makeStreet(dataDir: string, isQuick: boolean): Promise<Street> {
  const many = isQuick ? 100_000 : 1_000_000
  const { light, large, wide, model } = await seeded(dataDir, async seeder => ({
    light: await seeder.user('light', { events: 1000 }),
    large: await seeder.user('large', { events: many, points: many }),
    wide: await seeder.user('wide', { events: 1000, shape: wideShape(many / 100) }),
    model: await seeder.user('going', { events: many / 10, shape: goingShape })
  }))
  const names = deletions.map((_, index) => `going-${index}`)
  copyAccount(dataDir, model, names)
  const going = Object.fromEntries(
    deletions.map((name, index) => [name, { ...model, username: names[index]! }])
  ) as Street['going']
  return { light, large, wide, going }
}

/** Events in a stream to delete: some in another one too, some with files. */
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

/** Many streams, most of them below one parent, and an app that has shared many accesses. */
function wideShape(streams: number): Shape {
  const app = newAccess('app', 'sharing')
  const permissions = some(crowdedStream, 20).map(streamId => ({ streamId, level: 'read' as const }))
  const shared = Array.from({ length: sharedAccesses }, (_, i) => ({
    ...newAccess('shared', `shared-${i}`),
    createdBy: app.id,
    permissions
  }))
  return {
    accesses: [{ ...app, permissions: [{ streamId: '*', level: 'manage' }] }, ...shared] as Access[],
    insertStreams(store) {
      for (const id of [rootStream, crowdedStream, emptyStream]) insertStream(store, id, null)
      for (const [i, id] of some(crowdedStream, streams).entries())
        insertStream(store, id, i < 100 ? crowdedStream : `${crowdedStream}-${i % 100}`)
    },
    event: i => eventIn(`${crowdedStream}-${i}`, timeOf(i))
  }
}
