/** The accounts of the table "neighbours": one that does little, and large ones that do heavy things. */
import { copyFileSync, mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import SQLite from 'better-sqlite3'
import { newId } from '../../../core/ids.js'
import type { Attachment, Event } from '../../../schemas/event.js'
import { Layout } from '../../../storage/files/layout.js'
import type { UserStore } from '../../../storage/user/user-store.js'
import { keptEvent } from '../sample.js'
import { insertStream, newAccess, rootStream, Seeder, seedTime, timeOf, type SeededUser } from '../seed.js'
import type { Access } from '../../../schemas/access.js'

/** Ways to delete the stream of `goingStream`, each in an account of its own. */
export const deletions = ['deleted', 'merged', 'deleted, history kept', 'merged, history kept'] as const
export type Deletion = (typeof deletions)[number]

export interface Cast {
  readonly light: SeededUser
  /** Has a million events, and a series of a million points. */
  readonly large: SeededUser
  /** Has ten thousand streams, and two thousand accesses that one app has shared. */
  readonly wide: SeededUser
  readonly going: Readonly<Record<Deletion, SeededUser>>
}

/** A stream in the trash, below the root. */
export const goingStream = 'going'
/** Of the account with many streams: the one above most of them, and one beside it. */
export const [crowdedStream, emptyStream] = ['crowded', 'empty']
/** Accesses that the app's access has shared, and permissions of each. */
const sharedAccesses = 2000

/** Makes the accounts; smaller ones if it has to be `quick`. */
export async function makeCast(dataDir: string, isQuick: boolean): Promise<Cast> {
  const seeder = new Seeder(dataDir)
  const light = await seeder.user('light', 1000)
  const large = await seeder.user('large', isQuick ? 100_000 : 1_000_000, isQuick ? 100_000 : 1_000_000)
  const wide = await seeder.user('wide', 1000, 0, new WideShape(isQuick ? 2000 : 10_000))
  const model = await seeder.user('going', isQuick ? 10_000 : 100_000, 0, goingShape)
  await seeder.close()
  const names = deletions.map((_, index) => `going-${index}`)
  copyAccount(dataDir, model, names)
  const going = Object.fromEntries(
    deletions.map((name, index) => [name, { ...model, username: names[index]! }])
  ) as Cast['going']
  return { light, large, wide, going }
}

/** Events in a stream that is to go: some in another one too, some with files, some with points. */
const goingShape = {
  accesses: [],
  insertStreams(store: UserStore): void {
    insertStream(store, rootStream, null)
    insertStream(store, goingStream, rootStream)
    store.streams.update({ ...store.streams.find(goingStream)!.stream, trashed: true })
  },
  event(i: number): Event {
    const event = keptEvent(newId(), goingStream, timeOf(i)) as Event
    if (i % 10 === 3) return { ...event, streamIds: [goingStream, rootStream] }
    if (i % 10 === 5) return { ...event, attachments: [file()] }
    return event
  }
}

function file(): Attachment {
  return { id: newId(), fileName: 'a.txt', type: 'text/plain', size: 10 }
}

class WideShape {
  readonly accesses: Access[]

  constructor(private readonly streams: number) {
    const app = newAccess('app', 'sharing')
    const permissions = Array.from({ length: 20 }, (_, i) => ({
      streamId: `crowded-${i}`,
      level: 'read' as const
    }))
    const shared = Array.from({ length: sharedAccesses }, (_, i) => ({
      ...newAccess('shared', `shared-${i}`),
      createdBy: app.id,
      permissions
    }))
    this.accesses = [{ ...app, permissions: [{ streamId: '*', level: 'manage' }] }, ...shared]
  }

  get sharing(): Access {
    return this.accesses[0]!
  }

  insertStreams(store: UserStore): void {
    for (const id of [rootStream, crowdedStream, emptyStream]) insertStream(store, id, null)
    for (let i = 0; i < this.streams; i++)
      insertStream(store, `crowded-${i}`, i < 100 ? crowdedStream : `crowded-${i % 100}`)
  }

  event(i: number): Event {
    return keptEvent(newId(), `crowded-${i}`, timeOf(i)) as Event
  }
}

/** Makes further accounts that hold what one does, and have its tokens. */
function copyAccount(dataDir: string, { id }: SeededUser, usernames: readonly string[]): void {
  const layout = new Layout(dataDir)
  const platform = new SQLite(layout.platformFile)
  const insert = platform.prepare(
    "INSERT INTO account (id, username, state, created) VALUES (?, ?, 'active', ?)"
  )
  for (const username of usernames) {
    const copy = newId()
    insert.run(copy, username, seedTime)
    mkdirSync(dirname(layout.userFile(copy)), { recursive: true })
    copyFileSync(layout.userFile(id), layout.userFile(copy))
  }
  platform.close()
}
