/**
 * Clients of a cluster, and what they check: a set and a register for each user. Whatever was acknowledged has to stay, and all
 * that was written and read has to be as if it had happened one after the other. (test/cluster/history.ts)
 */
import type { Random } from '../support/random.js'
import { RegisterHistory, SetHistory } from './history.js'

/** A user, with an event that is the register. */
export interface Person {
  readonly username: string
  readonly token: string
  readonly register: string
  /** The stream that elements of the set are added to: the diary by default. */
  readonly stream?: string
}

/** A call that succeeded. */
export interface Success {
  readonly username: string
  readonly url: string
  readonly isWrite: boolean
  /** When it began and when it was answered, by `performance.now`. */
  readonly fromMs: number
  readonly untilMs: number
}

export interface LoadOptions {
  /** Time after which a client gives up, in milliseconds. */
  readonly patienceMs?: number
  /** Mean time between two calls of a client, in milliseconds. */
  readonly pauseMs?: number
  /** Called with each success. */
  told?(success: Success): void
}

interface Known {
  readonly set: SetHistory
  readonly register: RegisterHistory
  /** The value that was sent last. */
  sent: number
  /** When a write and a read last succeeded, by `performance.now`. */
  writtenMs: number
  readMs: number
}

/** Where one of the clients is sent: to any node by default. */
interface Errand {
  readonly url?: string
  isOver: boolean
}

/** In the long form clients ask as much as they can. */
const isLong = process.env['COFFER_TEST_LONG'] === '1'
/** Times in milliseconds, unless a test says otherwise. */
const usual = { patienceMs: 4000, pauseMs: isLong ? 15 : 200 }
/** Time for which a node is not asked that has not answered, as a load balancer would, in milliseconds. */
const avoidMs = 5000
/** One of so many reads is one of the whole set. */
const setReads = 20
/** For how long all is tried to be read at the end, each time for how long, and the time between two tries, in milliseconds. */
const [longestLastMs, lastPatienceMs, lastPauseMs] = [300_000, 60_000, 100]

export class Load {
  readonly #known = new Map<string, Known>()
  readonly #clients: Promise<void>[] = []
  readonly #errand: Errand = { isOver: false }
  #options: Required<Omit<LoadOptions, 'told'>> & Pick<LoadOptions, 'told'>
  /** Until when nodes are not asked. */
  readonly #avoided = new Map<string, number>()
  readonly #unreadable: string[] = []
  /** Nodes that only those ask who visit them. */
  readonly shunned = new Set<string>()
  #number = 0
  /** Answers that were neither a success nor one that asks to come again, by what they were. */
  readonly odd = new Map<string, number>()
  acknowledged = 0
  reads = 0
  /** Calls that were not answered, or answered with 503. */
  refused = 0
  /** Those of them that were not answered. */
  unanswered = 0
  /** Answers of 503 that do not say that nothing has been done. (docs/spec/errors.md#retrying) */
  uncertain = 0

