/** External faults of the process: a signal under load, no file descriptors, a damaged platform file. */
import { spawn, type ChildProcess, type StdioOptions } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import t from 'tap'
import { checkDirectory } from '../../scripts/maintenance/check.js'
import { Layout } from '../../storage/files/layout.js'
import { post, signIn } from '../durability/requests.js'
import { freePort } from '../support/free-ports.js'
import { filesIn } from '../support/planted.js'
import { assertTakesLessThan } from '../support/probe.js'
import { connect as openSocket, until } from '../support/socket.js'
import { FaultyServer, program } from './server.js'
import { inRotation, rotate } from '../support/rotation.js'

// Processes start slowly while many tests run.
t.setTimeout(900_000)

t.test('SIGTERM under load, with sockets and unfinished uploads', async t => {
  const dataDir = t.testdir()
  const server = await FaultyServer.start(t, dataDir)
  const { hostname, port } = new URL(server.url)
  const token = await signIn(server.url)
  const user = `${server.url}/kill-test`
  await post(`${user}/streams`, { id: 'diary', name: 'diary' }, token)
  const sockets = await Promise.all(
    Array.from({ length: 20 }, () => openSocket(t, server.url, 'kill-test', token))
  )
  const halves = Array.from({ length: 10 }, () => {
    const socket = connect(Number(port), hostname).on('error', () => undefined)
    socket.write(
      `POST /kill-test/events HTTP/1.1\r\nHost: x\r\nAuthorization: ${token}\r\nContent-Length: 1000000\r\n` +
        'Content-Type: multipart/form-data; boundary=b\r\n\r\n' +
        `--b\r\nContent-Disposition: form-data; name="f"; filename="f"\r\n\r\n${'x'.repeat(300_000)}`
    )
    return socket
  })
  await until(() => filesIn(dataDir).length === halves.length, 'uploads are under way')

  const acknowledged: string[] = []
  const senders = Array.from({ length: 8 }, async (_value, index) => {
    for (let n = 0; ; n++)
      try {
        const content = `${index}-${n}`
        const answer = await post(
          `${user}/events`,
          { streamIds: ['diary'], type: 'note/txt', content },
          token
        )
        acknowledged.push(answer.event.id as string)
      } catch {
        return
      }
  })
  await until(() => acknowledged.length > 50, 'writes are under way')
  const { lastedMs, status } = await server.end('SIGTERM')
  t.equal(status, 0)
  await assertTakesLessThan(t, 10_000, () => lastedMs, 1)
  t.match(server.said.at(-1), '"stopped"')
  await Promise.all([...senders, ...sockets.map(socket => socket.closed())])
  for (const half of halves) half.destroy()
  const { problems } = await checkDirectory(new Layout(dataDir))
  t.same(problems, [], 'every file is in order')

  const again = await FaultyServer.start(t, dataDir)
  const response = await fetch(`${again.url}/kill-test/events?limit=1000000`, {
    headers: { authorization: token }
  })
  const { events } = (await response.json()) as { events: { id: string }[] }
  const kept = new Set(events.map(({ id }) => id))
  t.same(
    acknowledged.filter(id => !kept.has(id)),
    [],
    `${acknowledged.length} acknowledged events are there`
  )
  await until(() => filesIn(dataDir).length === 0, 'what was half sent is gone')
  t.equal((await again.end('SIGTERM')).status, 0)
})

const rarely = inRotation(t, 2)
void rarely('a damaged platform file', async t => {
  const dataDir = t.testdir()
  const server = await FaultyServer.start(t, dataDir)
  await signIn(server.url)
  await server.end('SIGTERM')
  const { platformFile } = new Layout(dataDir)
  const whole = readFileSync(platformFile)
  const harms = {
    garbled: () => writeFileSync(platformFile, 'no database '.repeat(2000)),
    truncated: () => truncateSync(platformFile, 5000),
    empty: () => truncateSync(platformFile, 0),
    missing: () => rmSync(platformFile)
  }
  for (const [name, harm] of rotate(t, Object.entries(harms), 3))
    await t.test(`is refused at start when it is ${name}, with an explanation, and not modified`, async t => {
      writeFileSync(platformFile, whole)
      for (const more of ['-wal', '-shm']) rmSync(platformFile + more, { force: true })
      harm()
      const harmed = name === 'missing' ? undefined : readFileSync(platformFile)
      const child = spawn(process.execPath, [program, 'serve', '--port=0', `--dataDir=${dataDir}`], {
        stdio: ['ignore', 'ignore', 'pipe']
      })
      t.teardown(() => child.kill('SIGKILL'))
      let said = ''
      child.stderr.on('data', chunk => (said += String(chunk)))
      const [status] = await once(child, 'close')
      t.equal(status, 1)
      t.match(said, platformFile)
      t.notMatch(said, '    at ')
      if (harmed) t.ok(readFileSync(platformFile).equals(harmed))
    })
  writeFileSync(platformFile, whole)
  const again = await FaultyServer.start(t, dataDir)
  t.equal((await fetch(`${again.url}/kill-test/`)).status, 200)
  await again.end('SIGTERM')
})

