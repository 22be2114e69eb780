/** Many users with many sockets over time: memory and descriptors stay stable, and each change is delivered once. */
import { readdirSync, readFileSync } from 'node:fs'
import { hash as bcrypt } from '@node-rs/bcrypt'
import t, { type Test } from 'tap'
import { post } from '../durability/requests.js'
import { FaultyServer } from '../faults/server.js'
import type { Answer } from '../support/coffer.js'
import { Random } from '../support/random.js'
import { connect, type TestSocket } from '../support/socket.js'

const isLong = process.env['COFFER_TEST_LONG'] === '1'
/** Rounds after the first one, which warms up; the long form runs for ten minutes in total. */
const rounds = isLong ? Infinity : 2
const lastsMs = isLong ? 600_000 : Infinity
const callsInRound = isLong ? 5000 : 300
const users = isLong ? 50 : 15
const socketsOfUser = 6
const atATime = 16
/** Permitted growth of memory after warming up, in MiB: less than a leak of 1 KiB per call in the long form. */
const mayGrow = isLong ? 60 : 80

t.setTimeout(isLong ? 1_200_000 : 900_000)

const adminKey = 'the key of the operator'

/** A user, with all sockets open. */
interface Person {
  readonly name: string
  readonly token: string
  readonly sockets: readonly TestSocket[]
  readonly events: string[]
  /** Number of messages that each socket must receive, by name. */
  readonly owed: Map<string, number>
}

/** Registers a user, signs in, and creates a stream. */
async function signUp(url: string, username: string, passwordHash: string): Promise<string> {
  const account = { username, passwordHash, email: `${username}@example.com`, language: 'en' }
  await post(`${url}/system/create-user`, account, adminKey)
  const login = { username, password: 'a long secret', appId: 'soak-test' }
  const { token } = await post(`${url}/${username}/auth/login`, login, '', { origin: url })
  await post(`${url}/${username}/streams`, { id: 'diary', name: 'diary' }, token)
  return token
}

class Load {
  readonly #random = new Random(9)

  constructor(
    private readonly url: string,
    /** URL and token for data points: the holder event is updated later, once for several writes. */
    private readonly points: { url: string; token: string }
  ) {}

  static async on(url: string, passwordHash: string): Promise<Load> {
    const token = await signUp(url, 'soak-points', passwordHash)
    const holder = { streamIds: ['diary'], type: 'series:mass/kg' }
    const { event } = await post(`${url}/soak-points/events`, holder, token)
    return new Load(url, { url: `${url}/soak-points/events/${event.id}/series`, token })
  }

  async person(t: Test, name: string, passwordHash: string): Promise<Person> {
    const token = await signUp(this.url, name, passwordHash)
    const sockets = await Promise.all(
      Array.from({ length: socketsOfUser }, () => connect(t, this.url, name, token))
    )
    return { name, token, sockets, events: [], owed: new Map() }
  }

