/** A node that is started before its engine: it waits, reports it, and serves once the engine is available. */
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import t, { type Test } from 'tap'
import { packageDirectory } from '../../../core/version.js'
import { commandProcess } from '../../support/command.js'
import { freePort } from '../../support/free-ports.js'
import { inRotation } from '../../support/rotation.js'
import { EngineServers, until } from '../engine-servers.js'
import { beginCluster, makePeople } from '../people.js'

t.setTimeout(900_000)

const coffer = join(packageDirectory, 'dist', 'scripts', 'coffer.cjs')

/** Starts a node, whether or not it becomes ready. */
function run(t: Test, flags: readonly string[]): { child: ChildProcess; lines: string[] } {
  const child = spawn(process.execPath, [coffer, 'serve', '--log.format=json', ...flags], {
    stdio: ['ignore', 'pipe', 'inherit']
  })
  t.teardown(() => child.kill('SIGKILL'))
  const lines: string[] = []
  createInterface({ input: child.stdout }).on('line', line => lines.push(line))
  return { child, lines }
}

async function statusOf(url: string): Promise<number> {
  try {
    const response = await fetch(url)
    await response.arrayBuffer()
    return response.status
  } catch {
    return 0
  }
}

t.test('a node without its engine', async t => {
  const servers = await EngineServers.start(t)
  const directory = t.testdir()
  const people = await makePeople(directory, 1)
  await beginCluster(directory, servers.urls.join(','))
  for (const index of [1, 2]) await servers.kill(index)
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const flags = [
    `--dataDir=${directory}`,
    `--port=${port}`,
    '--cluster.node=n1',
    `--cluster.engine=${servers.urls.join(',')}`
  ]

  const rarely = inRotation(t, 2)
  await rarely('stops on a signal, even while a single server without quorum is up', async () => {
    const { child, lines } = run(t, flags)
    await until('it to wait', async () => (await statusOf(`${url}/healthz`)) === 200)
    const ended = once(child, 'exit')
    child.kill('SIGTERM')
    const [code] = (await ended) as [number | null]
    t.equal(code, 0, lines.join('\n'))
  })

  await servers.kill(0)
  const { child, lines } = run(t, flags)
  const waits = (): string[] => lines.filter(line => /is waiting for (?:it|the engine)/.test(line))
  await t.test('is alive, not ready, and refuses calls with Retry-After', async t => {
    await until('it to wait', async () => (await statusOf(`${url}/healthz`)) === 200)
    const ready = await fetch(`${url}/readyz`)
    t.equal(ready.status, 503)
    t.match(await ready.json(), { error: { id: 'api-unavailable' }, checks: { cluster: false } })
    const [{ token, username }] = people as [(typeof people)[0]]
    const form = { authorization: token, 'content-type': 'application/json' }
    for (const request of [
      new Request(`${url}/${username}/events`, { headers: { authorization: token } }),
      new Request(`${url}/${username}/events`, { method: 'POST', headers: form, body: 'x'.repeat(500_000) }),
      new Request(`${url}/service/info`),
      new Request(`${url}/app/`)
    ]) {
      const response = await fetch(request)
      t.equal(response.status, 503)
      t.match(response.headers.get('retry-after'), /^\d+$/)
      t.match(await response.json(), { error: { id: 'api-unavailable' }, meta: { apiVersion: String } })
    }
    t.equal(waits().length, 1, 'said once')
  })

  await t.test('serves once the engine is available', async t => {
    for (const index of [0, 1, 2]) await servers.restart(index)
    await until('it to be ready', async () => (await statusOf(`${url}/readyz`)) === 200)
    const [{ token, username }] = people as [(typeof people)[0]]
    await until('users to be served', async () => {
      const response = await fetch(`${url}/${username}/events`, { headers: { authorization: token } })
      await response.arrayBuffer()
      return response.status === 200
    })
    t.ok(lines.some(line => line.includes('the engine of the cluster is responding')))
    const ended = once(child, 'exit')
    child.kill('SIGTERM')
    await ended
  })

  await rarely('exits where waiting would not help', async t => {
    const few = [...flags, `--cluster.engineMonitors=${servers.monitors[0]}`]
    const { code, errors } = await commandProcess(['serve', ...few])
    t.equal(code, 1)
    t.match(
      errors,
      /^The engine of the cluster cannot be used:\n- cluster\.engineMonitors lists 1 of the servers/m
    )
  })
})