/** Ends a process. Resolves with its exit status. */
async function end(child: ChildProcess): Promise<unknown> {
  const exit = once(child, 'exit')
  child.kill('SIGTERM')
  return (await exit)[0]
}

void rarely('a service that cannot write its log', async t => {
  const adminKey = 'the key of the operator'
  const serve = async (flags: readonly string[], stdio: StdioOptions): Promise<[ChildProcess, string]> => {
    const port = await freePort()
    const args = [
      program,
      'serve',
      `--port=${port}`,
      `--adminKey=${adminKey}`,
      '--log.requests=true',
      ...flags
    ]
    const child = spawn(process.execPath, args, { stdio })
    t.teardown(() => child.kill('SIGKILL'))
    const url = `http://127.0.0.1:${port}`
    const answers = async (): Promise<boolean> => (await fetch(url).catch(() => undefined))?.status === 200
    await until(async () => child.exitCode !== null || (await answers()), 'it answers')
    return [child, url]
  }
  const dropped = async (url: string): Promise<number> => {
    const text = await (await fetch(`${url}/metrics`, { headers: { authorization: adminKey } })).text()
    return Number(/^coffer_log_lines_dropped_total (\d+)$/m.exec(text)?.[1])
  }

  await t.test('continues when the disk of its log is full, and counts the dropped lines', async t => {
    const full = openSync('/dev/full', 'w')
    const [child, url] = await serve([`--dataDir=${t.testdir()}`], ['ignore', full, full])
    closeSync(full)
    await signIn(url)
    const before = await dropped(url)
    t.ok(before > 0)
    for (let count = 0; count < 5; count++) await fetch(`${url}/kill-test/streams`)
    t.ok((await dropped(url)) >= before + 5)
    t.equal(await end(child), 0)
  })

  await t.test('continues when its log is not read, or the pipe is closed', async t => {
    const [child, url] = await serve([`--dataDir=${t.testdir()}`], ['ignore', 'pipe', 'pipe'])
    await signIn(url)
    // Writes until the pipe is full.
    while (!((await dropped(url)) > 10))
      await Promise.all(Array.from({ length: 100 }, () => fetch(`${url}/kill-test/streams`)))
    child.stdout!.destroy()
    child.stderr!.destroy()
    const before = await dropped(url)
    for (let count = 0; count < 5; count++) await fetch(`${url}/kill-test/streams`)
    t.ok((await dropped(url)) >= before + 5)
    t.equal(await end(child), 0)
  })
})

void rarely('a process without free file descriptors', async t => {
  const dataDir = t.testdir()
  const server = await FaultyServer.start(t, dataDir, [], 'ulimit -n 200;')
  const { hostname, port } = new URL(server.url)
  const token = await signIn(server.url)
  const user = `${server.url}/kill-test`
  await post(`${user}/streams`, { id: 'diary', name: 'diary' }, token)
  t.ok(
    server.said.some(line => line.includes('limits.connections lowered')),
    'says what it can serve'
  )
  const lines = Array.from({ length: 300 }, () =>
    connect(Number(port), hostname).on('error', () => undefined)
  )
  for (const line of lines) line.write('GET / HTTP/1.1\r\nHost: x\r\n')
  await until(() => lines.some(({ destroyed }) => destroyed), 'some are turned away')
  t.equal(server.child.exitCode, null, 'it lives')
  for (const line of lines) line.destroy()
  await until(async () => {
    try {
      return (await fetch(`${user}/streams`, { headers: { authorization: token } })).status === 200
    } catch {
      return false
    }
  }, 'is served again')
  // More than may be open at a time.
  const names = Array.from({ length: 25 }, (_value, index) => `another-${index}`)
  for (const username of names)
    await post(`${server.url}/users`, {
      username,
      password: 'a long secret',
      email: `${username}@example.com`,
      appId: 'some-app'
    })
  for (const username of [...names, ...names]) {
    const { status } = await fetch(`${server.url}/${username}/events`, {
      headers: { authorization: 'unknown' }
    })
    t.equal(status, 401, `the file of ${username} is opened`)
  }
  t.equal((await server.end('SIGTERM')).status, 0)
})
