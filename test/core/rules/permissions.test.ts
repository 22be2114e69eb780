/** Rules and permissions: a rule knows no more than its access can read, at the moment at which it fires. */
import t from 'tap'
import {
  addChannel,
  addRule,
  countMessages,
  evaluated,
  measure,
  noon,
  pass,
  readState,
  startWorld
} from './world.js'

const above = { kind: 'above', measure: 'heart-rate', value: 100 } as const

t.test('hidden data does not count', async t => {
  const { alice, clock } = await startWorld(t)
  await alice.stream('open')
  const app = await alice.grant('read', 'open', { type: 'app', name: 'app' })
  const channel = await addChannel(app)
  const own = await addChannel(alice)
  const witness = await addRule(alice, own, above)
  const rules = [
    await addRule(app, channel, above),
    await addRule(app, channel, { kind: 'words', anyOf: ['secret'] }),
    await addRule(app, channel, { kind: 'arrived', accessId: alice.access.id }),
    await addRule(app, channel, { kind: 'total', measure: 'steps', atMost: 10, by: '23:59' })
  ]
  const silence = await addRule(app, channel, { kind: 'missing', measure: 'heart-rate', for: 3600 })
  await measure(alice, witness, { content: 120 })
  await alice.event({ streamIds: ['body'], type: 'count/steps', content: 1000 })
  await alice.event({ content: 'secret' })
  for (const id of rules) await evaluated(app, id)
  t.equal(await countMessages(alice, own), 1, 'the user gets a message')
  t.equal(await countMessages(app, channel), 0)
  await measure(alice, witness, { content: 80, after: 3000 })
  t.match(
    await pass(app, silence, noon + 3600 - clock.now()),
    { isFiring: true },
    'hidden data ends no silence'
  )

  const test = async (condition: object): Promise<unknown[]> =>
    (
      await app.do('rules.test', {
        rule: { name: 'x', channelIds: [], condition },
        from: noon - 100,
        to: clock.now()
      })
    ).firings
  for (const condition of [
    above,
    { kind: 'words', anyOf: ['secret'] },
    { kind: 'arrived', accessId: alice.access.id }
  ])
    t.same(await test(condition), [], condition.kind)
  await measure(alice, rules[0]!, { content: 130, streamIds: ['open'] })
  clock.advance(1)
  t.match(await test(above), [{ time: clock.now() - 1 }], 'what it can read')
})

t.test('what cannot be read cannot be watched', async t => {
  const { alice, channel } = await startWorld(t)
  const app = await alice.grant('read', 'body', { type: 'app', name: 'app' })
  const create = async (condition: object): Promise<string> =>
    (await app.call('rules.create', { name: 'x', channelIds: [], condition })).error?.id
  t.equal(await create({ kind: 'missing', streamId: 'diary', for: 60 }), 'forbidden')
  t.equal(await create({ kind: 'words', anyOf: ['x'], streamIds: ['body', 'diary'] }), 'forbidden')
  t.equal(await create({ kind: 'missing', connectionId: 'x', for: 60 }), 'forbidden')
  t.equal(await create({ kind: 'arrived', connectionId: 'x' }), 'forbidden')
  t.equal(await create({ kind: 'looked' }), 'forbidden')
  t.equal(await create({ kind: 'looked', accessId: alice.access.id }), 'forbidden')
  t.equal(await create({ kind: 'looked', accessId: app.access.id }), undefined, 'its own audit')
  const refused = await app.call('rules.create', { name: 'x', channelIds: [channel], condition: above })
  t.equal(refused.error.id, 'forbidden', 'a channel of the user')
})

t.test('a permission that is lost before the rule fires', async t => {
  const { alice, clock } = await startWorld(t)
  await alice.stream('shared')
  await alice.do('streams.update', { id: 'body', update: { parentId: 'shared' } })
  const app = await alice.grant('read', 'shared', { type: 'app', name: 'app' })
  const channel = await addChannel(app)
  const id = await addRule(app, channel, { ...above, for: 600 })
  const silence = await addRule(app, channel, { kind: 'missing', streamId: 'body', for: 900 })
  const quiet = await addRule(app, channel, { kind: 'missing', measure: 'heart-rate', for: 900 })
  t.match(await measure(alice, id, { content: 120 }), { holdsSince: noon + 60 })
  for (const each of [silence, quiet]) await evaluated(app, each)
  await alice.do('streams.update', { id: 'body', update: { parentId: null } })
  t.match(await evaluated(app, id), { isFiring: false, holdsSince: undefined })
  t.match(await evaluated(app, silence), { isFiring: false, problem: 'forbidden' })
  clock.advance(1500)
  await alice.service.server.settle()
  t.match(readState(app, quiet), { isFiring: false }, 'what is hidden is not missing')
  clock.advance(60)
  await alice.event({ streamIds: ['body'], type: 'frequency/bpm', content: 90 })
  t.match(await evaluated(app, quiet), { isFiring: false })
  t.equal(await countMessages(app, channel), 0)
})

t.test('an access that has ended', async t => {
  const { alice, clock } = await startWorld(t)
  const app = await alice.grant('read', 'body', { type: 'app', name: 'app' })
  const limited = await alice.grant('read', 'body', { name: 'limited', expireAfter: 300 })
  const rule = await addRule(app, await addChannel(app), above)
  const channel = await addChannel(limited)
  const expiring = await addRule(limited, channel, above)
  t.match(await alice.do('rules.get'), { rules: [{ id: rule }, { id: expiring }] })
  t.match(await limited.do('rules.get'), { rules: [{ id: expiring }] })
  await alice.do('accesses.delete', { id: app.access.id })
  t.equal(readState(alice, rule), undefined, 'rules are removed with their access')
  t.match(await measure(alice, expiring, { content: 120, after: 400 }), { problem: 'access-ended' })
  t.equal(await countMessages(alice, channel), 0)
  clock.advance(1)
})
