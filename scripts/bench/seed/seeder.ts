/** Creates users with events in a data directory directly through storage, before a server opens it. */
import { copyFileSync, mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import SQLite from 'better-sqlite3'
import { Value } from 'typebox/value'
import { AccountStreams } from '../../../core/account/fields.js'
import { createId, createToken } from '../../../core/ids.js'
import { createDigests } from '../../../core/integrity.js'
import { createPasswords } from '../../../core/security/passwords.js'
import { Settings } from '../../../core/settings/settings.js'
import type { Access } from '../../../schemas/access.js'
import type { Event } from '../../../schemas/event.js'
import { Accounts } from '../../../storage/accounts.js'
import { Layout } from '../../../storage/files/layout.js'
import { PreviewCache } from '../../../storage/files/previews.js'
import { initialStatus, type Account } from '../../../storage/platform/account.js'
import { PlatformStore } from '../../../storage/platform/platform-store.js'
import type { Policies } from '../../../storage/repositories/policies.js'
import { runSteps } from '../../../storage/steps.js'
import type { UserStore } from '../../../storage/user/user-store.js'
import { createWalSyncs } from '../../../storage/wal/sync.js'
import { createStoredEvent, createPoints, password, previewBytes } from './sample.js'

export interface SeededUser {
  readonly id: string
  readonly username: string
  /** Token of a personal access. */
  readonly token: string
  /** Token of an app access to the root stream. */
  readonly appToken: string
  /** Some of the user's events. */
  readonly eventIds: readonly string[]
  /** Some of the user's series; the first has the points. */
  readonly seriesIds: readonly string[]
  /** The user's pictures, whose previews are in the cache. */
  readonly pictureIds: readonly string[]
}

/** The content of an account. */
export interface AccountContent {
  /** Number of events, and of data points in the first series. */
  readonly events?: number
  readonly points?: number
  /** Seconds between two data points; by default 0.5. */
  readonly pointInterval?: number
  /** By default a flat tree of a hundred streams. */
  readonly shape?: AccountShape
}

/** The streams and events of an account. */
export interface AccountShape {
  /** Accesses in addition to a personal access and an app's access. */
  readonly accesses: readonly Access[]
  insertStreams(store: UserStore): void
  /** Returns the event with a number. Times increase with the number. */
  event(i: number): Event
}

/** Time of the first event, and interval between events, in seconds. */
export const [seedTime, eventInterval] = [1_600_000_000, 60]
/** Before all other events, in seconds. */
export const earlyTime = seedTime - 1e6
/** The root of every user's streams, and the number of streams including it. */
export const [rootStream, streamCount] = ['body', 100]
/** A stream with ten events, all among the oldest thousand. */
export const rareStream = 'stream-98'

/** One event in ten has a duration: these in turn, in seconds. */
const durations = [30, 300, 3000, 30_000]
/** Number of series and of pictures of every user. */
const [seriesCount, pictureCount] = [50, 5]
/** Data points per write, as a device sends them; data points and events per transaction. */
const [pointsPerCall, pointsPerTransaction, eventsPerTransaction] = [1000, 500_000, 10_000]
/** The default policies of a service. */
const policies: Policies = {
  system: new AccountStreams(Value.Default(Settings, {}) as Settings),
  digests: createDigests((Value.Default(Settings, {}) as Settings).integrity),
  versioning: { forceKeepHistory: false, deletionMode: 'keep-nothing' },
  anonymousCallsPerHour: 100
}
const tracking = { created: seedTime, createdBy: 'system', modified: seedTime, modifiedBy: 'system' }

const flat: AccountShape = {
  accesses: [],
  insertStreams(store) {
    insertStream(store, rootStream, null)
    for (let i = 0; i < streamCount - 1; i++) insertStream(store, `stream-${i}`, rootStream)
  },
  event(i) {
    const isRare = i < 1000 && i % 100 === 50
    return addDuration(
      i,
      createEvent(isRare ? rareStream : `stream-${i % (streamCount - 2)}`, getEventTime(i))
    )
  }
}

/** Creates users in a data directory that no server has open. */
export class Seeder {
  readonly #platform: PlatformStore
  readonly #accounts: Accounts
  readonly #layout: Layout

  constructor(dataDir: string) {
    mkdirSync(dataDir, { recursive: true })
    this.#layout = new Layout(dataDir)
    this.#platform = new PlatformStore(this.#layout)
    this.#accounts = new Accounts(this.#layout, this.#platform, {
      maxOpen: 10,
      idleSeconds: 60,
      closingSeconds: 60,
      cacheKiB: 16_384,
      policies,
      durability: createWalSyncs(this.#layout, rethrow),
      onError: (_account, error) => rethrow(error)
    })
  }

  /**
   * Creates a user with a personal and an app access, an open session, a password, events, series, pictures,
   * and a complete text index.
   */
  async createUser(username: string, content: AccountContent = {}): Promise<SeededUser> {
    const { pointInterval, events = 0, points = 0, shape = flat } = content
    const id = createId()
    const account: Account = { ...initialStatus, id, username, state: 'active', created: seedTime }
    const personal = createAccess('personal')
    const app: Access = { ...createAccess('app'), permissions: [{ streamId: rootStream, level: 'manage' }] }
    const hash = await createPasswords().hash(password)
    const fields = { email: `${username}@example.com`, language: 'en' }
    await this.#accounts.create({
      id,
      username,
      created: seedTime,
      unique: { email: fields.email },
      fill(store) {
        for (const access of [personal, app, ...shape.accesses]) store.accesses.insert(access)
        store.sessions.open(personal.id, Date.now() / 1000)
        const by = { time: seedTime, at: seedTime, by: personal.id }
        store.account.insertPassword({ hash, created: seedTime })
        for (const [field, value] of Object.entries(fields))
          store.events.insert(policies.system.createEvent(field, value, by)!)
        shape.insertStreams(store)
      }
    })
    const eventIds: string[] = []
    await this.#writeInTransactions(account, events, eventsPerTransaction, (store, i) => {
      const event = shape.event(i)
      store.events.insert(event)
      if (eventIds.length < 100) eventIds.push(event.id)
    })
    const seriesIds = await this.#insertEvents(
      account,
      Array.from({ length: seriesCount }, createHolderEvent)
    )
    const calls = Math.ceil(points / pointsPerCall)
    await this.#writeInTransactions(
      account,
      calls,
      pointsPerTransaction / pointsPerCall,
      ({ series }, call) => {
        const from = call * pointsPerCall
        const rows = createPoints(Math.min(pointsPerCall, points - from), from, pointInterval)
        const { number } = series.findHolder(seriesIds[0]!)!
        runSteps(series.add(number, { columns: ['value'], rows }, { writer: 'system', written: seedTime }))
      }
    )
    const pictureIds = await this.#createPictures(account)
    // The server would do this once the account is idle, during the measurements.
    const store = this.#accounts.openStore(account)
    while (store.events.texts.hasPending()) await store.write(() => store.events.texts.indexPending())
    return { id, username, token: personal.token, appToken: app.token, eventIds, seriesIds, pictureIds }
  }

  /** Creates users with numbered names. */
  async createUsers(name: string, count: number, content?: AccountContent): Promise<SeededUser[]> {
    const users = []
    for (let i = 0; i < count; i++) users.push(await this.createUser(`${name}${i}`, content))
    return users
  }

  /** Checkpoints and closes all files. */
  async close(): Promise<void> {
    await this.#accounts.close()
    this.#platform.close()
  }

  /** Calls `work` with the numbers up to `count`, `size` of them per transaction. */
  async #writeInTransactions(
    account: Account,
    count: number,
    size: number,
    work: (store: UserStore, i: number) => void
  ): Promise<void> {
    for (let from = 0; from < count; from += size) {
      const store = this.#accounts.openStore(account)
      await store.write(() => {
        for (let i = from; i < Math.min(count, from + size); i++) work(store, i)
      })
    }
  }

  async #insertEvents(account: Account, events: readonly Event[]): Promise<string[]> {
    await this.#writeInTransactions(account, events.length, events.length, (store, i) =>
      store.events.insert(events[i]!)
    )
    return events.map(({ id }) => id)
  }

  /** Creates pictures with cached previews. Their files are missing: they are never requested. */
  async #createPictures(account: Account): Promise<string[]> {
    const cache = new PreviewCache(this.#layout)
    const pictures = Array.from({ length: pictureCount }, createPicture)
    for (const { attachments, modified } of pictures) {
      const key = { fileId: attachments![0]!.id, frame: 'box-256', modified }
      await cache.insert(account.id, key, previewBytes, Date.now() / 1000)
    }
    return await this.#insertEvents(account, pictures)
  }
}

