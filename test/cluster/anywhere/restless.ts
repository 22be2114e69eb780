/** Three nodes, while shards move and nodes are killed: names, files, sockets and webhooks keep their guarantees. */
import { createHash } from 'node:crypto'
import type { Test } from 'tap'
import { openObjects } from '../../../cluster/objects/open.js'
import { headSubjects } from '../../../cluster/nats/object-subjects.js'
import { createFixedShards } from '../../../core/call/shard.js'
import { parseControlResponse, encodeControlRequest } from '../../../server/nodes/control.js'
import { percentile } from '../../../scripts/bench/load/statistics.js'
import { Random } from '../../support/random.js'
import { receiver } from '../../support/receiver.js'
import { connect } from '../../support/socket.js'
import { until } from '../engine-servers.js'
import { Load } from '../load.js'
import type { NodeProcess } from '../node-processes.js'
import { inWords, Pauses } from './pauses.js'
import { idIn, piecesOf, subjectsLike } from './stored.js'
import { registration, settled, type Answered, type Person, type ThreeNodes } from './three-nodes.js'

const isLong = process.env['COFFER_TEST_LONG'] === '1'
const seed = Number(process.env['COFFER_TEST_SEED'] ?? Date.now() % 1e6)
const random = new Random(seed)
const shards = createFixedShards(64)
/** Numbers of names registered at all nodes concurrently, users, shard moves and uploads. */
const [names, users, times, uploads] = isLong ? [1000, 12, 10, 12] : [4, 6, 1, 4]
/** Numbers of concurrent registrations, and of registrations between kills. */
const [together, namesPerKill] = isLong ? [6, 120] : [2, 120]
const fileBytes = (isLong ? 50 : 8) * 1024 * 1024
const mostMs = 60_000
/** Limit for 99 of 100 moves, as users see them, in milliseconds. */
const longestPauseMs = 2000

/** Settings of the nodes. */
export const restlessFlags = ['--webhooks.allowInternalTargets=true', '--webhooks.minIntervalMs=100']

