/** Other operations of a service on a full disk: series, exports, the audit log, administration. */
import t from 'tap'
import { checkDirectory } from '../../scripts/maintenance/check.js'
import { ManualClock } from '../../core/time.js'
import { startServer } from '../../server/server.js'
import { Layout } from '../../storage/files/layout.js'
import { methodModules, Service, testSettings, type Answer } from '../support/coffer.js'
import { filesIn } from '../support/planted.js'
import { socketOf } from '../support/socket.js'
import { SmallDisk } from './small-disk.js'

t.setTimeout(900_000)

const adminKey = 'the key of whoever runs this service'
/** Number of notes of 100 KB, so that a copy of the file needs space. */
const notes = 20
const disk = SmallDisk.mounted(t, 16)
const skip = typeof disk === 'string' ? disk : false

t.test('a service on a full disk', { skip }, async t => {
  const small = disk as SmallDisk
  const { directory } = small
  const server = await startServer(testSettings(directory, { adminKey }), {
    clock: new ManualClock(),
    methodModules
  })
  t.teardown(() => server.close())
  const service = new Service(server, new ManualClock(), directory)
  const alice = await service.user('alice')
  await alice.stream('diary')
  for (let n = 0; n < notes; n++) await alice.event({ content: `${n}${'x'.repeat(100_000)}` })
  const series = await alice.do('events.create', { streamIds: ['diary'], type: 'series:mass/kg', time: 0 })
  const path = `/events/${series.event.id}/series`
  const add = async (from: number, count: number): Promise<Answer> =>
    await alice.http('POST', path, {
      format: 'flatJSON',
      fields: ['deltaTime', 'value'],
      points: Array.from({ length: count }, (_, at) => [from + at, at % 90])
    })
  const points = async (): Promise<number> => (await alice.http('GET', path)).body.points.length
  const operate = async (verb: string, rest: string, body?: unknown): Promise<Answer> =>
    await service.http(verb, `/system/users/alice${rest}`, body, { authorization: adminKey })
  const full = { status: 507, body: { error: { id: 'insufficient-storage' } } }

  await t.test('points are stored completely, or not at all', async t => {
    let stored = 0
    for (const room of [0, 50_000, 400_000]) {
      small.fill(room)
      for (let n = 0; n < 3; n++) {
        const answer = await add(stored, 9_000)
        if (answer.status === 200) stored += 9_000
        else t.match(answer, full)
      }
      t.equal(await points(), stored)
      small.empty()
    }
    t.equal((await add(stored, 10)).status, 200)
    t.equal(await points(), stored + 10)
  })

  await t.test('exports are complete, or refused', async t => {
    small.fill()
    for (const url of ['/account/export', '/events/export?format=ndjson&limit=100000']) {
      const response = await fetch(`${server.url}/alice${url}`, { headers: { authorization: alice.token } })
      const text = await response.text().catch(() => undefined)
      if (response.status === 507) t.match(JSON.parse(text!), full.body)
      else {
        t.equal(response.status, 200)
        if (url.startsWith('/events')) t.equal(text?.trim().split('\n').length, notes + 1)
      }
    }
    small.empty()
    t.same(filesIn(directory), [])
    t.equal((await alice.http('GET', '/account/export')).status, 200)
  })

  await t.test('reads and refusals continue, and are recorded in the audit log', async t => {
    const recorded = async (): Promise<number> =>
      (await alice.do('audit.get', { limit: 1000 })).auditLogs.length
    const known = await recorded()
    small.fill()
    for (let n = 0; n < 50; n++) t.equal((await alice.http('GET', `/events?limit=1&skip=${n}`)).status, 200)
    t.equal((await alice.http('GET', '/events', undefined, { authorization: 'wrong' })).status, 401)
    small.empty()
    t.equal((await alice.http('GET', '/events?limit=1')).status, 200)
    // The refusal, the last call, and the first read of the audit log itself.
    t.equal(await recorded(), known + 50 + 3, 'nothing is left out')
  })

  await t.test("an operator's calls report correctly whether they succeeded", async t => {
    const socket = await socketOf(t, alice)
    small.fill()
    const answers = [
      await operate('POST', '/suspension', {}),
      await operate('POST', '/quota', { bytes: 100_000_000 })
    ]
    for (const answer of answers) if (answer.status !== 200) t.match(answer, full)
    const isSuspended = answers[0].status === 200
    t.equal((await alice.http('GET', '/streams')).status, isSuspended ? 403 : 200)
    const isThere = await Promise.race([
      socket.call('getAccessInfo').then(() => true),
      socket.closed().then(() => false)
    ])
    t.equal(isThere, !isSuspended, 'sockets are cut if the account is suspended, and only then')
    small.empty()
    t.equal((await operate('POST', '/suspension', {})).status, 200)
    t.equal((await alice.http('GET', '/streams')).status, 403)
    small.fill()
    const resumed = await operate('DELETE', '/suspension')
    t.equal((await alice.http('GET', '/streams')).status, resumed.status === 200 ? 200 : 403)
    small.empty()
    t.equal((await operate('DELETE', '/suspension')).status, 200)
    t.equal((await alice.http('GET', '/streams')).status, 200)
    const { body } = await service.http('GET', '/system/deeds', undefined, { authorization: adminKey })
    t.match(body.deeds.slice(0, 2), [
      { method: 'system.resumeUser', error: null },
      { method: resumed.status === 200 ? 'system.resumeUser' : 'system.suspendUser', error: null }
    ])
  })
  await server.close()
  t.same((await checkDirectory(new Layout(directory))).problems, [])
})
