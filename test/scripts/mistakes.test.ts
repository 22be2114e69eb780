/** Mistakes on the command line: one or two lines that explain the error, no stack trace, and an exit code. */
import { once } from 'node:events'
import { chownSync, mkdirSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import SQLite from 'better-sqlite3'
import t from 'tap'
import { describeSystemError } from '../../scripts/terminal/system-errors.js'
import { coffer } from '../support/coffer.js'
import { command, commandProcess } from '../support/command.js'

t.setTimeout(900_000)

const passphrase = { COFFER_BACKUP_PASSPHRASE: 'a long passphrase' }

/** Starts a server of another kind. */
async function stranger(): Promise<string> {
  const answers = new Map([
    ['/html', '<!doctype html>'],
    ['/object', '{}'],
    ['/null', 'null'],
    ['/words', '{"api":"nonsense {username}","register":"nothing"}']
  ])
  const server = createServer(({ url = '' }, response) => {
    const { port } = server.address() as AddressInfo
    const info = { api: `http://127.0.0.1:${port}/{username}/`, register: `http://127.0.0.1:${port}/html/` }
    const text = url === '/info' ? JSON.stringify(info) : answers.get(url)
    response.writeHead(text === undefined ? 500 : 200).end(text ?? 'oops')
  })
  t.teardown(() => server.close())
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

function health(url: string, ...more: string[]): string[] {
  return ['health', url, '--user', 'watch-dog', ...more]
}

t.test('mistakes on the command line', async t => {
  const other = await stranger()
  const { server } = await coffer(t)
  const info = `${server.url}/reg/service/info`
  const directory = t.testdir()
  const at = (name: string): string => join(directory, name)
  for (const name of ['empty', 'garbage']) mkdirSync(at(name))
  writeFileSync(at('file.txt'), 'text')
  writeFileSync(at('broken.yaml'), 'port: [')
  writeFileSync(at('garbage/platform.sqlite'), 'garbage')
  const data = `--dataDir=${at('empty')}`
  const garbage = `--dataDir=${at('garbage')}`
  const file = `--dataDir=${at('file.txt')}`
  const nothing = `--dataDir=${at('nothing')}`

  const mistakes: [args: readonly string[], words: RegExp][] = [
    [health('nonsense', '--prepare'), /^"nonsense" is not an http or https URL$/m],
    [health('file:///etc/passwd', '--prepare'), /not an http or https URL/],
    [health('http://127.0.0.1:1/', '--prepare'), /is unreachable: .*(?:ECONNREFUSED|bad port)/],
    [health(`${other}/html`, '--prepare'), /responded with 200 without a JSON object/],
    [health(`${other}/null`, '--prepare'), /without a JSON object/],
    [health(`${other}/missing`, '--prepare'), /responded with 500/],
    [health(`${other}/object`, '--prepare'), /returned no service information/],
    [health(`${other}/words`, '--prepare'), /contains an invalid URL: "nonsense watch-dog"/],
    [health(`${other}/info`, '--prepare'), /\/html\/users responded with 500 without a JSON object/],
    [['health', info, '--user', 'x', '--prepare'], /responded with 400: .*username-invalid/],
    [['health', info, '--user', '\ud800', '--prepare'], /responded with 400/],
    [['backup', data], /Missing destination\. Pass a folder or s3/],
    [['restore', data], /Missing destination/],
    [['backup', at('a'), at('b'), data], /Expected at most one argument/],
    [['backup', 's3://BAD_BUCKET', data], /not a valid bucket/],
    [['backup', 's3://bucket', data], /need backup\.s3\.accessKey and backup\.s3\.secretKey/],
    [['restore', at('empty'), nothing, '--at=yesterday'], /--at must be a date/],
    [['health', info], /needs an account\. Pass --user/],
    [['health', info, data], /--dataDir can't be combined with a URL/],
    [['health', '--prepare', data], /need the URL of a service/],
    [['health', nothing], /folder not found/],
    [['health', data], /not running: no process uses/],
    [['backup', at('out'), nothing], /folder not found/],
    [['backup', at('out'), file], /is not a folder/],
    [['backup', at('out'), garbage], /file is not a database/],
    [['backup', at('file.txt'), data], /file\.txt/],
    [['restore', at('nothing'), nothing], /is not a backup/],
    [['restore', at('file.txt'), nothing], /is not a backup/],
    [['restore', at('empty'), file], /is not a folder/],
    [['export', 'nobody', at('out.zip'), data], /No account nobody/],
    [['export', 'nobody', at('out.zip'), garbage], /file is not a database/],
    [['import', at('nothing.zip'), data], /File not found: .*nothing\.zip/],
    [['import', at('file.txt'), data], /Can't import .*not a zip file/],
    [['import', at('empty'), data], /empty is a folder, not a file/],
    [['check', garbage], /file is not a database/],
    [['check', file], /is not a folder/],
    [['check', nothing], /folder not found/],
    [['migrate', garbage], /file is not a database/],
    [['migrate', file], /is not a folder/],
    [['rebuild-index', file], /is not a folder/],
    [['user', 'list', file], /is not a folder/],
    [['user', 'list', garbage], /file is not a database/],
    [['user', 'list', data], /No data found: .*empty.platform\.sqlite does not exist/],
    [['user', 'create', 'daisy', '--email=d@example.com', file], /is not a folder/],
    [['user', 'create', 'daisy', '--email=d@example.com', garbage], /file is not a database/],
    [['user', 'delete', 'nobody', '--yes', data], /Unknown user/],
    [['user', 'token', 'nobody', data], /Unknown user "nobody"/],
    [['user', 'move', 'nobody', 'nonsense', data], /must be an http or https URL/],
    [['user', 'move', 'nobody', '--undo', data], /Unknown user/],
    [['invite', '--count=many', data], /1 to 999/],
    [['invite', file], /is not a folder/],
    [['init', '--yes', `--file=${at('nothing/coffer.yaml')}`], /Folder not found: .*nothing/],
    [['init', '--yes', `--file=${at('empty')}`], /already exists/],
    [['serve', file], /is not a folder/],
    [['serve', garbage], /is damaged or missing/],
    [
      ['serve', nothing, `--port=${new URL(other).port}`],
      /127\.0\.0\.1:\d+ is already in use\. Stop the other program/
    ],
    [['serve', nothing, '--host=nowhere.invalid', '--port=0'], /nowhere\.invalid/],
    [['serve', nothing, '--http.trustedProxies=banana'], /http\.trustedProxies/],
    [['serve', nothing, `--auth.authorizationStep=${at('nothing.mjs')}`], /auth\.authorizationStep/],
    [['check-config', `--config=${at('nothing.yaml')}`], /does not exist/],
    [['check-config', `--config=${at('empty')}`], /can't read/],
    [['check-config', `--config=${at('broken.yaml')}`], /can't read/],
    [['check-config', '--backup.schedule=0 3 31 2 *'], /backup\.schedule .*must be a cron expression/],
    [['check-config', '--config'], /--config \(flag\) needs a value/],
    [['check-config', '--http.trustedProxies=10.0.0.0/8,banana'], /http\.trustedProxies .*banana/]
  ]
  for (const [args, words] of mistakes)
    t.test(`coffer ${args.join(' ').replaceAll(directory, '')}`, async t => {
      const { code, errors, output } = await command(args, { input: 'a long password\n', env: passphrase })
      t.ok(code === 1 || code === 2, `exit code ${code}`)
      t.match(errors + output, words)
      t.notMatch(errors + output, /^ {4}at |node:internal|\.[jt]s:\d+/m, errors)
    })

  for (const args of [['nonsense'], ['user', 'nonsense']])
    t.test(`coffer ${args.join(' ').replace(info, '')}`, async t => {
      const { code, errors } = await commandProcess(args)
      t.equal(code, 1)
      t.match(errors, /^error: \S.*\n$/)
    })
})

const isRoot = process.getuid?.() === 0

t.test('commands warn about a data directory of another user', { skip: !isRoot && 'needs root' }, async t => {
  const directory = t.testdir({})
  const warning = /belongs to another user \(65534\)\. Run commands as that user/
  t.notMatch((await command(['invite', `--dataDir=${directory}`])).errors, warning)
  chownSync(directory, 65_534, 65_534)
  t.match((await command(['invite', `--dataDir=${directory}`])).errors, warning)
})

t.test('errors of SQLite are told in a line if their cause is outside of the service', async t => {
  t.equal(describeSqlite('disk I/O error', 'SQLITE_IOERR_READ'), 'SQLite: disk I/O error (SQLITE_IOERR_READ)')
  t.equal(describeSqlite('locking protocol', 'SQLITE_PROTOCOL'), 'SQLite: locking protocol (SQLITE_PROTOCOL)')
  t.equal(describeSqlite('malformed', 'SQLITE_CORRUPT'), 'SQLite: malformed (SQLITE_CORRUPT)')
  t.equal(describeSqlite('near "x": syntax error', 'SQLITE_ERROR'), undefined)
})

function describeSqlite(message: string, code: string): string | undefined {
  return describeSystemError(new SQLite.SqliteError(message, code))
}
