/** Platform files that follow one log: equal content, each name assigned once, however unreliable the engine is. */
import t, { type Test } from 'tap'
import { createId } from '../../../core/ids.js'
import type { PlatformLogOptions } from '../../../cluster/platform/log.js'
import { platformSubject } from '../../../cluster/platform/record.js'
import { StoreUnavailable, Unconfirmed } from '../../../storage/errors.js'
import type { Claim } from '../../../storage/platform/account.js'
import type { Command } from '../../../storage/platform/commands.js'
import { Random } from '../../support/random.js'
import { FatefulEngine, PlatformWorld, type Fate, type PlatformNode } from './world.js'

t.setTimeout(900_000)

const seed = Number(process.env['COFFER_TEST_SEED'] ?? Date.now() % 1e6)
t.comment(`COFFER_TEST_SEED=${seed}`)

const claimOf = (username: string, email = `${username}@example.com`): Claim => ({
  id: createId(),
  username,
  created: 1,
  unique: { email }
})

async function claim(node: PlatformNode, username: string, email?: string): Promise<string[]> {
  return await node.platform.change('claim', claimOf(username, email))
}

/** Waits until all nodes have applied everything, and asserts that their contents are equal. */
async function alike(t: Test, nodes: readonly PlatformNode[]): Promise<void> {
  for (const node of nodes) await node.log!.catchUp()
  const [first, ...others] = nodes.map(node => node.dump())
  for (const other of others) t.same(other, first)
}

t.test('changes', async t => {
  t.test('return the result of applying them, and reach all nodes', async t => {
    const [one, two, three] = await new PlatformWorld(t).nodes(3)
    t.same(await claim(one!, 'alice'), [])
    t.same(await claim(two!, 'alice', 'other@example.com'), ['username'])
    t.same(await claim(three!, 'bobby', 'alice@example.com'), ['email'])
    const account = one!.platform.find('alice')!
    t.equal(await two!.platform.change('activate', account.id), true)
    await two!.platform.change('suspend', account.id, 5)
    await three!.log!.catchUp()
    t.match(three!.platform.find('alice'), { state: 'active', suspended: 5 })
    t.match(three!.heard.at(-1), ['suspend', account.id, 5])
    await t.rejects(two!.platform.change('claim', { ...claimOf('carol'), id: account.id }), {
      name: 'UniqueViolation'
    })
    t.same(await claim(one!, 'carol'), [])
    await alike(t, [one!, two!, three!])
  })

  t.test('reach a node that receives no announcements', async t => {
    const [one, two] = await new PlatformWorld(t).nodes(2)
    two!.engine.hearing.clear()
    await claim(one!, 'alice')
    const endMs = performance.now() + 10_000
    while (!two!.platform.find('alice') && performance.now() < endMs)
      await new Promise(resolve => setTimeout(resolve, 5))
    t.equal(two!.platform.find('alice')?.username, 'alice')
  })

  t.test(
    'are refused within the timeout while the engine is unavailable, and applied later or never',
    async t => {
      const [one, two] = await new PlatformWorld(t).nodes(2, { timeoutMs: 300 })
      one!.engine.isCutOff = true
      const [first, second] = await Promise.all(
        ['alice', 'bobby'].map(async name => await claim(one!, name).catch((error: unknown) => error))
      )
      for (const error of [first, second]) t.ok(error instanceof StoreUnavailable)
      await t.rejects(one!.log!.catchUp(), StoreUnavailable)
      t.ok(one!.trouble.length > 0)
      one!.engine.isCutOff = false
      t.same(await claim(one!, 'carol'), [])
      await alike(t, [one!, two!])
      // Sent changes have arrived; changes not sent yet never will.
      for (const [name, error] of [
        ['alice', first],
        ['bobby', second]
      ] as const)
        t.equal(two!.platform.find(name) !== undefined, error instanceof Unconfirmed, name)
    }
  )
})

t.test('assign a thousand names and addresses once each, whatever happens to records and nodes', async t => {
  const random = new Random(seed)
  const nodes = await new PlatformWorld(t).nodes(3, { snapshotRecords: 40 })
  const fates = ['late', 'lost', 'unanswered'] as const
  for (const { engine } of nodes) engine.fate = (): Fate => (random.chance(0.1) ? random.pick(fates) : 'well')
  const won = new Map<string, number>()
  let unsaid = 0
  const names = Array.from({ length: 1000 }, (_, index) => `person-${index}`)
  const register = async (node: PlatformNode, name: string): Promise<void> => {
    try {
      if ((await claim(node, name)).length === 0) won.set(name, (won.get(name) ?? 0) + 1)
    } catch (error) {
      if (!(error instanceof StoreUnavailable)) throw error
      unsaid++
    }
  }
  for (let from = 0; from < names.length; from += 50) {
    const part = names.slice(from, from + 50)
    const done = nodes.flatMap(node => part.map(async name => await register(node, name)))
    // Occasionally, one of them is killed meanwhile.
    if (random.chance(0.3)) await random.pick(nodes).restart()
    await Promise.all(done)
  }
  await alike(t, nodes)
  const { account: accounts, unique_field: fields } = nodes[0]!.dump() as Record<
    string,
    { username: string }[]
  >
  t.equal(new Set(accounts!.map(({ username }) => username)).size, accounts!.length)
  t.equal(fields!.length, accounts!.length)
  t.same(
    names.filter(name => (won.get(name) ?? 0) > 1),
    [],
    'nobody was told of a name twice'
  )
  t.same(
    Array.from(won.keys()).filter(name => !nodes[0]!.platform.find(name)),
    [],
    'what was answered is there'
  )
  t.ok(accounts!.length === names.length || unsaid > 0)
  t.comment(`${won.size} answered, ${unsaid} not, ${accounts!.length} accounts`)
})

