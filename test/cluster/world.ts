/** A service whose accounts' changes are appended to a log, random calls to it, and copies that follow the log. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Test } from 'tap'
import { FileCopy, type CopyPosition } from '../../cluster/file-copy.js'
import type { ShippedLogsOptions } from '../../cluster/shipped-log-options.js'
import { ShippedLogs } from '../../cluster/shipped-log.js'
import { silentLog } from '../../core/log.js'
import { ManualClock } from '../../core/time.js'
import { startServer } from '../../server/server.js'
import { Layout } from '../../storage/files/layout.js'
import {
  Client,
  methodModules,
  Service,
  testSettings,
  type Answer,
  type Overrides
} from '../support/coffer.js'
import type { Random } from '../support/random.js'
import type { MemoryLog } from './memory-log.js'
import { MemoryObjects } from './memory-objects.js'

const settings: Overrides = {
  workers: 0,
  // Files are constantly closed and opened, so that write-ahead logs remain and are checkpointed at different times.
  storage: { maxOpenUsers: 3 },
  throttle: { perAddress: 100_000 }
}

const pageSize = 4096
const names = ['alice', 'bob', 'carol', 'dave', 'ellen', 'frank']

interface Person {
  readonly username: string
  readonly access: Client['access']
  events: string[]
  streams: number
}

export class World {
  readonly directory = mkdtempSync(join(tmpdir(), 'coffer-cluster-'))
  readonly #people = new Map<string, Person>()
  readonly #places = new Map<string, CopyPosition>()
  readonly #layout = new Layout(this.directory)
  readonly objects = new MemoryObjects()
  /** Errors that the service reported about accounts. */
  readonly trouble: string[] = []
  /** Failed calls. */
  readonly failures: string[] = []
  #service: Service | undefined
  /** Number of applied records. */
  applied = 0

  constructor(
    t: Test,
    readonly log: MemoryLog,
    private readonly random: Random,
    private readonly logsOf: (options: ShippedLogsOptions) => ShippedLogs = options =>
      new ShippedLogs(options)
  ) {
    t.teardown(async () => {
      await this.#service?.server.close()
      rmSync(this.directory, { recursive: true, force: true })
    })
  }

  /** Runs the service for some calls, writes as many long notes as given so that a log is restarted, and stops. */
  async run(calls: number, notes = 0): Promise<void> {
    const durability = this.logsOf({
      log: this.log,
      objects: this.objects,
      layout: this.#layout,
      getSubject: account => `wal.${account}`,
      // The copies follow the whole log.
      snapshotBytes: 1e12,
      snapshotRetryMs: 0,
      timeoutMs: 5000,
      onError: (account, error) => void this.trouble.push(`${account}: ${error.message}`)
    })
    const clock = new ManualClock()
    const server = await startServer(testSettings(this.directory, settings), {
      clock,
      methodModules,
      durability,
      log: {
        ...silentLog,
        error: (message, { cause } = {}) => void this.trouble.push(`${message}: ${String(cause)}`)
      }
    })
    this.#service = new Service(server, clock, this.directory)
    for (const name of names) if (!this.#people.has(name)) await this.#create(name)
    // Concurrently, so that commits are shared and records wait for each other.
    for (let left = calls; left > 0;) {
      const count = Math.min(left, 1 + this.random.below(6))
      await Promise.all(Array.from({ length: count }, () => this.#call()))
      left -= count
    }
    const { access, username } = this.#people.get('alice')!
    const note = { streamIds: ['diary'], type: 'note/txt', content: 'long note '.repeat(15_000) }
    for (let index = 0; index < notes; index++)
      await this.#service.call(username, 'events.create', note, access.token)
    await server.close()
    this.#service = undefined
  }

  /** Returns the accounts whose copies differ from their files, each with the difference. */
  differences(): string[] {
    return Array.from(this.#people.values()).flatMap(person => this.#difference(person) ?? [])
  }

  /** Number of accounts. */
  get accounts(): number {
    return this.#people.size
  }

  /** Returns how the copy of a user's file from the log differs from the file itself; `undefined` if it does not. */
  #difference({ username }: Person): string | undefined {
    const id = this.#ids.get(username) as string
    const file = join(this.directory, `copy-${id}`)
    try {
      const place = this.#places.get(id)
      const copy = new FileCopy(file, place)
      try {
        for (const entry of this.log.entries(`wal.${id}`)) {
          if (entry.sequence <= copy.position.sequence) continue
          copy.apply(entry)
          this.applied++
        }
        this.#places.set(id, copy.position)
      } finally {
        copy.close()
      }
    } catch (error) {
      return `${username}: ${(error as Error).message}`
    }
    const [expected, found] = [readFileSync(this.#layout.userFile(id)), readFileSync(file)]
    if (expected.equals(found)) return undefined
    const pages = Array.from({ length: expected.length / pageSize }, (_, page) => page)
    const of = (bytes: Buffer, page: number): Buffer => bytes.subarray(page * pageSize, (page + 1) * pageSize)
    const others = pages.filter(page => !of(expected, page).equals(of(found, page)))
    return `${username}: ${others.length} of ${pages.length} pages differ, the copy has ${found.length / pageSize}`
  }

  readonly #ids = new Map<string, string>()

  /** Makes a random call. Errors that no earlier call explains are failures. */
  async #call(): Promise<void> {
    const { random } = this
    const username = random.pick(names)
    const person = this.#people.get(username)!
    const call = async (method: string, params: object): Promise<Answer> => {
      const answer = await this.#service!.call(username, method, params, person.access.token)
      const lost = [
        'unknown-resource',
        'unknown-referenced-resource',
        'invalid-operation',
        'item-already-exists'
      ]
      if (answer.error && !lost.includes(answer.error.id)) this.failures.push(`${method}: ${answer.error.id}`)
      return answer
    }
    const text = (bytes: number): string =>
      random
        .below(1e8)
        .toString()
        .padEnd(8, 'x')
        .repeat(bytes / 8)
    const create = async (content: string): Promise<void> => {
      const { event } = await call('events.create', { streamIds: ['diary'], type: 'note/txt', content })
      if (event) person.events.push(event.id)
    }
    const kind = random.below(100)
    if (kind < 40) await create(text(80))
    else if (kind < 50) {
      const one = {
        method: 'events.create',
        params: { streamIds: ['diary'], type: 'note/txt', content: text(200) }
      }
      await call(
        'callBatch',
        Array.from({ length: 10 }, () => one)
      )
    } else if (kind < 62 && person.events.length > 0)
      await call('events.update', { id: random.pick(person.events), update: { content: text(400) } })
    else if (kind < 70 && person.events.length > 0)
      // Moves to the trash first, then deletes.
      await call('events.delete', { id: random.pick(person.events) })
    else if (kind < 80) await create(text(150_000))
    // Written in slices, on a separate connection.
    else if (kind < 84) await create(text(300_000))
    else if (kind < 90) await this.#deleteStream(person, call)
    else if (kind < 93)
      await call('account.update', { update: { language: random.pick(['de', 'en', 'fr']) } })
    else await call('events.get', { limit: 20 })
  }

  async #create(username: string): Promise<void> {
    const { access } = await this.#service!.call(undefined, 'test.createUser', { username, fields: {} })
    this.#people.set(username, { username, access, events: [], streams: 0 })
    this.#ids.set(username, this.#service!.server.services.accounts.find(username)!.id)
    await this.#service!.call(username, 'streams.create', { id: 'diary', name: 'Diary' }, access.token)
  }

  /** Fills a stream, and deletes it with its contents: in slices if it is large. */
  async #deleteStream(
    person: Person,
    call: (method: string, params: object) => Promise<Answer>
  ): Promise<void> {
    const id = `gone-${person.streams++}`
    await call('streams.create', { id, name: id })
    const one = {
      method: 'events.create',
      params: { streamIds: [id], type: 'note/txt', content: 'x'.repeat(500) }
    }
    await call(
      'callBatch',
      Array.from({ length: 40 }, () => one)
    )
    for (let times = 0; times < 2; times++) await call('streams.delete', { id, mergeEventsWithParent: false })
  }
}
