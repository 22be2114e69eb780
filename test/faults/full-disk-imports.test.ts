/** Imports on a disk that fills up, at every step: errors are reported, nothing incomplete remains, all can resume. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { checkDirectory } from '../../scripts/maintenance/check.js'
import { ManualClock } from '../../core/time.js'
import { startServer } from '../../server/server.js'
import { Layout } from '../../storage/files/layout.js'
import { methodModules, Service, testSettings, type Answer, type Client } from '../support/coffer.js'
import { rested, sent, takenOut, zipOf } from '../support/importing.js'
import { filesIn } from '../support/planted.js'
import { inRotation } from '../support/rotation.js'
import { until } from '../support/socket.js'
import { SmallDisk } from './small-disk.js'

t.setTimeout(900_000)

const disk = SmallDisk.mounted(t, 24)
const skip = typeof disk === 'string' ? disk : false
const [events, points] = [600, 20_000]

/** Returns a table with infrequent weights and frequent heart rates. */
function table(name = ''): string {
  const lines = ['time,weight (kg),heart rate']
  for (let at = 0; at < events; at++) lines.push(`${1e9 + at * 100_000},${70 + (at % 100) / 10},`)
  for (let at = 0; at < points; at++) lines.push(`${1.7e9 + at},,${60 + (at % 40)}`)
  return `${lines.join('\n')}\n${name}`
}
const whole = { broughtIn: { 'mass/kg': events, 'frequency/bpm': points }, known: {}, leftOut: {} }

t.test('imports on a full disk', { skip }, async t => {
  const small = disk as SmallDisk
  const { directory } = small
  const settings = testSettings(directory)
  const server = await startServer(settings, { clock: new ManualClock(), methodModules })
  t.teardown(() => server.close())
  const service = new Service(server, new ManualClock(), directory)
  const alice = await service.user('alice')
  const layout = new Layout(directory)
  const account = server.services.accounts.find('alice')!
  const waiting = (): string[] =>
    existsSync(layout.importsDirectory(account.id)) ? readdirSync(layout.importsDirectory(account.id)) : []

  const rarely = inRotation(t, 2)
  await rarely('a file that does not fit is refused, and leaves nothing', async t => {
    small.fill(64 * 1024)
    const form = new FormData()
    form.append('file', new Blob([table()]), 'a.csv')
    t.match(await alice.http('POST', '/imports', form), {
      status: 507,
      body: { error: { id: 'insufficient-storage' } }
    })
    small.fill()
    t.match(await alice.http('POST', '/imports', form), { status: 507 })
    small.empty()
    await until(() => filesIn(directory).length === 0, 'nothing is left')
    t.same((await alice.do('imports.get')).imports, [])
    t.same(waiting(), [])
  })

  await rarely('a file that cannot be analysed', async t => {
    const form = new FormData()
    form.append('file', new Blob([table('x')]), 'a.csv')
    const { body } = await alice.http('POST', '/imports', form)
    small.fill()
    const { id } = body.import
    await told(alice, id)
    small.empty()
    const found = await ended(alice, id)
    t.match(found.state, /^(?:looked|failed)$/)
    await alice.do('imports.look', { id })
    t.same((await rested(alice, id)).tally.broughtIn['frequency/bpm'], points)
    await takenOut(alice, id)
  })

  await rarely('an import in progress resumes once there is space', async t => {
    const { id } = await sent(alice, 'a.csv', table())
    for (const room of [0, 200_000, 1_000_000]) {
      small.fill(room)
      const answer = await alice.call('imports.run', { id })
      if (answer.error) t.equal(answer.error.id, 'insufficient-storage')
      else await told(alice, id)
      t.equal((await alice.http('GET', '/streams')).status, 200)
      small.empty()
      const found = await ended(alice, id)
      t.ok(['looked', 'failed', 'written'].includes(found.state), `${found.state} with ${room} bytes`)
      if (found.state === 'failed') t.match(found.message, /space|room|storage/i)
      if (found.state === 'written') break
    }
    const done = await alice.do('imports.getOne', { id })
    if (done.import.state !== 'written') await alice.do('imports.run', { id })
    t.match(await rested(alice, id), { state: 'written', tally: whole })
    await until(() => waiting().length === 0, 'its file goes')
    small.fill()
    const gone = await alice.call('imports.delete', { id })
    if (gone.error) t.equal(gone.error.id, 'insufficient-storage')
    else await told(alice, id)
    small.empty()
    if ((await ended(alice, id)) !== undefined) await takenOut(alice, id)
    const left = await alice.do('events.get', { fromTime: 0, toTime: 4e9, limit: 10_000 })
    t.same(left.events, [])
    t.same((await alice.do('imports.get')).imports, [])
  })

  await rarely('a nested archive that cannot be unpacked', async t => {
    const inner = await zipOf({ 'a.csv': table(), 'b.csv': table('# ') })
    const form = new FormData()
    form.append('file', new Blob([await zipOf({ 'inner.zip': inner, 'c.csv': table('#') })]), 'a.zip')
    const { body } = await alice.http('POST', '/imports', form)
    const { id } = body.import
    small.fill()
    await told(alice, id)
    small.empty()
    const found = await ended(alice, id)
    t.ok(['looked', 'failed'].includes(found.state), found.state)
    if (found.state === 'failed') t.match(found.message, /space|room|storage/i)
    t.notOk(waiting().some(name => name.endsWith('.part')))
    await takenOut(alice, id)
  })

  await rarely('the marker of a pending import is complete, or absent', async t => {
    small.fill()
    const form = new FormData()
    form.append('file', new Blob(['time,weight (kg)\n2024-01-01,70\n']), 'a.csv')
    await alice.http('POST', '/imports', form)
    for (const name of existsSync(layout.importingDirectory) ? readdirSync(layout.importingDirectory) : [])
      t.equal(readFileSync(join(layout.importingDirectory, name), 'utf8'), 'alice')
    small.empty()
  })
  await server.close()
  t.same((await checkDirectory(layout)).problems, [])
})

/** Waits until an import has ended, or is no longer active. */
async function told(client: Client, id: string): Promise<void> {
  const { imports } = client.service.server.services
  await until(async () => {
    const { error, import: found } = await client.call('imports.getOne', { id })
    return error !== undefined || !isGoing(found) || !imports.isActive(id)
  }, 'it comes to an end')
}

/** Resumes the import, as the service does periodically, and returns it once it has ended. */
async function ended(client: Client, id: string): Promise<Answer> {
  const { accounts, imports } = client.service.server.services
  imports.resumePending(accounts.find(client.username)!)
  return await rested(client, id)
}

function isGoing({ state }: Answer): boolean {
  return ['looking', 'writing', 'removing'].includes(state)
}
