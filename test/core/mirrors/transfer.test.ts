/** Copies in backups and exports. */
import { copyFileSync, mkdirSync, readdirSync } from 'node:fs'
import { dirname } from 'node:path'
import SQLite from 'better-sqlite3'
import t from 'tap'
import { checkDirectory } from '../../../scripts/maintenance/check.js'
import type { Problem } from '../../../scripts/maintenance/check-account.js'
import { vetAccount } from '../../../scripts/vetting/vet-account.js'
import { Layout } from '../../../storage/files/layout.js'
import { AccountReader } from '../../../storage/transfer/account-reader.js'
import { follow, startWorld } from './world.js'

t.setTimeout(120_000)

t.test('files of an account that keeps a copy', async t => {
  const world = await startWorld(t, { workers: 0 })
  const { paul, requesterService } = world
  for (const content of ['one', 'two', 'three'])
    await paul.do('events.create', { streamIds: ['health'], type: 'note/txt', content })
  const { events } = await paul.do('events.get', { limit: 1 })
  const id = await follow(world)
  for (const _ of 'ab') await paul.do('events.delete', { id: events[0].id })
  requesterService.clock.advance(700)
  const layout = new Layout(requesterService.directory)
  const { services } = requesterService.server as unknown as {
    services: { accounts: { find(name: string): { id: string; username: string } } }
  }
  const account = services.accounts.find('dora-doctor')
  t.same((await checkDirectory(layout)).problems, [], 'the service finds nothing wrong')
  const copy = new Layout(t.testdir({}))
  mkdirSync(dirname(copy.userFile(account.id)), { recursive: true })
  const name = layout.userFile(account.id)
  for (const file of readdirSync(dirname(name)))
    copyFileSync(`${dirname(name)}/${file}`, `${dirname(copy.userFile(account.id))}/${file}`)
  const db = new SQLite(copy.userFile(account.id))
  db.pragma('wal_checkpoint(TRUNCATE)')

  const vet = (): Problem[] => {
    const problems: Problem[] = []
    vetAccount(copy, account, { streamDepth: 100, now: 4e9 }, problem => problems.push(problem))
    return problems
  }
  t.same(vet(), [], 'a backup is accepted')

  for (const includesSecrets of [true, false]) {
    const reader = new AccountReader(copy.userFile(account.id), {
      includesSecrets,
      original: copy.userFile(account.id)
    })
    const text = reader.tables
      .map(table => [...reader.lines(table)].map(line => line.toString()).join(''))
      .join('\n')
    const mirrors = reader.tables.includes('mirror')
      ? [...reader.lines('mirror')].map(line => line.toString()).join('')
      : ''
    const kept = text.replace(mirrors, '')
    t.notMatch(kept, /"id":":_followed:/, 'no copied stream')
    t.notMatch(kept, /coffer:followed/, 'no copied event')
    t.equal(mirrors !== '', includesSecrets)
    if (includesSecrets)
      t.match(JSON.parse(mirrors), {
        id,
        next: 0,
        body: { state: 'starting', events: 0 },
        progress: { comparison: 0 }
      })
    reader.close()
  }

  for (const sql of [
    "UPDATE mirror SET body = json_set(body, '$.streamId', 'health')",
    "UPDATE mirror SET body = json_set(body, '$.state', 'odd')",
    "UPDATE mirror SET progress = '[]'",
    "INSERT INTO mirror_kept (access, body) VALUES ('x', '{}')"
  ]) {
    db.exec(sql)
    t.ok(vet().length > 0, sql)
  }
  db.close()
})
