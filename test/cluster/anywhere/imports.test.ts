/** Imports of users who are moved to another node during the import: it continues there. */
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'tap'
import { createFixedShards } from '../../../core/call/shard.js'
import { sweepAttachments } from '../../../core/events/attachment-sweep.js'
import { Layout } from '../../../storage/files/layout.js'
import { ImportFiles } from '../../../storage/imports/import-files.js'
import type { Answer, Client } from '../../support/coffer.js'
import { sent } from '../../support/importing.js'
import { until } from '../../support/socket.js'
import { MemoryCluster } from '../memory-engine.js'
import { begin, client, longTimes, move, nameAt, startNode, startPair, userAt } from './memory-nodes.js'

const shards = createFixedShards(64)
const events = 3000

/** Returns a table of weights, which become one event each. */
function table(count: number): string {
  const lines = Array.from({ length: count }, (_, at) => `${1e9 + at * 100_000},${70 + (at % 100) / 10}`)
  return ['time,weight (kg)', ...lines, ''].join('\n')
}

/** Polls the import until it no longer runs, and returns it. */
async function rested(client: Client, id: string): Promise<Answer> {
  let found: Answer
  await until(async () => {
    found = (await client.call('imports.getOne', { id })).import
    return found !== undefined && !['looking', 'writing', 'removing'].includes(found.state)
  }, 'the import to rest')
  return found
}

/** Returns how many weights a user has. */
async function count(user: Client): Promise<number> {
  const query = { types: ['mass/kg'], limit: 100_000, fromTime: 0, toTime: 4e9 }
  return ((await user.do('events.get', query)) as { events: unknown[] }).events.length
}

test('two nodes', async t => {
  const cluster = new MemoryCluster()
  await begin(t, cluster)
  const [n1, n2] = await startPair(t, cluster)
  /** Creates a user on the first node, with a client at each node. */
  const userOf = async (nth: number): Promise<{ username: string; here: Client; there: Client }> => {
    const username = nameAt(n1, nth)
    await userAt([n1, n2], username)
    return { username, here: client(n1, username), there: client(n2, username) }
  }

  await t.test('import a waiting file on the node that serves its user', async t => {
    const { here, there, username } = await userOf(0)
    const looked = await sent(there, 'first.csv', table(10))
    t.equal(looked.state, 'looked')
    const { services } = n1.service.server
    await sweepAttachments(services, services.accounts.find(username)!, 4e9)
    await move(n1, n2, shards.indexOf(username))
    await until(() => n2.owns(username), 'the shard to move')
    await there.do('imports.run', { id: looked.id })
    t.match(await rested(here, looked.id), { state: 'written', tally: { broughtIn: { 'mass/kg': 10 } } })
    t.equal(await count(here), 10)
  })

  await t.test('continue a running import on the node that serves its user', async t => {
    const { here, there, username } = await userOf(1)
    const looked = await sent(there, 'second.csv', table(events))
    await here.do('imports.run', { id: looked.id })
    await move(n1, n2, shards.indexOf(username))
    await until(() => n2.owns(username), 'the shard to move')
    const { import: found } = await here.call('imports.getOne', { id: looked.id })
    t.comment(`after the move it was ${found.state}`)
    t.match(await rested(here, looked.id), { state: 'written' })
    t.equal(await count(here), events, 'everything is there, once')
    await here.do('imports.delete', { id: looked.id })
    await until(
      async () => (await here.call('imports.getOne', { id: looked.id })).error?.id === 'unknown-resource',
      'it to be taken out'
    )
    t.equal(await count(here), 0)
  })

  await t.test('do not stop a node from starting that was stopped during an import', async t => {
    const { username } = await userOf(2)
    const directory = mkdtempSync(join(tmpdir(), 'coffer-node-'))
    new ImportFiles(new Layout(directory)).mark(n1.service.server.services.accounts.find(username)!)
    const node = await startNode(t, cluster, 'n3', directory, longTimes)
    t.ok(node.service.server.services.accounts.find(username))
  })
})
