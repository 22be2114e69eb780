/** README tells the truth: its tour is run line by line, its table held against the settings. */
import { spawn } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import t from 'tap'
import { settingsTable } from '../../core/settings/list.js'
import { packageDirectory } from '../../core/version.js'
import { startServer } from '../../server/server.js'
import { testSettings } from '../support/coffer.js'

const readme = readFileSync(join(packageDirectory, 'README.md'), 'utf8')

/** Runs a script in bash; answers the lines that it printed on standard output, and on standard error. */
async function bash(script: string): Promise<{ printed: string[]; noted: string[] }> {
  const shell = spawn('bash', ['-eu', '-c', script], { stdio: ['ignore', 'pipe', 'pipe'] })
  const [printed, noted] = await Promise.all([text(shell.stdout), text(shell.stderr)])
  return { printed: printed.split('\n').filter(Boolean), noted: noted.split('\n').filter(Boolean) }
}

/** The rows of a table, without the blanks that only line it up. */
function cells(table: string): string[] {
  return table
    .trim()
    .split('\n')
    .slice(2)
    .map(row => row.replaceAll(/\s+/g, ' '))
}

t.test('README', async t => {
  t.test('has a tour whose lines do what it says', async t => {
    const directory = t.testdir()
    const server = await startServer(testSettings(directory))
    t.teardown(async () => await server.close())
    const tour = readme.slice(readme.indexOf('## Five-minute tour'), readme.indexOf('## Settings'))
    const lines = Array.from(tour.matchAll(/```sh\n([\s\S]*?)```/g), ([, block]) => block).join('')
    // Each answer is a line on standard output, its status one on standard error.
    const reporting = `curl() { command curl --write-out '\\n%{stderr}%{http_code}\\n' "$@"; }\n`
    const { printed, noted } = await bash(reporting + lines.replace('http://127.0.0.1:3000', server.url))
    const answers = printed.map(line => JSON.parse(line))
    t.match(answers, [
      { username: 'daisy', apiEndpoint: String },
      { type: 'personal', user: { username: 'daisy' } },
      { stream: { id: 'health' } },
      { stream: { id: 'weight', parentId: 'health' } },
      { streams: [{ id: ':_audit:' }, { id: 'health', children: [{ id: 'weight' }] }] },
      { event: { content: 61.5 } },
      { event: { content: 'Slept well' } },
      { events: [{ content: 'Slept well' }, { content: 61.5 }] },
      { events: [{ content: 61.5 }] },
      { results: [{ event: { content: 61.2 } }, { events: [{ content: 61.2 }] }] },
      { events: [{ content: 61.2 }, { content: 61.5 }] },
      { error: { id: 'forbidden' } }
    ])
    t.equal(answers[8].events.length, 1)
    t.equal(answers[10].events.length, 2)
    t.equal(noted.join(' '), '201 200 200 201 201 200 201 201 200 200 200 201 200 403')
  })

  t.test('lists the settings as they are (npm run document)', async t => {
    const table = readme.slice(readme.indexOf('| Setting'), readme.indexOf('<!-- end of settings'))
    t.same(cells(table), cells(settingsTable()))
  })

  t.test('names commands that exist', async t => {
    const { scripts } = JSON.parse(readFileSync(join(packageDirectory, 'package.json'), 'utf8'))
    for (const [, name] of readme.matchAll(/npm run ([a-z:]+)/g)) t.ok(scripts[name!], `npm run ${name}`)
  })
})

t.test('test/README.md', async t => {
  const lines = readFileSync(join(packageDirectory, 'test', 'README.md'), 'utf8').split('\n')

  t.test('names tests that exist, for every risk', async t => {
    const rows = lines.filter(line => /^\| \d+ /.test(line))
    t.same(
      rows.map(row => Number(row.split('|')[1])),
      Array.from({ length: 40 }, (_value, index) => index + 1)
    )
    for (const row of rows) {
      const named = Array.from(row.split('|')[3]!.matchAll(/`([^`]+)`/g), ([, name]) => name!)
      t.ok(named.length > 0, row)
      for (const name of named) t.ok(existsSync(join(packageDirectory, 'test', `${name}.test.ts`)), name)
    }
  })

  t.test('names the folders that there are', async t => {
    const named = lines.flatMap(line => /^\| `(\w+)` /.exec(line)?.[1] ?? [])
    const rooms = ['core', 'scripts', 'server', 'storage', 'transports', 'web']
    const folders = readdirSync(join(packageDirectory, 'test'), { withFileTypes: true }).filter(entry =>
      entry.isDirectory()
    )
    t.same([...named, ...rooms].toSorted(), folders.map(({ name }) => name).toSorted())
  })
})
