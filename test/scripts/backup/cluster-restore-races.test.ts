/** Concurrent changes while an account is restored into a cluster, over an engine in memory. */
import t from 'tap'
import { logSubject } from '../../../cluster/nodes/shard-placement.js'
import { decode } from '../../../cluster/records.js'
import { createFixedShards } from '../../../core/call/shard.js'
import { move, objects, type Node } from '../../cluster/anywhere/memory-nodes.js'
import { inRotation } from '../../support/rotation.js'
import { until } from '../../support/socket.js'
import { backedUp, start } from './restored-account.js'

t.setTimeout(600_000)

const rarely = inRotation(t, 2)

void rarely('an account that its owner uses meanwhile has all of its files', async t => {
  const world = await start(t)
  const { account, at, nodes, restore } = world
  const { events } = await at(nodes[0]).do('events.get', { streams: ['diary'] })
  const { id } = (events as { id: string; content: string }[]).find(({ content }) => content === 'a file')!
  const done = await restore({
    async stored() {
      for (let times = 0; times < 2; times++) await at(nodes[1]).do('events.delete', { id })
      await until(async () => (await objects.list(`file/${account.id}/`)).length === 0, 'its file to go')
    }
  })
  t.equal(done, 'replaced')
  t.equal((await objects.list(`file/${account.id}/`)).length, 1)
  for (const node of nodes) t.same(await world.found(node), backedUp)
})

void rarely('an account that its owner deletes meanwhile is gone', async t => {
  const world = await start(t)
  const { account, nodes, restore } = world
  const owner = nodes.find(node => node.owns('alice'))!
  const { accounts, platform } = owner.service.server.services
  const email = { field: 'email', key: backedUp.email }
  for (const when of ['stored', 'named'] as const) {
    const removed = async (): Promise<void> => await accounts.remove(account)
    await t.rejects(restore({ [when]: removed }), /alice is being added or removed/, when)
    for (const node of nodes) t.equal(await world.found(node), undefined)
    t.equal(platform.findHolder(email), undefined, 'its address is free')
    t.same(await objects.list(`snap/${account.id}/`), [])
    t.same(await objects.list(`file/${account.id}/`), [])
    t.equal(await restore(), 'added')
    for (const node of nodes) t.same(await world.found(node), backedUp)
  }
})

void rarely('of two concurrent restores neither removes what the other one references', async t => {
  const { account, cluster, restore } = await start(t)
  const subject = logSubject(createFixedShards(64).indexOf('alice'), account.id)
  // Which of them stores its snapshot last is random.
  for (let round = 0; round < 6; round++) {
    let second!: Promise<unknown>
    const both = new Promise<PromiseSettledResult<unknown>[]>(resolve => {
      const first = restore({
        async stored() {
          await new Promise<void>(isNamed => {
            second = restore({
              async named() {
                isNamed()
                await Promise.allSettled([first])
              }
            })
            second.catch(() => isNamed())
          })
        }
      })
      void Promise.allSettled([first]).then(async () => resolve(await Promise.allSettled([first, second])))
    })
    t.ok((await both).some(({ status }) => status === 'fulfilled'))
    const { base } = decode(cluster.logs.get(subject)!.at(-1)!.bytes)
    t.match(await objects.list(`snap/${account.id}/`), [`snap/${account.id}/${base.lsn}`])
  }
})

void rarely('an account is found by a node that had it when another node completed its deletion', async t => {
  const world = await start(t)
  const { account, nodes, restore } = world
  const from = nodes.find(node => node.owns('alice'))!
  const to = nodes.find(node => node !== from)!
  const shard = createFixedShards(64).indexOf('alice')
  // Starts a deletion whose caller was told that its outcome is unknown.
  await from.service.server.services.platform.change('leave', account.id)
  await move(from, to, shard)
  const isGone = ({ service }: Node): boolean =>
    service.server.services.platform.findById(account.id) === undefined
  await until(() => nodes.every(isGone), 'the deletion to be ended')
  t.equal(await restore(), 'added')
  await move(to, from, shard)
  t.same(await world.found(from), backedUp)
})
