/** Accesses that a peer or its app has shared, each with thousands of permissions, do not block other calls when the relationship ends. */
import t, { type Test } from 'tap'
import { createId, createToken } from '../../../core/ids.js'
import type { Access } from '../../../schemas/access.js'
import type { Permission } from '../../../schemas/permission.js'
import { Client, type Answer } from '../../support/coffer.js'
import { assertTakesLessThan, longestTurn } from '../../support/probe.js'
import { relate, scope, startTwo, write, type TwoServers } from '../../support/two-servers.js'

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
