/** Moving, trashing and restoring thousands of streams does not block other calls. */
import t, { type Test } from 'tap'
import { openCoffer, type Client } from '../../../support/coffer.js'
import { longestTurn, assertTakesLessThan } from '../../../support/probe.js'
import { inRotation } from '../../../support/rotation.js'
import { until } from '../../../support/socket.js'

t.setTimeout(900_000)

const many = 10_000
/** Maximum time in milliseconds for which other calls may be blocked. */
const limitMs = 50

/** Creates `count` substreams of a stream. */
async function plant(alice: Client, parentId: string, count: number): Promise<void> {
  for (let from = 0; from < count; from += 1000) {
    const calls = Array.from({ length: 1000 }, (_, n) => {
      const id = `${parentId}-${from + n}`
      return { method: 'streams.create', params: { id, name: id, parentId } }
    })
    await alice.do('callBatch', calls)
  }
}

async function assertTakesTurns(t: Test, work: () => Promise<unknown>, limit = limitMs): Promise<void> {
  await assertTakesLessThan(t, limit, async () => await longestTurn(work))
}

/** Returns someone with thousands of substreams of a stream, and a few other streams. */
async function startWithMany(t: Test): Promise<Client> {
  const { alice } = await openCoffer(t)
  for (const id of ['a', 'b', 'c', 'mine']) await alice.stream(id)
  await alice.stream('top', 'a')
  await plant(alice, 'top', many)
  return alice
}

const test = inRotation(t, 2)

test('streams with thousands of substreams change in slices', async t => {
  const alice = await startWithMany(t)
  const app = await alice.grantAll(
    [
      ...['a', 'b', 'c'].map(streamId => ({ streamId, level: 'manage' as const })),
      ...Array.from({ length: 2000 }, (_, n) => ({ streamId: `top-${n}`, level: 'manage' as const }))
    ],
    { type: 'app' }
  )
  for (const [who, client] of Object.entries({ alice, app })) {
    let place = 0
    const move = (): object => ({ id: 'top', update: { parentId: ['b', 'c', 'a'][place++ % 3] } })
    await t.test(`${who} moves them`, t =>
      assertTakesTurns(t, async () =>
        t.match(await client.call('streams.update', move()), { stream: { id: 'top' } })
      )
    )
    for (const trashed of [true, false])
      await t.test(`${who} ${trashed ? 'trashes' : 'restores'} them`, t =>
        assertTakesTurns(t, async () => {
          const params = { id: 'top', update: { trashed } }
          t.match(await client.call('streams.update', params), { stream: { id: 'top' } })
          await client.call('streams.update', { id: 'top', update: { trashed: !trashed } })
        })
      )
    // In a batch, an app's moves are checked as one of them is above.
    if (client === app) continue
    await t.test(`${who} moves them repeatedly`, t =>
      assertTakesTurns(t, async () => {
        const calls = Array.from({ length: 4 }, () => ({ method: 'streams.update', params: move() }))
        const { results } = await client.do('callBatch', calls)
        t.equal(results.filter(({ error }: { error?: object }) => error).length, 0)
      })
    )
  }
})

test('reads after a move do not block calls of others', async t => {
  const alice = await startWithMany(t)
  const known = new Map<Client, string>()
  // Responses have no ETag until the scope of the change has been determined for an access.
  const ask = async (app: Client): Promise<number> => {
    const headers = { 'if-none-match': known.get(app) ?? '""' }
    let found = 0
    await until(async () => {
      const { headers: given, status } = await app.http('GET', '/streams', undefined, headers)
      const etag = given.get('etag')
      if (etag !== null) known.set(app, etag)
      found = status
      return etag !== null
    }, 'an ETag')
    return found
  }
  for (let n = 0; n < 10; n++) await ask(await alice.grant('read', 'mine', { type: 'app' }))
  for (const id of ['b', 'top-5']) await ask(await alice.grant('read', id, { type: 'app' }))
  let place = 0
  await assertTakesTurns(
    t,
    async () => {
      const move = { id: 'top', update: { parentId: ['b', 'c', 'a'][place++ % 3] } }
      t.match(await alice.call('streams.update', move), { stream: { id: 'top' } })
      // What an access may see of the change is determined without a break.
    },
    2 * limitMs
  )
  // Only accesses that see the moved streams are notified, whether this has been determined yet or not.
  await alice.do('streams.update', { id: 'top', update: { parentId: 'a' } })
  for (const app of known.keys()) await ask(app)
  for (const parentId of ['b', 'c']) {
    await alice.do('streams.update', { id: 'top', update: { parentId } })
    await alice.event({ streamIds: ['c'] })
    const answers: number[] = []
    for (const app of known.keys()) answers.push(await ask(app))
    t.same(answers, [...Array.from({ length: 10 }, () => 304), 200, 200])
  }
})

function permissions(at: number): object[] {
  return Array.from({ length: many }, (_, n) => {
    return { streamId: `s-${at}-${n}`, level: 'read', defaultName: `s ${at} ${n}` }
  })
}

test('an access with thousands of permissions is created and compared in slices', async t => {
  const { alice } = await openCoffer(t)
  let at = 0
  await assertTakesTurns(t, async () => {
    const params = { name: `some-app-${at}`, type: 'app', permissions: permissions(at++) }
    t.match(await alice.call('accesses.create', params), { access: { type: 'app' } })
  })
  const compare = async (): Promise<void> => {
    const params = { requestingAppId: 'some-app-0', requestedPermissions: permissions(0) }
    t.match(await alice.call('accesses.checkApp', params), { matchingAccess: { name: 'some-app-0' } })
  }
  // Compared without a break, as many as a body can contain.
  await assertTakesTurns(t, compare, 2 * limitMs)
})

test('creating an access that restores thousands of trashed streams repeatedly runs in slices', async t => {
  const { alice } = await openCoffer(t)
  const chain = Array.from({ length: 50 }, (_, n) => `chain-${n}`)
  for (const [n, id] of chain.entries()) await alice.stream(id, chain[n - 1] ?? null)
  await plant(alice, chain.at(-1)!, 1000)
  for (const id of chain.toReversed()) await alice.do('streams.update', { id, update: { trashed: true } })
  const permissions = chain.map(streamId => ({ streamId, level: 'read', defaultName: streamId }))
  let at = 0
  await assertTakesTurns(t, async () => {
    const params = { name: `app-${at++}`, type: 'app', permissions }
    t.match(await alice.call('accesses.create', params), { access: { type: 'app' } })
    for (const id of chain.toReversed()) await alice.do('streams.update', { id, update: { trashed: true } })
  })
})
