/**
 * A replica of a log is damaged, and its server leads the log when the node that serves its accounts is killed:
 * nothing acknowledged is lost, and if records are missing, an alarm names the repair, which works.
 */
import { readdirSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Test } from 'tap'
import { parsePlacement, shardKey } from '../../../cluster/nodes/shard-placement.js'
import { shardStream } from '../../../cluster/nats/subjects.js'
import { createFixedShards } from '../../../core/call/shard.js'
import { until } from '../engine-servers.js'
import type { NodeProcess } from '../node-processes.js'
import { register } from '../registration.js'
import type { Cluster } from './small-cluster.js'

/** What is done to the files of a replica. */
type Damage = 'truncated' | 'flipped'

/** Damages the longest block of a stopped server's stream. */
function damage(kind: Damage, folder: string): void {
  const blocks = readdirSync(join(folder, 'msgs'))
    .filter(name => name.endsWith('.blk'))
    .map(name => join(folder, 'msgs', name))
  const [block] = blocks.toSorted((one, other) => statSync(other).size - statSync(one).size)
  const { size } = statSync(block!)
  if (kind === 'truncated') return truncateSync(block!, Math.floor(size / 2))
  const bytes = readFileSync(block!)
  for (let at = Math.floor(size / 2); at < size; at += 997) bytes[at]! ^= 0x10
  writeFileSync(block!, bytes)
}

/** Returns the node that serves a shard, and the others. */
async function servedBy({ engine, nodes }: Cluster, shard: number): Promise<[NodeProcess, ...NodeProcess[]]> {
  const found = await engine.register.get(shardKey(shard))
  const name = found && parsePlacement(found)?.node
  const owner = nodes.find(node => node.name === name)!
  return [owner, ...nodes.filter(node => node !== owner)]
}

/** Damages a replica, and kills the node that writes to it. */
export async function survivesDamage(t: Test, cluster: Cluster, kind: Damage): Promise<void> {
  const { ask, engine, nodes, servers } = cluster
  const username = `damaged-${kind}`
  let token = ''
  await until('an account', async () => {
    const { body, status } = await register(nodes[0].url, username)
    if (status === 201) token = new URL((body as { apiEndpoint: string }).apiEndpoint).username
    return status === 201
  })
  const shard = createFixedShards(64).indexOf(username)
  const stream = shardStream(shard)
  const headers = { authorization: token, 'content-type': 'application/json' }
  const write = async (content: string): Promise<boolean> => {
    const body = JSON.stringify({ streamIds: ['diary'], type: 'note/txt', content })
    for (const { url } of nodes) {
      if (url === '') continue
      const answer = await fetch(`${url}/${username}/events`, { method: 'POST', headers, body }).catch(
        () => undefined
      )
      if (answer?.status === 201) return true
    }
    return false
  }
  const body = JSON.stringify({ id: 'diary', name: 'Diary' })
  await until('the stream to be there', async () =>
    [201, 409, 400].includes(
      (await fetch(`${nodes[0].url}/${username}/streams`, { method: 'POST', headers, body })).status
    )
  )
  const told: string[] = []
  const add = async (count: number): Promise<void> => {
    for (let index = 0; index < count;) {
      const content = `${kind} ${told.length} ${'x'.repeat(2000)}`
      await until('a write', async () => await write(content))
      told.push(content)
      index++
    }
  }
  await add(60)

  const [owner, ...others] = await servedBy(cluster, shard)
  const damaged = ((await servers.leaderOf(stream)) + 1) % 3
  const name = `n${damaged + 1}`
  await servers.stop(damaged)
  damage(kind, servers.streamFolder(damaged, stream))
  await servers.restart(damaged)
  await add(10)
  // It would lead if no node checked.
  await servers.askToLead(damaged, stream, engine)
  await owner.kill()
  await until('another node to serve the account', async () => await write('after it'))

  const answer = await fetch(`${others[0]!.url}/${username}/events?streams[]=diary&limit=1000`, { headers })
  const { events } = (await answer.json()) as { events: { content: string }[] }
  const found = new Set(events.map(({ content }) => content))
  t.same(
    told.filter(content => !found.has(content)),
    [],
    'nothing that was acknowledged is lost'
  )

  // Flipped bits change no count: a server that reads them notices, and skips the record.
  if (kind === 'flipped') return await owner.start()

  await until('an alarm', () => others.some(({ log }) => log.includes(`alert: ${name} lacks records of`)))
  const { code, output } = await ask('status')
  t.equal(code, 1)
  t.match(output, new RegExp(`alert\\treplica\\t${name} lacks records`))
  await owner.start()

  // What the documentation advises the operator to do.
  await servers.stop(damaged)
  rmSync(servers.streamFolder(damaged, stream), { recursive: true, force: true })
  await servers.restart(damaged)
  await until('no alarms', async () => (await ask('status')).code === 0)
}
