/** The platform log over three real servers, one of which is killed: names are assigned once, all files are equal. */
import type { Test } from 'tap'
import { createId } from '../../../core/ids.js'
import { openObjects } from '../../../cluster/objects/open.js'
import { EngineUnavailable } from '../../../cluster/engine.js'
import { StoreUnavailable } from '../../../storage/errors.js'
import { until } from '../../support/socket.js'
import type { EngineServers } from '../engine-servers.js'
import { PlatformWorld, type PlatformNode } from './world.js'

const names = Array.from({ length: 300 }, (_, index) => `person-${index}`)

/** Tests it on servers with streams. One of them remains killed. */
export async function assignsNamesOnce(t: Test, servers: EngineServers): Promise<void> {
  const world = new PlatformWorld(t)
  const nodes: PlatformNode[] = []
  const objects = openObjects('nats', await servers.connect(t))
  for (let index = 0; index < 3; index++) {
    const engine = await servers.connect(t)
    const options = { timeoutMs: 20_000, snapshotRecords: 50 }
    const node = world.nodeWith(engine, objects, options)
    if (index === 0) await node.begin()
    nodes.push(await node.follow())
  }
  const won: string[] = []
  const register = async (node: PlatformNode, username: string): Promise<void> => {
    const email = `${username}@example.com`
    try {
      const taken = await node.platform.change('claim', {
        id: createId(),
        username,
        created: 1,
        unique: { email }
      })
      if (taken.length === 0) won.push(username)
    } catch (error) {
      if (!(error instanceof StoreUnavailable)) throw error
    }
  }
  for (let from = 0; from < names.length; from += 5) {
    if (from === 100) await servers.kill(await servers.leaderOf('COFFER_PLATFORM'))
    const part = names.slice(from, from + 5)
    await Promise.all(nodes.flatMap(node => part.map(async name => await register(node, name))))
  }
  for (const node of nodes) await node.log!.catchUp()
  const [first, ...others] = nodes.map(node => node.dump())
  for (const other of others) t.same(other, first)
  t.equal(new Set(won).size, won.length, 'nobody was told of a name twice')
  t.same(
    names.filter(name => !nodes[0]!.platform.find(name)),
    [],
    'all are there'
  )
  // Its connection may be to the server that was killed, and is made again.
  await until(async () => {
    try {
      return (await objects.list('platform/')).length > 0
    } catch (error) {
      if (!(error instanceof EngineUnavailable)) throw error
      return false
    }
  }, 'a snapshot among the objects')
}
