/** Fills a data directory with users and events, directly through the store, before a server owns it. */
import { mkdirSync } from 'node:fs'
import { Value } from 'typebox/value'
import { newId, newToken } from '../../core/ids.js'
import { sealsOf } from '../../core/integrity.js'
import { createPasswords } from '../../core/security/passwords.js'
import { Settings } from '../../core/settings/settings.js'
import { atOnce } from '../../storage/steps.js'
import { AccountStreams } from '../../core/account/fields.js'
import { Accounts } from '../../storage/accounts.js'
import type { Policies } from '../../storage/repositories/policies.js'
import { Layout } from '../../storage/files/layout.js'
import { PlatformStore } from '../../storage/platform/platform-store.js'
import { PreviewCache } from '../../storage/files/previews.js'
import type { SeriesRepository } from '../../storage/repositories/series.js'
import type { UserStore } from '../../storage/user/user-store.js'
import type { Access } from '../../schemas/access.js'
import type { Event } from '../../schemas/event.js'
import type { Webhook } from '../../schemas/webhook.js'
import { keptEvent, password, previewBytes } from './sample.js'
import { keptPoints } from './series-sample.js'
import type { Account } from '../../storage/platform/account.js'

/** A user whom the bench may act for. */
export interface SeededUser {
  readonly id: string
  readonly username: string
  /** Of a personal access. */
  readonly token: string
  /** Of an app's access to the root stream. */
  readonly appToken: string
  /** Some of the user's events. */
  readonly eventIds: readonly string[]
  /** Some of the user's series. */
  readonly seriesIds: readonly string[]
  /** The user's pictures, of which there are previews already. */
  readonly pictureIds: readonly string[]
}

/** Time of the first event, seconds. */
export const seedTime = 1_600_000_000
/** Time between two events, seconds. */
export const step = 60
/** The root of every user's streams. */
export const rootStream = 'body'
/** Streams of every user, the root included. */
export const streamCount = 100
/** Has ten events, all among the oldest thousand. */
export const rareStream = 'stream-98'

/** One event in ten is a period; these are their durations in turn, seconds. */
const durations = [30, 300, 3000, 30_000]
/** Series of every user. */
const seriesCount = 50
/** As a service does by default. */
const keeping: Policies = {
  system: new AccountStreams(Value.Default(Settings, {}) as Settings),
  digests: sealsOf({ algorithm: 'sha256', isActive: { events: true, accesses: true, attachments: true } }),
  versioning: { forceKeepHistory: false, deletionMode: 'keep-nothing' },
  strangersPerHour: 100
}
/** Pictures of every user. */
const pictureCount = 5
/** Points of one write, as a device that saves them up would send them. */
const pointsAWrite = 1000
/** Points in one transaction. */
const pointsAtOnce = 500_000
/** Events in one transaction. */
const chunkSize = 10_000

/** What a user's account is to hold. */
export interface Shape {
  /** Beside a personal one and an app's. */
  readonly accesses: readonly Access[]
  insertStreams(store: UserStore): void
  /** The event of a number; times grow with it. */
  event(i: number): Event
}

/** A flat tree of a hundred streams. */
const plain: Shape = { accesses: [], insertStreams, event: eventNumber }

