/**
 * Clients of a cluster and their checks: a set and a register for each user. Acknowledged writes must stay, and all
 * calls must be linearizable. (test/cluster/history.ts)
 */
import type { Random } from '../support/random.js'
import { RegisterHistory, SetHistory } from './history.js'

/** A user with an event that serves as the register. */
export interface Person {
  readonly username: string
  readonly token: string
  readonly register: string
  /** The stream to which elements of the set are added: `diary` by default. */
  readonly stream?: string
}

/** A successful call. */
export interface Success {
  readonly username: string
  readonly url: string
  readonly isWrite: boolean
  /** When it started and ended, by `performance.now`. */
  readonly fromMs: number
  readonly untilMs: number
}

export interface LoadOptions {
  /** Timeout of a client, in milliseconds. */
  readonly patienceMs?: number
  /** Mean time between two calls of a client, in milliseconds. */
  readonly pauseMs?: number
  /** Called with each success. */
  told?(success: Success): void
}

interface Known {
  readonly set: SetHistory
  readonly register: RegisterHistory
  /** The last value sent. */
  sent: number
  /** When a write and a read last succeeded, by `performance.now`. */
  writtenMs: number
  readMs: number
}

/** The node to which a client sends its calls: any by default. */
interface Errand {
  readonly url?: string
  isOver: boolean
}

/** In the long form, clients send as many calls as they can. */
const isLong = process.env['COFFER_TEST_LONG'] === '1'
/** Defaults in milliseconds. */
const usual = { patienceMs: 4000, pauseMs: isLong ? 15 : 400 }
/** Time for which a node that did not respond is avoided, as by a load balancer, in milliseconds. */
const avoidMs = 5000
/** One in this many reads reads the whole set. */
const setReads = 20
/** Limits of the final read in milliseconds: for all attempts, for each attempt, and between two attempts. */
const [longestLastMs, lastPatienceMs, lastPauseMs] = [300_000, 60_000, 100]

export class Load {
  readonly #known = new Map<string, Known>()
  readonly #clients: Promise<void>[] = []
  readonly #errand: Errand = { isOver: false }
  #options: Required<Omit<LoadOptions, 'told'>> & Pick<LoadOptions, 'told'>
  /** Until when each node is avoided. */
  readonly #avoided = new Map<string, number>()
  readonly #unreadable: string[] = []
  /** Nodes called only by clients that visit them. */
  readonly shunned = new Set<string>()
  #number = 0
  /** Unexpected responses, which are neither a success nor a refusal to be retried, with their number. */
  readonly odd = new Map<string, number>()
  acknowledged = 0
  reads = 0
  /** Number of calls without a response or with 503. */
  refused = 0
  /** Number of calls without a response. */
  unanswered = 0
  /** Number of 503 responses that do not state that nothing was done. (docs/spec/errors.md#retrying) */
  uncertain = 0

  constructor(
    private readonly people: readonly Person[],
    /** Returns the URLs of nodes that can currently be called. */
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

  /** Violations found. */
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

  /** Stops the load. */
  async end(): Promise<void> {
    this.#errand.isOver = true
    await Promise.all(this.#clients)
  }

  /** Stops the load, and checks that everything acknowledged is there. */
  async stop(): Promise<void> {
    await this.end()
    this.#options = { ...this.#options, patienceMs: lastPatienceMs }
    const endMs = performance.now() + longestLastMs
    for (const person of this.people) await this.#look(person, endMs)
  }

  /** Starts clients that call one node only; every other user only reads there. Returns a function that stops them. */
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

  /** Returns the earliest of the times at which a write of each user last succeeded. */
  writtenSince(usernames: readonly string[]): number {
    return Math.min(...usernames.map(username => this.#known.get(username)!.writtenMs))
  }

  /** Returns when any read or write of some users last succeeded. */
  lastSuccess(usernames: readonly string[]): number {
    const all = usernames.map(username => this.#known.get(username)!)
    return Math.max(...all.flatMap(({ readMs, writtenMs }) => [readMs, writtenMs]))
  }

  /** Reads for every user at one node, and adds an element there: the results are checked like all others. */
  async probe(url: string): Promise<void> {
    const probes = this.people.map(async person => {
      await Promise.all([this.#readRegister(person, url), this.#readSet(person, url), this.#add(person, url)])
    })
    await Promise.all(probes)
  }

  /** Sets the registers of all users at one node. Resolves with whether all were acknowledged. */
  async setAll(url: string): Promise<boolean> {
    const done = await Promise.all(this.people.map(async person => await this.#set(person, url)))
    return done.every(Boolean)
  }

  /** Reads the registers of all users at one node. */
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

  /** Returns whether the write was acknowledged. */
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

  /** Reads the set and the register. Returns whether that succeeded. */
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

  /** Returns the body of a successful response and the URL of the called node; otherwise `undefined`. */
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
      // On a very busy machine, the client itself may be too slow.
      const isLate = JSON.stringify(answer).includes('did not arrive in time')
      if (response.status !== 503 && !isLate)
        this.#note(`${method} ${response.status} ${JSON.stringify(answer).slice(0, 200)}`)
      if (response.status === 503 && !response.headers.has('retry-after')) this.uncertain++
    } catch {
      this.unanswered++
      // The node is down or does not respond.
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
