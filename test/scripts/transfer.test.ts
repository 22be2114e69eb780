/** `coffer export`, `coffer import` and `GET /account/export`: the whole account is transferred, and nothing else. */
import { existsSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import t, { type Test } from 'tap'
import SQLite from 'better-sqlite3'
import { checkDirectory } from '../../scripts/maintenance/check.js'
import { Layout } from '../../storage/files/layout.js'
import { exportedTables, excludedTables } from '../../storage/transfer/tables.js'
import { unzipped, zipOf } from '../support/archives.js'
import { Client, coffer, openCoffer, type Answer, type Service } from '../support/coffer.js'
import { command, commandProcess, type Ended } from '../support/command.js'
import { inRotation, rotate } from '../support/rotation.js'

t.setTimeout(900_000)

type Whole = Awaited<ReturnType<typeof openCoffer>>

/** Creates a user with data of every kind. */
async function sample(t: Test): Promise<Whole> {
  const service = await openCoffer(t, {
    versioning: { forceKeepHistory: true, deletionMode: 'keep-authors' },
    webhooks: { allowInternalTargets: true },
    accesses: { updates: true }
  })
  const { alice, clock } = service
  await alice.stream('diary')
  await alice.stream('walks', 'diary')
  // Looks like the export's encoding of a special number.
  await alice.stream('Infinity')
  const { id } = await alice.event({ streamIds: ['diary', 'walks'], content: 'first words' })
  clock.advance(10)
  await alice.do('events.update', {
    id,
    update: { content: 'other words', clientData: { b: 1, '2': [1.5, 'ü'] } }
  })
  const form = new FormData()
  form.append('file', new Blob(['bytes of a file']), 'a.txt')
  await alice.http('POST', `/events/${id}`, form)
  await alice.event({ content: 'a while', duration: null })
  const gone = await alice.event({ content: 'to be deleted' })
  for (const _ of 'ab') await alice.do('events.delete', { id: gone.id })
  const trashed = await alice.event({ content: 'in the trash' })
  await alice.do('events.delete', { id: trashed.id })
  const series = await alice.event({ type: 'series:mass/kg', content: undefined })
  const points = Array.from({ length: 3000 }, (_, n) => [n, n / 7])
  await alice.do('hfs.add', { id: series.id, format: 'flatJSON', fields: ['deltaTime', 'value'], points })
  await service.server.settle()
  const reader = await alice.grant('read', 'diary', { name: 'reader' })
  await alice.do('accesses.update', { id: reader.access.id, update: { expireAfter: 1e6 } })
  const app = await alice.grant('manage', 'diary', { type: 'app', name: 'an-app-of-alice' })
  await app.do('webhooks.create', { url: 'http://127.0.0.1:9/' })
  await app.do('profile.updateApp', { update: { size: 3 } })
  await alice.do('profile.updatePrivate', { update: { diary: 'mine' } })
  const { accounts } = service.server.services
  const account = accounts.find('alice')!
  const mfa = { method: 'sms', content: { secret: 'second factor' }, recoveryCodes: [] }
  await accounts
    .openStore(account)
    .write(() => accounts.openStore(account).profile.update('private', { mfa }))
  const { reminder } = await alice.do('reminders.create', {
    name: 'pill',
    kind: 'medication',
    schedule: { times: ['08:00', '20:00'] },
    zone: 'Europe/Zurich',
    streamId: 'diary',
    event: { type: 'note/txt', content: 'taken' }
  })
  await alice.do('reminders.answer', { id: reminder.id, due: reminder.next, answer: 'skipped' })
  await alice.do('forms.create', { template: 'gad-7', streamId: 'diary' })
  await alice.do('connections.create', { dialect: 'owntracks', name: 'phone', passphrase: 'the passphrase' })
  await alice.do('followedSlices.create', {
    name: 'f',
    url: 'https://o.example/',
    accessToken: 'slice-token'
  })
  await reader.call('events.get', {})
  await service.call(undefined, 'test.setPassword', { username: 'alice', password: 'first password' })
  // All further calls are made on a later day.
  clock.advance(2 * 86_400)
  return service
}

/** The app that signs in at the service to which the account was imported. */
const signedInAgain = 'signed-in-again'

/** Returns the results of all read methods, without values that depend on the server or the caller. */
async function answersOf({ token }: Client, service: Service, username: string): Promise<Answer> {
  const ask = async (method: string, params: object = {}): Promise<Answer> =>
    await service.call(username, method, params, token)
  const events = await ask('events.get', {
    limit: 100,
    state: 'all',
    includeDeletions: true,
    modifiedSince: 0
  })
  const audit = await ask('audit.get', { toTime: 1_700_000_000 })
  const accesses = await ask('accesses.get', { includeDeletions: true, includeExpired: true })
  const list = events.events as Answer[]
  const answers = {
    events,
    audit,
    ones: await Promise.all(list.map(({ id }) => ask('events.getOne', { id, includeHistory: true }))),
    points: await Promise.all(
      list
        .filter(({ type }) => type.startsWith('series:'))
        .map(({ id }) => ask('hfs.get', { id, toDeltaTime: 5000 }))
    ),
    streams: await ask('streams.get', { state: 'all', includeDeletionsSince: 0 }),
    accesses,
    readers: await Promise.all(
      accesses.accesses
        .filter(({ name }: Answer) => name === 'reader')
        .map(({ id }: Answer) => ask('accesses.getOne', { id, includeHistory: true }))
    ),
    private: await ask('profile.getPrivate'),
    connections: (await ask('connections.get')).connections.map(
      ({ dialect, id, name, streamId }: Answer) => ({
        dialect,
        id,
        name,
        streamId
      })
    ),
    slices: await ask('followedSlices.get'),
    reminders: (await ask('reminders.get')).reminders.map(({ next: _next, ...reminder }: Answer) => reminder),
    forms: (await ask('forms.get')).forms,
    account: await ask('account.get')
  }
  answers.accesses.accesses = answers.accesses.accesses.filter(({ name }: Answer) => name !== signedInAgain)
  // Only the session itself sees the token of a page session.
  for (const access of answers.accesses.accesses) if (access.type === 'personal') delete access.token
  // File tokens are specific to a server; usage times change while the test reads.
  const passing = new Set([
    'readToken',
    'lastUsed',
    'calls',
    'apiEndpoint',
    'expires',
    'storageUsed',
    'accessId'
  ])
  return JSON.parse(JSON.stringify(answers), (key, value: unknown) => (passing.has(key) ? undefined : value))
}

async function exported(dataDir: string, file: string, ...more: string[]): Promise<Ended> {
  return await command(['export', `--dataDir=${dataDir}`, 'alice', file, ...more])
}

async function imported(dataDir: string, file: string, ...more: string[]): Promise<Ended> {
  return await command(['import', file, '--dataDir', dataDir, ...more])
}

t.test('coffer export', async t => {
  const service = await sample(t)
  const { alice, directory } = service
  const folder = t.testdir()
  const file = join(folder, 'alice.zip')
  const before = await answersOf(alice, service, 'alice')
  // In a separate process, as in production.
  const made = await commandProcess(['export', `--dataDir=${directory}`, 'alice', file])
  t.equal(made.code, 0, made.errors)

  t.test('exports all tables except derived ones', async t => {
    const db = new SQLite(
      new Layout(directory).userFile(service.server.services.accounts.find('alice')!.id),
      {
        readonly: true
      }
    )
    const tables = db
      .prepare("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name")
      .pluck()
      .all()
    db.close()
    t.same([...exportedTables, ...excludedTables].toSorted(), tables)
    t.same(
      readdirSync(directory).filter(name => name.startsWith('copies')),
      []
    )
  })

  t.test('does not overwrite a file', async t => {
    const again = await exported(directory, file)
    t.match([again.code, again.errors], [1, 'already exists'])
    const nobody = await command(['export', `--dataDir=${directory}`, 'nobody', join(folder, 'x.zip')])
    t.match([nobody.code, nobody.errors], [1, 'No account nobody'])
    t.notOk(existsSync(join(folder, 'x.zip')))
  })

  for (const workers of rotate(t, [0, 2]))
    t.test(`and coffer import into another service with ${workers} threads preserve all results`, async t => {
      const other = await coffer(t, { workers, webhooks: { allowInternalTargets: true } })
      const done = await commandProcess(['import', file, '--dataDir', other.directory, '--as', 'alicia'])
      t.match([done.code, done.output], [0, 'alicia: imported'], done.errors)
      const former = await other.call('alicia', 'events.get', {}, alice.token)
      t.match(former, { error: { id: 'invalid-access-token' } }, 'nobody comes in signed in')
      const session = { username: 'alicia', appId: signedInAgain }
      const { access } = await other.call(undefined, 'test.signIn', session)
      const alicia = new Client(other, 'alicia', access)
      const after = await answersOf(alicia, other, 'alicia')
      t.equal(after.account.account.username, 'alicia')
      after.account.account.username = 'alice'
      t.same(after, before)
      t.equal(before.events.events.length, 4)
      t.equal(before.points[0].points.length, 3000)
      t.match(before.readers, [{ access: { id: /:1$/ }, history: [{ name: 'reader' }] }])
      t.ok(before.audit.auditLogs.length > 0)
      const attachment = before.events.events.find((event: Answer) => event.attachments).attachments[0]
      const one = before.events.events.find((event: Answer) => event.attachments)
      const headers = { authorization: alicia.token }
      const bytes = await fetch(`${other.server.url}/alicia/events/${one.id}/${attachment.id}`, { headers })
      t.equal(await bytes.text(), 'bytes of a file')

      const again = await imported(other.directory, file, '--as', 'alicia')
      t.match([again.code, again.errors], [1, 'same username'])
      await other.server.close()
      t.same((await checkDirectory(new Layout(other.directory))).problems, [])
    })

  const files = await unzipped(file)
  const target = join(folder, 'data')

  const refused: [string, (all: Map<string, Buffer>) => void, RegExp, boolean?][] = [
    ['a traversal', all => all.set('attachments/..x/../evil', Buffer.from('x')), /invalid relative path/],
    ['another file', all => all.set('notes.txt', Buffer.from('x')), /not a file of an account/],
    [
      'a digest that is wrong',
      edit('tables/profile.jsonl', 'mine', 'ours'),
      /does not match its digest/,
      true
    ],
    ['a missing file', all => void all.delete('tables/event.jsonl'), /differ/, true],
    ['a missing head', all => void all.delete('account.json'), /missing/],
    [
      'a row of other columns',
      all => all.set('tables/event.jsonl', Buffer.from('{"evil":1}\n')),
      /columns are not those/
    ],
    ['no rows', all => all.set('tables/event.jsonl', Buffer.from('[1]\n')), /not a row/],
    ['half a line', all => all.set('tables/event.jsonl', Buffer.from('{"number"')), /middle of a line/],
    ['a changed event', edit('tables/event.jsonl', 'other words', 'false words'), /integrity value/],
    [
      'a widened access',
      edit('tables/access.jsonl', '"level":"read"', '"level":"manage"'),
      /integrity value/
    ],
    [
      'a version of an access that is not an earlier one',
      edit('tables/access_version.jsonl', '"serial":0', '"serial":7'),
      /version that it cannot have had/
    ],
    [
      'a changed record of the audit',
      edit('tables/audit_record.jsonl', '127.0.0.1', '127.0.0.2'),
      /is not linked to the previous record/
    ],
    [
      'an attachment that no event has',
      all => all.set(`attachments/c${'0'.repeat(24)}`, Buffer.from('x')),
      /belong to no event/
    ],
    [
      'a circle of streams',
      edit('tables/stream.jsonl', '"parentId":null', '"parentId":"walks"'),
      /below itself/
    ],
    ['a name that is none', edit('account.json', '"alice"', '"../../evil"'), /is not a valid username/],
    ['a later version', edit('account.json', '"version": 1', '"version": 2'), /later version/],
    ['a later schema', edit('account.json', /"schema": \d+/, '"schema": 9999'), /Upgrade the software/],
    [
      'much more than the ZIP holds',
      all => all.set('tables/profile.jsonl', Buffer.alloc(50_000_000)),
      /too large or don't fit/
    ]
  ]
  for (const [what, change, words, keepsDigests] of rotate(t, refused, 2))
    t.test(`coffer import refuses ${what}`, async t => {
      const bad = join(t.testdir(), 'bad.zip')
      const all = new Map(files)
      change(all)
      await (what === 'a traversal' ? traversal(bad) : zipOf(bad, all, keepsDigests))
      const { code, errors } = await imported(target, bad)
      t.equal(code, 1)
      t.match(errors, words)
      t.notMatch(errors, '    at ')
      t.same(filesIn(target), [], 'nothing is left')
    })

  t.test('coffer import refuses a truncated archive, or a file that is not a ZIP', async t => {
    const bad = join(t.testdir(), 'bad.zip')
    writeFileSync(bad, readFileSync(file))
    truncateSync(bad, 5000)
    t.match(await imported(target, bad), { code: 1, errors: /Can't import/ })
    writeFileSync(bad, 'hello')
    t.match(await imported(target, bad), { code: 1, errors: /Can't import/ })
  })

  t.test('omits credentials with --without-secrets', async t => {
    const open = join(t.testdir(), 'open.zip')
    t.equal((await exported(directory, open, '--without-secrets')).code, 0)
    holdsNoSecret(t, await unzipped(open), alice)
    const other = await openCoffer(t)
    const done = await imported(other.directory, open, '--as=alicia')
    t.match([done.code, done.output], [0, 'no password yet'], done.errors)
    await other.server.close()
    t.same((await checkDirectory(new Layout(other.directory))).problems, [])
  })
})

t.test('GET /account/export', async t => {
  const service = await sample(t)
  const { alice, directory, server } = service

  t.test('returns a ZIP with everything but secrets', async t => {
    const headers = { authorization: alice.token }
    const response = await fetch(`${server.url}/alice/account/export`, { headers })
    t.equal(response.status, 200)
    t.equal(response.headers.get('content-type'), 'application/zip')
    t.match(response.headers.get('content-disposition'), 'alice-2023-11-16.zip')
    const file = join(t.testdir(), 'alice.zip')
    writeFileSync(file, Buffer.from(await response.arrayBuffer()))
    const files = await unzipped(file)
    holdsNoSecret(t, files, alice)
    t.match(files.get('tables/event.jsonl')!.toString(), 'other words')
    t.match([...files].find(([name]) => name.startsWith('attachments/'))![1].toString(), 'bytes of a file')
    await emptied(directory)
  })

  t.test('leaves no files behind when the client disconnects', async t => {
    for (let n = 0; n < 200; n++) await alice.event({ content: 'x'.repeat(50_000) + Math.random() })
    const leaving = new AbortController()
    const headers = { authorization: alice.token }
    const response = await fetch(`${server.url}/alice/account/export`, { headers, signal: leaving.signal })
    await response.body!.getReader().read()
    leaving.abort()
    while (readdirSync(join(directory, 'drafts')).length > 0)
      await new Promise(resolve => setTimeout(resolve, 20))
    t.equal((await fetch(`${server.url}/alice/account/export`, { headers, method: 'HEAD' })).status, 200)
    await emptied(directory)
  })

  const rarely = inRotation(t, 2)
  void rarely('refuses more than two exports at a time', async t => {
    const { id } = server.services.accounts.find('alice')!
    const held = ['0', '1'].map(n => join(directory, 'drafts', `export-${id}-${n.repeat(36)}`))
    for (const path of held) writeFileSync(path, '')
    t.match(await alice.http('GET', '/account/export'), { status: 429 })
    for (const path of held) rmSync(path)
    t.equal((await alice.http('GET', '/account/export')).status, 200)
    await emptied(directory)
  })

  void rarely('refuses more than two exports at a time when they are requested concurrently', async t => {
    const headers = { authorization: alice.token }
    const asked = Array.from({ length: 6 }, () => fetch(`${server.url}/alice/account/export`, { headers }))
    const answers = await Promise.all(asked)
    t.same(answers.map(({ status }) => status).toSorted(), [200, 200, 429, 429, 429, 429])
    for (const answer of answers) {
      t.equal(answer.headers.get('retry-after'), answer.status === 429 ? '60' : null)
      await answer.arrayBuffer()
    }
    await emptied(directory)
  })

  t.test('is refused for everyone but the owner', async t => {
    const reader = await alice.grant('manage', '*')
    t.match(await reader.http('GET', '/account/export'), { status: 403 })
    t.equal((await service.http('GET', '/alice/account/export')).status, 401)
    await emptied(directory)
  })
})

/** Lists the files of accounts in a data directory. */
function filesIn(dataDir: string): string[] {
  return (existsSync(dataDir) ? readdirSync(dataDir) : []).filter(name => !name.startsWith('platform.sqlite'))
}

/** Resolves once no temporary copy is left: it is removed after the response. */
async function emptied(dataDir: string): Promise<void> {
  while (readdirSync(join(dataDir, 'drafts')).length > 0) await wait(10)
}

function edit(name: string, what: string | RegExp, by: string): (all: Map<string, Buffer>) => void {
  return all => {
    const text = all.get(name)!.toString()
    const changed = text.replace(what, by)
    if (changed === text) throw new Error(`nothing to change in ${name}`)
    all.set(name, Buffer.from(changed))
  }
}

/** Writes a ZIP with a path that leads outside: by hand, since libraries refuse to write such names. */
async function traversal(file: string): Promise<void> {
  await zipOf(file, new Map([['aa/aa/evil', Buffer.from('x')]]))
  const bytes = readFileSync(file).toString('latin1').replaceAll('aa/aa/evil', '../../evil')
  writeFileSync(file, Buffer.from(bytes, 'latin1'))
}

function holdsNoSecret(t: Test, files: ReadonlyMap<string, Buffer>, { token }: Client): void {
  for (const [name, bytes] of files) {
    const text = bytes.toString('latin1')
    for (const secret of [token, 'the passphrase', 'slice-token', 'second factor', '$argon2'])
      t.notOk(text.includes(secret), `${name}: ${secret}`)
  }
  t.match([...files.keys()], ['account.json'])
  t.notOk(files.has('tables/password.jsonl'))
}

t.test('an export reports attachments that are damaged or missing', async t => {
  const { alice, directory } = await openCoffer(t)
  await alice.stream('diary')
  const form = new FormData()
  form.append('event', JSON.stringify({ streamIds: ['diary'], type: 'file/attached' }))
  form.append('file', new Blob(['bytes']), 'a.txt')
  const { body } = await alice.http('POST', '/events', form)
  const [{ id }] = body.event.attachments
  const names = readdirSync(directory, { recursive: true, encoding: 'utf8' })
  const stored = join(
    directory,
    names.find(name => name.endsWith(id))!
  )
  const damages = { cut: () => truncateSync(stored, 3), missing: () => rmSync(stored) }
  for (const [name, damage] of Object.entries(damages)) {
    damage()
    const file = join(t.testdir(), `${name}.zip`)
    const ended = await command(['export', 'alice', file, '--dataDir', directory])
    t.equal(ended.code, 1, name)
    t.match(ended.errors, `1 attachment is missing or damaged, such as ${id}`)
    t.ok(existsSync(file), 'what there is has been written')
  }
})
