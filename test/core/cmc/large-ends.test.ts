/** Relationships and offers end without blocking other calls, however many there are, and whatever their peers have shared. */
import t, { type Test } from 'tap'
import type { Services } from '../../../core/call/services.js'
import { Deliveries } from '../../../core/cmc/deliveries.js'
import { createExpiryTask } from '../../../core/cmc/expiry.js'
import { createId, createToken } from '../../../core/ids.js'
import type { Access } from '../../../schemas/access.js'
import type { Permission } from '../../../schemas/permission.js'
import { Client, type Answer } from '../../support/coffer.js'
import { assertTakesLessThan, longestTurn } from '../../support/probe.js'
import {
  listPeers,
  offer,
  relate,
  requestContent,
  scope,
  startTwo,
  write,
  type TwoServers
} from '../../support/two-servers.js'

/** Fewer accesses than are worked on in one piece, but 13 MB. */
const count = 60
const permissions: Permission[] = Array.from({ length: 6000 }, () => ({ streamId: 'health', level: 'read' }))
/** Maximum time in milliseconds for which other calls may be blocked. */
const limitMs = 60

/** Makes a relationship whose peer holds an app access, and has shared much, and so has a session of its app. Returns the access. */
async function relateLargely(two: TwoServers): Promise<Answer> {
  const { accepted } = await relate(two, { request: { accessType: 'app' } })
  const { access } = await two.paul.do('accesses.getOne', { id: accepted.dataGrantAccessId })
  const { accounts } = two.accepterService.server.services
  const store = accounts.openStore(accounts.find('paul-patient')!)
  const insert = (by: string, given: Pick<Access, 'type' | 'name'> & Partial<Access>): Access => {
    const tracking = { created: 1, createdBy: by, modified: 1, modifiedBy: by }
    return store.accesses.insert({ ...tracking, id: createId(), token: createToken(), ...given })
  }
  await store.write(() => {
    const offer = { accessId: access.id, name: 'study' }
    const session = { type: 'app' as const, name: 'oauth:clinic', clientData: { 'coffer:offer': offer } }
    for (const by of [access.id, insert('system', session).id])
      for (let n = 0; n < count; n++) insert(by, { type: 'shared', name: createId(), permissions })
  })
  return access
}

/** Requires that a relationship and what its peer has shared end in short pieces. */
async function assertEndsInPieces(
  t: Test,
  { paul }: TwoServers,
  access: Answer,
  end: () => Promise<Answer>
): Promise<void> {
  let answer: Answer
  await assertTakesLessThan(t, limitMs, async () => await longestTurn(async () => (answer = await end())), 1)
  t.notOk(answer.error, JSON.stringify(answer.error))
  t.not(answer.event.content.status, 'failed')
  const { accesses } = await paul.do('accesses.get', { includeExpired: true })
  t.same(
    accesses.filter(
      ({ id, name, type }: Answer) => type === 'shared' || id === access.id || name.startsWith('oauth:')
    ),
    []
  )
}

t.test('a relationship ends in pieces', async t => {
  const two = await startTwo(t, {}, { isShared: true })
  const { paul } = two

  await t.test('when the peer revokes it', async t => {
    const access = await relateLargely(two)
    const peer = new Client(paul.service, paul.username, access)
    await assertEndsInPieces(
      t,
      two,
      access,
      async () => await write(peer, 'consent/revoke-cmc', {}, ':_cmc:inbox')
    )
  })

  await t.test('when the user revokes it', async t => {
    const access = await relateLargely(two)
    await assertEndsInPieces(
      t,
      two,
      access,
      async () => await write(paul, 'consent/revoke-cmc', { accessId: access.id }, scope)
    )
  })
})

t.test('very many ends', async t => {
  const two = await startTwo(t, {}, { isShared: true })
  const { dora, requesterService } = two
  const { clock, server } = requesterService
  const services = server.dispatcher.services as unknown as Services
  const account = services.accounts.find(dora.username)!
  const store = services.accounts.openStore(account)
  const deliveries = new Deliveries(services)
  deliveries.open(server.dispatcher)
  t.teardown(() => deliveries.close())
  await relate(two)
  const [channel] = await listPeers(dora)

  await t.test('of offers are made a few at a time', async t => {
    const count = 45
    for (let n = 0; n < count; n++) await offer(dora)
    clock.advance(38 * 86_400)
    const countOffers = (): number =>
      store.accesses.list().filter(({ clientData }) => Object(clientData?.['cmc']).kind === 'capability')
        .length
    t.equal(countOffers(), count + 1)
    const writes = t.capture(store, 'write', store.write.bind(store))
    await deliveries.heal(account)
    t.equal(countOffers(), 0)
    t.ok(writes().length >= 4, 'other calls can write in between')
  })

  await t.test('of relationships are announced in steps', async t => {
    const count = 20
    await store.write(() => {
      const held = store.accesses.find(channel.id)!
      for (let n = 0; n < count; n++) {
        const id = createId()
        store.accesses.insert({ ...held, id, token: createToken(), name: id, expires: clock.now() + 60 })
        store.cmc.putRelationship({ access: id, scope, slug: `peer-${n}` })
      }
    })
    const takeSteps = t.capture(store, 'writeInSteps', store.writeInSteps.bind(store))
    clock.advance(61)
    await createExpiryTask(services).run(account)
    t.ok(takeSteps().length > 0, 'when they expire')
    t.same(store.cmc.listExpired(clock.now()), [])
    await deliveries.tellPeersOfEnd(account)
    t.ok(takeSteps().length > 0, 'when the account ends')
  })
})

t.test('an offer that is too long for other servers to read is refused', async t => {
  const { dora } = await startTwo(t, {}, { isShared: true })
  const { error } = await write(dora, 'consent/request-cmc', requestContent({ more: 'x'.repeat(250_000) }))
  t.match(error, { id: 'invalid-operation', data: { id: 'cmc-capability-offer-too-large' } })
  t.ok(await offer(dora, { more: 'x'.repeat(200_000) }))
})
