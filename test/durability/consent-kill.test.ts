/** Two servers that are killed while their accounts agree: each relationship ends complete or failed, on both sides alike. */
import { setTimeout as wait } from 'node:timers/promises'
import t from 'tap'
import { freePorts } from '../support/free-ports.js'
import { seeded } from '../support/random.js'
import { rotate } from '../support/rotation.js'
import { requestContent } from '../support/two-servers.js'
import { Side } from './side.js'

const isLong = process.env['COFFER_TEST_LONG'] === '1'
const rounds = isLong ? 20 : 1
const perRound = isLong ? 100 : 3
/** Number of servers killed in a step. */
const killsPerStep = isLong ? 2 : 1
/** The steps of a round in which servers are killed. */
const steps = rotate(t, ['accepting', 'sending', 'ending'])
/** Milliseconds between two looks at an event: many are awaited at the same time. */
const pollMs = 5 * perRound
/** Milliseconds within which a revocation has to be in force once both servers run. */
const maxRevocationMs = 10_000

t.setTimeout(isLong ? 7_200_000 : 600_000)

const random = seeded(t)
const root = ':_cmc:apps:clinic'

t.test('two servers that are killed while their accounts agree', async t => {
  const [first = 0, second = 0] = await freePorts(2)
  const doctor = new Side(t.testdir({ doctor: {} }) + '/doctor', first, 'dora-doctor')
  const patient = new Side(t.testdirName + '/patient', second, 'paul-patient')
  const sides = [doctor, patient]
  t.teardown(async () => await Promise.all(sides.map(async ({ server }) => await server?.kill())))
  for (const side of sides) {
    await side.start()
    await side.register()
  }
  let number = 0
  let handshakes = 0
  let slowest = 0
  const createId = (): string => `k${String(++number).padStart(23, '0')}`
  const killDuring = async (step: string, work: Promise<unknown>): Promise<void> => {
    for (let kills = 0; steps.includes(step) && kills < killsPerStep; kills++) {
      await wait(random.below(150))
      await random.pick(sides).restart()
    }
    await work
  }
  await patient.send('POST', 'streams', { id: 'health', name: 'Health' })
  await doctor.write('note/txt', {}, root, createId()).catch(() => undefined)
  for (let round = 1; round <= rounds; round++) {
    const offers: { readonly scope: string; readonly url: string; readonly trigger: string }[] = []
    for (let index = 0; index < perRound; index++) {
      const scope = `${root}:r${round}x${index}`
      await doctor.send('POST', 'streams', { id: scope, name: scope, parentId: root })
      const id = createId()
      const content = requestContent({ request: { permissions: [{ streamId: 'health', level: 'read' }] } })
      await doctor.write('consent/request-cmc', content, scope, id)
      offers.push({ scope, url: (await doctor.content(id)).capabilityUrl, trigger: createId() })
    }
    const accepting = offers.map(async ({ trigger, url }) => {
      await patient.write('consent/accept-cmc', { capabilityUrl: url }, root, trigger)
      return await patient.settled(trigger, pollMs)
    })
    await killDuring('accepting', Promise.all(accepting))
    for (const { status } of await Promise.all(accepting)) t.equal(status, 'completed')
    const arrived = await doctor.events(':_cmc:inbox', 'consent/accept-cmc')
    for (const { scope } of offers) {
      const of = arrived.filter(({ content }) => content.requesterOriginStreamId === scope)
      t.equal(of.length, 1, `round ${round}: one acceptance`)
      for (let tries = 0; ; tries++) {
        const both = await Promise.all(sides.map(async side => (await side.peers()).get(scope)))
        if (both.every(each => each?.clientData.cmc.counterparty.apiEndpoint)) break
        if (tries > 500) throw new Error(`${scope} is not complete: ${JSON.stringify(both)}`)
        await wait(20)
      }
    }
    const chats = offers.map(({ scope }) => ({
      stream: `${scope}:chats:paul-patient--127-0-0-1`,
      id: createId()
    }))
    const sending = chats.map(async ({ id, stream }) => {
      await doctor.write('message/chat-cmc', { content: id }, stream, id)
      return await doctor.settled(id, pollMs)
    })
    await killDuring('sending', Promise.all(sending))
    for (const [index, { scope }] of offers.entries()) {
      const got = await patient.events(`${scope}:chats:dora-doctor--127-0-0-1`, 'message/chat-cmc')
      t.same(
        got.map(({ content }) => content.content),
        [chats[index]!.id],
        'one message'
      )
    }
    const held = await Promise.all(sides.map(async side => await side.peers()))
    const ending = offers.map(async ({ scope }, index) => {
      const side = sides[index % 2]!
      const accessId = held[index % 2]!.get(scope).id
      const id = createId()
      await side.write('consent/revoke-cmc', { accessId }, root, id)
      const { status } = await side.settled(id, pollMs)
      t.equal(status, 'completed')
    })
    await killDuring('ending', Promise.all(ending))
    const contact = performance.now()
    for (const side of sides)
      while ((await side.peers()).size > 0) {
        if (performance.now() - contact > maxRevocationMs)
          throw new Error(`${side.username} still has relationships`)
        await wait(20)
      }
    slowest = Math.max(slowest, performance.now() - contact)
    handshakes += offers.length
  }
  t.comment(
    `${handshakes} relationships in ${rounds} rounds, revocations in force within ${Math.ceil(slowest)} ms`
  )
})