/** Returns what three nodes do whatever happens, each with a test of it. */
export function createStories(three: ThreeNodes): [what: string, test: (t: Test) => Promise<void>][] {
  const { nodes } = three
  const [n1, n2, n3] = nodes as [NodeProcess, NodeProcess, NodeProcess]

  const assign = async (t: Test): Promise<void> => {
    const certain: string[] = []
    const one = async (index: number): Promise<void> => {
      const username = `newcomer-${index}`
      const statuses = await Promise.all(nodes.map(({ url }) => tried(three, url, username)))
      const successes = statuses.filter(status => status === 201).length
      t.ok(successes <= 1, `${username}: ${statuses.join(', ')}`)
      t.ok(
        statuses.every(status => [0, 201, 409, 503].includes(status)),
        statuses.join(', ')
      )
      if (successes === 1) certain.push(username)
    }
    let dead: NodeProcess | undefined
    for (let index = 0; index < names; index += together) {
      const several = Promise.all(Array.from({ length: together }, (_, nth) => one(index + nth)))
      if (index % namesPerKill === together) {
        await dead?.start()
        dead = random.pick(nodes)
        await dead.kill()
      }
      await several
    }
    await dead?.start()
    t.ok(certain.length > 0)
    for (let index = 0; index < names; index++) {
      const username = `newcomer-${index}`
      // Whatever the first attempts did: the name is fully registered now.
      await until(`${username} to be settled`, async () => {
        const status = await tried(three, three.next().url, username)
        return status === 409 || status === 201
      })
      const other = registration(`other-${index}`, `${username}@example.com`)
      const refused = await settled(() => three.http('POST', '/users', other, origin))
      t.equal(refused.status, 409, 'its address is taken, too')
    }
    for (const username of certain) {
      const { body, status } = await settled(() => three.signIn(username))
      t.equal(status, 200, JSON.stringify(body))
    }
  }

  const people: Person[] = []
  const addPeople = async (): Promise<void> => {
    for (let index = people.length; index < users; index++) {
      const person = await three.user(`person-${index}`)
      await person.do('streams.create', { id: 'diary', name: 'Diary' })
      people.push(person)
    }
  }

  const move = async (t: Test): Promise<void> => {
    t.comment(`COFFER_TEST_SEED=${seed}`)
    await addPeople()
    const registers = await Promise.all(
      people.map(async ({ token, username }, index) => {
        const { event } = await people[index]!.do('events.create', note('0'))
        return { token, username, register: event.id as string }
      })
    )
    const [first] = people as [Person]
    const socket = await connect(t, n1.url, first.username, first.token)
    const pauses = new Pauses()
    const load = new Load(registers, () => three.running.map(({ url }) => url), random, {
      // A request without a response by then is lost.
      patienceMs: mostMs,
      pauseMs: isLong ? 60 : 200,
      told: ({ untilMs, username }) => pauses.answered(username, untilMs)
    })
    load.start()
    t.teardown(() => load.end())
    const tookMs: number[] = []
    const moving = isLong
      ? Array.from({ length: 64 }, (_, shard) => shard)
      : people.map(({ username }) => shards.indexOf(username))
    for (let time = 0; time < times; time++)
      for (const shard of moving) {
        const who = people.filter(({ username }) => shards.indexOf(username) === shard)
        const ended = pauses.begin(who.map(({ username }) => username))
        tookMs.push(await moveOn(three, shard))
        await ended()
      }
    await until('the socket to be told', () =>
      ['accessesChanged', 'eventsChanged', 'streamsChanged'].every(name => socket.heard.includes(name))
    )
    const shard = shards.indexOf(first.username)
    const place = async (): Promise<string | undefined> => (await three.places()).get(shard)
    const to = nodes.map(({ name }) => name).find(name => name !== 'n1')!
    if ((await place()) !== to) await three.command('move', String(shard), to)
    await until('the command to have moved it', async () => (await place()) === to)
    t.match(await three.command('status'), {
      nodes: [{ state: 'alive' }, { state: 'alive' }, { state: 'alive' }]
    })
    t.match(await three.command('drain', 'n3'), { ok: true })
    await until('a drained node to serve nothing', () => three.servesNothing('n3'))
    for (const { name, url } of nodes) {
      const { body, status } = await three.http('GET', '/reg/hostings', undefined, {}, url)
      t.equal(status, 200)
      t.match(JSON.stringify(body), `"availableCore":"https://${name}.example/"`)
    }
    await load.stop()
    t.same(load.faults, [])
    t.same(Array.from(load.odd), [], 'every other answer asks to come again')
    t.equal(load.unanswered, 0, 'every call is answered')
    t.ok(load.acknowledged > 0)
    t.comment(
      `${load.refused} refused, ${load.uncertain} of them not for certain, of ${load.acknowledged + load.reads}`
    )
    t.comment(`moves: ${inWords(tookMs)}; pauses: ${inWords(pauses.ms)}`)
    if (isLong) {
      t.equal(load.uncertain, 0, 'who is refused knows that nothing has been done')
      t.ok(percentile(pauses.ms, 0.99) <= longestPauseMs, 'nobody waits long')
    }
    // It accepts no shards until it is restarted.
    await n3.stop()
    await n3.start()
  }

  const keep = async (t: Test): Promise<void> => {
    await addPeople()
    const kept: { person: Person; path: string; digest: string }[] = []
    const upload = async (index: number): Promise<void> => {
      const person = people[index % people.length]!
      const bytes = Buffer.alloc(fileBytes, createHash('sha512').update(`${seed} ${index}`).digest())
      const answer = await sendFile(person, bytes)
      // The node that serves the user may be down, and so may the one that received the request.
      t.ok([undefined, 201, 503].includes(answer?.status), JSON.stringify(answer?.body))
      if (answer?.status !== 201) return
      const { attachments, id } = answer.body.event
      const digest = createHash('sha256').update(bytes).digest('hex')
      kept.push({ person, path: `/${person.username}/events/${id}/${attachments[0].id}`, digest })
    }
    for (let index = 0; index < uploads; index += 2) {
      const both = Promise.all([upload(index), upload(index + 1)])
      const victim = index % 4 === 0 ? n2 : undefined
      if (victim) {
        await until('bytes to be on their way', async () => (await piecesOf(three)).size > 0)
        await victim.kill()
      }
      await both
      if (victim) await victim.start()
    }
    await upload(0)
    t.ok(kept.length > 0)
    t.comment(`${kept.length} of ${uploads + 1} uploads were acknowledged`)
    for (const { digest, path, person } of kept)
      for (const { url } of nodes)
        await until(`${path} to be read`, async () => {
          const response = await fetch(url + path, { headers: { authorization: person.token } })
          const bytes = Buffer.from(await response.arrayBuffer())
          if (response.status === 503) return false
          t.equal(response.status, 200)
          t.equal(createHash('sha256').update(bytes).digest('hex'), digest, path)
          return true
        })
    const objects = openObjects('nats', three.engine)
    await objects.sweep!(0)
    const ids = new Set<string>()
    for (const subject of await subjectsLike(three, headSubjects(''))) ids.add(await idIn(three, subject))
    const stray = Array.from(await piecesOf(three)).filter(id => !ids.has(id))
    t.same(stray, [], 'no pieces of half uploads')
    t.same(await objects.list('lent/'), [], 'nothing stays lent')
  }

  const notify = async (t: Test): Promise<void> => {
    const username = await three.nameAt(n2, 'far')
    const person = await three.user(username)
    await person.do('streams.create', { id: 'diary', name: 'Diary' })
    const hooks = await receiver(t)
    hooks.answer = 500
    const { access } = await person.do('accesses.create', {
      type: 'app',
      name: 'hooked',
      permissions: [{ streamId: 'diary', level: 'read' }]
    })
    const made = await three.http(
      'POST',
      `/${username}/webhooks`,
      { url: `${hooks.url}/far` },
      {
        authorization: access.token
      }
    )
    t.equal(made.status, 201, JSON.stringify(made.body))
    const socket = await connect(t, n1.url, username, person.token)
    await person.do('events.create', note('owed'))
    await until('the webhook to be called in vain', () =>
      hooks.messages.some(messages => messages.includes('eventsChanged'))
    )
    t.equal((await three.ownerOf(username)).name, 'n2')
    await n2.kill()
    const diedMs = performance.now()
    hooks.deliveries.length = 0
    hooks.answer = 200
    socket.heard.length = 0
    await until('somebody to take a change', async () => {
      const answer = await person.http('POST', '/events', note('after'))
      return answer.status === 201
    })
    await until('the socket to be told', () => socket.heard.includes('eventsChanged'))
    const ms = Math.round(performance.now() - diedMs)
    t.comment(`the socket was told of a change ${ms} ms after the node had died`)
    t.ok(ms <= mostMs, `${ms} ms`)
    await until('the webhook to be told of what was owed', () =>
      hooks.messages.some(messages => messages.includes('eventsChanged'))
    )
    await n2.start()
    t.match(await three.command('drain', 'n3'), { ok: true })
    await until('a drained node to serve nothing', () => three.servesNothing('n3'))
    t.equal((await person.http('GET', '/events', undefined, n3.url)).status, 200, 'and still answers')
  }

  return [
    ['assign each username and address once, whichever node is killed meanwhile', assign],
    ['move shards under load and notify sockets', move],
    ['keep acknowledged files and nothing of failed uploads', keep],
    ['notify sockets and webhooks at other nodes when the node that serves the user dies', notify]
  ]
}