/** Creates users and closes their files, so that a server can open them. */
export async function withSeeder<T>(dataDir: string, work: (seeder: Seeder) => Promise<T>): Promise<T> {
  const seeder = new Seeder(dataDir)
  try {
    return await work(seeder)
  } finally {
    await seeder.close()
  }
}

/** Adds copies of an account, with the same tokens. The files are copied, so the source must be closed. */
export function addAccountCopies(dataDir: string, { id }: SeededUser, usernames: readonly string[]): void {
  const layout = new Layout(dataDir)
  const platform = new SQLite(layout.platformFile)
  const insert = platform.prepare(
    "INSERT INTO account (id, username, state, created) VALUES (?, ?, 'active', ?)"
  )
  const copies = usernames.map(username => [createId(), username] as const)
  platform.transaction(() => copies.forEach(([copy, username]) => insert.run(copy, username, seedTime)))()
  platform.close()
  for (const [copy] of copies) {
    mkdirSync(dirname(layout.userFile(copy)), { recursive: true })
    copyFileSync(layout.userFile(id), layout.userFile(copy))
  }
}

/** Returns the time of the event with a number, in seconds. */
export function getEventTime(number: number): number {
  return seedTime + number * eventInterval
}

/** Creates an event in a stream. */
export function createEvent(streamId: string, time: number): Event {
  return createStoredEvent(createId(), streamId, time) as Event
}

/** Makes every tenth event a period. */
export function addDuration(i: number, event: Event): Event {
  return i % 10 === 3 ? { ...event, duration: durations[Math.floor(i / 10) % durations.length]! } : event
}

/** Adds a stream, named after its id. */
export function insertStream(store: UserStore, id: string, parentId: string | null): void {
  store.streams.insert({ id, name: id, parentId, ...tracking })
}

/** Creates an access without permissions. */
export function createAccess(type: Access['type'], name = 'coffer-bench'): Access {
  return { id: createId(), token: createToken(), type, name, ...tracking }
}

/**
 * Creates the holder event of a series. Like pictures, it is older than all other events, so that it is not among the
 * latest.
 */
function createHolderEvent(): Event {
  const content = { elementType: 'mass/kg', fields: ['deltaTime', 'value'], required: ['deltaTime', 'value'] }
  return { ...createEvent(rootStream, earlyTime), type: 'series:mass/kg', content }
}

function createPicture(): Event {
  const attachments = [{ id: createId(), fileName: 'a.jpg', type: 'image/jpeg', size: 3_000_000 }]
  return { ...createEvent(rootStream, earlyTime), type: 'picture/attached', content: null, attachments }
}

function rethrow(error: unknown): never {
  throw error
}