  /** Makes one call of a random kind. */
  async call(person: Person): Promise<void> {
    const { events, name, owed, sockets, token } = person
    const root = `${this.url}/${name}`
    const note = { streamIds: ['diary'], type: 'note/txt', content: 'x'.repeat(this.#random.below(2000)) }
    const owe = (message: string, count = 1): void => void owed.set(message, (owed.get(message) ?? 0) + count)
    const kind = this.#random.below(10)
    if (kind < 3) {
      await this.#read(`${root}/events?limit=20`, token)
    } else if (kind === 3) {
      const answer = await this.#random.pick(sockets).call('streams.get')
      if (!answer.streams) throw new Error(JSON.stringify(answer))
    } else if (kind === 4) {
      const calls = Array.from({ length: 5 }, () => ({ method: 'events.create', params: note }))
      const { results } = await post(`${root}/`, calls, token)
      owe('eventsChanged', calls.length)
      for (const { event } of results) events.push(event.id)
    } else if (kind === 5) {
      const answer = await this.#random.pick(sockets).call('events.create', note)
      owe('eventsChanged')
      events.push(answer.event.id)
    } else if (kind === 6) {
      const form = new FormData()
      form.append('event', JSON.stringify({ streamIds: ['diary'], type: 'file/attached' }))
      form.append('file', new Blob([Buffer.alloc(20_000)]), 'file')
      const response = await fetch(`${root}/events`, {
        method: 'POST',
        headers: { authorization: token },
        body: form
      })
      events.push(((await response.json()) as Answer).event.id)
      owe('eventsChanged')
    } else if (kind === 7) {
      const stream = await post(`${root}/streams`, { name: `s${this.#random.next()}` }, token)
      owe('streamsChanged')
      for (let n = 0; n < 2; n++) await this.#delete(`${root}/streams/${stream.stream.id}`, token)
      owe('streamsChanged', 2)
    } else if (kind === 8) {
      const points = [[this.#random.below(1000), this.#random.next()]]
      const data = { format: 'flatJSON', fields: ['deltaTime', 'value'], points }
      await post(this.points.url, data, this.points.token)
    } else {
      // Deletes as much as is created.
      for (const id of events.splice(0, 3)) {
        for (let n = 0; n < 2; n++) await this.#delete(`${root}/events/${id}`, token)
        owe('eventsChanged', 2)
      }
    }
  }

  /** Makes this many calls of all kinds, several at a time. */
  async round(people: readonly Person[], count: number): Promise<void> {
    let left = count
    await Promise.all(
      Array.from({ length: atATime }, async () => {
        while (left-- > 0) await this.call(this.#random.pick(people))
      })
    )
  }

  async #read(url: string, token: string): Promise<void> {
    const response = await fetch(url, { headers: { authorization: token } })
    const { events } = (await response.json()) as Answer
    if (!Array.isArray(events)) throw new Error(`${url} answered ${response.status}`)
  }

  async #delete(url: string, token: string): Promise<void> {
    const response = await fetch(url, { method: 'DELETE', headers: { authorization: token } })
    const text = await response.text()
    if (!response.ok) throw new Error(`${url} answered ${text}`)
  }
}

/** Returns the memory of a process in MiB, and its number of open descriptors. */
function footprint(pid: number): { memory: number; descriptors: number } {
  const [, kib] = /^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
  return { memory: Number(kib) / 1024, descriptors: readdirSync(`/proc/${pid}/fd`).length }
}

/** Lists sockets that did not receive each change exactly once, and clears what they received. */
async function mistold(people: readonly Person[]): Promise<string[]> {
  const wrong: string[] = []
  for (const { name, owed, sockets } of people) {
    for (const socket of sockets) {
      const news = await socket.news()
      for (const message of ['eventsChanged', 'streamsChanged', 'accessesChanged']) {
        const heard = news.filter(one => one === message).length
        if (heard !== (owed.get(message) ?? 0))
          wrong.push(`${name}: ${message} ${heard} times, not ${owed.get(message) ?? 0}`)
      }
    }
    owed.clear()
  }
  return wrong
}

const noProc = process.platform === 'linux' ? false : 'the memory of a process is not told here'

t.test(`${users} users with ${users * socketsOfUser} sockets`, { skip: noProc }, async t => {
  const server = await FaultyServer.start(t, t.testdir(), [`--adminKey=${adminKey}`])
  const passwordHash = await bcrypt('a long secret', 4)
  const load = await Load.on(server.url, passwordHash)
  const people: Person[] = []
  for (let n = 0; n < users; n++) people.push(await load.person(t, `soak-${n}`, passwordHash))
  await mistold(people)

  const endMs = performance.now() + lastsMs
  await load.round(people, isLong ? 20 * callsInRound : callsInRound)
  t.same(await mistold(people), [], 'each socket hears of each change once')
  const begun = footprint(server.child.pid!)
  let last = begun
  for (let round = 1; round <= rounds && performance.now() < endMs; round++) {
    await load.round(people, callsInRound)
    const wrong = await mistold(people)
    last = footprint(server.child.pid!)
    const told = `${Math.round(last.memory)} MiB, ${last.descriptors} descriptors`
    t.same(wrong, [], `each socket hears of each change once (round ${round}: ${told})`)
  }
  t.ok(
    last.memory - begun.memory < mayGrow,
    `memory: ${Math.round(begun.memory)} MiB, then ${Math.round(last.memory)}`
  )
  t.ok(
    last.descriptors <= begun.descriptors + 40,
    `descriptors: ${begun.descriptors}, then ${last.descriptors}`
  )

  for (const { sockets } of people) for (const socket of sockets) socket.raw.close()
  t.equal((await server.end('SIGTERM')).status, 0)
})
