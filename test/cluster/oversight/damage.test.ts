/**
 * A replica of a log is damaged, and its server leads the log when the node that serves its accounts is killed:
 * nothing acknowledged is lost, and if records are missing, an alarm names the repair, which works.
 */
import {
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { allShards, parsePlacement, shardKey } from '../../../cluster/nodes/shard-placement.js'
import { shardStream } from '../../../cluster/nats/subjects.js'
import type { NatsEngine } from '../../../cluster/nats-engine.js'
import { callApi } from '../../../cluster/nats/jetstream.js'
import { createFixedShards } from '../../../core/call/shard.js'
import { command } from '../../support/command.js'
import { EngineServers, until } from '../engine-servers.js'
import { NodeProcess } from '../node-processes.js'
import { register } from '../registration.js'
import { rotate } from '../../support/rotation.js'

t.setTimeout(600_000)

/** What is done to the files of a replica. */
type Damage = 'truncated' | 'flipped'

const kinds = rotate<Damage>(t, ['truncated', 'flipped'])

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

interface World {
  readonly servers: EngineServers
  readonly engine: NatsEngine
  readonly flags: readonly string[]
  readonly nodes: readonly [NodeProcess, NodeProcess]
}

/** Starts a cluster of two nodes with small shards. */
async function start(t: Test): Promise<World> {
  const root = mkdtempSync(join(tmpdir(), 'coffer-damage-'))
  t.teardown(() => rmSync(root, { recursive: true, force: true }))
  const servers = await EngineServers.start(t)
  const engine = await servers.connect(t)
  const urls = servers.urls.join(',')
  const flags = [`--cluster.engine=${urls}`, `--cluster.engineMonitors=${servers.monitors.join(',')}`]
  const bytes = ['--shard-bytes=16777216', '--object-bytes=268435456']
  const { code, errors } = await command([
    'cluster',
    'init',
    `--dataDir=${join(root, 'n1')}`,
    ...flags,
    ...bytes
  ])
  if (code !== 0) throw new Error(errors)
  const made = (name: string): NodeProcess =>
    new NodeProcess(t, {
      name,
      directory: join(root, name),
      engine: urls,
      flags: [...flags.slice(1), '--cluster.compareSeconds=2', '--cluster.snapshotBytes=1000000000']
    })
  const nodes = [made('n1'), made('n2')] as const
  for (const node of nodes) await node.start()
  return { servers, engine, flags, nodes }
}

/** Returns the node that serves a shard, and the other one. */
async function servedBy({ engine, nodes }: World, shard: number): Promise<[NodeProcess, NodeProcess]> {
  const found = await engine.register.get(shardKey(shard))
  const name = found && parsePlacement(found)?.node
  return name === nodes[0].name ? [nodes[0], nodes[1]] : [nodes[1], nodes[0]]
}

t.test('a damaged replica, and a kill of the node that writes to it', async t => {
  const world = await start(t)
  const { engine, flags, nodes, servers } = world
  await until('all shards to be shared', async () => {
    const registers = await engine.register.list('shard.')
    const names = registers.map(each => parsePlacement(each)?.node)
    return names.length === allShards.length && new Set(names).size === 2
  })
  for (const [round, kind] of kinds.entries())
    await t.test(kind, async t => {
      const username = `person-${round}`
      let token = ''
      await until('an account', async () => {
        const { body, status } = await register(nodes[round % 2]!.url, username)
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

      const [owner, other] = await servedBy(world, shard)
      const damaged = ((await servers.leaderOf(stream)) + 1) % 3
      const name = `n${damaged + 1}`
      await servers.stop(damaged)
      damage(kind, servers.streamFolder(damaged, stream))
      await servers.restart(damaged)
      await add(10)
      // It would lead if no node checked.
      await callApi(
        engine.connection,
        `STREAM.LEADER.STEPDOWN.${stream}`,
        { placement: { preferred: name } },
        2000
      ).catch(() => {})
      await owner.kill()
      await until('the other node to serve the account', async () => await write('after it'))

      const answer = await fetch(`${other.url}/${username}/events?streams[]=diary&limit=1000`, { headers })
      const { events } = (await answer.json()) as { events: { content: string }[] }
      const found = new Set(events.map(({ content }) => content))
      t.same(
        told.filter(content => !found.has(content)),
        [],
        'nothing that was acknowledged is lost'
      )

      // Flipped bits change no count: a server that reads them notices, and skips the record.
      if (kind === 'flipped') return

      await until('an alarm', () => other.log.includes(`alert: ${name} lacks records of`))
      const { code, output } = await command(['cluster', 'status', ...flags])
      t.equal(code, 1)
      t.match(output, new RegExp(`alert\\treplica\\t${name} lacks records`))
      await owner.start()

      // What the documentation advises the operator to do.
      await servers.stop(damaged)
      rmSync(servers.streamFolder(damaged, stream), { recursive: true, force: true })
      await servers.restart(damaged)
      await until('no alarms', async () => (await command(['cluster', 'status', ...flags])).code === 0)
    })
})
