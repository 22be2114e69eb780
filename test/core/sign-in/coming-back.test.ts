/** Credentials of a deleted, restored or imported account open neither it nor another account. */
import { randomUUID } from 'node:crypto'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { ManualClock } from '../../../core/time.js'
import { startServer } from '../../../server/server.js'
import type { Authenticator } from '../../support/authenticator.js'
import {
  coffer,
  methodModules,
  Service,
  testSettings,
  type Answer,
  type Client
} from '../../support/coffer.js'
import { command } from '../../support/command.js'
import { app, apps, agree, begin, clientId, exchange, post, read } from '../../support/oauth.js'
import { addPasskey, givePassword, loginWith, originOf, requestOf } from '../../support/passkeys.js'

t.setTimeout(900_000)

const adminKey = 'the key of the operator'
const secret = 'a-secret-of-the-page'
const scope = 'openid offline_access diary:contribute:Diary'
const overrides = {
  ...apps(app),
  adminKey,
  auth: { oidc: [{ name: 'work', issuer: 'https://id.example.org', clientId: 'coffer' }] },
  userAccount: { delete: ['adminToken' as const] }
}

/** All credentials of an account except its password. */
interface Ways {
  readonly authenticator: Authenticator
  readonly tokens: Answer
  /** An unused code. */
  readonly code: { readonly begun: Awaited<ReturnType<typeof begin>>; readonly answered: URL }
}

async function waysInto(service: Service, person: Client): Promise<Ways> {
  await givePassword(person)
  const { authenticator } = await addPasskey(person)
  await link(service, person.username)
  const begun = await begin(service, { scope })
  const { body: tokens } = await exchange(service, begun, await agree(service, person, begun))
  const second = await begin(service, { scope })
  return { authenticator, tokens, code: { begun: second, answered: await agree(service, person, second) } }
}

/** Links a provider identity to a user. */
async function link(service: Service, username: string): Promise<void> {
  await prove(service, randomUUID(), username)
}

/** Returns the user that the identity signs in. */
async function openedByIdentity(service: Service): Promise<string | undefined> {
  const ticket = randomUUID()
  await prove(service, ticket)
  return (await service.call(undefined, 'auth.lookUpIdentity', { ticket, secret })).username
}

async function prove(service: Service, ticket: string, username?: string): Promise<void> {
  const proof = { subject: 'somebody-at-work' }
  const { error } = await service.call(undefined, 'test.prove', {
    ticket,
    secret,
    proof,
    ...(username !== undefined && { username })
  })
  if (error) throw new Error(JSON.stringify(error))
}

/** Returns the user that the passkey signs in. */
async function openedByPasskey(service: Service, { authenticator }: Ways): Promise<string | undefined> {
  const lies = { origin: originOf(service) }
  const { body } = await loginWith(service, authenticator.get(await requestOf(service), lies))
  return body.username
}

async function refresh(service: Service, refreshToken: string): Promise<Answer> {
  const form = { grant_type: 'refresh_token', client_id: clientId, refresh_token: refreshToken }
  return (await post(service, '/oauth/token', form)).body
}

/** Returns what each credential opens. */
async function opened(service: Service, ways: Ways): Promise<object> {
  const { access_token, refresh_token } = ways.tokens
  return {
    token: (await read(service, 'alice', access_token)).error?.id,
    code: (await exchange(service, ways.code.begun, ways.code.answered)).body.error,
    refreshToken: (await refresh(service, refresh_token)).error,
    passkey: await openedByPasskey(service, ways),
    identity: await openedByIdentity(service)
  }
}

const nothing = {
  token: 'invalid-access-token',
  code: 'invalid_grant',
  refreshToken: 'invalid_grant',
  passkey: undefined,
  identity: undefined
}

async function reopened(t: Test, root: string, clock = new ManualClock()): Promise<Service> {
  const server = await startServer(testSettings(root, overrides), { clock, methodModules })
  t.teardown(() => server.close())
  return new Service(server, clock, root)
}

