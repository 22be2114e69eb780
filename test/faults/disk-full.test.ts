/** A full disk: writes that do not fit are refused and leave nothing, reads work; writes resume with free space. */
import t from 'tap'
import { checkDirectory } from '../../scripts/maintenance/check.js'
import { Layout } from '../../storage/files/layout.js'
import { startServer } from '../../server/server.js'
import { ManualClock } from '../../core/time.js'
import { methodModules, Service, testSettings, type Answer } from '../support/coffer.js'
import { filesIn } from '../support/planted.js'
import { until } from '../support/socket.js'
import { SmallDisk } from './small-disk.js'

t.setTimeout(900_000)

const MiB = 1024 * 1024
const disk = SmallDisk.mounted(t, 12)

function note(size: number): object {
  return { streamIds: ['diary'], type: 'note/txt', content: 'x'.repeat(size) }
}

t.test('a full disk', { skip: typeof disk === 'string' ? disk : false }, async t => {
  const small = disk as SmallDisk
  const { directory } = small
  const server = await startServer(testSettings(directory), { clock: new ManualClock(), methodModules })
  t.teardown(() => server.close())
  const service = new Service(server, new ManualClock(), directory)
  const alice = await service.user('alice')
  await alice.stream('diary')
  const known = await alice.event({ content: 'known' })
  const all = async (): Promise<Answer> =>
    (await alice.do('events.get', { limit: 100_000, state: 'all', fromTime: 0 })).events
  const upload = async (size: number): Promise<Answer> => {
    const form = new FormData()
    form.append('event', JSON.stringify({ streamIds: ['diary'], type: 'file/attached' }))
    form.append('file', new Blob([Buffer.alloc(size)]), 'large')
    return await alice.http('POST', '/events', form)
  }

  for (let round = 1; round <= 2; round++)
    await t.test(
      `refuses writes that do not fit, and resumes once there is space (round ${round})`,
      async t => {
        small.fill()
        const before = await all()
        const answers = [
          await alice.http('POST', '/events', note(MiB)),
          await alice.http('POST', '/streams', { name: 'x', clientData: { x: 'x'.repeat(MiB - 100) } }),
          await alice.http('PUT', `/events/${known.id}`, { content: 'x'.repeat(MiB) }),
          await upload(2 * MiB)
        ]
        for (const { body, status } of answers) {
          t.equal(status, 507)
          t.match(body, {
            error: { id: 'insufficient-storage', message: String },
            meta: { serverTime: Number }
          })
        }
        const batch = await alice.http('POST', '/', [
          { method: 'events.get', params: {} },
          { method: 'events.create', params: note(MiB) },
          { method: 'events.create', params: note(MiB) }
        ])
        if (batch.status === 200)
          for (const result of batch.body.results.slice(1))
            t.match(result, { error: { id: 'insufficient-storage' } })
        else t.equal(batch.status, 507)
        const newcomer = {
          appId: 'some-app',
          username: 'newcomer',
          password: 'a long secret',
          email: 'n@example.com'
        }
        t.match(await service.http('POST', '/users', newcomer), { status: 507 })

        t.same(await all(), before, 'nothing of it is left, and what is there is read')
        t.equal((await alice.http('GET', '/streams')).status, 200)
        t.equal((await alice.http('GET', '/access-info')).status, 200)
        await until(() => filesIn(directory).length === 0, 'no file is left behind')

        small.empty()
        t.equal((await alice.http('POST', '/events', note(10))).status, 201, 'goes on without a restart')
        const { status, body } = await upload(100_000)
        t.equal(status, 201)
        for (let n = 0; n < 2; n++) await alice.do('events.delete', { id: body.event.id })
        const registered = await service.http('POST', '/users', {
          ...newcomer,
          username: `newcomer-${round}`,
          email: `n${round}@example.com`
        })
        t.equal(registered.status, 201)
      }
    )
  await server.close()
  t.same((await checkDirectory(new Layout(directory))).problems, [])
})
