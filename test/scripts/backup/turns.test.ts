/** Backups that several processes have the same schedule for: what failed at one is no alarm once it is up to another. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { silentLog } from '../../../core/log.js'
import { ScheduledBackups } from '../../../scripts/backup/scheduled-backups.js'
import { Layout } from '../../../storage/files/layout.js'
import { testSettings } from '../../support/coffer.js'
import { until } from '../../support/socket.js'

t.test('a failure at a process whose turn it is no more', async t => {
  const directory = mkdtempSync(join(tmpdir(), 'coffer-turns-'))
  t.teardown(() => rmSync(directory, { recursive: true, force: true }))
  const layout = new Layout(directory)
  const kept = { attempted: 1e9, succeeded: 9e8, failures: 2, problem: 'the place is full' }
  writeFileSync(layout.backupStateFile, JSON.stringify(kept))
  const backups = new ScheduledBackups({
    settings: testSettings(directory, { backup: { to: join(directory, 'place') } }),
    flags: [],
    layout,
    log: silentLog,
    isTurn: () => Promise.resolve(false),
    tell: () => Promise.reject(new Error('nothing is to be told'))
  })
  t.teardown(() => backups.close())
  t.match(backups.state(), { failures: 2, problem: 'the place is full' })
  backups.start()
  await until(() => backups.state().failures === 0, 'the failures to be left to the other one')
  t.equal(backups.state().problem, undefined)
  t.same(JSON.parse(readFileSync(layout.backupStateFile, 'utf8')), {
    attempted: 1e9,
    succeeded: 9e8,
    failures: 0
  })
})
