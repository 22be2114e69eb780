/** An alarm about an account that cannot be served ends by itself once it can be, even without calls. */
import { rmSync } from 'node:fs'
import t from 'tap'
import { Layout } from '../../../storage/files/layout.js'
import type { ActiveAlarm } from '../../../server/nodes/active-alarms.js'
import { parseControlResponse, encodeControlRequest } from '../../../server/nodes/control.js'
import { until } from '../../support/socket.js'
import { begin, client, longTimes, nameAt, startNode, userAt } from '../anywhere/memory-nodes.js'
import { MemoryCluster } from '../memory-engine.js'

t.setTimeout(300_000)

t.test('an account that could not be taken over', async t => {
  const cluster = new MemoryCluster()
  await begin(t, cluster)
  const node = await startNode(t, cluster, 'n1', undefined, { ...longTimes, compareSeconds: 1 })
  await until(() => nameAt(node, 0) !== undefined, 'the shards to be taken')
  const username = nameAt(node, 0)
  await userAt([node], username)
  const { accounts } = node.service.server.services
  const account = accounts.find(username)!
  const { engine } = node
  const alarms = async (): Promise<readonly ActiveAlarm[]> =>
    parseControlResponse(await engine.send('n1', encodeControlRequest({ do: 'tell' }), 5000)).alarms ?? []
  await accounts.handover.release(account)
  rmSync(new Layout(node.service.directory).userDirectory(account.id), { recursive: true })
  const [first] = Array.from(cluster.logs).find(([subject]) => subject.endsWith(account.id))![1]
  const flip = (): void => void (first!.bytes[first!.bytes.length - 1]! ^= 1)
  flip()
  let reads = 0
  const { read } = engine
  engine.read = async (subject, ...rest) => {
    if (subject.endsWith(account.id)) reads++
    return await read.call(engine, subject, ...rest)
  }
  t.match(await client(node, username).call('events.get', {}), { error: { id: 'api-unavailable' } })
  t.match(await alarms(), [{ kind: 'account', about: account.id }])
  // More reads than the call alone causes.
  await until(() => reads > 3, 'the account to be tried again')
  t.match(await alarms(), [{ kind: 'account', about: account.id }])
  flip()
  await until(async () => (await alarms()).length === 0, 'the alarm to end')
  t.notOk((await client(node, username).call('events.get', {})).error)
})