const origin = { origin: 'https://app.example' }

function note(content: string): object {
  return { streamIds: ['diary'], type: 'note/txt', content }
}

/** Registers a user at a node. Returns the status; 0 without a response. */
async function tried(three: ThreeNodes, url: string, username: string): Promise<number> {
  try {
    return (await three.http('POST', '/users', registration(username), origin, url)).status
  } catch {
    return 0
  }
}

/** Makes the node that serves a shard move it to the next. Returns the duration in milliseconds. */
async function moveOn(three: ThreeNodes, shard: number): Promise<number> {
  const { engine, nodes } = three
  let tookMs = 0
  await until(`shard ${shard} to be moved`, async () => {
    const from = (await three.places()).get(shard)!
    const to = nodes[(nodes.findIndex(({ name }) => name === from) + 1) % nodes.length]!.name
    const fromMs = performance.now()
    const answer = await engine.send(from, encodeControlRequest({ do: 'move', shard, to }), 20_000)
    tookMs = Math.round(performance.now() - fromMs)
    return parseControlResponse(answer).ok
  })
  return tookMs
}

/** Uploads a file with an event. Returns `undefined` if the node died meanwhile. */
async function sendFile(person: Person, bytes: Buffer): Promise<Answered | undefined> {
  const form = new FormData()
  form.append('event', JSON.stringify(note('with a file')))
  form.append('file', new Blob([bytes]), 'large.bin')
  try {
    return await person.http('POST', '/events', form)
  } catch {
    return undefined
  }
}
