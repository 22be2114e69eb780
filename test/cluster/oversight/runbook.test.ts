/** The day-to-day operations of the documentation, with real nodes and engine servers. (docs/cluster.md) */
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { rotate } from '../../support/rotation.js'
import { until } from '../engine-servers.js'
import type { NodeProcess } from '../node-processes.js'
import { register } from '../registration.js'
import { survivesDamage } from './damage.js'
import { prepare } from './small-cluster.js'

t.setTimeout(600_000)

interface Status {
  readonly nodes: readonly {
    readonly node: string
    readonly state: string
    readonly shards: readonly number[]
  }[]
  readonly alarms: readonly object[]
}

t.test('the runbook', async t => {
  const cluster = await prepare(t)
  const { ask, nodes, root, servers } = cluster
  const [n1, n2, n3] = nodes
  const status = async (): Promise<Status & { code: number | null }> => {
    const { code, output } = await ask('status', '--json')
    return { code, ...(JSON.parse(output) as Status) }
  }
  /** Waits until these nodes share all shards and no alarm is active. */
  const allWell = async (...names: readonly string[]): Promise<void> =>
    await until(`all to be well with ${names.join(', ')}`, async () => {
      const found = await status()
      const serving = found.nodes.filter(({ shards }) => shards.length > 0).map(({ node }) => node)
      return (
        found.code === 0 && names.every(name => serving.includes(name)) && serving.length === names.length
      )
    })

  await t.test('sets up a cluster', async t => {
    t.match(await ask('init', '--shard-bytes=16777216', '--object-bytes=268435456'), { code: 0 })
    const before = await ask('status')
    t.equal(before.code, 1, 'nobody serves anything yet')
    t.match(before.output, /alert\tshards/)
    for (const node of [n1, n2]) await node.start()
    await allWell('n1', 'n2')
  })

  let token = ''
  await until('an account', async () => {
    const { body, status } = await register(n1.url, 'person-0')
    if (status === 201) token = new URL((body as { apiEndpoint: string }).apiEndpoint).username
    return status === 201
  })
  const headers = { authorization: token, 'content-type': 'application/json' }
  /** Number of streams written so far. */
  let written = 0
  const write = async (node: NodeProcess): Promise<void> => {
    const body = JSON.stringify({ id: `stream-${written}`, name: `Stream ${written}` })
    await until('a write', async () => {
      const { status } = await fetch(`${node.url}/person-0/streams`, { method: 'POST', headers, body })
      return status === 201 || status === 409 || status === 400
    })
    written++
  }
  const isWhole = async (...asked: readonly NodeProcess[]): Promise<void> => {
    for (const { url } of asked)
      await until('all that was written', async () => {
        const answer = await fetch(`${url}/person-0/streams`, { headers })
        const { streams } = (await answer.json()) as { streams?: { id: string }[] }
        return streams?.filter(({ id }) => id.startsWith('stream-')).length === written
      })
  }
  await write(n1)

  await t.test('adds a node', async () => {
    await n3.start()
    await allWell('n1', 'n2', 'n3')
    await write(n3)
    await isWhole(n1, n2, n3)
  })

  const moves = async (t: Test): Promise<void> => {
    const { nodes: found } = await status()
    const [shard] = found.find(({ node }) => node === 'n1')!.shards
    t.match(await ask('move', String(shard), 'n2'), {
      code: 0,
      output: new RegExp(`Shard ${shard} is on n2`)
    })
    t.ok((await status()).nodes.find(({ node }) => node === 'n2')!.shards.includes(shard!))
    t.match(await ask('drain', 'n1'), { code: 0 })
    await until('nothing to be left', async () =>
      (await status()).nodes.some(({ node, shards }) => node === 'n1' && shards.length === 0)
    )
    await write(n1)
    await n1.stop()
    await n1.start()
    await allWell('n1', 'n2', 'n3')
  }

  const upgradesNodes = async (t: Test): Promise<void> => {
    for (const node of nodes) {
      await node.stop()
      const others = nodes.filter(each => each !== node)
      await write(others[0]!)
      await node.start()
      await until('it to be ready', async () => (await fetch(`${node.url}/readyz`)).status === 200)
      await allWell('n1', 'n2', 'n3')
    }
    await isWhole(n1, n2, n3)
    t.pass()
  }

  const upgradesServers = async (t: Test): Promise<void> => {
    for (const index of [0, 1, 2]) {
      await servers.stop(index)
      await servers.restart(index)
      await until('the server to have caught up', async () => {
        const answer = await fetch(`${servers.monitors[index]!}/healthz`).catch(() => undefined)
        return answer?.status === 200
      })
      await write(n1)
    }
    await allWell('n1', 'n2', 'n3')
    await isWhole(n1, n2, n3)
    t.pass()
  }

  const replaces = async (t: Test): Promise<void> => {
    await Promise.all([n2.kill(), servers.kill(1)])
    await until('it to be told', async () => {
      const { alarms, code } = await status()
      return code === 1 && JSON.stringify(alarms).includes('n2 stopped responding')
    })
    await until('the server to be told of', async () =>
      JSON.stringify((await status()).alarms).includes(servers.monitors[1]!)
    )
    await write(n1)
    rmSync(join(root, 'n2'), { recursive: true, force: true })
    servers.wipe(1)
    await servers.restart(1)
    await n2.start()
    await allWell('n1', 'n2', 'n3')
    await isWhole(n1, n2, n3)
    t.pass()
  }

  const operations: [string, (t: Test) => Promise<void>][] = [
    ['moves a shard and drains a node', moves],
    ['upgrades servers one by one', upgradesServers],
    ['repairs a replica of which a part is missing', t => survivesDamage(t, cluster, 'truncated')],
    ['upgrades nodes one by one', upgradesNodes],
    ['replaces a dead machine', replaces],
    ['serves accounts of which a replica is garbled', t => survivesDamage(t, cluster, 'flipped')]
  ]
  for (const [what, operation] of rotate(t, operations, 4)) await t.test(what, operation)
})
