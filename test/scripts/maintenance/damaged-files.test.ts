/** Randomly damaged files: each command that reads them ends soon, with an explanation. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, statSync, truncateSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import SQLite from 'better-sqlite3'
import t from 'tap'
import { checkDirectory } from '../../../scripts/maintenance/check.js'
import { readUniqueValues } from '../../../scripts/maintenance/unique-index.js'
import { exportAccount } from '../../../scripts/transfer/export-account.js'
import { Layout } from '../../../storage/files/layout.js'
import type { Account } from '../../../storage/platform/account.js'
import { fullCoffer } from '../../support/forging.js'

const isLong = process.env['COFFER_TEST_LONG'] === '1'
const seed = Number(process.env['COFFER_TEST_SEED'] ?? Date.now() % 1e6)
const count = isLong ? 2000 : 5

t.setTimeout(isLong ? 10_800_000 : 900_000)

/** Maximum duration in milliseconds of all commands for one file. */
const patienceMs = 60_000

/** Errors that explain what is wrong with a file; others are printed with a stack trace. */
const inWords = new Set([
  'done',
  'StoreDamaged',
  'StoreTooNew',
  'StorageFull',
  'OperatorError',
  'TransferError',
  'Taken',
  'Unfinished'
])

t.test('damaged files', async t => {
  const { alice, directory, server } = await fullCoffer(t)
  const account = server.services.accounts.find('alice')!.id
  const calls = Array.from({ length: 600 }, (_, n) => ({
    method: 'events.create',
    params: {
      streamIds: ['diary'],
      type: 'note/txt',
      content: `${n} ${'word '.repeat(n % 60)}`,
      time: n * 1000
    }
  }))
  await alice.http('POST', '/', calls)
  await server.close()
  const layout = new Layout(directory)
  const userFile = layout.userFile(account)
  for (const file of [userFile, layout.platformFile]) {
    const db = new SQLite(file)
    db.pragma('wal_checkpoint(TRUNCATE)')
    db.close()
  }

  await t.test('are detected if the last 1,000 bytes are missing', async t => {
    const copy = new Layout(t.testdir())
    cpSync(directory, copy.root, { recursive: true })
    truncateSync(copy.userFile(account), statSync(userFile).size - 1000)
    const { problems } = await checkDirectory(copy)
    t.ok(
      problems.some(({ kind }) => kind === 'database'),
      JSON.stringify(problems)
    )
  })

  await t.test('are named if a row or the name of a column is damaged', async t => {
    const readDamaged = async (place: string, sql: string): Promise<void> => {
      const copy = new Layout(join(t.testdirName, place))
      cpSync(directory, copy.root, { recursive: true })
      const db = new SQLite(copy.userFile(account)).unsafeMode()
      db.exec(sql)
      db.close()
      const owner = { id: account, username: 'alice', created: 0, state: 'active' } as Account
      const target = join(copy.root, 'export.zip')
      const read = async (): Promise<void> => {
        readUniqueValues(copy, account)
        await exportAccount(copy, owner, target, { includesSecrets: true })
      }
      await t.rejects(read(), { name: 'StoreDamaged', message: `${copy.userFile(account)}: ` }, place)
    }
    t.testdir()
    await readDamaged('row', `INSERT INTO mirror VALUES ('m', 'a', NULL, 'null', '{}')`)
    await readDamaged('json', `INSERT INTO connection VALUES ('c', 'a', '{', '{}')`)
    const name = `replace(sql, 'progress TEXT', CAST(X'FF' AS TEXT) || ' TEXT')`
    await readDamaged(
      'name',
      `PRAGMA writable_schema = ON; UPDATE sqlite_schema SET sql = ${name} WHERE name = 'mirror'`
    )
  })

  await t.test('are read to the end by check, exports and rebuild-index', async t => {
    t.comment(`COFFER_TEST_SEED=${seed}, ${count} files of ${statSync(userFile).size} bytes`)
    const folder = t.testdir()
    const program = fileURLToPath(new URL('damaging.js', import.meta.url))
    const args = [program, directory, folder, String(seed), '0', String(count)]
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
    const exit = once(child, 'exit')
    const said: string[] = []
    let watch = setTimeout(() => {}, 0)
    const lookAfter = (): void => {
      clearTimeout(watch)
      watch = setTimeout(() => child.kill('SIGKILL'), patienceMs)
    }
    lookAfter()
    for await (const line of createInterface({ input: child.stdout })) {
      said.push(line)
      lookAfter()
    }
    clearTimeout(watch)
    const [status] = await exit
    const withSeed = `COFFER_TEST_SEED=${seed}`
    t.equal(status, 0, `${withSeed}, file ${Math.floor(said.length / 2)}: ${said.at(-1)}`)
    t.equal(said.length, 2 * count, withSeed)
    const tally = new Map<string, number>()
    for (const [index, line] of said.entries()) {
      if (index % 2 === 0) continue
      for (const ended of line.split(', ')) {
        tally.set(ended, (tally.get(ended) ?? 0) + 1)
        const [, how = ''] = ended.split(': ')
        if (!inWords.has(how)) t.fail(`${withSeed}, file ${(index - 1) / 2}, ${said[index - 1]}: ${ended}`)
      }
    }
    t.comment(
      [...tally]
        .map(([ended, times]) => `${ended} ${times}`)
        .toSorted()
        .join(', ')
    )
  })
})
