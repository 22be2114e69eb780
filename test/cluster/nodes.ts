/**
 * Several nodes, each a service with its own folder, that take accounts over from each other and are killed:
 * acknowledged writes are remembered and checked.
 */
import { randomBytes } from 'node:crypto'
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Test } from 'tap'
import { EngineUnavailable, type Entry, type Log } from '../../cluster/engine.js'
import type { Objects } from '../../cluster/objects.js'
import { ShippedLogs } from '../../cluster/shipped-log.js'
import { silentLog } from '../../core/log.js'
import { ManualClock } from '../../core/time.js'
import { startServer } from '../../server/server.js'
import { Layout } from '../../storage/files/layout.js'
import type { Account } from '../../storage/platform/account.js'
import { mergeLog } from '../../storage/wal/closed-file.js'
import type { ApiError } from '../../core/errors.js'
import {
  methodModules,
  Service,
  testSettings,
  textsOf,
  type Answer,
  type Overrides
} from '../support/coffer.js'
import type { Random } from '../support/random.js'

const settings: Overrides = {
  workers: 0,
  storage: { maxOpenUsers: 2 },
  throttle: { perAddress: 100_000 }
}

/** Text that hardly compresses. */
const noise = randomBytes(500_000).toString('base64')

/** What nodes share. */
export interface Shared {
  readonly log: Log
  readonly objects: Objects
  readonly snapshotBytes: number
  getSubject(account: string): string
}

/** One node. Once killed, nothing that it sends arrives any more. */
class Node {
  readonly #logs: ShippedLogs
  service!: Service
  isDead = false

  constructor(
    readonly folder: string,
    shared: Shared,
    readonly trouble: string[]
  ) {
    const reached = async <T>(work: () => Promise<T>): Promise<T> => {
      if (this.isDead) throw new EngineUnavailable('killed')
      return await work()
    }
    const { log, objects } = shared
    this.#logs = new ShippedLogs({
      ...shared,
      log: {
        maxBytes: log.maxBytes,
        append: (...given) => reached(() => log.append(...given)),
        last: (...given) => reached(() => log.last(...given)),
        read: (...given): Promise<Entry[]> => reached(() => log.read(...given)),
        trim: (...given) => reached(() => log.trim(...given))
      },
      objects: {
        put: (...given) => reached(() => objects.put(...given)),
        get: (...given) => reached(() => objects.get(...given)),
        remove: (...given) => reached(() => objects.remove(...given)),
        list: (...given) => reached(() => objects.list(...given))
      },
      layout: new Layout(folder),
      snapshotRetryMs: 50,
      timeoutMs: 1000,
      onError: (account, error) => void (this.isDead || trouble.push(`${account}: ${error.message}`))
    })
  }

  get logs(): ShippedLogs {
    return this.#logs
  }

  async start(): Promise<this> {
    const clock = new ManualClock()
    const server = await startServer(testSettings(this.folder, settings), {
      clock,
      methodModules,
      durability: this.#logs,
      log: silentLog
    })
    this.service = new Service(server, clock, this.folder)
    return this
  }
}

interface Person {
  readonly account: Account
  readonly token: string
  /** Possible contents of acknowledged events: the last acknowledged one, and any written since. */
  readonly told: Map<string, Set<string>>
  /** Contents that were certainly not written. */
  readonly refused: Set<string>
  /** The events that may be changed. */
  readonly events: string[]
}

export class Nodes {
  readonly #root = mkdtempSync(join(tmpdir(), 'coffer-nodes-'))
  readonly #nodes: Node[] = []
  readonly #people: Person[] = []
  readonly #closing: Promise<void>[] = []
  #folders = 0
  #contents = 0
  /** Errors reported by nodes. */
  readonly trouble: string[] = []
  /** Number of responses by error, `ok` for none. */
  readonly answers = new Map<string, number>()