/** Makes users in a data directory that no server owns. */
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
      keeping,
      onSyncFailure: giveUp,
      onTrouble: (_account, error) => giveUp(error)
    })
  }

  /** Makes a user with a tree of streams and so many events. */
  async user(username: string, eventCount: number, pointCount = 0, shape = plain): Promise<SeededUser> {
    const id = newId()
    const personal = newAccess('personal')
    const app: Access = { ...newAccess('app'), permissions: [{ streamId: rootStream, level: 'manage' }] }
    const hash = await createPasswords().hash(password)
    await this.#accounts.create({
      id,
      username,
      created: seedTime,
      unique: { email: `${username}@example.com` },
      fill(store) {
        store.accesses.insert(personal)
        for (const access of [app, ...shape.accesses]) store.accesses.insert(access)
        store.sessions.open(personal.id, Date.now() / 1000)
        store.account.insertPassword({ hash, created: seedTime })
        for (const [field, value] of [
          ['email', `${username}@example.com`],
          ['language', 'en']
        ] as const)
          store.events.insert(
            keeping.system.eventOf(field, value, { time: seedTime, at: seedTime, by: personal.id })!
          )
        shape.insertStreams(store)
      }
    })
    const account = { id, username, state: 'active', created: seedTime, relocatedTo: null } as const
    const eventIds: string[] = []
    for (let from = 0; from < eventCount; from += chunkSize) {
      const store = this.#accounts.store(account)
      const to = Math.min(eventCount, from + chunkSize)
      await store.write(() => {
        for (let i = from; i < to; i++) {
          const event = shape.event(i)
          store.events.insert(event)
          if (eventIds.length < 100) eventIds.push(event.id)
        }
      })
    }
    const seriesIds = await this.#series(account, pointCount)
    const pictureIds = await this.#pictures(account)
    return { id, username, token: personal.token, appToken: app.token, eventIds, seriesIds, pictureIds }
  }

  /** Makes series, of which the first has so many points. */
  async #series(account: Account, pointCount: number): Promise<string[]> {
    const ids = Array.from({ length: seriesCount }, () => newId())
    const store = this.#accounts.store(account)
    await store.write(() => ids.forEach(id => store.events.insert(holder(id))))
    for (let from = 0; from < pointCount; from += pointsAtOnce) {
      const { series } = this.#accounts.store(account)
      await this.#accounts
        .store(account)
        .write(() => fill(series, ids[0]!, from, Math.min(pointCount, from + pointsAtOnce)))
    }
    return ids
  }

  /** Makes pictures without files, which nobody asks for: their previews are there. */
  async #pictures(account: Account): Promise<string[]> {
    const cache = new PreviewCache(this.#layout)
    const pictures = Array.from({ length: pictureCount }, () => pictureEvent(newId(), newId()))
    const store = this.#accounts.store(account)
    await store.write(() => pictures.forEach(event => store.events.insert(event)))
    for (const { attachments, modified } of pictures) {
      const key = { fileId: attachments![0]!.id, frame: 'box-256', modified }
      await cache.insert(account.id, key, previewBytes, Date.now() / 1000)
    }
    return pictures.map(({ id }) => id)
  }

  /** Gives a user webhooks of its app, each owing a message. */
  async webhooks({ appToken, id, username }: SeededUser, count: number, url: string): Promise<void> {
    const store = this.#accounts.store({
      id,
      username,
      state: 'active',
      created: seedTime,
      relocatedTo: null
    })
    await store.write(() => {
      const accessId = store.accesses.findByToken(appToken)!.id
      for (let n = 0; n < count; n++)
        store.webhooks.insert({
          webhook: newWebhook(accessId, `${url}/${id}/${n}`),
          owed: ['eventsChanged'],
          sending: []
        })
    })
    this.#platform.addWebhookAccount(id)
  }

  /** Carries everything over into the main files. */
  async close(): Promise<void> {
    await this.#accounts.close()
    this.#platform.close()
  }
}

function giveUp(error: unknown): never {
  throw error
}

/** Time of an event by its number, seconds. */
export function timeOf(number: number): number {
  return seedTime + number * step
}

function eventNumber(i: number): Event {
  const isRare = i < 1000 && i % 100 === 50
  const streamId = isRare ? rareStream : `stream-${i % (streamCount - 2)}`
  return lasting(i, keptEvent(newId(), streamId, timeOf(i)) as Event)
}

/** One event in ten as a period. */
export function lasting(i: number, event: Event): Event {
  return i % 10 === 3 ? { ...event, duration: durations[Math.floor(i / 10) % durations.length]! } : event
}

/** Writes the points from one number up to another. */
function fill(series: SeriesRepository, id: string, from: number, to: number): void {
  const { number } = series.findHolder(id)!
  for (let start = from; start < to; start += pointsAWrite) {
    const rows = keptPoints(Math.min(pointsAWrite, to - start), start)
    atOnce(series.add(number, { columns: ['value'], rows }, { writer: 'system', written: seedTime }))
  }
}

/** Of all the user's events the oldest, so that nobody who asks for the latest meets it. */
function holder(id: string): Event {
  const content = { elementType: 'mass/kg', fields: ['deltaTime', 'value'], required: ['deltaTime', 'value'] }
  const event = keptEvent(id, rootStream, seedTime - 1e6) as Event
  return { ...event, type: 'series:mass/kg', content }
}

function pictureEvent(id: string, fileId: string): Event {
  const event = keptEvent(id, rootStream, seedTime - 1e6) as Event
  const attachments = [{ id: fileId, fileName: 'a.jpg', type: 'image/jpeg', size: 3_000_000 }]
  return { ...event, type: 'picture/attached', content: null, attachments }
}

function insertStreams(store: UserStore): void {
  insertStream(store, rootStream, null)
  for (let i = 0; i < streamCount - 1; i++) insertStream(store, `stream-${i}`, rootStream)
}

/** Adds a stream, its id for a name. */
export function insertStream(store: UserStore, id: string, parentId: string | null): void {
  const tracking = { created: seedTime, createdBy: 'system', modified: seedTime, modifiedBy: 'system' }
  store.streams.insert({ id, name: id, parentId, ...tracking })
}

/** An access of that type and name, without permissions. */
export function newAccess(type: Access['type'], name = 'coffer-bench'): Access {
  const tracking = { created: seedTime, createdBy: 'system', modified: seedTime, modifiedBy: 'system' }
  return { id: newId(), token: newToken(), type, name, ...tracking }
}

function newWebhook(accessId: string, url: string): Webhook {
  const tracking = { created: seedTime, createdBy: accessId, modified: seedTime, modifiedBy: accessId }
  return {
    id: newId(),
    accessId,
    url,
    state: 'active',
    runCount: 0,
    failCount: 0,
    lastRun: { status: 0, timestamp: 0 },
    runs: [],
    currentRetries: 0,
    maxRetries: 5,
    minIntervalMs: 5000,
    ...tracking
  }
}
