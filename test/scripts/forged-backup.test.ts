/** `coffer restore` of forged backups: everything is validated, and nothing is written outside the target. */
import { execFileSync } from 'node:child_process'
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync
} from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import type { Database } from 'better-sqlite3'
import { Layout } from '../../storage/files/layout.js'
import { coffer } from '../support/coffer.js'
import { command, commandProcess, type Ended } from '../support/command.js'
import { ForgedBackup, rebody, treeOf } from '../support/forged-backup.js'
import { fullCoffer, WatchedTarget } from '../support/forging.js'
import { rotate } from '../support/rotation.js'

const isLong = process.env['COFFER_TEST_LONG'] === '1'
/** Number of refused backups so far. */
let turn = 0

t.setTimeout(900_000)

/** Creates a backup of two users with data of every kind, in a folder. */
async function sample(t: Test): Promise<{ folder: string; backup: string }> {
  const service = await fullCoffer(t, { bob: undefined })
  const folder = t.testdir()
  const backup = join(folder, 'backup')
  const made = await commandProcess(['backup', `--dataDir=${service.directory}`, backup])
  if (made.code !== 0) throw new Error(made.errors)
  return { folder, backup }
}

/** Returns SQL for an import, valid except for the given fields. */
function forgedImport(fields: object, id = `c${'i'.repeat(24)}`, number = 77): string {
  const body = {
    fileName: 'a.csv',
    fileId: `c${'f'.repeat(24)}`,
    size: 1,
    created: 1,
    createdBy: 'x',
    accessId: 'x',
    parentId: null,
    options: {},
    attempt: 0,
    streams: [],
    ...fields
  }
  return `INSERT INTO import VALUES (${number}, '${id}', 'looked', '${JSON.stringify(body)}')`
}

