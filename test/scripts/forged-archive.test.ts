/** `coffer import` of forged archives: everything is validated, and nothing in them gives access. */
import { randomBytes } from 'node:crypto'
import { existsSync, readFileSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import SQLite from 'better-sqlite3'
import { Layout } from '../../storage/files/layout.js'
import { changeRows, rowsOf, unzipped, zipOf, type Files } from '../support/archives.js'
import { coffer, type Answer } from '../support/coffer.js'
import { command, type Ended } from '../support/command.js'
import { fullCoffer, WatchedTarget } from '../support/forging.js'
import { inRotation, rotate } from '../support/rotation.js'

t.setTimeout(900_000)

type Forge = (files: Files) => void

/** Changes the first matching row of a table. */
const row =
  (table: string, change: (row: Answer) => void, fits: (row: Answer) => boolean = () => true): Forge =>
  files =>
    changeRows(files, table, rows => {
      const found = rows.find(fits)
      if (!found) throw new Error(`no such row in ${table}`)
      change(found)
    })

/** Changes the body of the first matching row of a table, and the columns derived from it. */
const body = (table: string, change: (body: Answer) => void, fits?: (row: Answer) => boolean): Forge =>
  row(table, ({ body }) => change(body), fits)

/** Adds a copy of the first matching row. */
const more =
  (table: string, change: (row: Answer) => void, fits: (row: Answer) => boolean = () => true): Forge =>
  files =>
    changeRows(files, table, rows => {
      const copy = structuredClone(rows.find(fits))
      change(copy)
      return [...rows, copy]
    })

/** Adds a row as it is: for tables that may be empty, such as periodically written counts. */
const added =
  (table: string, make: (files: Files) => object): Forge =>
  files =>
    changeRows(files, table, rows => [...rows, make(files)])

/** Changes the call counts of the first access. */
const calls =
  (counted: object) =>
  (files: Files): object => ({
    access: rowsOf(files, 'access')[0].id,
    method: 'a.method',
    count: 1,
    ...counted
  })

/** Changes members of a JSON file. */
const change =
  (name: string, members: object): Forge =>
  files => {
    const head = JSON.parse(files.get(name)!.toString())
    files.set(name, Buffer.from(JSON.stringify({ ...head, ...members })))
  }

async function imported(file: string, dataDir: string, ...args: string[]): Promise<Ended> {
  return await command(['import', file, '--dataDir', dataDir, ...args])
}

t.test('coffer import', async t => {
  const service = await fullCoffer(t)
  const folder = t.testdir()
  const archive = join(folder, 'alice.zip')
  const made = await command(['export', `--dataDir=${service.directory}`, 'alice', archive])
  if (made.code !== 0) throw new Error(made.errors)
  const files = await unzipped(archive)
  const bad = join(folder, 'bad.zip')

  async function refuses(t: Tap, file: string, words: RegExp, ...args: string[]): Promise<void> {
    const target = new WatchedTarget(folder)
    const { code, errors } = await imported(file, target.path, ...args)
    t.equal(code, 1)
    t.match(errors, words)
    t.notMatch(errors, /^\s+at /m)
    t.notOk(existsSync(target.path), 'nothing is imported')
    target.assertAlone(t)
  }
  type Tap = typeof t

  const far = 4e9
  const rows: [string, Forge, RegExp][] = [
    [
      "a stream of the service's own",
      more('stream', r =>
        Object.assign(r, { number: 99, id: ':_system:x', body: { ...r.body, id: ':_system:x', name: 'x' } })
      ),
      /id of the service's own/
    ],
    [
      'a stream of the older form',
      more('stream', r =>
        Object.assign(r, { number: 99, id: '.email', body: { ...r.body, id: '.email', name: 'x' } })
      ),
      /id of the service's own/
    ],
    [
      'a stream with a number of the service',
      row(
        'stream',
        r => (r.number = -1),
        r => r.id === 'walks'
      ),
      /number of one of the service/
    ],
    [
      'a circle of streams',
      body(
        'stream',
        b => (b.parentId = 'walks'),
        r => r.id === 'diary'
      ),
      /below itself/
    ],
    [
      'a stream without its parent',
      body(
        'stream',
        b => (b.parentId = 'nowhere'),
        r => r.id === 'walks'
      ),
      /is missing/
    ],
    [
      'the root of tags below another stream',
      body(
        'stream',
        b => (b.parentId = 'diary'),
        r => r.id === 'tags-migrated'
      ),
      /is for tags/
    ],
    [
      'the stream of a tag below another stream',
      body(
        'stream',
        b => (b.parentId = 'diary'),
        r => r.id.startsWith('tag-migrated-')
      ),
      /is for tags/
    ],
    ...['*', 'walks!', 'a b'].map((id): [string, Forge, RegExp] => [
      `a stream with the id ${id}, which stands for something else`,
      row(
        'stream',
        r => (r.id = r.body.id = id),
        r => r.id === 'walks'
      ),
      /id that none can have/
    ]),
    ['a stream of the future', body('stream', b => (b.modified = far)), /in the future/],
    [
      'an event of an odd type',
      body(
        'event',
        b => (b.type = 'x'),
        r => r.body.type === 'note/txt'
      ),
      /shape/
    ],
    ['an event of an odd id', row('event', r => (r.id = r.body.id = '../x')), /shape|refused/],
    ['an event of an odd time', body('event', b => (b.time = '1')), /shape/],
    ['an event of the future', row('event', r => (r.modified = r.body.modified = far)), /in the future/],
    ['an event with an unknown member', body('event', b => (b.readToken = 'x')), /shape/],
    ['an event in no stream', body('event', b => (b.streamIds = [])), /shape/],
    [
      'an event in a stream that it is not in',
      body('event', b => (b.streamIds = ['walks'])),
      /streams wrongly|streams in its content/
    ],
    [
      'an attachment with a path for an id',
      body(
        'event',
        b => (b.attachments[0].id = '../../../../x'),
        r => r.body.attachments
      ),
      /id that the service does not make/
    ],
    [
      'an attachment with a token',
      body(
        'event',
        b => (b.attachments[0].readToken = 'x'),
        r => r.body.attachments
      ),
      /shape/
    ],
    [
      'a personal access with permissions',
      body('access', b => (b.permissions = [])),
      /permissions that its type/
    ],
    [
      'an access that tells of another endpoint',
      body('access', b => (b.apiEndpoint = 'https://evil.example/')),
      /shape/
    ],
    ['an access of an unknown type', row('access', r => (r.type = r.body.type = 'operator')), /shape/],
    [
      'an app that turns into the owner',
      body(
        'access',
        b => (b.type = 'personal'),
        r => r.type === 'app'
      ),
      /indexed under values that don't match/
    ],
    [
      'a token twice',
      files => {
        const { token } = rowsOf(files, 'access')[0]
        row(
          'access',
          r => (r.token = r.body.token = token),
          r => r.type === 'shared'
        )(files)
      },
      /UNIQUE/
    ],
    ['a token that is none', row('access', r => (r.token = r.body.token = 'a b')), /shape/],
    [
      'a share without its creator',
      row(
        'access',
        r => (r.createdBy = r.body.createdBy = `c${'5'.repeat(24)}`),
        r => r.type === 'shared'
      ),
      /created by an access that doesn't exist/
    ],
    [
      'a share of a share',
      files => {
        const shared = rowsOf(files, 'access').find(r => r.type === 'shared')
        more(
          'access',
          r => {
            const id = `c${'6'.repeat(24)}`
            Object.assign(r, { id, token: 'chained-token', name: 'chain', createdBy: shared.id })
            Object.assign(r.body, { id, token: 'chained-token', name: 'chain', createdBy: shared.id })
          },
          r => r.type === 'shared'
        )(files)
      },
      /by a shared access/
    ],
    [
      'an app made by an app',
      files => {
        const parent = rowsOf(files, 'access').find(r => r.type === 'app')
        more(
          'access',
          r => {
            const id = `c${'6'.repeat(24)}`
            Object.assign(r, { id, token: 'other-token', name: 'other', createdBy: parent.id })
            Object.assign(r.body, { id, token: 'other-token', name: 'other', createdBy: parent.id })
          },
          r => r.type === 'app'
        )(files)
      },
      /by another app/
    ],
    [
      'a personal access that somebody created',
      row(
        'access',
        r => (r.createdBy = r.body.createdBy = 'x'),
        r => r.type === 'personal'
      ),
      /by signing in/
    ],
    [
      "a permission to manage the service's streams",
      body(
        'access',
        b => (b.permissions = [{ streamId: ':_system:account', level: 'manage' }]),
        r => r.type === 'app'
      ),
      /cannot have "manage"/
    ],
    [
      'a permission on a hidden field',
      body(
        'access',
        b => (b.permissions = [{ streamId: ':_system:appId', level: 'read' }]),
        r => r.type === 'app'
      ),
      /cannot have "read"/
    ],
    [
      'a permission on marks',
      body(
        'access',
        b => (b.permissions = [{ streamId: ':_system:unique', level: 'read' }]),
        r => r.type === 'app'
      ),
      /cannot have "read"/
    ],
    [
      'a permission to write the audit',
      body(
        'access',
        b => (b.permissions = [{ streamId: ':_audit:access-x', level: 'manage' }]),
        r => r.type === 'app'
      ),
      /cannot have "manage"/
    ],
    ...[':_audit:', ':_audit:action-events.get', ':_audit:access-', ':_audit:access-a b'].map(
      (streamId): [string, Forge, RegExp] => [
        `a permission on ${streamId}, more than the calls of one access`,
        body(
          'access',
          b => (b.permissions = [{ streamId, level: 'read' }]),
          r => r.type === 'app'
        ),
        /cannot have "read"/
      ]
    ),
    [
      'a permission of another kind',
      body(
        'access',
        b => (b.permissions = [{ streamId: 'diary', level: 'own' }]),
        r => r.type === 'app'
      ),
      /shape/
    ],
    [
      'a webhook to a file',
      row('webhook', r => (r.url = r.body.url = 'file:///etc/passwd')),
      /cannot be called/
    ],
    ['a channel to a file', body('channel', b => (b.target.url = 'file:///etc/passwd')), /does not call/],
    ['a channel of nobody', row('channel', r => (r.access = r.body.accessId = 'x')), /belongs to no access/],
    ['a channel of an unknown type', body('channel', b => (b.type = 'pigeon')), /shape/],
    ['a rule of nobody', row('rule', r => (r.access = r.body.accessId = 'x')), /belongs to no access/],
    ['a rule of an unknown kind', body('rule', b => (b.condition = { kind: 'wish' })), /shape/],
    ['a rule in no time zone', body('rule', b => (b.zone = 'Moon/North')), /time zone/],
    ['a state of a rule that is none', row('rule', r => (r.state = { isFiring: 'yes' })), /shape/],
    ['secrets of a channel that are none', row('channel', r => (r.secrets = { password: 'x' })), /shape/],
    [
      'a reminder of nobody',
      row('reminder', r => (r.access = r.body.accessId = 'x')),
      /belongs to no access/
    ],
    ['a reminder on Mars', body('reminder', b => (b.zone = 'Mars/Olympus')), /unknown time zone/],
    [
      'a reminder on a date that does not exist',
      body('reminder', b => (b.schedule.from = '2026-02-30')),
      /contradicts itself/
    ],
    [
      'an answer in the year 100,000',
      row('reminder_occurrence', r => (r.day = 1e9)),
      /stored as the service/
    ],
    ['a reminder with a pattern', body('reminder', b => (b.schedule.times = ['* * * * *'])), /shape/],
    [
      'a reminder with 10,000 times',
      body('reminder', b => (b.schedule.times = Array(10_000).fill('08:00'))),
      /shape/
    ],
    ['a reminder of an unknown kind', body('reminder', b => (b.kind = 'order')), /shape/],
    [
      'an answer of an unknown kind',
      row('reminder_occurrence', r => (r.state = 'maybe')),
      /stored as the service/
    ],
    ['an answer to nothing', row('reminder_occurrence', r => (r.reminder = 'x')), /does not exist/],
    ['a form of nobody', row('form', r => (r.access = r.body.accessId = 'x')), /belongs to no access/],
    ['a form without items', body('form', b => (b.questionnaire.item = [])), /does not accept/],
    ['a form with another title', body('form', b => (b.title = 'x')), /does not accept/],
    ['a webhook of nobody', row('webhook', r => (r.access = r.body.accessId = 'x')), /belongs to no access/],
    ['a webhook that owes what is not a text', row('webhook', r => (r.owed = [{}])), /shape/],
    ['a webhook with odd counts', body('webhook', b => (b.runCount = -1)), /shape/],
    [
      'a password that takes for ever',
      row('password', r => (r.hash = r.hash.replace(/m=\d+/, 'm=99999999'))),
      /not a digest/
    ],
    [
      'a password that takes minutes',
      row('password', r => (r.hash = r.hash.replace(/t=\d+/, 't=99'))),
      /not a digest/
    ],
    ['a password of the future', row('password', r => (r.created = far)), /not a digest/],
    [
      'a second factor that nobody can check',
      files =>
        files.set(
          'tables/profile.jsonl',
          Buffer.from(
            '{"name":"private","body":{"mfa":{"method":"totp","content":{},"secret":"!","recoveryCodes":[]}}}\n'
          )
        ),
      /not a second factor/
    ],
    [
      'a profile of another name',
      files => files.set('tables/profile.jsonl', Buffer.from('{"name":"__proto__","body":{"a":1}}\n')),
      /not a set/
    ],
    [
      'points that go back',
      row('series_chunk', r => (r.points = r.points.replace('[3,', '[1,'))),
      /cannot have been written/
    ],
    [
      'points before the beginning',
      row('series_chunk', r => {
        r.points = r.points.replace('[0,', '[-5,')
        r.first = -5
      }),
      /cannot have been written/
    ],
    [
      'points beyond all numbers',
      row('series_chunk', r => (r.points = r.points.replace('[3,', '[3,1e999,'))),
      /cannot have been written/
    ],
    [
      'more points than there are',
      row('series_chunk', r => (r.count = 1_000_000)),
      /cannot have been written/
    ],
    ['series below what is none', row('series', r => (r.event = 1)), /series|refer/],
    ['a text for a number', row('series', r => (r.until = 'x')), /values in "series"/],
    ['a number beyond all', added('access_calls', calls({ count: 1e300 })), /values in "access_calls"/],
    ['a number of calls below none', added('access_calls', calls({ count: -1 })), /cannot have been counted/],
    ['calls of nobody', added('access_calls', calls({ access: 'x' })), /does not exist/],
    ['a slice to nowhere', body('followed_slice', b => (b.more = 1)), /shape/],
    ['a record of the future', row('audit_record', r => (r.at = 4e15)), /future|chained/],
    ['two states of the audit', more('audit_state', r => (r.number = 2)), /CHECK|UNIQUE/],
    [
      'a table of secrets without saying so',
      files => {
        const head = JSON.parse(files.get('account.json')!.toString())
        files.set('account.json', Buffer.from(JSON.stringify({ ...head, hasSecrets: false })))
      },
      /marked as without secrets/
    ]
  ]
  for (const [what, forge, words] of rotate(t, rows, 4))
    t.test(`refuses ${what}`, async t => {
      const forged = new Map(files)
      forge(forged)
      await zipOf(bad, forged)
      await refuses(t, bad, words)
    })

  const heads: [string, object][] = [
    ['an odd time', { created: '1' }],
    ['an endless time', { created: 1e300 }],
    ['an odd schema', { schema: 1.5 }],
    ['a negative schema', { schema: -1 }],
    ['an odd secret', { hasSecrets: 'yes' }],
    ['an odd name', { username: { a: 1 } }],
    ['a member too many', { isOperator: true }]
  ]
  for (const [what, members] of rotate(t, heads, 2))
    t.test(`refuses a header with ${what}`, async t => {
      const forged = new Map(files)
      change('account.json', members)(forged)
      await zipOf(bad, forged)
      await refuses(t, bad, /account.json is not in the format of an archive/)
    })

  t.test('refuses what the settings do not permit', async t => {
    await refuses(t, archive, /quota.bytes/, '--quota.bytes=1000')
    await refuses(t, archive, /limits.streamDepth/, '--limits.streamDepth=1')
    const forged = new Map(files)
    more('webhook', r =>
      Object.assign(
        r,
        { id: 'other', url: 'https://o.example/' },
        { body: { ...r.body, id: 'other', url: 'https://o.example/' } }
      )
    )(forged)
    await zipOf(bad, forged)
    await refuses(t, bad, /webhooks.maxPerUser/, '--webhooks.maxPerUser=1')
  })

  const aa = `attachments/c${'a'.repeat(24)}`
  /** Renames an entry to another name of the same length, which no tool would write. */
  const named = (name: string) => async (): Promise<void> => {
    const stand = 'n'.repeat(name.length)
    await zipOf(bad, new Map([...files, [stand, Buffer.from('x')]]))
    const bytes = readFileSync(bad).toString('latin1').replaceAll(stand, name)
    writeFileSync(bad, Buffer.from(bytes, 'latin1'))
  }
  /** Changes all headers of an entry in the ZIP's central directory. */
  const patched = (name: string, change: (header: Buffer) => void) => async (): Promise<void> => {
    await zipOf(bad, files)
    const bytes = readFileSync(bad)
    for (let at = bytes.indexOf('PK\x01\x02'); at >= 0; at = bytes.indexOf('PK\x01\x02', at + 1))
      if (bytes.subarray(at + 46, at + 46 + name.length).toString() === name) change(bytes.subarray(at))
    writeFileSync(bad, bytes)
  }
  const zips: [string, () => Promise<void>, RegExp][] = [
    ['a path that leads out', named('../../../evil'), /invalid relative path/],
    ['an absolute path', named('/tmp/h5-evil'), /absolute path/],
    ['a path of Windows', named('..\\..\\evil'), /invalid relative path/],
    ['a path of a drive', named('C:\\evil'), /absolute path/],
    ['a name with NUL', named('account\0json'), /not a file of an account/],
    ['a folder', named('tables/'), /not a file of an account/],
    ['a table that is none', named('tables/evil.jsonl'), /not a file of an account/],
    ['an attachment of an odd name', named(`attachments/C${'A'.repeat(24)}`), /not a file of an account/],
    [
      'an attachment below a folder',
      named(`attachments/c${'a'.repeat(12)}/${'a'.repeat(11)}`),
      /not a file of an account/
    ],
    ['a file twice', named('account.json'), /occurs twice/],
    [
      'a link',
      async () =>
        await zipOf(
          bad,
          new Map([...files, [aa, Buffer.from('/etc/passwd')]]),
          false,
          new Map([[aa, 0o120_777]])
        ),
      /not a regular file/
    ],
    [
      'a device',
      async () =>
        await zipOf(bad, new Map([...files, [aa, Buffer.from('x')]]), false, new Map([[aa, 0o060_777]])),
      /is not a regular file/
    ],
    ['an encrypted file', patched('account.json', header => header.writeUInt16LE(1, 8)), /encrypted/],
    [
      'a file packed otherwise',
      patched('account.json', header => header.writeUInt16LE(12, 10)),
      /unsupported method/
    ],
    [
      'a file that is larger than it says',
      patched('tables/event.jsonl', header => header.writeUInt32LE(10, 24)),
      /digest|refused/
    ],
    [
      'a file that is smaller than it says',
      patched('tables/event.jsonl', header => header.writeUInt32LE(1_000_000, 24)),
      /digest|refused/
    ],
    [
      'a file of four gigabytes',
      patched('tables/event.jsonl', header => header.writeUInt32LE(0xffff_fff0, 24)),
      /too large or don't fit/
    ],
    [
      'a file that is not told of',
      async () => await zipOf(bad, new Map([...files, [aa, Buffer.from('x')]]), true),
      /differ/
    ],
    [
      'digests of nothing',
      async () => await zipOf(bad, new Map([...files, ['digests.json', Buffer.from('[]')]]), true),
      /digests.json/
    ],
    [
      'digests of something else',
      async () =>
        await zipOf(
          bad,
          new Map([...files, ['digests.json', Buffer.from('{"account.json":{"size":-1,"sha256":"x"}}')]]),
          true
        ),
      /digests.json is not in the format/
    ],
    [
      'a head that is no JSON',
      async () => await zipOf(bad, new Map([...files, ['account.json', Buffer.from('{')]])),
      /account.json is not valid JSON/
    ]
  ]
  for (const [what, forge, words] of rotate(t, zips, 2))
    t.test(`refuses ${what} in the ZIP`, async t => {
      await forge()
      await refuses(t, bad, words)
    })

  const rarely = inRotation(t, 2)
  void rarely('refuses a row of 25 megabytes quickly', async t => {
    const text = randomBytes(19e6).toString('base64')
    const forged = new Map([...files, ['tables/event.jsonl', Buffer.from(`{"x":"${text}"}\n`)]])
    await zipOf(bad, forged)
    const began = performance.now()
    await refuses(t, bad, /columns are not those/)
    t.ok(performance.now() - began < 20_000, `${performance.now() - began} ms`)
  })

  t.test('skips sessions, and gives webhooks new ids', async t => {
    const forged = new Map(files)
    row('webhook', r => Object.assign(r.body, { minIntervalMs: 0, maxRetries: 1_000_000 }))(forged)
    await zipOf(bad, forged)
    const target = join(folder, 'two')
    for (const name of ['alicia', 'malory'])
      t.match(await imported(bad, target, '--as', name), { code: 0 }, name)
    const list = await command(['user', 'list', '--json', '--dataDir', target])
    const found = (JSON.parse(list.output) as Answer[]).map(user => {
      const db = new SQLite(new Layout(target).userFile(user.id), { readonly: true })
      const webhook = JSON.parse(db.prepare('SELECT body FROM webhook').pluck().get() as string)
      const sessions = db.prepare('SELECT count(*) FROM session').pluck().get()
      db.close()
      return { webhook, sessions }
    })
    t.same(
      found.map(({ sessions }) => sessions),
      [0, 0]
    )
    t.equal(new Set(found.map(({ webhook }) => webhook.id)).size, 2)
    t.match(found[0]!.webhook, { id: rowsOf(files, 'webhook')[0].id, minIntervalMs: 5000, maxRetries: 5 })
    t.match(await command(['check', '--dataDir', target]), { code: 0 })
    t.notOk(readdirSync(target).some(name => name.startsWith('copies')))
    t.ok(existsSync(target))
  })
})

function isEmail(r: Answer): boolean {
  return r.body.streamIds[0] === ':system:email'
}

/** Adds another value of the field, as another event. */
const second: Forge = files => {
  let from: Answer
  more(
    'event',
    r => {
      from = r.number
      const id = `c${'7'.repeat(24)}`
      Object.assign(r, { number: 9999, id })
      Object.assign(r.body, { id, content: 'other@example.com' })
    },
    isEmail
  )(files)
  changeRows(files, 'event_stream', rows => [
    ...rows,
    ...rows.filter(r => r.event === from).map(r => ({ ...r, event: 9999 }))
  ])
}

/** Stores the address as earlier versions did: as text, without an event. */
const older =
  (value: string): Forge =>
  files => {
    const numbers = new Set(rowsOf(files, 'event').flatMap(r => (isEmail(r) ? [r.number] : [])))
    changeRows(files, 'event', rows => rows.filter(r => !numbers.has(r.number)))
    changeRows(files, 'event_stream', rows => rows.filter(r => !numbers.has(r.event)))
    changeRows(files, 'confirmed_value', () => [])
    added('account_field', () => ({ name: 'email', value: JSON.stringify(value) }))(files)
  }

t.test('values of account fields in an archive', async t => {
  const service = await coffer(t)
  const daisy = await service.user('daisy', { email: 'daisy@example.com' })
  await daisy.stream('diary')
  await service.user('rival', { email: 'rival@example.com' })
  const folder = t.testdir()
  const [archive, bad] = [join(folder, 'daisy.zip'), join(folder, 'bad.zip')]
  const made = await command(['export', `--dataDir=${service.directory}`, 'daisy', archive])
  if (made.code !== 0) throw new Error(made.errors)
  const files = await unzipped(archive)
  await service.server.close()
  const confirmed = (value: string): Forge =>
    row(
      'confirmed_value',
      r => (r.value = JSON.stringify(value)),
      r => r.field === 'email'
    )
  const letter = 'daisy@example.com\r\nBcc: other@example.com'
  const wrong: [string, Forge, RegExp][] = [
    ['an address with lines', body('event', b => (b.content = letter), isEmail), /can hold/],
    ['an address that is a number', body('event', b => (b.content = 7), isEmail), /can hold|not so/],
    ['a confirmed address with lines', confirmed(letter), /can hold/],
    [
      'a confirmed address that is a list',
      row('confirmed_value', r => (r.value = ['daisy@example.com'])),
      /can hold/
    ],
    ['two values in force', second, /not the only value/],
    [
      'a value beside the one in force',
      added('account_field', () => ({ name: 'email', value: '"other@example.com"' })),
      /is repeated/
    ],
    ['an older value that is none', older(letter), /can hold/],
    ['an older value that is taken', older('Rival@example.com'), /the same email/]
  ]
  for (const [what, forge, words] of rotate(t, wrong, 2))
    t.test(`refuses ${what}`, async t => {
      const forged = new Map(files)
      forge(forged)
      await zipOf(bad, forged)
      t.match(await imported(bad, service.directory, '--as', 'another'), { code: 1, errors: words })
      t.match(await command(['check', '--dataDir', service.directory]), { code: 0 })
    })

  t.test('may be stored as earlier versions did', async t => {
    const forged = new Map(files)
    older('free@example.com')(forged)
    await zipOf(bad, forged)
    for (const [name, code] of [
      ['another', 0],
      ['a-third', 1]
    ] as const)
      t.match(await imported(bad, service.directory, '--as', name), { code })
  })
})
