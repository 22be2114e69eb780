/** Identities on disk: the account file is authoritative, the index follows it, and no part of a proof is readable. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import SQLite from 'better-sqlite3'
import t, { type Test } from 'tap'
import { ManualClock } from '../../../core/time.js'
import { checkDirectory } from '../../../scripts/maintenance/check.js'
import { identityField } from '../../../schemas/identity.js'
import { startServer, type Server } from '../../../server/server.js'
import { Layout } from '../../../storage/files/layout.js'
import { openCoffer, Service, testSettings } from '../../support/coffer.js'
import { command } from '../../support/command.js'

t.setTimeout(900_000)

const oidc = [{ name: 'work', issuer: 'https://id.example.org', clientId: 'coffer' }]
const secret = 'a-secret-of-the-page'
const email = { address: 'alice@id.example.org', isVerified: true }

/** Creates a data directory in which `alice` has an identity, and stops the service. */
async function kept(t: Test): Promise<Layout> {
  const service = await openCoffer(t, { auth: { oidc } })
  const proof = { subject: 'alice-at-work', email }
  await service.call(undefined, 'test.prove', { ticket: 'a-ticket', secret, proof, username: 'alice' })
  await service.server.close()
  return new Layout(service.directory)
}

async function opened(t: Test, root: string): Promise<{ server: Server; service: Service }> {
  const clock = new ManualClock()
  const methodModules = [new URL('../../support/methods.js', import.meta.url).href]
  const server = await startServer(testSettings(root, { auth: { oidc }, workers: 0 }), {
    clock,
    methodModules
  })
  t.teardown(() => server.close())
  return { server, service: new Service(server, clock, root) }
}

/** Returns the account that the identity signs in to. */
async function opens(service: Service): Promise<string | undefined> {
  const proof = { subject: 'alice-at-work' }
  await service.call(undefined, 'test.prove', { ticket: 'another', secret, proof })
  return (await service.call(undefined, 'auth.lookUpIdentity', { ticket: 'another', secret })).username
}

function change(file: string, sql: string, ...values: unknown[]): void {
  const db = new SQLite(file)
  db.prepare(sql).run(...values)
  db.close()
}

t.test('an index without identities is detected and rebuilt', async t => {
  const layout = await kept(t)
  t.same((await checkDirectory(layout)).problems, [])
  change(layout.platformFile, 'DELETE FROM unique_field WHERE name = ?', identityField)
  t.match(JSON.stringify((await checkDirectory(layout)).problems), /provider identity/)
  t.equal((await command(['rebuild-index', '--dataDir', layout.root])).code, 0)
  t.same((await checkDirectory(layout)).problems, [])
  t.equal(await opens((await opened(t, layout.root)).service), 'alice')
})

t.test('an index that names another account does not sign in to it', async t => {
  const layout = await kept(t)
  const { service, server } = await opened(t, layout.root)
  await service.user('mallory')
  await server.close()
  const db = new SQLite(layout.platformFile)
  db.prepare(
    "UPDATE unique_field SET account = (SELECT id FROM account WHERE username = 'mallory') WHERE name = ?"
  ).run(identityField)
  db.close()
  const again = await opened(t, layout.root)
  t.equal(await opens(again.service), 'mallory')
  const params = { ticket: 'another', secret, appId: 'test-app' }
  const { error } = await again.service.call('mallory', 'auth.loginByIdentity', params, undefined, {
    origin: again.server.url
  })
  t.equal(error.id, 'forbidden')
})

t.test('a change left in doubt by a crash is settled by the account file', async t => {
  const layout = await kept(t)
  change(layout.platformFile, 'UPDATE unique_field SET inDoubt = 1 WHERE name = ?', identityField)
  t.equal(await opens((await opened(t, layout.root)).service), 'alice')
})

t.test('a backup includes identities', async t => {
  const layout = await kept(t)
  const [backup, restored] = [join(t.testdir(), 'backup'), join(t.testdir({}), 'restored')]
  t.equal((await command(['backup', '--dataDir', layout.root, backup])).code, 0)
  const done = await command(['restore', '--dataDir', restored, backup])
  t.equal(done.code, 0, done.errors)
  t.equal(await opens((await opened(t, restored)).service), 'alice')
})

t.test('an archive restores identities only on request, since it may name those of others', async t => {
  const layout = await kept(t)
  const folder = t.testdir()
  const file = join(folder, 'alice.zip')
  const carefully = join(folder, 'carefully')
  const known = join(folder, 'known')
  t.equal((await command(['export', '--dataDir', layout.root, 'alice', file])).code, 0)

  const done = await command(['import', '--dataDir', carefully, file])
  t.equal(done.code, 0, done.errors)
  t.match(done.output, /1 linked sign-in provider was not imported/)
  const stranger = await opened(t, carefully)
  t.equal(await opens(stranger.service), undefined)

  t.match(await command(['import', '--dataDir', known, '--identities', '--json', file]), {
    code: 0,
    output: /"identitiesLeftOut":0/
  })
  t.equal(await opens((await opened(t, known)).service), 'alice')
})

t.test('tickets, secrets and subjects are not readable in the platform file', async t => {
  const layout = await kept(t)
  const bytes = readFileSync(layout.platformFile, 'latin1')
  t.notMatch(bytes, secret)
  t.notMatch(bytes, 'a-ticket')
})
