/** Starting on a full disk: reads work, writes are refused, and resume automatically once there is space. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import t, { type Test } from 'tap'
import { checkDirectory } from '../../scripts/maintenance/check.js'
import { Layout } from '../../storage/files/layout.js'
import { userMigrations } from '../../storage/migrations/user/index.js'
import { post, signIn } from '../durability/requests.js'
import { until } from '../support/socket.js'
import { FaultyServer, program } from './server.js'
import { SmallDisk } from './small-disk.js'
import { inRotation, rotate } from '../support/rotation.js'

t.setTimeout(900_000)

const disk = SmallDisk.mounted(t, 12)
const skip = typeof disk === 'string' ? disk : false

/** Starts a service that must refuse. Resolves with its exit status and error output. */
async function refused(dataDir: string): Promise<{ status: number; errors: string }> {
  const args = [program, 'serve', '--port=0', `--dataDir=${dataDir}`]
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'pipe'] })
  t.teardown(() => child.kill('SIGKILL'))
  const exit = once(child, 'exit') as Promise<[number]>
  const errors = await text(child.stderr)
  return { status: (await exit)[0], errors }
}

t.test('starting on a full disk', { skip }, async t => {
  const small = disk as SmallDisk
  const dataDir = join(small.directory, 'data')
  mkdirSync(dataDir, { mode: 0o700 })
  const layout = new Layout(dataDir)
  const first = await FaultyServer.start(t, dataDir)
  const token = await signIn(first.url)
  const note = { streamIds: ['diary'], type: 'note/txt', content: 'known' }
  await post(`${first.url}/kill-test/streams`, { id: 'diary', name: 'diary' }, token)
  await post(`${first.url}/kill-test/events`, note, token)
  const template = readFileSync(layout.templateFile(userMigrations.length))

  const full = (line: string): boolean => line.includes(`the disk of ${dataDir} is full`)
  const roomAgain = (line: string): boolean => line.includes(`the disk of ${dataDir} has free space again`)
  const status = async (url: string, body?: object): Promise<number> => {
    const headers = { authorization: token, 'content-type': 'application/json' }
    const method = body ? 'POST' : 'GET'
    return (
      await fetch(`${url}/kill-test/events`, {
        method,
        headers,
        ...(body && { body: JSON.stringify(body) })
      })
    ).status
  }

  let running = first
  const restarts = [
    ['SIGTERM', 0],
    ['SIGKILL', 0],
    ['SIGTERM', 2]
  ] as const
  for (const [signal, workers] of rotate(t, restarts))
    await t.test(`works after ${signal}, with ${workers} threads`, async t => {
      await running.end(signal)
      small.fill()
      running = await FaultyServer.start(t, dataDir, [`--workers=${workers}`])
      t.equal(await status(running.url), 200, 'reads are answered')
      t.equal(await status(running.url, note), 507)
      const newcomer = {
        appId: 'some-app',
        username: 'newcomer',
        password: 'a long secret',
        email: 'n@example.com'
      }
      const registered = await fetch(`${running.url}/users`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(newcomer)
      })
      t.equal(registered.status, 507)
      t.equal((await fetch(`${running.url}/readyz`)).status, 503)
      await until(() => running.said.some(full), 'it is said')
      t.equal(await status(running.url), 200)
      small.empty()
      await until(async () => (await status(running.url, note)) === 201, 'writes go on without a restart')
      await until(() => running.said.some(roomAgain), 'it is said')
      t.equal(running.said.filter(full).length, 1)
      t.equal(running.said.filter(roomAgain).length, 1)
      t.equal((await fetch(`${running.url}/readyz`)).status, 200)
    })

  await running.end('SIGTERM')
  const rarely = inRotation(t, 2)
  await rarely('works repeatedly', async t => {
    small.fill()
    for (let n = 0; n < 2; n++) {
      running = await FaultyServer.start(t, dataDir)
      t.equal(await status(running.url), 200)
      t.equal(await status(running.url, note), 507)
      await running.end('SIGTERM')
    }
    t.ok(readFileSync(layout.templateFile(userMigrations.length)).equals(template), 'nothing is made again')
    small.empty()
  })

  await rarely('fails without the reserve file, with an explanation and without changes', async t => {
    rmSync(layout.reserveFile)
    small.fill()
    const { errors, status: code } = await refused(dataDir)
    t.equal(code, 1)
    t.equal(
      errors,
      `The disk of ${dataDir} is full. The service needs at least 3 MB to start, and more space for its data\n`
    )
    t.ok(readFileSync(layout.templateFile(userMigrations.length)).equals(template))
    small.empty()
    running = await FaultyServer.start(t, dataDir)
    t.equal(await status(running.url, note), 201)
    await running.end('SIGTERM')
    t.same((await checkDirectory(layout)).problems, [])
  })

  await rarely('fails the first time, and states the required space', async t => {
    small.fill()
    const { errors, status: code } = await refused(join(small.directory, 'new'))
    t.equal(code, 1)
    t.match(errors, /The disk of \S+\/new is full\. The service needs at least 3 MB to start/)
    small.empty()
  })
})

const rarely = inRotation(t, 2)
void rarely('a start on a disk with space again restores a reserve that a power cut has emptied', async t => {
  const layout = new Layout(t.testdir({}))
  writeFileSync(layout.reserveFile, '')
  const server = await FaultyServer.start(t, layout.root)
  t.ok(statSync(layout.reserveFile).size > 0)
  await server.end('SIGTERM')
})

const isFull = async (t: Test): Promise<void> => {
  const small = disk as SmallDisk
  const dataDir = join(small.directory, 'running')
  const server = await FaultyServer.start(t, dataDir)
  const token = await signIn(server.url)
  await server.end('SIGTERM')
  const again = await FaultyServer.start(t, dataDir)
  small.fill()
  const headers = { authorization: token }
  const response = await fetch(`${again.url}/kill-test/streams`, { headers })
  t.equal(response.status, 200, 'files of accounts that were closed are opened and read')
  small.empty()
}
if (!skip) void rarely('a disk that becomes full while the service runs', isFull)
