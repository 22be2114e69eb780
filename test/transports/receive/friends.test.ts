/** Friends in the answers of OwnTracks, as far as they share their positions. */
import t from 'tap'
import { coffer, type Answer, type Client } from '../../support/coffer.js'
import { connect, look, send } from './connecting.js'

const now = 1_700_000_000
const location = { _type: 'location', lat: 46.5, lon: 6.6, tst: now - 60, tid: 'AL' }

/** Returns the link of a share, as the app creates it. */
function toLink({ service, token, username }: Client): string {
  return `${service.server.services.config.publicUrl}/app/shared#${username}.${token}`
}

/** A position of the friend. */
const at = (tst: number, lat: number): object => ({
  ...location,
  tst,
  lat,
  tid: 'BO',
  vel: 36,
  acc: 9,
  alt: 400
})

t.test('OwnTracks shows where friends are, and only what they share', async t => {
  const service = await coffer(t)
  const { alice } = service
  const bobby = await service.user('bobby')
  const phone = await connect(bobby, 'owntracks')
  await send(bobby, 'owntracks', phone, at(now - 1000, 47))
  await send(bobby, 'owntracks', phone, at(now - 100, 47.5))
  const share = await bobby.grant('read', phone.streamId)
  await bobby.stream('other')
  const nothing = await bobby.grant('read', 'other')
  const own = await connect(alice, 'owntracks', { friends: [toLink(share)] })
  t.match(await look(alice, own), { friends: ['bobby'] })
  t.notMatch(JSON.stringify(await alice.do('connections.get')), share.token)
  const answer = async (): Promise<Answer> => (await send(alice, 'owntracks', own, location)).body
  const topic = 'owntracks/bobby/phone'
  t.same(await answer(), [
    { _type: 'location', topic, tid: 'BO', tst: now - 100, lat: 47.5, lon: 6.6, acc: 9, alt: 400, vel: 36 },
    { _type: 'card', topic, tid: 'BO', name: 'bobby' }
  ])
  t.match(await look(alice, own), { received: 1, lastProblem: null })

  await bobby.do('accesses.delete', { id: share.access.id })
  service.clock.advance(61)
  t.same(await answer(), [], 'the share was revoked')
  await alice.do('connections.update', { id: own.id, update: { friends: [toLink(nothing)] } })
  t.same(await answer(), [], 'the share has no positions')
  await alice.do('connections.update', { id: own.id, update: { name: 'renamed' } })
  t.match(await look(alice, own), { friends: ['bobby'] })
  await alice.do('connections.update', { id: own.id, update: { friends: [] } })
  t.notOk('friends' in (await look(alice, own)))
})

t.test('only links of shares of this service are friends, and only of apps that show them', async t => {
  const { alice } = await coffer(t)
  const link = toLink(alice)
  for (const friends of [
    ['x'],
    [link.replace('/app', '.example.com/app')],
    [`${link}/../x`],
    [link.split('.').slice(0, -1).join('.')],
    Array.from({ length: 21 }, () => link)
  ])
    t.match(await alice.call('connections.create', { dialect: 'owntracks', name: 'phone', friends }), {
      error: { id: 'invalid-parameters-format' }
    })
  const other = { dialect: 'overland', name: 'phone', friends: [link] }
  t.match(await alice.call('connections.create', other), { error: { id: 'invalid-parameters-format' } })
})

t.test('items of any JSON that share a time are all stored, once, also in series', async t => {
  const { alice } = await coffer(t)
  const mapping = { items: '/list', time: '/at', value: '/v', type: 'temperature/c', stream: 'Temperature' }
  const connection = await connect(alice, 'json', { mapping })
  const post = async (...values: number[]): Promise<void> => {
    const list = values.map(v => ({ at: now, v }))
    t.equal((await send(alice, 'json', connection, { list })).status, 200)
  }
  const stored = async (): Promise<unknown[]> => {
    const { events } = await alice.do('events.get', { types: ['temperature/c'], fromTime: 0, toTime: 1e10 })
    return events.map(({ content }: Answer) => content).toSorted()
  }
  await post(20, 21, 21, 22)
  t.same(await stored(), [20, 21, 22])
  await post(20, 21, 21, 22)
  t.same(await stored(), [20, 21, 22], 'sent again')
  await post(20.5, 21, 21, 22)
  t.same(await stored(), [20.5, 21, 22], 'the first is corrected')
})
