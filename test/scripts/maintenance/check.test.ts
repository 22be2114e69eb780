/** `coffer check` finds every kind of damage, and reports nothing else. */
import { execFile } from 'node:child_process'
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import SQLite from 'better-sqlite3'
import t, { type Test } from 'tap'
import { packageDirectory } from '../../../core/version.js'
import { checkDirectory, type Report } from '../../../scripts/maintenance/check.js'
import { Layout } from '../../../storage/files/layout.js'
import { openCoffer } from '../../support/coffer.js'

/** A data directory with data of every kind, not in use. */
class Sample {
  constructor(
    readonly directory: string,
    readonly account: string,
    readonly event: string,
    readonly file: string
  ) {}

  /** Returns a copy to be damaged. */
  copy(t: Test): Sample {
    const directory = mkdtempSync(join(tmpdir(), 'coffer-check-'))
    t.teardown(() => rmSync(directory, { recursive: true, force: true }))
    cpSync(this.directory, directory, { recursive: true })
    return new Sample(directory, this.account, this.event, this.file)
  }

  get layout(): Layout {
    return new Layout(this.directory)
  }

  get userFile(): string {
    return this.layout.userFile(this.account)
  }

  get attachment(): string {
    return join(this.layout.attachmentsDirectory(this.account), this.file.slice(-2), this.file)
  }

  sql(text: string, file = this.userFile): void {
    const db = new SQLite(file)
    const { changes } = db.prepare(text).run()
    db.close()
    if (changes === 0) throw new Error(`nothing to damage: ${text}`)
  }

  async check(): Promise<Report> {
    return await checkDirectory(this.layout)
  }
}

/** Creates a directory with one of everything that the check reads. */
async function sample(t: Test): Promise<Sample> {
  const { alice, directory, server } = await openCoffer(t, {
    versioning: { forceKeepHistory: true, deletionMode: 'keep-everything' },
    accesses: { updates: true }
  })
  await alice.stream('diary')
  await alice.stream('work')
  const { id } = await alice.event({ streamIds: ['diary', 'work'], content: 'first' })
  await alice.do('events.update', { id, update: { content: 'hello', duration: 5 } })
  const gone = await alice.event({ content: 'gone' })
  await alice.do('events.delete', { id: gone.id })
  await alice.do('events.delete', { id: gone.id })
  const reader = await alice.grant('read', 'diary')
  await alice.do('accesses.update', { id: reader.access.id, update: {} })
  await alice.do('profile.updatePublic', { update: { colour: 'blue' } })
  await alice.do('connections.create', { dialect: 'owntracks', name: 'phone' })
  await alice.do('followedSlices.create', { name: 'walks', url: 'https://other.example/', accessToken: 't' })
  const form = new FormData()
  form.append('file', new Blob(['some bytes']), 'a.txt')
  const headers = { authorization: alice.token }
  const sent = await fetch(`${server.url}/alice/events/${id}`, { method: 'POST', headers, body: form })
  const { event } = (await sent.json()) as { event: { attachments: [{ id: string }] } }
  const account = server.services.accounts.find('alice')!.id
  await server.close()
  return new Sample(directory, account, id, event.attachments[0].id)
}

/** Flips a byte of a file. */
function flip(file: string, at?: number): void {
  const bytes = readFileSync(file)
  const place = at ?? Math.floor(bytes.length / 2)
  bytes[place] = bytes[place]! ^ 0xff
  writeFileSync(file, bytes)
}

type Damage = readonly [what: string, kind: string, plant: (sample: Sample) => void]

