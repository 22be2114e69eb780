/** Restoring an account of a backup into a running cluster: over an engine in memory, interrupted at any step. */
import t from 'tap'
import { createFixedShards } from '../../../core/call/shard.js'
import { move, objects } from '../../cluster/anywhere/memory-nodes.js'
import { Client } from '../../support/coffer.js'
import { inRotation } from '../../support/rotation.js'
import { socketOf, until } from '../../support/socket.js'
import { attach, backedUp, start, type World } from './restored-account.js'

t.setTimeout(600_000)

/** Steps between two interruptions: in the short form, each account is interrupted at every second step. */
const stride = process.env['COFFER_TEST_LONG'] === '1' ? 1 : 2

/** Repeats a restore, each time with more steps, from a first number on. Calls `look` after each interrupted one. */
async function untilDone(world: World, first: number, look: () => Promise<void>): Promise<number> {
  for (let steps = first; ; steps += stride) {
    try {
      await world.restore({ steps })
      return steps
    } catch {
      await look()
    }
  }
}

t.test('an existing account', async t => {
  const world = await start(t)
  const { at, nodes, restore } = world
  const [n1, n2] = nodes
  const sockets = await Promise.all(nodes.map(async node => await socketOf(t, at(node))))
  await at(n2).do('account.update', { update: { email: 'new@example.com' } })
  await at(n1).event({ content: 'second' })
  await attach(at(n2), 'another file', 'other bytes')
  const { account: seen } = await at(n1).do('account.get')
  t.match(seen, { email: 'new@example.com' })

  const permissions = [{ streamId: 'diary', level: 'read' }]
  const { access } = await at(n1).do('accesses.create', { name: 'of later', permissions })
  const guests = await Promise.all(
    nodes.map(
      async ({ service }) => await socketOf(t, new Client(service, 'alice', access as Client['access']))
    )
  )
  for (const socket of sockets) await socket.news()
  t.equal(await restore(), 'replaced')
  for (const { heard } of sockets)
    await until(
      () => heard.includes('eventsChanged') && heard.includes('streamsChanged'),
      'who listens to be told'
    )
  await Promise.all(guests.map(async guest => await guest.closed()))
  for (const node of nodes) t.same(await world.found(node), backedUp)
  t.equal((await at(n1).call('account.update', { update: { email: 'new@example.com' } })).error, undefined)
  t.equal(
    (await at(n2).call('events.create', { streamIds: ['diary'], type: 'note/txt', content: 'on' })).error,
    undefined
  )

  await t.test('moves with its shard afterwards', async t => {
    const from = nodes.find(node => node.owns('alice'))!
    const to = nodes.find(node => node !== from)!
    await move(from, to, createFixedShards(64).indexOf('alice'))
    await until(() => to.owns('alice'), 'the shard to move')
    t.match((await world.found(to))?.notes, ['a file', 'first', 'on'])
  })
})

const rarely = inRotation(t, 2)
void rarely('an existing account, interrupted at any step', async t => {
  const world = await start(t)
  const { account, at, nodes } = world
  await at(nodes[0]).do('account.update', { update: { email: 'new@example.com' } })
  await at(nodes[0]).event({ content: 'second' })
  const former = { notes: [...backedUp.notes, 'second'], files: backedUp.files, email: 'new@example.com' }
  const seen = new Set<string>()
  const steps = await untilDone(world, 0, async () => {
    // A node with the old file may serve it until it is notified, but no intermediate state.
    for (const node of nodes) {
      const found = await world.found(node)
      seen.add(JSON.stringify(found))
      if (JSON.stringify(found) !== JSON.stringify(former)) t.same(found, backedUp)
    }
  })
  t.comment(`${steps} steps`)
  t.ok(seen.has(JSON.stringify(former)))
  for (const node of nodes) t.same(await world.found(node), backedUp)
  const platform = nodes[0].service.server.services.platform
  await until(() => platform.findByUnique('email', 'new@example.com') === undefined, 'the address to be free')
  t.equal(platform.findByUnique('email', backedUp.email)?.id, account.id)
  t.equal((await objects.list(`snap/${account.id}/`)).length, 1, 'no snapshot of attempts is left')
})

void rarely('a deleted account, interrupted at any step', async t => {
  const world = await start(t)
  const { account, nodes } = world
  const owner = nodes.find(node => node.owns('alice'))!
  await owner.service.server.services.accounts.remove(account)
  for (const node of nodes) t.equal(await world.found(node), undefined)
  const accounts = owner.service.server.services.accounts
  const steps = await untilDone(world, stride - 1, async () => {
    const found = await world.found(owner)
    if (found) t.same(found, backedUp)
    // As a node that serves the user does every minute.
    else await accounts.completeUnfinished(() => true)
  })
  t.comment(`${steps} steps`)
  for (const node of nodes) t.same(await world.found(node), backedUp)
})

t.test('unique values in use by another account are not transferred', async t => {
  const world = await start(t)
  const { account, at, nodes, restore } = world
  await at(nodes[0]).do('account.update', { update: { email: 'new@example.com' } })
  await at(nodes[0]).event({ content: 'second' })
  await until(
    () =>
      nodes.every(({ service }) => !service.server.services.platform.findByUnique('email', backedUp.email)),
    'the address to be free'
  )
  const bob = await nodes[0].service.user('bob', { email: backedUp.email }).catch(() => undefined)
  if (!bob) await nodes[1].service.user('bob', { email: backedUp.email })
  await t.rejects(restore(), /Can't add alice, because another account has the same email/)
  t.match(await world.found(nodes[1]), { notes: ['a file', 'first', 'second'], email: 'new@example.com' })

  const owner = nodes.find(node => node.owns('alice'))!
  await owner.service.server.services.accounts.remove(account)
  await t.rejects(restore(), /another account has the same email/)
  t.equal(await world.found(nodes[1]), undefined)
  t.notOk((await objects.list(`file/${account.id}/`)).length, 'nothing is left of the attempt')
})