/** Returns a new folder for the test. */
function folder(): string {
  return join(mkdtempSync(join(tmpdir(), 'coffer-test-')), 'x')
}

async function run(...args: string[]): Promise<{ code: number | null; errors: string }> {
  return await command(args)
}

t.test('an account with the name of a deleted one', async t => {
  const service = await coffer(t, overrides)
  const ways = await waysInto(service, service.alice)
  const session = service.alice.token
  const gone = await service.http('DELETE', '/users/alice', undefined, { authorization: adminKey })
  t.equal(gone.status, 200)
  t.match(await opened(service, ways), { ...nothing, token: 'unknown-resource' })
  const next = await service.user('alice')
  await givePassword(next)
  t.same(await opened(service, ways), nothing, 'is opened by nothing of the former one')
  t.equal((await read(service, 'alice', session)).error.id, 'invalid-access-token')
  await link(service, 'alice')
  t.equal(await openedByIdentity(service), 'alice', 'and may have the identity')
})

t.test('a backup', async t => {
  const service = await coffer(t, overrides)
  const { alice } = service
  const bobby = await service.user('bobby')
  const ways = await waysInto(service, alice)
  const [backup, whole] = [folder(), folder()]
  const renewed = await refresh(service, ways.tokens.refresh_token)
  t.match(await run('backup', '--dataDir', service.directory, backup), { code: 0 })
  const { refresh_token: later } = await refresh(service, renewed.refresh_token)
  const [passkey] = (await alice.do('passkeys.get')).passkeys
  await alice.do('passkeys.delete', { id: passkey.id })
  const [identity] = (await alice.do('identities.get')).identities
  await alice.do('identities.delete', { id: identity.id })
  await link(service, 'bobby')

  await t.test('of everything restores all of it', async t => {
    t.match(await run('restore', backup, '--dataDir', whole), { code: 0 })
    const restored = await reopened(t, whole, new ManualClock(service.clock.now()))
    t.equal(await openedByPasskey(restored, ways), 'alice')
    t.equal(await openedByIdentity(restored), 'alice')
    t.equal((await refresh(restored, later)).error, 'invalid_grant', 'a token of later is not known')
    t.equal(
      (await read(restored, 'alice', ways.tokens.access_token)).error?.id,
      'invalid-access-token',
      'and ends the access: somebody has used the one before'
    )
  })

  await t.test('of one account is not restored if another account has its identity by now', async t => {
    const { directory, server } = service
    const known = [`--port=${new URL(server.url).port}`, `--adminKey=${adminKey}`]
    const taken = await run('restore', backup, '--dataDir', directory, '--user', 'alice', ...known)
    t.match([taken.code, taken.errors], [1, /another account has the same provider identity/])
    t.equal(await openedByIdentity(service), 'bobby')
    t.equal(await openedByPasskey(service, ways), undefined)
    const [held] = (await bobby.do('identities.get')).identities
    t.ok(held)
  })
})

t.test('an archive', async t => {
  const service = await coffer(t, overrides)
  const { alice } = service
  const ways = await waysInto(service, alice)
  const [archive, elsewhere] = [`${folder()}.zip`, folder()]
  t.match(await run('export', '--dataDir', service.directory, 'alice', archive), { code: 0 })
  t.match(await run('import', archive, '--dataDir', elsewhere), { code: 0 })
  const other = await reopened(t, elsewhere, new ManualClock(service.clock.now() + 10))

  await t.test('contains no passkey, identity, refresh token or code', async t => {
    t.same(await opened(other, ways), { ...nothing, token: undefined })
  })

  await t.test("does not let an app's token give consent", async t => {
    const begun = await begin(other, { scope, nonce: 'of a sign-in elsewhere' })
    const key = begun.location.searchParams.get('key')!
    const stolen = ways.tokens.access_token
    const decision = { key, status: 'ACCEPTED', username: 'alice', token: stolen }
    t.match(await other.call(undefined, 'authRequest.decide', decision, stolen), {
      error: { id: 'forbidden' },
      redirect: undefined
    })
  })
})