t.test('coffer restore', async t => {
  const { backup, folder } = await sample(t)

  /** Restores and verifies a forged backup in a folder that is compared before and after. */
  async function refuses(t: Test, forged: string, words: RegExp): Promise<void> {
    const target = new WatchedTarget(folder)
    const attempts: [string, Ended][] = [
      ['restore', await command(['restore', forged, '--dataDir', target.path])]
    ]
    // A restore verifies first. In the short form, every third backup is also only verified.
    if (isLong || turn++ % 3 === 0)
      attempts.push(['--verify', await command(['restore', '--verify', forged, '--dataDir', target.path])])
    for (const [what, { code, errors }] of attempts) {
      t.equal(code, 1, `${what} ends with 1: ${errors}`)
      t.match(errors, words, what)
      t.notMatch(errors, /^\s+at /m, `${what} shows no stack`)
    }
    t.same(target.held, [], 'nothing is restored')
    rmSync(target.path, { recursive: true, force: true })
    target.assertAlone(t)
  }

  /** Returns a copy of the backup to be forged. */
  const forged = (): ForgedBackup => new ForgedBackup(join(folder, 'forged'), backup)

  t.test('accepts the original backup', async t => {
    const target = join(folder, 'whole')
    const done = await command(['restore', backup, '--dataDir', target])
    t.match(done, { code: 0, output: /2 accounts restored/, errors: /not encrypted/ })
    t.match(await command(['restore', '--verify', backup]), { code: 0, output: /2 accounts verified/ })
  })

  const up = '../../../../../../../..'
  const lists: [string, (backup: ForgedBackup) => void, RegExp][] = [
    [
      'a forged id of an attachment',
      f => f.changeRecord('alice', ({ attachments }) => (attachments[0].id = `${up}/escaped`)),
      /not in the format of a backup at \/attachments\/0\/id/
    ],
    [
      'an absolute id of an attachment',
      f => f.changeRecord('alice', ({ attachments }) => (attachments[0].id = join(folder, 'around', 'x'))),
      /not in the format of a backup/
    ],
    ...[
      'c\0'.padEnd(25, 'a'),
      '..\\..\\x',
      'C'.padEnd(25, 'A'),
      'ｃ'.padEnd(25, 'a'),
      `c${'a'.repeat(24)}\n`
    ].map((id): [string, (backup: ForgedBackup) => void, RegExp] => [
      `the id ${JSON.stringify(id)}`,
      f => f.changeRecord('alice', ({ attachments }) => (attachments[0].id = id)),
      /not in the format of a backup/
    ]),
    [
      'another id than the file has',
      f => f.changeRecord('alice', ({ attachments }) => (attachments[0].id = `c${'0'.repeat(24)}`)),
      /not a valid name for this file/
    ],
    [
      'a file of somewhere else',
      f => f.changeRecord('alice', ({ file }) => (file.name = '../../../mine')),
      /not a valid name for this file/
    ],
    [
      'the file of somebody else',
      f => f.changeRecord('alice', record => (record.file = f.record('bob').file)),
      /not a valid name for this file/
    ],
    [
      'the manifest as a file',
      f => f.changeRecord('alice', ({ file }) => (file.name = 'manifest')),
      /not a valid name for this file/
    ],
    [
      'an attachment listed twice',
      f => f.changeRecord('alice', ({ attachments }) => attachments.push(attachments[0])),
      /twice/
    ],
    [
      'an attachment left out',
      f => f.changeRecord('alice', ({ attachments }) => attachments.pop()),
      /attachment\talice\t\S+\tis not in the backup/
    ],
    [
      'an attachment too many',
      f =>
        f.changeRecord('alice', ({ attachments }) => {
          const id = `c${'7'.repeat(24)}`
          const name = attachments[0].name.replace(/..\/c[a-z0-9]{24}$/, `77/${id}`)
          const more = { ...attachments[0], id, name }
          mkdirSync(join(f.path(more), '..'), { recursive: true })
          f.write(more, Buffer.from('one more'))
          attachments.push(more)
        }),
      /belongs to no event/
    ],
    ...[-1, 0.5, 1e300, '15', null].map((size): [string, (backup: ForgedBackup) => void, RegExp] => [
      `a size of ${JSON.stringify(size)}`,
      f => f.changeRecord('alice', ({ attachments }) => (attachments[0].size = size)),
      /not in the format of a backup/
    ]),
    [
      'a size that is none of its file',
      f => f.changeRecord('alice', ({ attachments }) => (attachments[0].size = 2 ** 40)),
      /does not match its digest|instead of/
    ],
    [
      'a digest that is none',
      f => f.changeRecord('alice', ({ attachments }) => (attachments[0].digest = 'x')),
      /not in the format of a backup/
    ],
    [
      'a list of something else',
      f => f.changeRecord('alice', record => (record.more = 1)),
      /format of a backup/
    ],
    [
      'an account of another place',
      f => f.changeManifest(({ users }) => (users[0].id = '../../../../x')),
      /manifest is not in the format of a backup/
    ],
    [
      'a name that is none',
      f => f.changeManifest(({ users }) => (users[0].username = '../alice')),
      /manifest is not in the format of a backup/
    ],
    ['an account listed twice', f => f.changeManifest(({ users }) => users.push(users[0])), /twice/],
    [
      'an account under the name of another',
      f =>
        f.changeManifest(({ users }) => {
          const [alice, bob] = users
          ;[alice.username, bob.username] = [bob.username, alice.username]
        }),
      /is not listed|is missing from/
    ],
    [
      'an account that is not listed',
      f => f.changeManifest(manifest => manifest.users.pop()),
      /is not listed/
    ],
    [
      'a time that is none',
      f => f.changeManifest(manifest => (manifest.made = -1)),
      /manifest is not in the format/
    ],
    ['no list at all', f => writeFileSync(join(f.root, 'manifest'), '[]'), /manifest is not in the format/],
    ['half a list', f => truncateSync(join(f.root, 'manifest'), 100), /Can't read manifest/],
    [
      'a header that is none',
      f => writeFileSync(join(f.root, 'backup.json'), '{"a":1}'),
      /backup.json is not in the format/
    ],
    [
      'a later version',
      f =>
        writeFileSync(
          join(f.root, 'backup.json'),
          '{"format":"coffer-backup","version":9,"encryption":null}'
        ),
      /later version/
    ],
    [
      'a link in place of a file',
      f => {
        const place = f.path(f.record('alice').file)
        rmSync(place)
        symlinkSync('/etc/passwd', place)
      },
      /is not a file/
    ],
    [
      'a link in place of a folder',
      f => {
        const place = join(f.root, 'users')
        renameSync(place, `${place}-of-others`)
        symlinkSync(`${place}-of-others`, place)
      },
      /is not a folder/
    ],
    [
      'a pipe in place of a file',
      f => {
        const place = f.path(f.record('alice').file)
        rmSync(place)
        execFileSync('mkfifo', [place])
      },
      /is not a file/
    ],
    [
      'a header that is a pipe',
      f => {
        rmSync(join(f.root, 'backup.json'))
        execFileSync('mkfifo', [join(f.root, 'backup.json')])
      },
      /is not a file/
    ]
  ]
  for (const [what, forge, words] of rotate(t, lists, 4))
    t.test(`refuses ${what}`, async t => {
      const f = forged()
      forge(f)
      await refuses(t, f.root, words)
    })

  const letter = {
    isOn: true,
    weekday: 1,
    time: '08:00',
    zone: 'UTC',
    language: 'en',
    showsValues: true,
    token: 'c12345678901234567890abcd',
    next: 1_800_000_000
  }
  const files: [string, (db: Database) => void, RegExp][] = [
    [
      'a trigger',
      db => db.exec('CREATE TRIGGER evil AFTER INSERT ON event BEGIN DELETE FROM password; END'),
      /"trigger evil" in its schema, which is not of this software/
    ],
    ['a view', db => db.exec('CREATE VIEW evil AS SELECT * FROM password'), /"view evil"/],
    ['a table', db => db.exec('CREATE TABLE evil (a)'), /"table evil"/],
    ['a virtual table', db => db.exec('CREATE VIRTUAL TABLE evil USING fts5(a)'), /"table evil/],
    ['an index', db => db.exec('CREATE INDEX evil ON event (body)'), /"index evil"/],
    [
      'a trigger of ours that does more',
      db =>
        db.exec(`DROP TRIGGER event_grows; CREATE TRIGGER event_grows AFTER INSERT ON event BEGIN
          UPDATE storage_used SET documents = 0; END`),
      /"trigger event_grows"/
    ],
    ['a table that is missing', db => db.exec('DROP TABLE orphan'), /lacks "table orphan"/],
    [
      'statements put into its schema',
      db =>
        db
          .prepare(
            "UPDATE sqlite_schema SET sql = sql || ' -- x' || char(10) || ', evil' WHERE name = 'orphan'"
          )
          .run(),
      /malformed|not of this software/
    ],
    [
      'more tables than there could be',
      db => {
        // SQLite reads the whole schema again for each table: a few long ones are as large as thousands.
        for (let n = 0; n < 300; n++) db.exec(`CREATE TABLE "evil ${n} ${'x'.repeat(1000)}" (a)`)
      },
      /schema that is larger than ours/
    ],
    [
      'a huge statement in its schema',
      db => db.exec(`CREATE VIEW evil AS SELECT '${'x'.repeat(3_000_000)}'`),
      /schema that is larger than ours/
    ],
    ['a later version of the schema', db => db.pragma('user_version = 9999'), /Upgrade the software/],
    ['no version of the schema', db => db.pragma('user_version = 0'), /no schema/],
    ['a negative version of the schema', db => db.pragma('user_version = -3'), /no schema/],
    ['the mark of another application', db => db.pragma('application_id = 1234'), /another application/],
    [
      'a number where a text belongs',
      db => db.exec("UPDATE stream SET id = x'00' WHERE id = 'walks'"),
      /values in "stream"/
    ],
    ['a text where a number belongs', db => db.exec("UPDATE event SET time = 'now'"), /values in "event/],
    ['an endless number', db => db.exec('UPDATE password SET created = 9e999'), /values in "password"/],
    [
      'a number beyond what can be counted',
      db =>
        db.exec(
          'UPDATE event SET number = 9007199254740993 WHERE span IS NOT NULL AND number NOT IN (SELECT event FROM series)'
        ),
      /values in "event"/
    ],
    [
      'a stream with the number of an account field',
      db => db.exec("UPDATE stream SET number = -5 WHERE id = 'walks'"),
      /number of one of the service's own/
    ],
    [
      'a stream with an id of the service',
      db => {
        rebody(db, 'stream', "id = 'walks'", body => (body.id = ':_system:email'))
        db.exec("UPDATE stream SET id = ':_system:email' WHERE id = 'walks'")
      },
      /id of the service's own/
    ],
    [
      'a circle of streams',
      db => rebody(db, 'stream', "id = 'diary'", body => (body.parentId = 'walks')),
      /below itself/
    ],
    [
      'a stream without its parent',
      db => rebody(db, 'stream', "id = 'walks'", body => (body.parentId = 'nowhere')),
      /stream\talice\tnowhere\tis missing/
    ],
    [
      'streams nested too deep',
      db => {
        const stream = JSON.parse(
          db.prepare("SELECT body FROM stream WHERE id = 'diary'").pluck().get() as string
        )
        const insert = db.prepare('INSERT INTO stream (id, body) VALUES (?, ?)')
        for (let n = 1; n <= 1200; n++) {
          const parentId = n === 1 ? 'diary' : `s${n - 1}`
          insert.run(`s${n}`, JSON.stringify({ ...stream, id: `s${n}`, name: `s${n}`, parentId }))
        }
      },
      /nested deeper than 1000/
    ],
    [
      'an event under another id',
      db => rebody(db, 'event', 'span IS NULL', body => (body.id = `c${'1'.repeat(24)}`)),
      /is indexed under values that don't match/
    ],
    [
      'an event of a wrong shape',
      db => rebody(db, 'event', '1', body => (body.streamIds = 'diary')),
      /not of the shape/
    ],
    [
      'an event with a member too many',
      db => rebody(db, 'event', '1', body => (body.apiEndpoint = 'x')),
      /shape/
    ],
    [
      'an event whose period is found elsewhere',
      db => rebody(db, 'event', 'span IS NOT NULL AND until < 9e999', body => (body.duration = 1e9)),
      /is indexed under values that don't match/
    ],
    [
      'an event that is told twice in one text',
      db => db.exec(`UPDATE event SET body = '{"id":"x",' || substr(body, 2)`),
      /not written as the service writes it/
    ],
    [
      'an event that is nested for ever',
      db =>
        rebody(db, 'event', '1', body => (body.content = JSON.parse('['.repeat(3000) + ']'.repeat(3000)))),
      /nested too deep/
    ],
    [
      'a huge number in an event',
      db => db.exec(`UPDATE event SET body = json_set(body, '$.clientData', json('{"a":1e999}'))`),
      /not written as|cannot be read/
    ],
    [
      'a claim to a unique value that is none',
      db => {
        const event = JSON.parse(db.prepare('SELECT body FROM event LIMIT 1').pluck().get() as string)
        rebody(db, 'event', '1', body => (body.streamIds = [event.streamIds[0], ':_system:unique']))
      },
      /not a value of an account field/
    ],
    [
      'an access of another type than it is found by',
      db => rebody(db, 'access', "type = 'shared'", body => (body.type = 'personal')),
      /access\talice\t\S+\t(is indexed under values that don't match|has permissions)/
    ],
    [
      'an access that tells of another endpoint',
      db => rebody(db, 'access', "type = 'app'", body => (body.apiEndpoint = 'https://evil.example/')),
      /shape/
    ],
    [
      'a share of a share',
      db => {
        const shared = db.prepare("SELECT id FROM access WHERE type = 'shared'").pluck().get()
        const other = {
          id: `c${'3'.repeat(24)}`,
          token: 'token-of-a-chain',
          name: 'chain',
          createdBy: shared
        }
        const body = JSON.parse(
          db.prepare("SELECT body FROM access WHERE type = 'shared'").pluck().get() as string
        )
        delete body.integrity
        db.prepare(
          `INSERT INTO access (id, token, type, name, deviceName, createdBy, body) VALUES (?, ?, 'shared', 'chain', '', ?, ?)`
        ).run(other.id, other.token, shared, JSON.stringify({ ...body, ...other }))
      },
      /created by a shared access/
    ],
    [
      'a session of a shared access',
      db => db.exec("INSERT INTO session (access, used) SELECT id, 2e9 FROM access WHERE type = 'shared'"),
      /only personal accesses/
    ],
    [
      'a password that takes for ever to check',
      db =>
        db.exec(
          `UPDATE password SET hash = '$argon2id$v=19$m=4194304,t=4294967295,p=1$${'A'.repeat(22)}$${'A'.repeat(43)}'`
        ),
      /not a digest of a password/
    ],
    [
      'a second factor that nobody can check',
      db => rebody(db, 'profile', "name = 'private'", body => (body.mfa = { method: 'totp', secret: 5 })),
      /not a second factor/
    ],
    ...[{ zone: 'Mars/Base' }, { last: 1e300 }, { x: 1 }].map(
      (change): [string, (db: Database) => void, RegExp] => [
        `a weekly letter with ${JSON.stringify(change)}`,
        db =>
          db
            .prepare("INSERT INTO sign_in_state VALUES ('letter', ?)")
            .run(JSON.stringify({ ...letter, ...change })),
        /shape/
      ]
    ),
    ['a state of another name', db => db.exec(`INSERT INTO sign_in_state VALUES ('x', '{"a":1}')`), /shape/],
    [
      'words for an address that is none',
      db =>
        db
          .prepare("INSERT INTO sign_in_state VALUES ('email-notices', ?)")
          .run(JSON.stringify([{ to: 'a@b.c\r\nBcc: all', address: 'x' }])),
      /shape/
    ],
    [
      'a confirmed value that cannot be read',
      db => db.exec("INSERT OR REPLACE INTO confirmed_value VALUES ('email', '{')"),
      /cannot be read/
    ],
    [
      'an identity of nobody',
      db => db.exec("INSERT INTO identity VALUES ('x', 'javascript:x', '', 'work', NULL, 1, NULL)"),
      /is not an identity/
    ],
    [
      'consent for an access that is not there',
      db => db.exec("INSERT INTO access_consent VALUES ('x', '', '', '127.0.0.1', 1)"),
      /has a consent but does not exist/
    ],
    [
      'a grant of OAuth for an access that is not there',
      db =>
        db
          .prepare("INSERT INTO oauth_grant (access, body) VALUES ('x', ?)")
          .run(JSON.stringify({ client: 'some-client', scopes: ['openid'], created: 1 })),
      /is held by OAuth, which only accesses of apps are/
    ],
    [
      'numbers with no room above them',
      db => db.exec("INSERT OR REPLACE INTO highest_number VALUES ('stream', 281474976710655)"),
      /no room above them/
    ],
    [
      'a webhook that calls a file',
      db => {
        rebody(db, 'webhook', '1', body => (body.url = 'file:///etc/passwd'))
      },
      /webhook/
    ],
    [
      'a webhook of a personal access',
      db => {
        const id = db.prepare("SELECT id FROM access WHERE type = 'personal'").pluck().get()
        db.prepare('UPDATE webhook SET access = ?').run(id)
        const body = JSON.parse(db.prepare('SELECT body FROM webhook').pluck().get() as string)
        db.prepare('UPDATE webhook SET body = ?').run(JSON.stringify({ ...body, accessId: id }))
      },
      /belongs to no access/
    ],
    [
      'points that go back in time',
      db => db.exec("UPDATE series_chunk SET points = replace(points, '[1,', '[-1,')"),
      /cannot have been written/
    ],
    [
      'points that are fewer than it says',
      db => db.exec('UPDATE series_chunk SET count = count + 1'),
      /cannot have been written/
    ],
    [
      'a summary of other points than there are',
      db => db.exec("UPDATE series_summary SET measures = replace(measures, '[600,', '[599,')"),
      /cannot have been written/
    ],
    [
      'an orphan that leads elsewhere',
      db => db.exec("INSERT INTO orphan VALUES ('../../../x')"),
      /id that the service/
    ],
    [
      'a link of an event to a stream that it is not in',
      db => db.exec('UPDATE event_stream SET time = time + 1'),
      /database|event/
    ],
    [
      'a link that holds another number than its event',
      db => db.exec('UPDATE event_stream SET value = ifnull(value, 0) + 1'),
      /database|event/
    ],
    [
      'a link that holds numbers of its own',
      db => db.exec(`UPDATE event_stream SET fields = '{"a":1}'`),
      /database|event/
    ],
    [
      'a link that is of another type than its event',
      db => db.exec('UPDATE event_stream SET type = type + 1'),
      /database|event/
    ],
    [
      'a link that names another first stream',
      db => db.exec('UPDATE event_stream SET home = stream + 1'),
      /database|event/
    ],
    [
      'an import with an id that leads elsewhere',
      db => db.exec(forgedImport({}, '../../../x')),
      /id that the service does not make/
    ],
    [
      'an import with a number that leaves no room',
      db => db.exec(forgedImport({}, undefined, Number.MAX_SAFE_INTEGER)),
      /number that none gets/
    ],
    [
      'an import with another zone than a text',
      db => db.exec(forgedImport({ options: { zone: 5 } })),
      /shape/
    ],
    [
      'an import that was looked at in another way',
      db => db.exec(forgedImport({ look: { lanes: 5 } })),
      /shape/
    ],
    [
      'an import that tells a book',
      db => db.exec(forgedImport({ fileName: 'a', message: 'x'.repeat(5e6) })),
      /longer than imports are/
    ],
    [
      'a mapping of another shape',
      db => db.exec(`INSERT INTO import_memory VALUES ('mapping:a', '{"values":5}')`),
      /shape/
    ],
    [
      'streams of imports that are none',
      db => db.exec(`INSERT INTO import_memory VALUES ('streams', '{"a":5}')`),
      /shape/
    ],
    [
      'a form that no data have',
      db => db.exec(`INSERT INTO import_memory VALUES ('form:a', 'clay')`),
      /nothing that imports/
    ],
    [
      'a list of files that were read before that is none',
      db => db.exec(`INSERT OR REPLACE INTO import_memory VALUES ('counted', '{"a":5}')`),
      /shape/
    ],
    [
      'a file that was read before with other lanes',
      db =>
        db.exec(`INSERT INTO import_memory VALUES ('counted:${'0'.repeat(64)}', '{"look":{},"lanes":5}')`),
      /shape/
    ],
    [
      'a file that was written before with another outcome',
      db =>
        db.exec(
          `INSERT INTO import_memory VALUES ('outcome:${'0'.repeat(64)}', '{"known":{},"leftOut":{}}')`
        ),
      /shape/
    ],
    [
      'an empty key of imports',
      db => db.exec(`INSERT OR REPLACE INTO import_memory VALUES ('key', '')`),
      /nothing that imports/
    ],
    ['rows that refer to nothing', db => db.exec('UPDATE attachment SET event = 777777'), /attachment|refer/]
  ]
  for (const [what, forge, words] of rotate(t, files, 4))
    t.test(`refuses ${what} in the file of an account`, async t => {
      const f = forged()
      f.changeRows('alice', forge)
      await refuses(t, f.root, words)
    })

  t.test('refuses two webhooks with the same id', async t => {
    const f = forged()
    let id = ''
    f.changeRows('alice', db => (id = db.prepare('SELECT id FROM webhook').pluck().get() as string))
    f.changeRows('bob', db => {
      const body = JSON.parse(db.prepare('SELECT body FROM webhook').pluck().get() as string)
      db.prepare('UPDATE webhook SET id = ?, body = ?').run(id, JSON.stringify({ ...body, id }))
    })
    await refuses(t, f.root, /has the same ID as a webhook of another account/)
  })

  t.test('refuses a truncated file, or one of another kind', async t => {
    const changes: ((bytes: Buffer) => Buffer)[] = [
      bytes => bytes.subarray(0, bytes.length / 2),
      bytes => Buffer.concat([bytes.subarray(0, 100), Buffer.alloc(bytes.length - 100, 0xff)]),
      () => Buffer.from('hello'),
      () => Buffer.alloc(0)
    ]
    for (const change of rotate(t, changes, 2)) {
      const f = forged()
      f.changeFile('alice', change)
      await refuses(t, f.root, /database\talice/)
    }
  })

  const platforms: [string, (db: Database) => void, RegExp][] = [
    [
      'a trigger',
      db => db.exec('CREATE TRIGGER evil AFTER INSERT ON account BEGIN SELECT 1; END'),
      /"trigger evil"/
    ],
    [
      'another account',
      db =>
        db.exec(
          `INSERT INTO account (id, username, state, created) VALUES ('c${'9'.repeat(24)}', 'mallory', 'active', 1)`
        ),
      /"mallory" that is not listed in the backup/
    ],
    [
      'the account of another',
      db => db.exec("UPDATE account SET username = 'alicia' WHERE username = 'alice'"),
      /"alicia" that is not listed in the backup/
    ],
    [
      'an account that is being made',
      db => db.exec("UPDATE account SET state = 'creating'"),
      /is not listed/
    ],
    [
      'an account that moved to a script',
      db => db.exec("UPDATE account SET relocatedTo = 'javascript:alert(1)' WHERE username = 'alice'"),
      /moved to an invalid URL/
    ],
    [
      'numbers for names',
      db => db.exec("UPDATE unique_field SET value = x'01'; UPDATE secret SET value = x'01'"),
      /values in/
    ]
  ]
  for (const [what, forge, words] of rotate(t, platforms, 2))
    t.test(`refuses ${what} in the platform file`, async t => {
      const f = forged()
      f.changePlatform(db => {
        db.exec("INSERT INTO secret VALUES ('test', 'x')")
        forge(db)
      })
      await refuses(t, f.root, words)
    })

  t.test('follows no link in the target folder', async t => {
    const outside = join(folder, 'outside')
    const target = join(folder, 'with-links')
    for (const name of rotate(t, ['coffer.lock', 'coffer.lock.pid', 'coffer.lock-journal'])) {
      for (const path of [outside, target]) rmSync(path, { recursive: true, force: true })
      mkdirSync(target)
      writeFileSync(outside, 'precious')
      symlinkSync(outside, join(target, name))
      const before = treeOf(folder).filter(path => path.startsWith(outside))
      const { code, errors } = await command(['restore', backup, '--dataDir', target])
      t.same(
        treeOf(folder).filter(path => path.startsWith(outside)),
        before,
        `${name}: ${code} ${errors}`
      )
    }
  })

  t.test("of one account follows no link to other accounts' folders", async t => {
    const target = join(folder, 'one')
    const elsewhere = join(folder, 'elsewhere')
    t.equal((await command(['restore', backup, '--dataDir', target])).code, 0)
    const f = new ForgedBackup(backup)
    const place = new Layout(target).userDirectory(f.user('alice').id)
    rmSync(place, { recursive: true })
    t.equal((await command(['user', 'delete', 'alice', '--yes', '--dataDir', target])).code, 0)
    for (const path of [join(place, '..'), join(target, 'users')]) {
      rmSync(elsewhere, { recursive: true, force: true })
      mkdirSync(elsewhere)
      if (existsSync(path)) renameSync(path, `${path}-aside`)
      else mkdirSync(join(path, '..'), { recursive: true })
      symlinkSync(elsewhere, path)
      const refused = await command(['restore', backup, '--user=alice', '--dataDir', target])
      t.match(refused, { code: 1, errors: /is not a folder/ })
      t.same(readdirSync(elsewhere), [])
      rmSync(path)
      if (existsSync(`${path}-aside`)) renameSync(`${path}-aside`, path)
    }
    t.same(
      readdirSync(target).filter(name => name.startsWith('copies')),
      []
    )
    t.match(await command(['restore', backup, '--user=alice', '--dataDir', target]), { code: 0 })
  })
})

t.test('coffer backup modifies nothing outside its folder', async t => {
  const { backup, folder } = await sample(t)
  const service = await coffer(t)
  const precious = join(folder, 'precious')
  mkdirSync(join(precious, `c${'1'.repeat(24)}`), { recursive: true })
  writeFileSync(join(precious, `c${'1'.repeat(24)}`, 'mine.sqlite'), 'mine')
  for (const place of rotate(t, ['users/abc', 'users'])) {
    const copy = join(folder, 'copy')
    rmSync(copy, { recursive: true, force: true })
    cpSync(backup, copy, { recursive: true })
    const path = join(copy, ...place.split('/'))
    rmSync(path, { recursive: true, force: true })
    symlinkSync(precious, path)
    const before = treeOf(precious)
    const { errors } = await command(['backup', copy, `--dataDir=${service.directory}`])
    t.same(treeOf(precious), before, place)
    t.notMatch(errors, /^\s+at /m)
  }
})
