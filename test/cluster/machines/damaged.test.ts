/**
 * One server's replica of a log is damaged and leads it, then the node that serves its accounts dies: nothing
 * acknowledged is rolled back or skipped, and an alarm is raised.
 */
import { rmSync } from 'node:fs'
import t from 'tap'
import { parsePlacement, shardCount, shardKey } from '../../../cluster/nodes/shard-placement.js'
import { callApi } from '../../../cluster/nats/jetstream.js'
import { shardStream } from '../../../cluster/nats/subjects.js'
import { createFixedShards } from '../../../core/call/shard.js'
import { until } from '../engine-servers.js'
import type { Person } from '../load.js'
import { blocksOf, damages } from './damage.js'
import { register } from '../registration.js'
import { inWords, isLeftOut, longestMs, Machines, rounds, timeoutMs } from './machines.js'

t.setTimeout(timeoutMs)

/** Bytes of each note that fills a log with several blocks, and the limit of the log, which is larger. */
const [noteBytes, shardBytes] = [100_000, 64 * 1024 * 1024]
/** Attempts to make a damaged replica lead. */
const tries = 20
/** Records per read. */
const pageLength = 50

t.test('a replica of a log is damaged', { skip: isLeftOut }, async t => {
  const machines = await Machines.start(t, { shardBytes, flags: [`--cluster.snapshotBytes=${1 << 30}`] })
  const { engine, load, nodes, people, random, replicas, servers } = machines
  const person = random.pick(people)
  const shard = createFixedShards(shardCount).indexOf(person.username)
  const { url } = nodes[0]!
  const neighbour = await Neighbour.settle(url, shard)
  for (let count = 0; count < 3; count++) await neighbour.write(url)
  const stream = shardStream(shard)
  const folder = servers.streamFolder(0, stream)
  while (blocksOf({ folder }).length < 3) await writeNote(url, person, random)
  const subject = await longestLog(machines, stream)
  for (let round = 0; round < rounds; round++)
    for (const { isCounted, make, what: kind } of damages) {
      const damaged = machines.pick()
      // Not killed, or it would recover the records by replay.
      await servers.stop(damaged)
      make({ folder: servers.streamFolder(damaged, stream), subject })
      await servers.restart(damaged)
      const leads = await lead()
      // Its last record may be among the lost ones: an older one must not take its place.
      for (const node of nodes) await neighbour.write(node.url)
      const { node } = parsePlacement((await engine.register.get(shardKey(shard)))!)!
      const owner = nodes.findIndex(({ name }) => name === node)
      await nodes[owner]!.kill()
      const times = await machines.recovered('the others to serve everybody')
      t.comment(
        `${kind}: n${damaged + 1}, which ${leads ? 'led' : 'did not lead'}; ${node} is dead: ${inWords(times)}`
      )
      await readAll(machines, subject)
      let alarms: readonly unknown[] = await replicas.repairLeaders()
      if (isCounted)
        await until(
          'it to be told',
          async () => (alarms = await replicas.repairLeaders()).length > 0,
          longestMs
        )
      t.comment(JSON.stringify(alarms))
      if (isCounted) t.match(JSON.stringify(alarms), new RegExp(`n${damaged + 1} .*${stream}`), kind)
      // What the alarm advises the operator to do.
      await servers.stop(damaged)
      rmSync(servers.streamFolder(damaged, stream), { recursive: true })
      await servers.restart(damaged)
      await machines.startNode(nodes[owner]!)
      await machines.isWhole('all to be as before')
      t.same(load.faults, [], kind)
      for (const node of nodes) t.same(await neighbour.lost(node.url), [], kind)

      async function lead(): Promise<boolean> {
        for (let attempt = 0; attempt < tries; attempt++) {
          await servers.askToLead(damaged, stream, engine)
          if ((await servers.leaderOf(stream)) === damaged) return true
        }
        return false
      }
    }
  await machines.end(t)
})

/** A user with the same log as another, who writes occasionally. */
class Neighbour {
  readonly #acknowledged: string[] = []
  #number = 0

  private constructor(
    private readonly username: string,
    private readonly token: string
  ) {}

  static async settle(url: string, shard: number): Promise<Neighbour> {
    const names = Array.from({ length: 10_000 }, (_, number) => `neighbour-${number}`)
    const username = names.find(name => createFixedShards(shardCount).indexOf(name) === shard)!
    const { body } = await register(url, username)
    const { apiEndpoint } = body as { apiEndpoint: string }
    const neighbour = new Neighbour(username, new URL(apiEndpoint).username)
    await until('a stream', async () => await neighbour.#send(url, 'streams', { id: 'diary', name: 'Diary' }))
    return neighbour
  }

  /** Writes a note, which may be refused. */
  async write(url: string): Promise<void> {
    const content = `number ${++this.#number}`
    const event = { streamIds: ['diary'], type: 'note/txt', content }
    if (await this.#send(url, 'events', event)) this.#acknowledged.push(content)
  }

  /** Returns acknowledged notes that are missing. */
  async lost(url: string): Promise<string[]> {
    let found: readonly { readonly content: string }[] = []
    await until(
      'the neighbour to be served',
      async () => {
        const headers = { authorization: this.token }
        const answer = await fetch(`${url}/${this.username}/events?limit=1000`, { headers })
        if (answer.ok) found = ((await answer.json()) as { events: typeof found }).events
        return answer.ok
      },
      longestMs
    )
    return this.#acknowledged.filter(content => !found.some(event => event.content === content))
  }

  async #send(url: string, path: string, body: object): Promise<boolean> {
    const headers = { authorization: this.token, 'content-type': 'application/json' }
    const request = { method: 'POST', headers, body: JSON.stringify(body) }
    return (await fetch(`${url}/${this.username}/${path}`, request)).ok
  }
}

/** Stores a note of random bytes, and repeats the call until it succeeds. */
async function writeNote(
  url: string,
  { token, username }: Person,
  random: Machines['random']
): Promise<void> {
  const content = Buffer.from(Array.from({ length: (noteBytes * 3) / 4 }, () => random.below(256)))
  const event = { streamIds: ['diary'], type: 'note/txt', content: content.toString('base64') }
  await until('a note to be stored', async () => {
    const headers = { authorization: token, 'content-type': 'application/json' }
    const body = JSON.stringify(event)
    return (await fetch(`${url}/${username}/events`, { method: 'POST', headers, body })).ok
  })
}

/** Reads as much of a log as can currently be read. */
async function readAll({ engine }: Machines, subject: string): Promise<void> {
  for (let from = 0; ;) {
    const entries = await engine.read(subject, from, pageLength).catch(() => [])
    if (entries.length === 0) return
    from = entries.at(-1)!.sequence + 1
  }
}

/** Returns the subject with most records of a stream. */
async function longestLog({ engine }: Machines, stream: string): Promise<string> {
  const wanted = { subjects_filter: '>' }
  const { state } = await callApi<StreamInfo>(engine.connection, `STREAM.INFO.${stream}`, wanted, 5000)
  const [longest] = Object.entries(state.subjects).toSorted(([, a], [, b]) => b - a)
  return longest![0]
}

interface StreamInfo {
  readonly state: { readonly subjects: Readonly<Record<string, number>> }
}