t.test('a node', async t => {
  const long: Partial<PlatformLogOptions> = { snapshotRecords: 5 }

  t.test('before the start of the log loads the snapshot', async t => {
    const world = new PlatformWorld(t)
    const [one, two] = await world.nodes(2, long)
    two!.engine.isCutOff = true
    for (let index = 0; index < 40; index++) await claim(one!, `person-${index}`)
    await one!.log!.snapshot()
    await claim(one!, 'latest')
    t.ok(world.cluster.logs.get(platformSubject)!.length < 5, 'the log has been trimmed')
    t.equal(world.objects.keys.filter(key => key.startsWith('platform/')).length, 1)
    two!.engine.isCutOff = false
    const three = await world.node(long).follow()
    await alike(t, [one!, two!, three])
    t.ok(two!.heard.includes(undefined), 'whoever remembers anything hears of it')
    t.same(await claim(two!, 'person-3'), ['username', 'email'])
    t.same(await claim(two!, 'newest'), [])
    await alike(t, [one!, two!, three])
  })

  t.test('whose file does not belong to the log is refused', async t => {
    const world = new PlatformWorld(t)
    const early = world.node()
    await t.rejects(early.follow(), { name: 'PlatformRefused', message: /cluster init/ })
    const [one] = await world.nodes(1)
    const stranger = world.node()
    stranger.platform.changeNow('claim', claimOf('stranger'))
    await t.rejects(stranger.follow(), { name: 'PlatformRefused', message: /accounts/ })
    const other = world.node()
    other.platform.follow({ lsn: 0, epoch: 1 })
    await t.rejects(other.follow(), { name: 'PlatformRefused', message: /another cluster/ })
    const ahead = world.node()
    ahead.platform.follow({ lsn: 1e6, epoch: one!.platform.position()!.epoch })
    await t.rejects(ahead.follow(), { name: 'PlatformRefused', message: /ahead/ })
    await t.rejects(stranger.begin(), { name: 'PlatformRefused', message: /already/ })
    t.throws(() => one!.platform.changeNow('remove', 'any'), /log of a cluster/)
  })

  t.test('stops at an unknown command and reports it', async t => {
    const world = new PlatformWorld(t)
    const [one, two] = await world.nodes(2)
    await claim(one!, 'alice')
    const record = (commands: readonly Command[], form: number): Buffer => {
      const { epoch: history, lsn: previous } = one!.platform.position()!
      return Buffer.from(JSON.stringify({ form, id: 'later', history, previous, commands }))
    }
    const newer = record([['embroider', 'alice'] as unknown as Command], 1)
    await two!.engine.append(platformSubject, one!.platform.position()!.lsn, newer)
    // Whether or not it had been sent by then.
    await t.rejects(claim(one!, 'bobby'), { name: /StoreUnavailable|Unconfirmed/ })
    t.match(one!.trouble.at(-1), /the command "embroider".*Upgrade/)
    t.match(one!.log!.refusal, { name: 'PlatformRefused' })
    await t.rejects(one!.log!.catchUp(), StoreUnavailable)
    t.equal(one!.platform.find('alice')?.username, 'alice', 'what it knew is still there')
  })

  t.test('refuses changes too long for a record, and continues', async t => {
    const world = new PlatformWorld(t)
    const one = world.nodeWith(new FatefulEngine(world.cluster, 4000), world.objects, { timeoutMs: 1000 })
    await one.begin()
    await one.follow()
    const [long, short] = await Promise.allSettled([
      claim(one, 'alice', `${'a'.repeat(5000)}@example.com`),
      claim(one, 'bobby')
    ])
    t.match(long, { status: 'rejected', reason: { name: 'StoreUnavailable', message: /too long/ } })
    t.match(short, { status: 'fulfilled', value: [] })
    t.same(one.trouble, [])
  })

  t.test('starts a log with its content, and resumes an interrupted start', async t => {
    const world = new PlatformWorld(t)
    const one = world.node()
    one.platform.changeNow('claim', claimOf('alice'))
    one.engine.fate = () => 'unanswered'
    await t.rejects(one.begin(), { name: 'EngineUnavailable' })
    one.engine.fate = () => 'well'
    await one.begin()
    await one.begin()
    await one.follow()
    const two = await world.node().follow()
    t.same(await claim(two, 'alice'), ['username', 'email'])
    await alike(t, [one, two])
  })
})
