/** Alert emails to the operator: one when a problem begins, and one when it is resolved. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { silentLog } from '../../core/log.js'
import { ManualClock } from '../../core/time.js'
import { AlarmMails, LocalAlarmLedger, type AlarmLedger, type MailedAlarm } from '../../server/alarm-mails.js'
import { HealthChecks } from '../../server/health.js'
import { startServer } from '../../server/server.js'
import { SmallDisk } from '../faults/small-disk.js'
import { testConfig, testSettings } from '../support/coffer.js'
import { mailbox, type Mailbox } from '../support/mailbox.js'

const mailTo = 'operator@example.com'

function alarm(about: string, kind = 'server'): MailedAlarm {
  return { kind, about, text: `${about} does not answer` }
}

interface Teller {
  readonly mails: AlarmMails
  standing: MailedAlarm[] | undefined
}

function teller(t: Test, box: Mailbox, clock: ManualClock, ledger: AlarmLedger, mailsPerHour = 6): Teller {
  const config = testConfig('/nowhere', { ...box.settings, alarms: { mailTo, mailsPerHour } })
  const made: Teller = {
    standing: [],
    mails: new AlarmMails({
      config,
      clock,
      log: silentLog,
      ledger,
      collect: () => Promise.resolve(made.standing)
    })
  }
  t.teardown(() => made.mails.stop())
  return made
}

t.test('mails when an alert begins and when it is resolved', async t => {
  const box = await mailbox(t)
  const [clock, ledger] = [new ManualClock(), new LocalAlarmLedger()]
  const one = teller(t, box, clock, ledger)
  await one.mails.check()
  one.standing = [alarm('s1'), { kind: 'account', about: 'c123', text: 'A file cannot be made' }]
  await one.mails.check()
  t.same(box.mails, [], 'what was seen once may be gone at once')
  await one.mails.check()
  const first = await box.received(1)
  t.match(first.subject, 'new alerts: 2, resolved: 0')
  t.same(first.to, [mailTo])
  t.match(
    first.text,
    /- s1 does not answer\s+- A file cannot be made \(account c123\)\s[^]*Resolved:\s+–\s[^]*Open alerts: 2/
  )
  for (let times = 0; times < 3; times++) await one.mails.check()

  const other = teller(t, box, clock, ledger)
  other.standing = one.standing
  for (let times = 0; times < 3; times++) await other.mails.check()
  one.standing = []
  await one.mails.check()
  other.standing = undefined
  await other.mails.check()
  await one.mails.check()
  const second = await box.received(2)
  t.match(second.subject, 'new alerts: 0, resolved: 2')
  t.match(second.text, /New alerts[^]*:\s+–\s[^]*Resolved:\s+- s1 does not answer[^]*Open alerts: 0/)
  other.standing = []
  for (let times = 0; times < 3; times++) await other.mails.check()
  await Promise.all([one, other].map(async ({ mails }) => await mails.stop()))
  t.equal(box.mails.length, 2)
})

t.test('sends one mail when two processes report the same alert at the same time', async t => {
  const box = await mailbox(t)
  const [clock, ledger] = [new ManualClock(), new LocalAlarmLedger()]
  const both = [teller(t, box, clock, ledger), teller(t, box, clock, ledger)]
  for (const each of both) each.standing = [alarm('s1')]
  for (let times = 0; times < 3; times++)
    await Promise.all(both.map(async ({ mails }) => await mails.check()))
  await Promise.all(both.map(async ({ mails }) => await mails.stop()))
  t.equal(box.mails.length, 1)
})

t.test('sends no more mails per hour than the setting allows', async t => {
  const box = await mailbox(t)
  const clock = new ManualClock()
  const one = teller(t, box, clock, new LocalAlarmLedger(), 2)
  for (const about of ['s1', 's2', 's3', 's4']) {
    one.standing = [...one.standing!, alarm(about)]
    for (let times = 0; times < 2; times++) await one.mails.check()
  }
  await box.received(2)
  clock.advance(3601)
  await one.mails.check()
  const third = await box.received(3)
  t.match(third.text, /- s3 does not answer\s+- s4 does not answer/, 'what waited comes together')
  await one.mails.stop()
  t.equal(box.mails.length, 3)
})

t.test('a single-node service mails about failing backups', async t => {
  const directory = mkdtempSync(join(tmpdir(), 'coffer-alarms-'))
  t.teardown(() => rmSync(directory, { recursive: true, force: true }))
  const box = await mailbox(t)
  let failures = 2
  const alarms = { mailTo, everySeconds: 1, freePercent: 0 }
  const server = await startServer(testSettings(directory, { workers: 0, ...box.settings, alarms }), {
    backups: () => ({ failures, isRunning: false, runs: [] })
  })
  t.teardown(() => server.close())
  t.match((await box.received(1)).text, /- Backups on this machine are failing/)
  failures = 0
  t.match((await box.received(2)).text, /Resolved:\s+- Backups on this machine are failing/)
})

const disk = SmallDisk.mounted(t, 8)
t.test('reports a disk that is nearly full', { skip: typeof disk === 'string' ? disk : false }, async t => {
  if (typeof disk === 'string') return
  const concerns = new HealthChecks(testConfig(disk.directory, { alarms: { freePercent: 10 } }), undefined)
  await concerns.checkDisk()
  t.same(concerns.list(), [])
  const mebibyte = 1024 * 1024
  disk.fill(mebibyte / 2)
  await concerns.checkDisk()
  t.match(concerns.list(), [{ kind: 'disk', text: /^Less than 10% of the disk of this machine is free/ }])
  disk.empty()
  disk.fill(0.9 * mebibyte)
  await concerns.checkDisk()
  t.equal(concerns.list().length, 1, 'it does not come and go')
  disk.empty()
  await concerns.checkDisk()
  t.same(concerns.list(), [])
})