  constructor(
    private readonly people: readonly Person[],
    /** The nodes that can be asked at present. */
    private readonly urls: () => readonly string[],
    private readonly random: Random,
    options: LoadOptions = {}
  ) {
    this.#options = { ...usual, ...options }
    for (const { username } of people)
      this.#known.set(username, {
        set: new SetHistory(),
        register: new RegisterHistory(0),
        sent: 0,
        writtenMs: performance.now(),
        readMs: performance.now()
      })
  }

  /** What must not be. */
  get faults(): string[] {
    const found = Array.from(this.#known, ([username, { register, set }]) =>
      [...register.faults(), ...set.faults()].map(fault => `${username}: ${fault}`)
    )
    return [...found.flat(), ...this.#unreadable]
  }

  start(): void {
    for (const person of this.people)
      this.#clients.push(this.#write(person, this.#errand), this.#read(person, this.#errand))
  }

  /** Ends the load. */
  async end(): Promise<void> {
    this.#errand.isOver = true
    await Promise.all(this.#clients)
  }

  /** Ends the load, and looks for everything that was acknowledged. */
  async stop(): Promise<void> {
    await this.end()
    this.#options = { ...this.#options, patienceMs: lastPatienceMs }
    const endMs = performance.now() + longestLastMs
    for (const person of this.people) await this.#look(person, endMs)
  }

  /** More clients, which ask one node only: every other user only reads there. Returns what ends them. */
  visit(url: string): () => Promise<void> {
    const errand: Errand = { url, isOver: false }
    const clients = [
      ...this.people.map(person => this.#read(person, errand)),
      ...this.people.filter((_, index) => index % 2 === 0).map(person => this.#write(person, errand))
    ]
    return async () => {
      errand.isOver = true
      await Promise.all(clients)
    }
  }

  /** When a write of each of some users last succeeded at the earliest. */
  writtenSince(usernames: readonly string[]): number {
    return Math.min(...usernames.map(username => this.#known.get(username)!.writtenMs))
  }

  /** When any read or write of some users last succeeded. */
  lastSuccess(usernames: readonly string[]): number {
    const all = usernames.map(username => this.#known.get(username)!)
    return Math.max(...all.flatMap(({ readMs, writtenMs }) => [readMs, writtenMs]))
  }

  /** Asks one node for every user, and adds something by it: whatever it answers is checked as anything else. */
  async probe(url: string): Promise<void> {
    const probes = this.people.map(async person => {
      await Promise.all([this.#readRegister(person, url), this.#readSet(person, url), this.#add(person, url)])
    })
    await Promise.all(probes)
  }

  /** Sets the registers of all users by one node. Resolves with whether all of that was acknowledged. */
  async setAll(url: string): Promise<boolean> {
    const done = await Promise.all(this.people.map(async person => await this.#set(person, url)))
    return done.every(Boolean)
  }

  /** Reads the registers of all users by one node. */
  async readAll(url: string): Promise<void> {
    await Promise.all(this.people.map(async person => await this.#readRegister(person, url)))
  }

  async #write(person: Person, errand: Errand): Promise<void> {
    while (!errand.isOver) {
      if (this.random.chance(0.5)) await this.#add(person, errand.url)
      else await this.#set(person, errand.url)
      await this.#pause()
    }
  }

  async #read(person: Person, errand: Errand): Promise<void> {
    while (!errand.isOver) {
      if (this.random.below(setReads) === 0) await this.#readSet(person, errand.url)
      else await this.#readRegister(person, errand.url)
      await this.#pause()
    }
  }

  async #add(person: Person, url?: string): Promise<void> {
    const known = this.#known.get(person.username)!
    const content = `number ${++this.#number} of ${person.stream ?? 'the diary'}`
    const acknowledge = known.set.add(content)
    const body = { streamIds: [person.stream ?? 'diary'], type: 'note/txt', content }
    const answer = await this.#ask(person, 'POST', '/events', body, url)
    if (!answer) return
    acknowledge(answer.by)
    known.writtenMs = performance.now()
  }

  /** Returns whether that was acknowledged. */
  async #set(person: Person, url?: string): Promise<boolean> {
    const known = this.#known.get(person.username)!
    const value = ++known.sent
    const acknowledge = known.register.write(value)
    const path = `/events/${person.register}`
    const answer = await this.#ask(person, 'PUT', path, { content: String(value) }, url)
    if (!answer) return false
    acknowledge(answer.by)
    known.writtenMs = performance.now()
    return true
  }

  async #readRegister(person: Person, url?: string): Promise<void> {
    const known = this.#known.get(person.username)!
    const fromMs = performance.now()
    const answer = await this.#ask(person, 'GET', `/events/${person.register}`, undefined, url)
    if (!answer) return
    const { event } = answer.body as { event: { content: string } }
    known.register.read(Number(event.content), fromMs, answer.by)
    known.readMs = performance.now()
    this.reads++
  }

  /** Reads the set, and the register with it. Returns whether that succeeded. */
  async #readSet(person: Person, url?: string): Promise<boolean> {
    const known = this.#known.get(person.username)!
    const fromMs = performance.now()
    const answer = await this.#ask(person, 'GET', '/events?limit=1000000', undefined, url)
    if (!answer) return false
    const { by } = answer
    const { events } = answer.body as { events: { id: string; content: string }[] }
    known.set.read(
      events.map(({ content }) => content),
      fromMs,
      by
    )
    known.register.read(Number(events.find(({ id }) => id === person.register)?.content), fromMs, by)
    known.readMs = performance.now()
    this.reads++
    return true
  }

  async #look(person: Person, endMs: number): Promise<void> {
    while (!(await this.#readSet(person))) {
      if (performance.now() > endMs) return void this.#unreadable.push(`${person.username}: cannot be read`)
      await new Promise(resolve => setTimeout(resolve, lastPauseMs))
    }
  }

  /** The body of a success, and the URL of the node that was asked; `undefined` for whatever else. */
  async #ask(
    { token, username }: Person,
    method: string,
    path: string,
    body?: object,
    fixedUrl?: string
  ): Promise<{ readonly body: unknown; readonly by: string } | undefined> {
    const fromMs = performance.now()
    const urls = this.urls().filter(
      each => !this.shunned.has(each) && (this.#avoided.get(each) ?? 0) < fromMs
    )
    if (urls.length === 0 && fixedUrl === undefined) return undefined
    const url = fixedUrl ?? this.random.pick(urls)
    try {
      const response = await fetch(`${url}/${username}${path}`, {
        method,
        headers: { authorization: token, 'content-type': 'application/json' },
        signal: AbortSignal.timeout(this.#options.patienceMs),
        ...(body && { body: JSON.stringify(body) })
      })
      const answer: unknown = await response.json()
      if (response.ok) {
        const isWrite = method !== 'GET'
        if (isWrite) this.acknowledged++
        this.#options.told?.({ username, url, isWrite, fromMs, untilMs: performance.now() })
        return { body: answer, by: url }
      }
      // A client whose machine is very busy may be too slow itself.
      const isLate = JSON.stringify(answer).includes('did not arrive in time')
      if (response.status !== 503 && !isLate)
        this.#note(`${method} ${response.status} ${JSON.stringify(answer).slice(0, 200)}`)
      if (response.status === 503 && !response.headers.has('retry-after')) this.uncertain++
    } catch {
      this.unanswered++
      // The node is gone, or does not answer.
      if (fixedUrl === undefined) this.#avoided.set(url, performance.now() + avoidMs)
    }
    this.refused++
    return undefined
  }

  #note(what: string): void {
    this.odd.set(what, (this.odd.get(what) ?? 0) + 1)
  }

  async #pause(): Promise<void> {
    await new Promise(resolve => setTimeout(resolve, this.random.below(2 * this.#options.pauseMs)))
  }
}
