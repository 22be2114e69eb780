/** Scheduled backups, their retention, and backups in S3-compatible storage. */
import { once } from 'node:events'
import { chmodSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type AddressInfo } from 'node:net'
import { join } from 'node:path'
import { generateX25519Identity } from 'age-encryption'
import t, { type Test } from 'tap'
import { makeBackup } from '../../scripts/backup/make-backup.js'
import { openPlace } from '../../scripts/backup/open-place.js'
import { listStates } from '../../scripts/backup/manifest.js'
import { verifyBackup } from '../../scripts/backup/restore-backup.js'
import { selectKept } from '../../scripts/backup/retention.js'
import { Vault } from '../../scripts/backup/vault.js'
import { readSecret } from '../../scripts/terminal/passphrase.js'
import { createVettingOptions } from '../../scripts/vetting/examiner.js'
import { Layout } from '../../storage/files/layout.js'
import { packageDirectory } from '../../core/version.js'
import { bucket } from '../support/bucket.js'
import { ManualClock } from '../../core/time.js'
import { startServer } from '../../server/server.js'
import { Client, coffer, methodModules, Service, testSettings } from '../support/coffer.js'
import { command } from '../support/command.js'
import { mailbox } from '../support/mailbox.js'
import { start } from '../support/process.js'
import { Random } from '../support/random.js'
import { until } from '../support/socket.js'
import { inRotation, rotate } from '../support/rotation.js'

t.setTimeout(900_000)

const isLong = process.env['COFFER_TEST_LONG'] === '1'
const day = 86_400
/** Decides which of the backups in a bucket has a large file in the short form. */
const seed = Number(process.env['COFFER_TEST_SEED'] ?? Date.now() % 1e6)
t.comment(`COFFER_TEST_SEED=${seed}`)
const rule = { days: 7, weeks: 4, months: 12 }
/** Number of daily backups, and of days for which each is kept: enough backups for some that are kept for their week. */
const [backups, keptDays] = isLong ? [24, rule.days] : [11, 3]
const cli = join(packageDirectory, 'dist', 'scripts', 'coffer.cjs')
const none = { endpoint: '', region: '', accessKey: '', secretKey: '' }

t.test('selectKept', t => {
  const start = Date.UTC(2026, 0, 1) / 1000
  const daily = Array.from({ length: 500 }, (_, n) => start + n * day)
  const kept = [...selectKept(daily, rule)].map(time => new Date(time * 1000).toISOString().slice(0, 10))
  const last = new Date(daily.at(-1)! * 1000).toISOString().slice(0, 10)
  t.equal(kept[0], last)
  t.match(kept.slice(0, 7), [
    '2027-05-15',
    '2027-05-14',
    '2027-05-13',
    '2027-05-12',
    '2027-05-11',
    '2027-05-10',
    '2027-05-09'
  ])
  // Sundays, then month ends.
  t.same(kept.slice(7, 9), ['2027-05-02', '2027-04-25'])
  t.same(kept.slice(9, 12), ['2027-04-30', '2027-03-31', '2027-02-28'])
  t.equal(kept.at(-1), '2026-06-30')
  t.same(
    [...selectKept([5, 3, 4], { days: 0, weeks: 0, months: 0 })],
    [5],
    'the latest stays whatever the rule'
  )
  t.same([...selectKept([], rule)], [])
  const random = new Random(seed)
  // One backup a day at random hours: applying the rule daily keeps the same as applying it once at the end.
  let times: number[] = []
  const all: number[] = []
  for (let n = 0; n < 800; n++) {
    const time = start + n * day + random.below(day)
    all.push(time)
    times = [...selectKept([...times, time], rule)]
  }
  t.same(
    times.toSorted(),
    [...selectKept(all, rule)].toSorted(),
    'what goes one day is not missed on another'
  )
  t.end()
})

