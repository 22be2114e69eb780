/** Requests of apps of every dialect arrive at any node, also twice and while the account moves. (docs/api/connections.md) */
import { test } from 'tap'
import { createFixedShards } from '../../core/call/shard.js'
import type { Answer } from '../support/coffer.js'
import { until } from '../support/socket.js'
import { everyDialect, getPath } from '../transports/receive/every-dialect.js'
import { begin, client, move, nameAt, startPair, userAt, type Node } from './anywhere/memory-nodes.js'
import { MemoryCluster } from './memory-engine.js'

/** Records of each dialect before and after the move. */
const count = 3

test('every dialect in a cluster', async t => {
  const cluster = new MemoryCluster()
  await begin(t, cluster)
  const nodes = await startPair(t, cluster)
  const [n1, n2] = nodes
  const alice = nameAt(n1, 0)
  await userAt(nodes, alice)
  // Some apps report only what has just happened.
  const start = Math.floor(n1.service.clock.now()) - 3600
  const connections: Answer[] = []
  for (const { dialect, fields } of everyDialect) {
    const node = nodes[connections.length % 2]!
    const { connection } = await client(node, alice).do('connections.create', {
      dialect,
      name: 'app',
      ...fields
    })
    connections.push(connection)
  }
  const send = async (node: Node, which: number, at: number): Promise<number> => {
    const each = everyDialect[which]!
    const body = each.build(start + at, at)
    const response = await fetch(
      `${node.service.server.url}/${alice}/${getPath(each, connections[which]!.token)}`,
      {
        method: 'POST',
        headers: { 'Content-Type': typeof body === 'string' ? 'text/plain' : 'application/json' },
        body: typeof body === 'string' ? body : JSON.stringify(body)
      }
    )
    await response.arrayBuffer()
    return response.status
  }
  const sendAll = async (from: number): Promise<void> => {
    for (let at = from; at < from + count; at++)
      for (const which of everyDialect.keys()) {
        // Both nodes at once, as after an answer that was lost.
        const statuses = await Promise.all(nodes.map(node => send(node, which, at)))
        t.ok(
          statuses.every(status => status >= 200 && status < 300),
          `${everyDialect[which]!.dialect}: ${statuses.join(', ')}`
        )
      }
  }
  await sendAll(0)
  await move(n1, n2, createFixedShards(64).indexOf(alice))
  await until(() => n2.owns(alice), 'the move')
  await sendAll(count)

  const reader = client(n1, alice)
  const expected = Array.from({ length: 2 * count }, (_, at) => at)
  const { events } = await reader.do('events.get', { fromTime: 0, toTime: 4e9, limit: 10_000 })
  for (const { dialect, longitude, type } of everyDialect) {
    const times: number[] = []
    for (const event of events as Answer[]) {
      if (event.type === type && longitude === undefined) times.push(Math.round(event.time - start))
      if (event.type !== `series:${type}`) continue
      const { points } = await reader.do('hfs.get', { id: event.id, toDeltaTime: 1e9 })
      if (longitude !== undefined && points[0]?.[2] !== longitude) continue
      times.push(...points.map(([delta]: number[]) => Math.round(event.time + delta! - start)))
    }
    t.same(
      times.toSorted((a, b) => a - b),
      expected,
      dialect
    )
  }
  const { connections: told } = await reader.do('connections.get', {})
  for (const { dialect, received } of told as Answer[])
    t.ok(received >= 2 * count, `${dialect}: ${received} received`)
})
