/** The service as a process: it starts, reports that, and stops on request. */
import { execFileSync, spawn, type StdioOptions } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, closeSync, openSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { createServer, type AddressInfo } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { generateX25519Identity } from 'age-encryption'
import t from 'tap'
import { packageDirectory } from '../../core/version.js'
import { command } from '../support/command.js'
import { assertTakesLessThan } from '../support/probe.js'
import { start } from '../support/process.js'
import { inRotation, rotate } from '../support/rotation.js'

// Processes start slowly while many tests run.
t.setTimeout(900_000)

/** Creates a file with an age identity. */
async function identityIn(folder: string): Promise<string> {
  const file = join(folder, 'identity')
  writeFileSync(file, await generateX25519Identity(), { mode: 0o600 })
  return file
}

const cli = join(packageDirectory, 'dist', 'scripts', 'coffer.cjs')

t.test('coffer serve', async t => {
  for (const signal of rotate(t, ['SIGTERM', 'SIGINT'] as const))
    t.test(`creates ./data, which is private, if no other place is set, and stops on ${signal}`, async t => {
      const cwd = t.testdir()
      const service = await start(t, undefined, process.execPath, [cli, 'serve'], cwd)
      t.equal(statSync(join(cwd, 'data')).mode & 0o777, 0o700)
      // One connection is idle then.
      t.equal((await fetch(`${service.url}/`)).status, 200)
      const { status, lastedMs } = await service.stop(signal)
      t.equal(status, 0)
      await assertTakesLessThan(t, 5000, () => lastedMs, 1)
      t.match(service.lines.at(-1), '"stopped"')
      await t.rejects(fetch(`${service.url}/`))
    })

  t.test('writes private files in a folder that others can read, and warns', async t => {
    const folder = t.testdir({ data: {}, backup: {}, restored: {} })
    const at = (name: string): string => join(folder, name)
    for (const name of ['data', 'backup', 'restored']) chmodSync(at(name), 0o755)
    const first = await start(t, at('data'), process.execPath, [cli, 'serve'])
    const account = {
      appId: 'own-app',
      username: 'daisy',
      password: 'a long sentence',
      email: 'd@example.com'
    }
    const registered = await fetch(`${first.url}/users`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(account)
    })
    const { apiEndpoint } = (await registered.json()) as { apiEndpoint: string }
    const token = new URL(apiEndpoint).username
    const post = async (path: string, body: string | FormData): Promise<string> => {
      const headers = {
        authorization: token,
        ...(typeof body === 'string' && { 'content-type': 'application/json' })
      }
      return await (await fetch(`${first.url}/daisy${path}`, { method: 'POST', headers, body })).text()
    }
    await post('/streams', '{"id":"diary","name":"diary"}')
    const form = new FormData()
    form.append('event', '{"streamIds":["diary"],"type":"picture/attached"}')
    form.append('file', new Blob(['a file']), 'a.txt')
    t.match(await post('/events', form), 'attachments')
    const identity = await identityIn(folder)
    const umask = process.umask(0)
    try {
      const run = (...args: string[]): void =>
        void execFileSync(process.execPath, [cli, ...args], { stdio: 'pipe' })
      const pairs: [() => void, () => void][] = [
        [
          () => run('backup', at('backup'), '--dataDir', at('data')),
          () => run('restore', at('backup'), '--dataDir', at('restored'))
        ],
        [
          () => run('export', 'daisy', at('daisy.zip'), '--dataDir', at('data')),
          () => run('import', at('daisy.zip'), '--as', 'daisy2', '--dataDir', at('imported'))
        ],
        [
          () => run('backup', at('sealed'), '--dataDir', at('data'), '--identity', identity),
          () => run('init', '--yes', '--file', at('coffer.yaml'))
        ]
      ]
      const turns = rotate(t, pairs)
      for (const [ahead] of turns) ahead()
      await first.stop('SIGTERM')
      for (const [, after] of turns) after()
    } finally {
      process.umask(umask)
    }
    const open = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(
      name => (statSync(at(name)).mode & 0o077) !== 0
    )
    t.same(open.toSorted(), ['backup', 'data', 'restored'], 'only what was open before')
    const message = `chmod -R go= ${at('data')}`
    t.ok(
      first.lines.some(
        line => line.includes('other users can access the data directory') && line.includes(message)
      )
    )
    execFileSync('chmod', ['-R', 'go=', at('data')])
    const second = await start(t, at('data'), process.execPath, [cli, 'serve'])
    t.notOk(second.lines.some(line => line.includes('other users can access')))
    await second.stop('SIGTERM')
    chmodSync(at('data/platform.sqlite'), 0o644)
    chmodSync(at('data'), 0o755)
    const third = await start(t, at('data'), process.execPath, [cli, 'serve'])
    t.ok(
      third.lines.some(line => line.includes('(., platform.sqlite, ')),
      third.lines.join()
    )
    t.equal((await third.stop('SIGTERM')).status, 0)
  })

  t.test('responds to pending requests before it stops', async t => {
    const service = await start(t, t.testdir(), process.execPath, [cli, 'serve'])
    const { port } = new URL(service.url)
    const account = JSON.stringify({
      appId: 'last-app',
      username: 'latecomer',
      password: 'just in time',
      email: 'late@example.com'
    })
    const outgoing = request({
      port,
      host: '127.0.0.1',
      path: '/users',
      method: 'POST',
      headers: { 'content-length': account.length }
    })
    outgoing.write(account.slice(0, 10))
    await once(outgoing, 'socket')
    await fetch(`${service.url}/`)
    const answered = once(outgoing, 'response')
    const stopped = service.stop('SIGTERM')
    while (!service.lines.some(line => line.includes('stopping'))) await once(service.process.stdout!, 'data')
    outgoing.end(account.slice(10))
    const [response] = await answered
    t.equal(response.statusCode, 201)
    response.resume()
    t.equal((await stopped).status, 0)

    const { output } = await command(['user', 'list', '--dataDir', t.testdirName])
    t.match(output, 'latecomer')
  })

  t.test('is used by one process at a time', async t => {
    const dataDir = t.testdir()
    const first = await start(t, dataDir, process.execPath, [cli, 'serve'])
    const second = spawn(process.execPath, [cli, 'serve', '--port=0', `--dataDir=${dataDir}`], {
      stdio: ['ignore', 'ignore', 'pipe']
    })
    const [[message], [status]] = await Promise.all([once(second.stderr, 'data'), once(second, 'exit')])
    t.equal(status, 1)
    t.match(String(message), `pid ${first.process.pid}`)
    first.process.kill('SIGKILL')
    await once(first.process, 'exit')
    const third = await start(t, dataDir, process.execPath, [cli, 'serve'])
    t.equal((await third.stop('SIGTERM')).status, 0)
  })

  t.test('reports errors in settings or of the port in lines', async t => {
    const server = createServer().listen(0, '127.0.0.1')
    t.teardown(() => server.close())
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    const other = join(t.testdir(), 'other')
    for (const [flags, words] of [
      [
        ['--port=none', '--x=1'],
        ['port (--port)', '--x (flag) is not a known setting']
      ],
      [[`--port=${port}`, `--dataDir=${other}`], ['is already in use. Stop the other program']]
    ] as const) {
      const child = spawn(process.execPath, [cli, 'serve', ...flags], { stdio: ['ignore', 'ignore', 'pipe'] })
      const [[message], [status]] = await Promise.all([once(child.stderr, 'data'), once(child, 'exit')])
      t.equal(status, 1)
      for (const word of words) t.match(String(message), word)
      t.notMatch(String(message), '    at ')
    }
  })
})

