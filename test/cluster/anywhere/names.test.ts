/** Former user names and access aliases on two nodes: known to both at once, and taken along when an account moves. */
import { test, type Test } from 'tap'
import { createFixedShards } from '../../../core/call/shard.js'
import { Client, type Answer } from '../../support/coffer.js'
import { socketOf, until } from '../../support/socket.js'
import { MemoryCluster } from '../memory-engine.js'
import { begin, client, move, nameAt, startPair, tokens, userAt, type Node } from './memory-nodes.js'

test('names in a cluster', { timeout: 600_000 }, async t => {
  const cluster = new MemoryCluster()
  await begin(t, cluster)
  const nodes = await startPair(t, cluster)
  const [n1, n2] = nodes
  const username = nameAt(n1, 0)
  await userAt(nodes, username)
  const personal = tokens.get(username)!
  /** Asks both nodes by a name. */
  const askBoth = async (name: string, token: string): Promise<Answer[]> =>
    await Promise.all(nodes.map(node => node.service.call(name, 'getAccessInfo', {}, token)))
  const expectBoth = async (t: Test, name: string, token: string, expected: object): Promise<void> => {
    for (const answer of await askBoth(name, token)) t.match(answer, expected, name)
  }

  // By the node that does not serve the account.
  const { access } = await client(n2, username).grant('manage', 'diary', { type: 'app', randomAlias: true })
  const alias = access.alias!
  await expectBoth(t, alias, access.token, { user: { username: alias } })
  await expectBoth(t, alias, personal.token, { error: { id: 'unknown-resource' } })
  await expectBoth(t, username, access.token, { error: { id: 'invalid-access-token' } })
  const holder = (node: Node): Client => new Client(node.service, alias, access)
  const listeners = await Promise.all(nodes.map(node => socketOf(t, holder(node))))

  // The new name would belong to the other node, but the account stays where it is.
  const renamed = nameAt(n2, 5)
  await client(n2, username).do('account.changeUsername', { newUsername: renamed })
  for (const name of [username, renamed])
    await expectBoth(t, name, personal.token, { user: { username: renamed } })
  await expectBoth(t, alias, access.token, { user: { username: alias } })
  t.ok(n1.owns(renamed) && !n2.owns(renamed))
  for (const node of nodes)
    for (const name of [username, renamed, alias])
      t.match(await node.service.call(undefined, 'auth.usernameCheck', { username: name }), {
        error: { id: 'item-already-exists' }
      })
  await new Client(n2.service, renamed, personal).event({ content: 'by the new name' })
  await until(() => listeners.every(({ heard }) => heard.includes('eventsChanged')), 'messages')

  // A move takes all names along.
  await move(n1, n2, createFixedShards(64).indexOf(username))
  await until(() => n2.owns(renamed), 'the move')
  for (const name of [username, renamed])
    await expectBoth(t, name, personal.token, { user: { username: renamed } })
  await expectBoth(t, alias, access.token, { user: { username: alias } })
  for (const listener of listeners) listener.heard.length = 0
  await holder(n1).event({ content: 'after the move' })
  await until(
    () => listeners.every(({ heard }) => heard.includes('eventsChanged')),
    'messages after the move'
  )

  // Of two accounts on different nodes that want a name, one gets it.
  const other = nameAt(n1, 3)
  await userAt(nodes, other)
  const answers = await Promise.all(
    [new Client(n1.service, renamed, personal), client(n2, other)].map(each =>
      each.call('account.changeUsername', { newUsername: 'wanted-name' })
    )
  )
  t.equal(answers.filter(({ error }) => error === undefined).length, 1)

  await new Client(n1.service, renamed, personal).do('accesses.delete', { id: access.id })
  await expectBoth(t, alias, access.token, { error: { id: 'unknown-resource' } })
  await until(
    () => nodes.every(({ service }) => !service.server.services.platform.usernames.isTaken(alias)),
    'the alias to be free'
  )
})