const damages: readonly Damage[] = [
  ['a changed event', 'event', at => at.sql("UPDATE event SET body = replace(body, 'hello', 'hallo')")],
  ['an unreadable event', 'event', at => at.sql("UPDATE event SET body = '{'")],
  ['an event found under another time', 'event', at => at.sql('UPDATE event SET modified = modified + 1')],
  ['an event not found in a stream', 'event', at => at.sql('DELETE FROM event_stream WHERE stream = 2')],
  [
    'another number beside an event than in it',
    'event',
    at => at.sql('UPDATE event_stream SET value = ifnull(value, 0) + 1')
  ],
  [
    'a stream that lists no event of its own',
    'database',
    at => at.sql('INSERT INTO event_stream (stream, trashed, time, event) VALUES (1, 0, 5, 99)')
  ],
  ['a changed deletion', 'deletion', at => at.sql('UPDATE event_deletion SET deleted = deleted + 1')],
  [
    'changed remains of an event',
    'deletion',
    at => at.sql("UPDATE event_deletion SET body = replace(body, 'gone', 'here')")
  ],
  [
    'a changed earlier version',
    'version',
    at => at.sql("UPDATE event_version SET body = replace(body, 'first', 'other') WHERE body LIKE '%first%'")
  ],
  ['a version of another event', 'version', at => at.sql("UPDATE event_version SET event = 'other'")],
  [
    'a widened access',
    'access',
    at => at.sql(`UPDATE access SET body = replace(body, '"read"', '"manage"')`)
  ],
  [
    'an access with another token',
    'access',
    at => at.sql("UPDATE access SET token = 'guessed' WHERE type = 'shared'")
  ],
  ['a version of another access', 'version', at => at.sql("UPDATE access_version SET access = 'other'")],
  ['an unreadable profile set', 'profile', at => at.sql("UPDATE profile SET body = '{'")],
  ['a connection of another id', 'connection', at => at.sql("UPDATE connection SET id = 'other'")],
  ['arrivals that are not JSON', 'connection', at => at.sql("UPDATE connection SET arrivals = '{'")],
  ['a slice of another id', 'followedSlice', at => at.sql("UPDATE followed_slice SET id = 'other'")],
  [
    'a changed record of a call',
    'audit',
    at =>
      at.sql("UPDATE audit_record SET detail = replace(detail, '127.0.0.1', '127.0.0.2') WHERE rowid % 2 = 0")
  ],
  [
    'a removed record of a call',
    'audit',
    at => at.sql('DELETE FROM audit_record WHERE at = (SELECT min(at) FROM audit_record)')
  ],
  [
    'calls of somebody else',
    'audit',
    at => at.sql("UPDATE audit_word SET text = 'access-x' WHERE number = 1")
  ],
  ['a missing attachment', 'attachment', at => rmSync(at.attachment)],
  ['a shortened attachment', 'attachment', at => truncateSync(at.attachment, 3)],
  ['a changed attachment', 'attachment', at => flip(at.attachment)],
  ['an attachment that is not listed', 'attachment', at => at.sql('DELETE FROM attachment')],
  [
    'a listed attachment that no event has',
    'database',
    at => at.sql("INSERT INTO attachment (id, event, size) SELECT 'cother', number, 1 FROM event")
  ],
  ['a wrong sum of what is stored', 'database', at => at.sql('UPDATE storage_used SET documents = 1')],
  ['a broken page', 'database', at => flip(at.userFile, 3 * 4096 + 3)],
  ['a shortened database', 'database', at => truncateSync(at.userFile, 5 * 4096)],
  ['an empty database', 'database', at => truncateSync(at.userFile, 0)],
  ['a missing database', 'database', at => rmSync(at.userFile)],
  ['another file in its place', 'database', at => writeFileSync(at.userFile, 'x'.repeat(8192))],
  ['an account that nobody knows', 'platform', at => at.sql('DELETE FROM account', at.layout.platformFile)],
  [
    'an address that the account does not hold',
    'platform',
    at =>
      at.sql(
        "INSERT INTO unique_field (name, value, account) SELECT 'email', 'x', id FROM account",
        at.layout.platformFile
      )
  ],
  ['a missing platform file', 'platform', at => rmSync(at.layout.platformFile)],
  ['a broken platform file', 'platform', at => flip(at.layout.platformFile, 100)]
]

