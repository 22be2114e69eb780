/** Interrupted imports: what a killed process, a cancellation or a moved account leaves behind. */
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { parseJob } from '../../../core/imports/job.js'
import { ImportJobs } from '../../../core/imports/jobs.js'
import { Layout } from '../../../storage/files/layout.js'
import { ImportFiles } from '../../../storage/imports/import-files.js'
import { openCoffer } from '../../support/coffer.js'
import { rested, sent, total, written } from '../../support/importing.js'
import { inRotation } from '../../support/rotation.js'
import { until } from '../../support/socket.js'

t.setTimeout(900_000)

const rows = 3000
const adminKey = 'the key of the operator'

/** Returns weights far apart. */
function table(): string {
  const lines = ['time,weight (kg)']
  for (let at = 0; at < rows; at++) lines.push(`${1e9 + at * 100_000},${70 + (at % 100) / 10}`)
  return `${lines.join('\n')}\n`
}

const test = inRotation(t, 2)

test('files of unknown imports are removed', async t => {
  const { alice, directory, server } = await openCoffer(t)
  const { accounts, imports } = server.services
  const account = accounts.find('alice')!
  const { id } = await sent(alice, 'a.csv', table())
  const folder = new Layout(directory).importsDirectory(account.id)
  mkdirSync(folder, { recursive: true })
  // As if a process had been killed after it noted what it wrote, and before it removed the file.
  for (const name of ['c00000000000000000000000a', 'c00000000000000000000000a.part'])
    writeFileSync(join(folder, name), 'x')
  await imports.expireFiles(account)
  t.same(readdirSync(folder), [id])
  t.equal(total((await written(alice, id)).tally.broughtIn), rows)
})

test('work on an import stops once its state changes', async t => {
  const { alice, server } = await openCoffer(t)
  const { accounts, imports } = server.services
  const account = accounts.find('alice')!
  const { id } = await sent(alice, 'a.csv', table())
  await alice.do('imports.run', { id })
  const counted = async (): Promise<number> =>
    (await alice.do('events.get', { types: ['mass/kg'], fromTime: 0, toTime: 4e9, limit: 10_000 })).events
      .length
  await until(async () => (await counted()) > 0, 'it is being written')
  const store = accounts.openStore(account)
  await store.write(() => {
    const { id: _id, number: _number, state: _state, ...body } = parseJob(store.imports.find(id)!)
    store.imports.update(id, 'cancelled', JSON.stringify(body))
  })
  const then = await counted()
  await until(() => !imports.isActive(id), 'nobody works on it')
  t.equal((await alice.do('imports.getOne', { id })).import.state, 'cancelled')
  t.ok(then < rows, 'it was under way')
  t.equal(await counted(), then, 'nothing was written after that')
  t.equal(total((await written(alice, id)).tally.broughtIn), rows)
})

test('an import of a suspended account waits until it is resumed, across restarts too', async t => {
  const { alice, directory, server } = await openCoffer(t, { adminKey })
  const { accounts, imports } = server.services
  const { id } = await sent(alice, 'a.csv', table())
  await alice.do('imports.run', { id })
  const path = '/system/users/alice/suspension'
  const key = { authorization: adminKey }
  t.equal((await alice.service.http('POST', path, {}, key)).status, 200)
  await until(() => !imports.isActive(id), 'it has ended')
  // Does what the next start does.
  const files = new ImportFiles(new Layout(directory))
  const readers = { start: () => t.fail('nothing is read') as never, close: () => Promise.resolve() }
  new ImportJobs(files, readers).start(server.services, {} as never, true)
  t.match(files.listMarked(), [{ username: 'alice' }], 'it is known that there is something left to do')
  t.equal((await alice.service.http('DELETE', path, undefined, key)).status, 200)
  const { state } = accounts.openStore(accounts.find('alice')!).imports.find(id)!
  t.ok(state === 'written' || imports.isActive(id), 'it goes on at once')
  t.match(await rested(alice, id), { state: 'written' })
})

test('an import of an account that had moved resumes when it is back', async t => {
  const { alice, server } = await openCoffer(t)
  const { accounts, imports } = server.services
  const account = accounts.find('alice')!
  const { id } = await sent(alice, 'a.csv', table())
  await alice.do('imports.run', { id })
  await accounts.relocate(account, 'http://elsewhere.test/')
  await until(() => !imports.isActive(id), 'it has ended')
  accounts.undoRelocation(account)
  imports.resumePending(accounts.find('alice')!)
  t.match(await rested(alice, id), { state: 'written' })
  t.equal(
    (await alice.do('events.get', { types: ['mass/kg'], fromTime: 0, toTime: 4e9, limit: 10_000 })).events
      .length,
    rows
  )
})