/** Runs a command with redirected output. */
async function runInto(
  args: readonly string[],
  stdio: StdioOptions
): Promise<[status: number, errors: string]> {
  const child = spawn(process.execPath, [cli, ...args], { stdio })
  // The reader of the output has gone.
  child.stdout?.destroy()
  const [errors, [status]] = await Promise.all([
    child.stderr ? text(child.stderr) : '',
    once(child, 'exit') as Promise<[number]>
  ])
  return [status, errors]
}

t.test('a command whose output cannot be written', async t => {
  const full = openSync('/dev/full', 'w')
  t.teardown(() => closeSync(full))
  const dataDir = t.testdir()
  const runs: [name: string, args: string[]][] = [
    ['prints text', ['settings']],
    ['prints JSON', ['check', '--json', `--dataDir=${dataDir}`]]
  ]
  const rarely = inRotation(t, 2)
  for (const [name, args] of runs) {
    await rarely(`reports that the disk is full if it ${name}`, async t => {
      const [status, errors] = await runInto(args, ['ignore', full, 'pipe'])
      t.equal(status, 1)
      t.equal(errors, `Can't write the output: The disk is full\n`)
    })
    await rarely(`reports nothing to a closed pipe if it ${name}`, async t => {
      const [status, errors] = await runInto(args, ['ignore', 'pipe', 'pipe'])
      t.equal(status, 1)
      t.equal(errors, '')
    })
  }
  await rarely('ends if its errors cannot be written', async t => {
    t.same(await runInto(['user', 'list', '--port=none'], ['ignore', full, full]), [1, ''])
  })
})

t.test('npm start', async t => {
  t.test('forwards signals to the service', async t => {
    const dataDir = t.testdir()
    const npm = await start(t, dataDir, 'npm', ['start'])
    t.equal((await fetch(`${npm.url}/`)).status, 200)
    const pid = Number(readFileSync(join(dataDir, 'coffer.lock.pid'), 'utf8'))
    t.not(pid, npm.process.pid)
    const { lastedMs } = await npm.stop('SIGTERM')
    await assertTakesLessThan(t, 10_000, () => lastedMs, 1)
    t.match(npm.lines.at(-1), '"stopped"')
    t.throws(() => process.kill(pid, 0), { code: 'ESRCH' })
  })
})