t.test('coffer check', async t => {
  const whole = await sample(t)

  t.test('finds no problem in an intact directory', async t => {
    const { counts, problems } = await whole.copy(t).check()
    t.same(problems, [])
    t.same(counts, {
      accounts: 1,
      events: 1,
      deletions: 1,
      versions: 4,
      accesses: 3,
      calls: 13,
      attachments: 1,
      attachmentBytes: 10,
      unsealed: 0,
      leftOver: 0
    })
  })

  t.test('changes nothing', async t => {
    const at = whole.copy(t)
    const before = readFileSync(at.userFile)
    await at.check()
    t.ok(readFileSync(at.userFile).equals(before))
  })

  for (const [what, kind, plant] of damages)
    t.test(`finds ${what}`, async t => {
      const at = whole.copy(t)
      plant(at)
      const { problems } = await at.check()
      t.ok(
        problems.some(problem => problem.kind === kind),
        JSON.stringify(problems)
      )
    })

  t.test(
    'accepts leftover files that the service will delete, and items without an integrity value',
    async t => {
      const at = whole.copy(t)
      cpSync(at.attachment, join(at.attachment, '..', `c${'0'.repeat(24)}`))
      at.sql(`UPDATE event SET body = json_remove(body, '$.integrity')`)
      const { counts, problems } = await at.check()
      t.same(problems, [])
      t.match(counts, { leftOver: 1, unsealed: 1 })
    }
  )

  t.test('reports the result as exit code, in lines or as JSON', async t => {
    const good = await run(['--dataDir', whole.copy(t).directory])
    t.equal(good.code, 0)
    t.match(good.output, /^1 account: 1 event, .*no problems found/)
    const at = whole.copy(t)
    flip(at.attachment)
    const bad = await run(['--json', '--dataDir', at.directory])
    t.equal(bad.code, 1)
    const { problems } = JSON.parse(bad.output) as Report
    t.match(problems, [{ kind: 'attachment', user: 'alice', id: at.file }])
    const none = await run(['--dataDir', join(at.directory, 'nowhere')])
    t.equal(none.code, 1)
  })

  t.test('checks the directory of a running service without changing it', async t => {
    const service = await openCoffer(t)
    const { alice, directory, server } = service
    await alice.stream('diary')
    const attach = async (): Promise<string> => {
      const form = new FormData()
      form.append('event', '{"streamIds":["diary"],"type":"picture/attached"}')
      form.append('file', new Blob(['some bytes']), 'a.txt')
      const headers = { authorization: alice.token }
      const sent = await fetch(`${server.url}/alice/events`, { method: 'POST', headers, body: form })
      return ((await sent.json()) as { event: { id: string } }).event.id
    }
    const ids = await Promise.all(Array.from({ length: 30 }, attach))
    const write = async (): Promise<void> => {
      for (const id of ids) for (const _ of 'ab') await alice.do('events.delete', { id })
      await service.user('bobby')
    }
    // Removes files of events that existed when the account was first read.
    const writing = write().then(() => true)
    const isOver = async (): Promise<boolean> => await Promise.race([writing, Promise.resolve(false)])
    do t.same((await checkDirectory(new Layout(directory))).problems, [])
    while (!(await isOver()))
    const before = readdirSync(directory).toSorted()
    const { code, output } = await run(['--dataDir', directory])
    t.equal(code, 0, output)
    t.match(output, /^\d+ accounts: .*no problems found/)
    t.same(readdirSync(directory).toSorted(), before)

    const lost = await attach()
    const { event } = await alice.do('events.getOne', { id: lost })
    const file = event.attachments[0].id as string
    const account = server.services.accounts.find('alice')!.id
    rmSync(join(new Layout(directory).attachmentsDirectory(account), file.slice(-2), file))
    t.match((await checkDirectory(new Layout(directory))).problems, [
      { kind: 'attachment', user: 'alice', id: file, detail: 'has no file' }
    ])
    t.equal((await alice.http('GET', '/streams')).status, 200)
  })
})

/** Runs the command. */
async function run(args: readonly string[]): Promise<{ code: number; output: string }> {
  const coffer = join(packageDirectory, 'dist', 'scripts', 'coffer.cjs')
  return await new Promise(resolve =>
    execFile(process.execPath, [coffer, 'check', ...args], (error, stdout, stderr) =>
      resolve({ code: error ? Number(error.code) : 0, output: stdout + stderr })
    )
  )
}
