/**
 * Clients of a cluster, and what they check: a set and a register for each user. Whatever was acknowledged has to stay; no read
 * may tell what was true before it began, but not any more.
 */
import type { Random } from '../support/random.js'

/** A user, with an event that is the register. */
export interface Person {
  readonly username: string
  readonly token: string
  readonly register: string
}

interface Known {
  /** Events that were acknowledged. */
  readonly added: Set<string>
  /** The last value of the register that was acknowledged, and the last one that was sent. */
  acknowledged: number
  sent: number
  /** Values of the register that a client has given up on, and that nobody has read: each may still arrive, once, however late. */
  readonly open: Set<number>
  /** The value that was read last. */
  read: number
  /** When a write and a read last succeeded, by `performance.now`. */
  writtenMs: number
  readMs: number
}

/** Time after which a client gives up, unless a test says otherwise, in milliseconds. */
const standardPatienceMs = 4000
/** Time for which a node is not asked that has not answered, as a load balancer would, in milliseconds. */
const avoidMs = 5000
/** Mean time between two calls of a client, unless a test says otherwise, in milliseconds. */
const standardPauseMs = 15

export interface LoadOptions {
  readonly patienceMs?: number
  readonly pauseMs?: number
}

export class Load {
  readonly #known = new Map<string, Known>()
  readonly #clients: Promise<void>[] = []
  /** Until when nodes are not asked. */
  readonly #avoided = new Map<string, number>()
  readonly #patienceMs: number
  readonly #pauseMs: number
  #isOver = false
  #number = 0
  /** What must not be. */
  readonly faults: string[] = []
  /** Answers that were neither a success nor one that asks to come again, by what they were. */
  readonly odd = new Map<string, number>()
  acknowledged = 0
  reads = 0

  constructor(
    private readonly people: readonly Person[],
    /** The nodes that can be asked at present. */
    private readonly urls: () => readonly string[],
    private readonly random: Random,
    { patienceMs = standardPatienceMs, pauseMs = standardPauseMs }: LoadOptions = {}
  ) {
    this.#patienceMs = patienceMs
    this.#pauseMs = pauseMs
    for (const { username } of people)
      this.#known.set(username, {
        added: new Set(),
        open: new Set(),
        acknowledged: 0,
        sent: 0,
        read: 0,
        writtenMs: performance.now(),
        readMs: performance.now()
      })
  }

  start(): void {
    for (const person of this.people) this.#clients.push(this.#write(person), this.#read(person))
  }

  /** Ends the load, and looks for everything that was acknowledged. */
  async stop(): Promise<void> {
    this.#isOver = true
    await Promise.all(this.#clients)
    for (const person of this.people) await this.#look(person)
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
      await Promise.all([this.#readOnce(person, url), this.#add(person, url)])
    })
    await Promise.all(probes)
  }

  async #add(person: Person, url?: string): Promise<void> {
    const known = this.#known.get(person.username)!
    const content = `number ${++this.#number}`
    const body = { streamIds: ['diary'], type: 'note/txt', content }
    const { isOk } = await this.#ask(person, 'POST', '/events', body, url)
    if (isOk) known.added.add(content)
    if (isOk) known.writtenMs = performance.now()
  }

  async #write(person: Person): Promise<void> {
    const known = this.#known.get(person.username)!
    while (!this.#isOver) {
      if (this.random.chance(0.5)) await this.#add(person)
      else {
        const value = ++known.sent
        const { isOk } = await this.#ask(person, 'PUT', `/events/${person.register}`, {
          content: String(value)
        })
        if (isOk) known.acknowledged = value
        else known.open.add(value)
        if (isOk) known.writtenMs = performance.now()
      }
      await this.#pause()
    }
  }

  async #read(person: Person): Promise<void> {
    while (!this.#isOver) {
      await this.#readOnce(person)
      await this.#pause()
    }
  }

  async #readOnce(person: Person, url?: string): Promise<void> {
    const known = this.#known.get(person.username)!
    const floor = Math.max(known.acknowledged, known.read)
    const { body, isOk } = await this.#ask(person, 'GET', `/events/${person.register}`, undefined, url)
    if (!isOk) return
    this.reads++
    known.readMs = performance.now()
    const value = Number((body as { event: { content: string } }).event.content)
    if (value > known.sent) this.faults.push(`${person.username}: read ${value}, sent ${known.sent}`)
    if (known.open.delete(value) && value < floor) known.acknowledged = known.read = value
    else if (value < floor) this.faults.push(`${person.username}: read ${value} after ${floor}`)
    else known.read = value
  }

  async #look(person: Person): Promise<void> {
    const known = this.#known.get(person.username)!
    for (let attempt = 0; attempt < 200; attempt++) {
      const { body, isOk } = await this.#ask(person, 'GET', '/events?limit=1000000')
      if (!isOk) {
        await new Promise(resolve => setTimeout(resolve, 100))
        continue
      }
      const { events } = body as { events: { id: string; content: string }[] }
      const found = new Set(events.map(({ content }) => content))
      const lost = Array.from(known.added).filter(content => !found.has(content))
      if (lost.length > 0)
        this.faults.push(`${person.username}: ${lost.length} of ${known.added.size} lost, such as ${lost[0]}`)
      const value = Number(events.find(({ id }) => id === person.register)?.content)
      if (!(value >= known.acknowledged || known.open.has(value)))
        this.faults.push(`${person.username}: the register is ${value} after ${known.acknowledged}`)
      return
    }
    this.faults.push(`${person.username}: cannot be read at the end`)
  }

  async #ask(
    { token, username }: Person,
    method: string,
    path: string,
    body?: object,
    fixedUrl?: string
  ): Promise<{ isOk: boolean; body?: unknown }> {
    const nowMs = performance.now()
    const urls = this.urls().filter(each => (this.#avoided.get(each) ?? 0) < nowMs)
    if (urls.length === 0 && fixedUrl === undefined) return { isOk: false }
    const url = fixedUrl ?? this.random.pick(urls)
    try {
      const response = await fetch(`${url}/${username}${path}`, {
        method,
        headers: { authorization: token, 'content-type': 'application/json' },
        signal: AbortSignal.timeout(this.#patienceMs),
        ...(body && { body: JSON.stringify(body) })
      })
      const answer: unknown = await response.json()
      if (response.ok) {
        if (method !== 'GET') this.acknowledged++
        return { isOk: true, body: answer }
      }
      if (response.status !== 503)
        this.#note(`${method} ${response.status} ${JSON.stringify(answer).slice(0, 200)}`)
    } catch {
      // The node is gone, or does not answer.
      this.#avoided.set(url, performance.now() + avoidMs)
    }
    return { isOk: false }
  }

  #note(what: string): void {
    this.odd.set(what, (this.odd.get(what) ?? 0) + 1)
  }

  async #pause(): Promise<void> {
    await new Promise(resolve => setTimeout(resolve, this.random.below(2 * this.#pauseMs)))
  }
}