  constructor(
    t: Test,
    private readonly shared: Shared,
    private readonly random: Random
  ) {
    // Without a service, nothing else keeps the process alive during retries.
    const alive = setInterval(() => undefined, 1000)
    t.teardown(async () => {
      await this.stop()
      clearInterval(alive)
      rmSync(this.#root, { recursive: true, force: true })
    })
  }

  /** Starts nodes, and creates accounts at the first of them. */
  async start(nodes: number, accounts: number): Promise<void> {
    for (let index = 0; index < nodes; index++) this.#nodes.push(await this.#node(this.#folder()).start())
    const [first] = this.#nodes as [Node]
    for (let index = 0; index < accounts; index++) {
      const username = `person-${index}`
      const { access } = await first.service.call(undefined, 'test.createUser', { username, fields: {} })
      const account = first.service.server.services.accounts.find(username) as Account
      const person = {
        account,
        token: access.token,
        told: new Map<string, Set<string>>(),
        refused: new Set<string>(),
        events: []
      }
      await first.service.call(username, 'streams.create', { id: 'diary', name: 'Diary' }, person.token)
      this.#people.push(person)
      for (const node of this.#nodes.slice(1)) introduce(node, account)
    }
  }

  /** Returns a node. */
  node(index: number): Pick<Node, 'logs'> {
    return this.#nodes[index] as Node
  }

  /** Returns the service of a node. */
  at(node: number): Service {
    return (this.#nodes[node] as Node).service
  }

  /** Returns an account with the token of its owner. */
  person(index: number): { readonly account: Account; readonly token: string } {
    return this.#people[index] as Person
  }

  /** Makes concurrent calls at random nodes, interleaved with faults. */
  async run(rounds: number): Promise<void> {
    const { random } = this
    for (let round = 0; round < rounds; round++) {
      const calls = Array.from({ length: 1 + random.below(5) }, async () => await this.#call())
      const kind = random.below(100)
      if (kind < 4) await this.#kill()
      else if (kind < 12) await this.#handOver()
      await Promise.all(calls)
    }
  }

  /** Stops all nodes in order. */
  async stop(): Promise<void> {
    await Promise.all(this.#nodes.splice(0).map(async ({ service }) => await service.server.close()))
    await Promise.allSettled(this.#closing.splice(0))
  }

  /** Returns differences at a new node without files: acknowledged contents missing, or refused ones present. */
  async wrong(): Promise<string[]> {
    const node = this.#node(this.#folder())
    for (const person of this.#people) this.#introduceLater.push(person.account)
    await node.start()
    this.#nodes.push(node)
    for (const account of this.#introduceLater.splice(0)) introduce(node, account)
    const wrong: string[] = []
    for (const person of this.#people) {
      const { account, refused, told } = person
      const { answer, error } = await surely(node, person)
      if (error) {
        wrong.push(`${account.username}: ${error.message}`)
        continue
      }
      const { events } = answer
      const found = new Map((events as Answer[]).map(({ content, id }) => [String(id), String(content)]))
      for (const [id, contents] of told)
        if (!contents.has(found.get(id) ?? ''))
          wrong.push(`${account.username}: ${[...contents].map(short).join(', ')}`)
      for (const content of found.values())
        if (refused.has(content)) wrong.push(`${account.username}: ${short(content)} is there`)
    }
    return wrong
  }

  /** Returns the accounts whose files differ between nodes once each node has applied the whole log. */
  async differences(): Promise<string[]> {
    const folders = this.#nodes.map(({ folder }) => folder)
    await this.stop()
    const different: string[] = []
    for (const { account } of this.#people) {
      const files: Buffer[] = []
      for (const folder of folders) {
        const node = this.#node(folder)
        await untilReady(node.logs, account.id)
        await node.logs.close()
        const file = new Layout(folder).userFile(account.id)
        mergeLog(file)
        files.push(readFileSync(file))
      }
      if (files.some(file => !file.equals(files[0] as Buffer)))
        different.push(`${account.username}: ${files.map(({ length }) => length).join(', ')} bytes`)
    }
    return different
  }

  /** Number of successful calls. */
  get told(): number {
    return this.#people.reduce((sum, { told }) => sum + told.size, 0)
  }

  readonly #introduceLater: Account[] = []

  #folder(): string {
    return join(this.#root, `node-${this.#folders++}`)
  }

  #node(folder: string): Node {
    return new Node(folder, this.shared, this.trouble)
  }

  /** Creates or updates a random event, and notes what its content may be afterwards. */
  async #call(): Promise<void> {
    const { random } = this
    const person = random.pick(this.#people)
    // Most accounts stay on their node for a while.
    const node = random.chance(0.8) ? this.#usual(person) : random.pick(this.#nodes)
    const from = random.below(noise.length / 2)
    const content = `${++this.#contents} ${noise.slice(from, from + random.pick([10, 500, 20_000, 300_000]))}`
    const { service } = node
    const ask = async (method: string, params: object): Promise<Asked> =>
      await askOf(service, person, method, params)
    const known = random.chance(0.3) && person.events.length > 0 ? random.pick(person.events) : undefined
    // No other call changes the event meanwhile.
    if (known !== undefined) person.events.splice(person.events.indexOf(known), 1)
    const { answer, error } =
      known === undefined
        ? await ask('events.create', { streamIds: ['diary'], type: 'note/txt', content })
        : await ask('events.update', { id: known, update: { content } })
    const end = error?.id ?? 'ok'
    this.answers.set(end, (this.answers.get(end) ?? 0) + 1)
    if (known !== undefined) person.events.push(known)
    if (!error) {
      person.told.set(answer.event.id, new Set([content]))
      if (known === undefined) person.events.push(answer.event.id)
    } else if (error.details.retryAfter !== undefined) person.refused.add(content)
    else if (known !== undefined) person.told.get(known)?.add(content)
  }

  #usual({ account }: Person): Node {
    return this.#nodes[account.id.charCodeAt(20) % this.#nodes.length] as Node
  }

  /** Makes a node release an account, as before another node serves it. */
  async #handOver(): Promise<void> {
    const { accounts } = this.random.pick(this.#nodes).service.server.services
    await accounts.handover.release(this.random.pick(this.#people).account).catch(() => undefined)
  }

  /** Kills a node, and starts another one with all or most of the files in its folder at that time. */
  async #kill(): Promise<void> {
    const { random } = this
    const index = random.below(this.#nodes.length)
    const node = this.#nodes[index] as Node
    node.isDead = true
    const folder = this.#folder()
    cpSync(node.folder, folder, {
      recursive: true,
      filter: path => !path.endsWith('-shm') && !path.endsWith('.lock')
    })
    this.#closing.push(node.service.server.close())
    if (random.chance(0.5)) this.#damage(new Layout(folder).userFile(random.pick(this.#people).account.id))
    this.#nodes[index] = await this.#node(folder).start()
  }

  #damage(file: string): void {
    if (!existsSync(file)) return
    const kind = this.random.below(4)
    if (kind === 0) rmSync(file)
    else if (kind === 1) truncateSync(file, 4096 * this.random.below(5))
    else if (kind === 2) writeFileSync(file, 'not a database at all'.repeat(1000))
    else rmSync(`${file}-wal`, { force: true })
  }
}

/** Takes an account over, however unreliable engine and objects are. */
async function untilReady(logs: ShippedLogs, account: string): Promise<void> {
  for (let left = 20; ; left--)
    try {
      return await logs.waitUntilReady(account)
    } catch (error) {
      if (left === 0) throw error
    }
}

/** Returns all events of an account, however unreliable engine and objects are. */
async function surely({ logs, service }: Node, person: Person): Promise<Asked> {
  for (let left = 20; ; left--) {
    await untilReady(logs, person.account.id)
    const asked = await askOf(service, person, 'events.get', { limit: 100_000 })
    if (!asked.error || left === 0) return asked
  }
}

interface Asked {
  readonly answer: Answer
  readonly error?: ApiError
}

/** Like `Service.call`, but an error keeps whether it states that nothing was done. */
async function askOf({ server }: Service, person: Person, method: string, params: object): Promise<Asked> {
  const { account, token: authorization } = person
  const credentials = { ip: '127.0.0.1', via: 'http', authorization } as const
  const outcome = await server.dispatcher.call({ user: account.username, method, params, credentials })
  if (!outcome.ok) return { answer: {}, error: outcome.error }
  let text = ''
  for await (const more of textsOf(outcome)) text += more
  return { answer: JSON.parse(`{${text}}`) }
}

function short(content: string): string {
  return content.slice(0, 12)
}

function introduce({ service }: Node, account: Account): void {
  const { platform } = service.server.services
  platform.changeNow('claim', { ...account, unique: {} })
  platform.changeNow('activate', account.id)
}