t.test('earlier backup states', async t => {
  const service = await coffer(t)
  const { alice, directory } = service
  await alice.stream('diary')
  const folder = join(t.testdir(), 'backup')
  const source = new Layout(directory)
  const start = Math.floor(Date.UTC(2026, 2, 1) / 1000)
  const keep = { ...rule, days: keptDays }
  const vettingAt = { vetting: createVettingOptions(testSettings(directory)) }
  const inVault = async <T>(work: (vault: Vault) => Promise<T>): Promise<T> => {
    const vault = await Vault.openForWriting(await openPlace(folder, none, true), false, readSecret({}))
    try {
      return await work(vault)
    } finally {
      await vault.close()
    }
  }
  const made: number[] = []
  for (let n = 0; n < backups; n++) {
    // Writes on two days out of three; a file is removed each week.
    if (n % 3 !== 0) await alice.event({ content: `day ${n}` })
    if (n % 7 === 2) {
      const form = new FormData()
      form.append('event', JSON.stringify({ streamIds: ['diary'], type: 'file/attached' }))
      form.append('file', new Blob([`file of day ${n}`]), 'a.txt')
      await alice.http('POST', '/events', form)
    }
    const { events } = await alice.do('events.get', { types: ['file/attached'] })
    if (n % 7 === 5) for (const { id } of events) await twice(() => alice.do('events.delete', { id }))
    await service.server.settle()
    made.push(start + n * day)
    const report = await inVault(vault => makeBackup(source, vault, { keep, made: start + n * day }))
    t.same(report.problems, [], `day ${n}`)
  }
  const wanted = [...selectKept(made, keep)].toSorted((a, b) => b - a)
  t.same(await inVault(listStates), wanted)
  for (const at of wanted) {
    const report = await inVault(vault => verifyBackup(vault, { at, ...vettingAt }))
    t.match(
      report,
      { made: at, accounts: 1, problems: [] },
      `that of day ${(at - start) / day} can be restored`
    )
  }

  t.test('can be restored', async t => {
    const at = new Date((wanted.at(-1)! + 3600) * 1000).toISOString()
    const target = join(t.testdir(), 'data')
    const args = ['restore', folder, `--dataDir=${target}`]
    const refused = await command([...args, '--at=2020-01-01'])
    t.match(refused, { code: 1, errors: /contains no backup made by 2020-01-01/ })
    t.notOk(existsSync(join(target, 'platform.sqlite')))
    t.match(await command([...args, `--at=${at}`]), {
      code: 0,
      output: new RegExp(`from a backup of ${at.slice(0, 10)}`)
    })
    const again = await reopened(t, target, alice)
    const { events } = await again.do('events.get', { limit: 100, types: ['note/txt'] })
    const days = (wanted.at(-1)! - start) / day
    t.equal(events.length, Array.from({ length: days + 1 }, (_, n) => n).filter(n => n % 3 !== 0).length)
    const { output } = await command(['restore', folder, '--list', '--json'])
    t.equal(JSON.parse(output).length, wanted.length)
  })

  t.test('are unaffected by a manual backup', async t => {
    t.match(await command(['backup', folder, `--dataDir=${directory}`]), { code: 0 })
    t.equal((await inVault(listStates)).length, wanted.length)
    t.match((await inVault(vault => verifyBackup(vault, { at: wanted[3]!, ...vettingAt }))).problems, [])
  })

  t.test('are reported when damaged, and none is removed', async t => {
    // A day after the manual backup, which is dated today.
    const later = Math.floor(Date.now() / 1000) + day
    const oldest = join(folder, 'earlier', String(wanted.at(-1)))
    writeFileSync(oldest, '{')
    const before = await inVault(listStates)
    const report = await inVault(vault =>
      makeBackup(source, vault, { keep: { days: 1, weeks: 0, months: 0 }, made: later })
    )
    t.match(report.problems, [{ detail: /Can't read earlier\/\d+.*unchanged/ }])
    t.equal((await inVault(listStates)).length, before.length + 1)
    rmSync(oldest)
    await inVault(vault =>
      makeBackup(source, vault, { keep: { days: 1, weeks: 0, months: 0 }, made: later + day })
    )
    t.same(await inVault(listStates), [later + day])
    t.same((await inVault(vault => verifyBackup(vault, vettingAt))).problems, [])
  })
})

for (const isEncrypted of rotate(t, [false, true]))
  t.test(`${isEncrypted ? 'encrypted' : 'plain'} backups in a bucket`, async t => {
    const { flags, keys, settings, to } = await bucket(t)
    const service = await coffer(t)
    const { alice, directory } = service
    const form = new FormData()
    form.append('event', JSON.stringify({ streamIds: ['diary'], type: 'file/attached' }))
    // The large one is larger than a multipart chunk, and not a multiple of one.
    const size = 17_000_001
    form.append('file', new Blob([Buffer.alloc(size, 'x')]), 'large.bin')
    await alice.stream('diary')
    t.equal((await alice.http('POST', '/events', form)).status, 201)
    // Opened several times: a passphrase would take a second each time.
    const identity = join(t.testdir({ identity: `${await generateX25519Identity()}\n` }), 'identity')
    chmodSync(identity, 0o600)
    const secret = isEncrypted ? [`--identity=${identity}`] : []
    const args = [`--dataDir=${directory}`, `--backup.to=${to}`, ...flags, ...secret]
    t.match(await command(['backup', ...args]), {
      code: 0,
      output: isEncrypted ? /1 account verified by restoring; encrypted/ : /not encrypted/
    })
    await alice.event({ content: 'later' })
    await service.server.settle()
    t.match(JSON.parse((await command(['backup', '--json', ...args])).output), {
      copied: 1,
      attachments: 0,
      problems: [],
      verified: 1
    })
    t.equal(keys().filter(key => /\/\w+-\w+\.sqlite(?:\.age)?$/.test(key) && key.includes('users')).length, 1)
    t.ok(keys().every(key => key.startsWith('coffer/')))
    t.notOk(
      keys().some(key => key.includes('backup.lock')),
      'it is not locked any more'
    )

    const place = await openPlace(to, settings, false)
    await place.lock()
    t.match(await command(['backup', ...args]), {
      code: 1,
      errors: /is in use by another run until/
    })
    t.match(await command(['restore', '--verify', ...args]), { code: 1, errors: /is in use/ })
    await place.close()

    const target = join(t.testdirName, 'data')
    const back = ['restore', `--dataDir=${target}`, `--backup.to=${to}`, ...flags, ...secret]
    t.match(await command(back), { code: 0, output: /1 account restored/ })
    t.match(await command(['check', `--dataDir=${target}`]), { code: 0 })
    const again = await reopened(t, target, alice)
    const { events } = await again.do('events.get')
    t.match(events, [{ content: 'later' }, { attachments: [{ size }] }])

    const wrong = flags.map(flag => flag.replace(/accessKey=.*/, 'accessKey=another'))
    const denied = ['backup', `--dataDir=${directory}`, `--backup.to=${to}`, ...wrong, ...secret]
    t.match(await command(denied), {
      code: 1,
      errors: /s3:\/\/safe\/coffer: access denied/
    })
    const elsewhere = await command(['backup', 's3://nowhere', `--dataDir=${directory}`, ...flags, ...secret])
    t.match(elsewhere, { code: 1, errors: /s3:\/\/nowhere: the bucket does not exist/ })
  })

t.test('scheduled backups', async t => {
  const folder = t.testdir()
  const at = (name: string): string => join(folder, name)
  const adminKey = 'key of the operator'
  const metric = async (url: string, name: string): Promise<number> => {
    const answer = await fetch(`${url}/metrics`, { headers: { Authorization: adminKey } })
    return Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(await answer.text())?.[1])
  }
  const serve = async (t: Test, ...more: string[]): ReturnType<typeof start> =>
    await start(t, at('data'), process.execPath, [cli, 'serve', `--adminKey=${adminKey}`, ...more])

  await t.test('run soon after they are turned on', async t => {
    const before = await serve(t, `--backup.to=${at('safe')}`)
    await until(
      async () => (await metric(before.url, 'coffer_backup_last_success_timestamp_seconds')) > 0,
      'a backup'
    )
    t.equal(await metric(before.url, 'coffer_backup_failures'), 0)
    t.match(await before.stop('SIGTERM'), { status: 0 })
    const state = JSON.parse(readFileSync(at('data/backup-state.json'), 'utf8'))
    t.match(state, { failures: 0, attempted: Number })

    const same = await serve(t, `--backup.to=${at('safe')}`)
    t.equal(await metric(same.url, 'coffer_backup_last_success_timestamp_seconds'), state.succeeded)
    t.match(await same.stop('SIGTERM'), { status: 0 })
    t.match(await command(['restore', '--verify', `--backup.to=${at('safe')}`]), { code: 0 })
  })

  const rarely = inRotation(t, 2)
  await rarely('catch up on missed runs', async t => {
    // As if the service had been off for two days.
    const state = JSON.parse(readFileSync(at('data/backup-state.json'), 'utf8'))
    writeFileSync(
      at('data/backup-state.json'),
      JSON.stringify({ ...state, attempted: state.attempted - 2 * day })
    )
    const late = await serve(t, `--backup.to=${at('safe')}`)
    await until(
      async () => (await metric(late.url, 'coffer_backup_last_success_timestamp_seconds')) > state.succeeded,
      'the one that was missed'
    )
    t.match(await late.stop('SIGTERM'), { status: 0 })
  })

  await t.test('follow the schedule', async t => {
    const state = JSON.parse(readFileSync(at('data/backup-state.json'), 'utf8'))
    const service = await serve(t, `--backup.to=${at('safe')}`, '--backup.schedule=* * * * * *')
    await until(
      async () =>
        (await metric(service.url, 'coffer_backup_last_success_timestamp_seconds')) > state.succeeded,
      'the next second'
    )
    t.match(await service.stop('SIGTERM'), { status: 0 }, 'also in the middle of one')
    t.match(await command(['check-config', '--backup.schedule=every day']), {
      code: 1,
      errors: /backup\.schedule .*must be a cron expression such as 30 3/
    })
  })

  await rarely('report a failure and continue', async t => {
    const box = await mailbox(t)
    const port = await closedPort()
    const service = await serve(
      t,
      '--backup.to=s3://safe',
      `--backup.s3.endpoint=http://127.0.0.1:${port}`,
      '--backup.s3.accessKey=key',
      '--backup.s3.secretKey=very secret',
      '--backup.schedule=* * * * * *',
      '--backup.mailTo=operator@example.com',
      '--services.email.smtp.host=127.0.0.1',
      `--services.email.smtp.port=${box.port}`
    )
    const mail = await box.receivedBy('operator@example.com')
    t.match(mail.subject, 'Backup failed')
    t.match(mail.text, /to s3:\/\/safe failed:[^]*s3:\/\/safe: [^]*Last successful backup: 20/)
    await until(async () => (await metric(service.url, 'coffer_backup_failures')) >= 2, 'another failure')
    t.equal(box.mails.length, 1, 'of which nobody is told')
    t.equal((await fetch(service.url)).status, 200)
    t.ok(service.lines.some(line => line.includes('a backup failed: s3://safe: ')))
    t.notMatch(service.lines.join('\n') + mail.text + mail.html, /very secret| {4}at /)
    t.match(await service.stop('SIGTERM'), { status: 0 })

    const mended = await serve(t, `--backup.to=${at('safe')}`)
    await until(
      async () => (await metric(mended.url, 'coffer_backup_failures')) === 0,
      'one that is made at the next start, whatever the schedule'
    )
    t.match(await mended.stop('SIGTERM'), { status: 0 })
  })
})

/** Starts a service on restored data, and returns a client with the same token. */
async function reopened(t: Test, directory: string, { access, username }: Client): Promise<Client> {
  const clock = new ManualClock()
  const server = await startServer(testSettings(directory), { clock, methodModules })
  t.teardown(() => server.close())
  return new Client(new Service(server, clock, directory), username, access)
}

/** Returns a port on which nothing listens. */
async function closedPort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  return port
}

async function twice(work: () => Promise<unknown>): Promise<void> {
  await work()
  await work()
}
