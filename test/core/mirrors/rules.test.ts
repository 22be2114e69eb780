/** Rules on what another person has shared: they fire when the copy gets new data. (docs/api/rules.md#rules-on-copies) */
import t from 'tap'
import type { Answer } from '../../support/coffer.js'
import { rotate } from '../../support/rotation.js'
import { until } from '../../support/socket.js'
import { contact, follow, reaches, root, startWorld, type World } from './world.js'

const below = { kind: 'below', measure: 'heart-rate', value: 50 } as const
const missing = { kind: 'missing', measure: 'heart-rate', for: 3600 } as const

/** Stores a heart rate of Paul, a minute later. */
async function beat({ accepterService, paul, requesterService }: World, content: number): Promise<void> {
  for (const { clock } of new Set([accepterService, requesterService])) clock.advance(60)
  await paul.do('events.create', { streamIds: ['health'], type: 'frequency/bpm', content })
}

/** Adds a channel of Dora that is never called, and returns functions that add rules and read them. */
async function startRules({ dora }: World) {
  const target = { url: 'http://127.0.0.1:9' }
  const { channel } = await dora.do('channels.create', { type: 'webhook', name: 'phone', target })
  return {
    async add(condition: object): Promise<string> {
      const params = { name: 'rule', channelIds: [channel.id], atMostEvery: 60, condition }
      return (await dora.do('rules.create', params)).rule.id
    },
    async becomes(id: string, isWanted: (state: Answer) => boolean): Promise<void> {
      await until(async () => isWanted((await dora.do('rules.getOne', { id })).rule.state), 'the rule')
    },
    async isFiring(id: string): Promise<boolean> {
      return (await dora.do('rules.getOne', { id })).rule.state.isFiring
    },
    async countMessages(ruleId: string): Promise<number> {
      const { deliveries } = await dora.do('channels.getOne', { id: channel.id })
      return deliveries.filter(({ source }: Answer) => source.id === ruleId).length
    }
  }
}

for (const isShared of rotate(t, [false, true]))
  t.test(`a rule on a copy, ${isShared ? 'on one service' : 'on two services'}`, async t => {
    const world = await startWorld(t, {}, { isShared })
    const { dora, grantId, paul, requesterService } = world
    await beat(world, 70)
    const mirrorId = await follow(world)
    const rules = await startRules(world)
    const own = await rules.add(below)
    const ofPaul = await rules.add({ ...below, streamIds: [root] })
    const silence = await rules.add({ ...missing, streamIds: [`${root}:health`] })
    await dora.stream('body')

    await t.test('fires when the mirror brings the number', async t => {
      await dora.do('events.create', { streamIds: ['body'], type: 'frequency/bpm', content: 90 })
      await beat(world, 40)
      await contact(world, mirrorId)
      await rules.becomes(ofPaul, ({ isFiring }) => isFiring)
      t.equal(await rules.countMessages(ofPaul), 1)
      t.equal(await rules.isFiring(own), false, 'a rule on own data ignores copies')
    })

    await t.test('is over with the next number of that person, not with own ones', async t => {
      await dora.do('events.create', { streamIds: ['body'], type: 'frequency/bpm', content: 95 })
      await contact(world, mirrorId)
      t.equal(await rules.isFiring(ofPaul), true)
      await beat(world, 80)
      await contact(world, mirrorId)
      await rules.becomes(ofPaul, ({ isFiring, isOpen }) => !isFiring && isOpen !== true)
      t.equal(await rules.countMessages(ofPaul), 1)
    })

    await t.test('fires when nothing arrives', async t => {
      t.equal(await rules.isFiring(silence), false)
      for (let passed = 0; passed < 3500; passed += 700) {
        await dora.do('events.create', { streamIds: ['body'], type: 'frequency/bpm', content: 70 })
        await contact(world, mirrorId)
      }
      await rules.becomes(silence, ({ isFiring }) => isFiring)
      t.equal(await rules.countMessages(silence), 1, 'own data ends no silence of somebody else')
      await beat(world, 60)
      await contact(world, mirrorId)
      await rules.becomes(silence, ({ isFiring }) => !isFiring)
    })

    await t.test('can be tested', async t => {
      const now = requesterService.clock.now()
      const test = async (condition: object): Promise<Answer[]> => {
        const rule = { name: 'x', channelIds: [], condition }
        return (await dora.do('rules.test', { rule, from: now - 10_000, to: now })).firings
      }
      t.equal((await test({ ...below, streamIds: [root] })).length, 1)
      t.equal((await test(below)).length, 0)
    })

    await t.test('needs streams that can be read', async t => {
      const app = await dora.grant('manage', '*', { type: 'app' })
      const create = async (client: typeof dora, streamId: string): Promise<string> => {
        const condition = { ...below, streamIds: [streamId] }
        return (await client.call('rules.create', { name: 'x', channelIds: [], condition })).error?.id
      }
      t.equal(await create(app, root), 'forbidden')
      t.equal(await create(dora, ':_followed:nobody'), 'unknown-referenced-resource')
      const named = await dora.grant('read', `${root}:health`, { type: 'app' })
      t.equal(await create(named, `${root}:health`), undefined)
      t.equal(await create(named, root), 'forbidden')
    })

    await t.test('is over when the person deletes what has caused it', async t => {
      await beat(world, 41)
      await contact(world, mirrorId)
      await rules.becomes(ofPaul, ({ isFiring }) => isFiring)
      const [{ id }] = (await paul.do('events.get', { streams: ['health'], limit: 1 })).events
      for (let count = 0; count < 2; count++) await paul.do('events.delete', { id })
      await contact(world, mirrorId)
      await rules.becomes(ofPaul, ({ isFiring, isOpen }) => !isFiring && isOpen !== true)
      t.equal(await rules.countMessages(ofPaul), 2)
      await beat(world, 42)
      await contact(world, mirrorId)
      await rules.becomes(ofPaul, ({ isFiring }) => isFiring)
    })

    await t.test('stops with the copy, without a message', async t => {
      await paul.do('accesses.delete', { id: grantId })
      await until(async () => {
        requesterService.clock.advance(100)
        return (await reaches(world, mirrorId, () => true)).state === 'erased'
      }, 'the erasure')
      requesterService.clock.advance(10_000)
      await dora.do('events.create', { streamIds: ['body'], type: 'frequency/bpm', content: 30 })
      await rules.becomes(own, ({ isFiring }) => isFiring)
      for (const id of [ofPaul, silence]) await rules.becomes(id, ({ problem }) => problem === 'forbidden')
      await rules.becomes(ofPaul, ({ isFiring, isOpen }) => !isFiring && isOpen !== true)
      t.equal(await rules.countMessages(ofPaul), 3)
      t.equal(await rules.countMessages(silence), 1)
    })
  })
