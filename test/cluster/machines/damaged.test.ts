/**
 * One server's copy of a log is damaged and leads it, then the node dies that serves the accounts in it: nothing that was acknowledged
 * is rolled back or skipped, and the damage is told of.
 */
import { rmSync } from 'node:fs'
import t from 'tap'
import { placedIn, shardKey } from '../../../cluster/nodes/places.js'
import { ask } from '../../../cluster/nats/jetstream.js'
import { shardStream } from '../../../cluster/nats/places.js'
import { fixedShards } from '../../../core/call/shard.js'
import { until } from '../engine-servers.js'
import type { Person } from '../load.js'
import { damages } from './damage.js'
import { inWords, isLeftOut, Machines, rounds, timeoutMs } from './machines.js'

t.setTimeout(timeoutMs)

/** Notes that fill a log with several blocks, and the bytes of each. */
const [notes, noteBytes] = [110, 100_000]
/** Tries to have a damaged copy lead. */
const tries = 20

t.test('a copy of a log is damaged', { skip: isLeftOut }, async t => {
  const machines = await Machines.start(t, { flags: [`--cluster.snapshotBytes=${1 << 30}`] })
  const { engine, load, nodes, people, random, replicas, servers } = machines
  const person = random.pick(people)
  const shard = fixedShards(64).indexOf(person.username)
  await fill(nodes[0]!.url, person, random)
  const stream = shardStream(shard)
  const subject = await longestLog(machines, stream)
  for (let round = 0; round < rounds; round++)
    for (const [kind, damage] of Object.entries(damages)) {
      const damaged = machines.pick()
      // Not killed, or it would have the records in what it replays.
      await servers.stop(damaged)
      damage({ folder: servers.streamFolder(damaged, stream), subject })
      await servers.restart(damaged)
      const leads = await lead()
      const { node } = placedIn((await engine.register.get(shardKey(shard)))!)!
      const owner = nodes.findIndex(({ name }) => name === node)
      await nodes[owner]!.kill()
      const times = await machines.recovered('the others to serve everybody')
      t.comment(
        `${kind}: n${damaged + 1}, which ${leads ? 'led' : 'did not lead'}; ${node} is dead: ${inWords(times)}`
      )
      let alarms: readonly unknown[] = []
      await until('it to be told', async () => (alarms = await replicas.care()).length > 0)
      t.match(JSON.stringify(alarms), new RegExp(`n${damaged + 1} .*${stream}`), kind)
      // What the alarm says is to be done.
      await servers.stop(damaged)
      rmSync(servers.streamFolder(damaged, stream), { recursive: true })
      await servers.restart(damaged)
      await machines.startNode(nodes[owner]!)
      await machines.isWhole('all to be as before')
      t.same(load.faults, [], kind)

      async function lead(): Promise<boolean> {
        const wanted = { placement: { preferred: `n${damaged + 1}` } }
        for (let attempt = 0; attempt < tries; attempt++) {
          await ask(engine.connection, `STREAM.LEADER.STEPDOWN.${stream}`, wanted, 2000).catch(() => {})
          if ((await servers.leaderOf(stream)) === damaged) return true
        }
        return false
      }
    }
  await machines.end(t)
})

/** Writes so much that the log has several blocks. */
async function fill(url: string, { token, username }: Person, random: Machines['random']): Promise<void> {
  for (let count = 0; count < notes; count++) {
    const content = Buffer.from(Array.from({ length: (noteBytes * 3) / 4 }, () => random.below(256)))
    const event = { streamIds: ['diary'], type: 'note/txt', content: content.toString('base64') }
    await until('a note to be stored', async () => {
      const headers = { authorization: token, 'content-type': 'application/json' }
      const body = JSON.stringify(event)
      return (await fetch(`${url}/${username}/events`, { method: 'POST', headers, body })).ok
    })
  }
}

/** The subject that has most of the records of a stream. */
async function longestLog({ engine }: Machines, stream: string): Promise<string> {
  const wanted = { subjects_filter: '>' }
  const { state } = await ask<StreamInfo>(engine.connection, `STREAM.INFO.${stream}`, wanted, 5000)
  const [longest] = Object.entries(state.subjects).toSorted(([, a], [, b]) => b - a)
  return longest![0]
}

interface StreamInfo {
  readonly state: { readonly subjects: Readonly<Record<string, number>> }
}
