/** Attachments of a single server in a bucket: stored, read, deleted, exported, backed up, moved, and what faults cause. */
import { existsSync, readdirSync, rmSync } from 'node:fs'
import { createServer, type RequestListener, type Server, type ServerResponse } from 'node:http'
import { EventEmitter, once } from 'node:events'
import type { AddressInfo } from 'node:net'
import t, { type Test } from 'tap'
import { fail } from '../../core/errors.js'
import { createId } from '../../core/ids.js'
import { deleteDue } from '../../core/platform/remove-account.js'
import { loadSettings } from '../../core/settings/load.js'
import { Layout } from '../../storage/files/layout.js'
import { bucket, type Bucket } from '../support/bucket.js'
import { command } from '../support/command.js'
import { coffer, openCoffer, type Answer, type Client, type Overrides } from '../support/coffer.js'
import { rotate } from '../support/rotation.js'

t.setTimeout(300_000)

const settingsFor = ({ settings, to }: Bucket, more: object = {}): Overrides => ({
  attachments: { objects: to, s3: settings, ...more }
})
const flagsFor = ({ settings, to }: Bucket): string[] => [
  `--attachments.objects=${to}`,
  '--attachments.cacheBytes=0',
  ...Object.entries(settings).map(([name, value]) => `--attachments.s3.${name}=${value}`)
]

async function attach(client: Client, text: string): Promise<{ status: number; body: Answer }> {
  const form = new FormData()
  form.append('event', JSON.stringify({ streamIds: ['diary'], type: 'picture/attached' }))
  form.append('file', new Blob([text]), 'a.txt')
  return await client.http('POST', '/events', form)
}

const pathOf = ({ event: { id, attachments } }: Answer): string => `/events/${id}/${attachments[0].id}`

function filesOf(directory: string): string[] {
  const layout = new Layout(directory)
  return readdirSync(layout.usersDirectory, { recursive: true, encoding: 'utf8' }).filter(name =>
    /attachments\/.*\/c[a-z0-9]{24}$/.test(name)
  )
}

/** Removes the files that the disk has cached. */
function dropCache(directory: string): void {
  const layout = new Layout(directory)
  for (const name of filesOf(directory)) rmSync(`${layout.usersDirectory}/${name}`)
}

t.test('attachments in a bucket', async t => {
  const store = await bucket(t)
  for (const workers of rotate(t, [0, 2]))
    t.test(`with ${workers} worker threads are read from there, and deleted there`, async t => {
      const { alice, directory } = await coffer(t, {
        ...settingsFor(store),
        workers,
        userAccount: { deletionGraceDays: 0 }
      })
      await alice.stream('diary')
      const { body, status } = await attach(alice, 'bytes in the bucket')
      t.equal(status, 201)
      const [{ id }] = body.event.attachments
      t.ok(store.keys().some(key => key.endsWith(id)))
      dropCache(directory)
      t.match(await alice.http('GET', pathOf(body)), { status: 200, body: 'bytes in the bucket' })
      dropCache(directory)
      const range = await alice.http('GET', pathOf(body), undefined, { range: 'bytes=6-7' })
      t.match(range, { status: 206, body: 'in' })
      const second = (await attach(alice, 'a second file')).body
      t.equal((await alice.http('DELETE', pathOf(body))).status, 200)
      t.notOk(store.keys().some(key => key.endsWith(id)))
      t.equal((await alice.http('GET', pathOf(body))).status, 404)
      t.match(await alice.http('GET', pathOf(second)), { status: 200 })
    })

  t.test('are in archives and backups, pass checks, and vanish with their account', async t => {
    const adminKey = 'the key of the operator'
    const service = await coffer(t, { ...settingsFor(store), adminKey })
    const { alice, directory } = service
    await alice.stream('diary')
    const { body } = await attach(alice, 'only in the bucket')
    const [{ id }] = body.event.attachments
    dropCache(directory)
    const at = [`--dataDir=${directory}`, ...flagsFor(store)]
    const folder = t.testdir()
    const made = await command(['backup', `${folder}/backup`, ...at, '--verify'])
    t.match(made, { code: 0, output: /1 attachment and/ })
    t.same(filesOf(directory), [], 'a backup does not fill the cache')
    t.match(await command(['restore', `${folder}/backup`, `--dataDir=${folder}/restored`]), { code: 0 })
    t.equal(filesOf(`${folder}/restored`).length, 1)
    dropCache(directory)
    t.match(await command(['export', 'alice', `${folder}/alice.zip`, ...at]), { code: 0, errors: '' })
    dropCache(directory)
    t.equal((await alice.http('GET', '/account/export')).status, 200)
    dropCache(directory)
    t.match(await command(['check', ...at]), { code: 0, output: /1 attachment .*no problems/ })
    t.match(await command(['check', `--dataDir=${directory}`]), { code: 0 }, 'the check has fetched it')
    t.equal(
      (await service.http('DELETE', '/system/users/alice', undefined, { authorization: adminKey })).status,
      200
    )
    t.notOk(store.keys().some(key => key.endsWith(id)))
  })

  t.test('can be moved there and back, in several runs', async t => {
    const own = { ...store, to: `${store.to}-moved` }
    const { alice, directory } = await coffer(t)
    await alice.stream('diary')
    for (const text of ['first', 'second']) await attach(alice, text)
    const at = [`--dataDir=${directory}`, ...flagsFor(own)]
    t.match(await command(['move-attachments', '--to', 'bucket', ...at]), {
      code: 0,
      output: '2 attachments copied to the bucket\n'
    })
    t.match(JSON.parse((await command(['move-attachments', '--to', 'bucket', '--json', ...at])).output), {
      copied: 0
    })
    dropCache(directory)
    t.match(await command(['move-attachments', '--to', 'disk', ...at]), {
      code: 0,
      output: /2 attachments copied to the disk/
    })
    t.equal(filesOf(directory).length, 2)
    for (const [args, problem] of [
      [['--to', 'moon', ...at], /--to must be bucket or disk/],
      [['--to', 'bucket', `--dataDir=${directory}`], /Set attachments\.objects/],
      [['--to', 'disk', ...at.filter(flag => !flag.includes('cacheBytes'))], /cacheBytes to 0 first/]
    ] as const) {
      const refused = await command(['move-attachments', ...args])
      t.match(refused, { code: 1, errors: problem })
    }
    const gone = { ...own, settings: { ...own.settings, endpoint: 'http://127.0.0.1:1' } }
    const failed = await command([
      'move-attachments',
      '--to',
      'bucket',
      `--dataDir=${directory}`,
      ...flagsFor(gone)
    ])
    t.match(failed, { code: 1, errors: /^The bucket cannot be used/ })
  })
  t.end()
})

/** Starts a storage that does what the listener says. */
async function faulty(t: Test, listener: RequestListener): Promise<{ server: Server; bucket: Bucket }> {
  const server = createServer(listener).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const settings = { endpoint, region: 'us-east-1', accessKey: 'a', secretKey: 'b' }
  return { server, bucket: { to: 's3://safe/x', settings, flags: [], keys: () => [] } }
}

t.test('a storage that fails', async t => {
  const faults: readonly (readonly [string, RequestListener])[] = [
    [
      'answers with errors',
      (request, response) => void request.resume().on('end', () => response.writeHead(500).end())
    ],
    [
      'refuses the keys',
      (request, response) => void request.resume().on('end', () => response.writeHead(403).end())
    ],
    [
      'is another program',
      (request, response) => void request.resume().on('end', () => response.writeHead(404).end('<html>'))
    ],
    ['breaks off', request => request.once('data', () => request.destroy())],
    ['hangs in the middle of an upload', request => void request.once('data', () => request.pause())],
    ['never answers', request => void request.resume()]
  ]
  for (const [name, listener] of faults)
    t.test(`because it ${name} causes 503, and leaves nothing behind`, async t => {
      const { bucket: broken } = await faulty(t, listener)
      const { alice, directory } = await coffer(
        t,
        settingsFor({ ...broken, settings: { ...broken.settings, timeoutSeconds: 1 } as Bucket['settings'] })
      )
      await alice.stream('diary')
      const { body, status } = await attach(alice, 'x'.repeat(300_000))
      t.match({ status, body }, { status: 503, body: { error: { id: 'api-unavailable' } } })
      t.notMatch(JSON.stringify(body), /127\.0\.0\.1|safe|\s+at /)
      t.same((await alice.do('events.get')).events, [])
      t.same(filesOf(directory), [])
      t.same(readdirSync(new Layout(directory).draftsDirectory), [])
      t.ok(await alice.event({ content: 'everything else works' }))
    })
  t.end()
})

t.test('writes do not wait for files of others that the storage has not removed yet', async t => {
  const removals: ServerResponse[] = []
  const storage = new EventEmitter()
  const hasArrived = once(storage, 'removal')
  const { bucket: slow } = await faulty(t, (request, response) => {
    const remove = (): boolean => removals.push(response) > 0 && storage.emit('removal')
    const answer = (): unknown => response.end('<ListBucketResult></ListBucketResult>')
    request.resume().on('end', request.method === 'DELETE' ? remove : answer)
  })
  const { alice } = await coffer(t, settingsFor(slow))
  await alice.stream('diary')
  const { body, status } = await attach(alice, 'slow to go')
  t.equal(status, 201)
  const ended: string[] = []
  const deleted = alice.http('DELETE', pathOf(body)).then(() => ended.push('deletion'))
  await hasArrived
  await alice.event({ content: 'meanwhile' })
  ended.push('note')
  const params = { streamIds: ['diary'], type: 'note/txt', content: 'meanwhile' }
  t.match(await alice.http('POST', '/', [{ method: 'events.create', params }]), { status: 200 })
  ended.push('batch')
  t.equal(removals.length, 1, 'the file is removed once')
  for (const response of removals) response.writeHead(204).end()
  await deleted
  t.same(ended, ['note', 'batch', 'deletion'])
})

t.test('a name whose registration failed is free once the storage can be used', async t => {
  let isDown = true
  const { bucket: broken } = await faulty(t, (request, response) => {
    const answer = (): unknown =>
      isDown ? response.writeHead(500).end() : response.end('<ListBucketResult></ListBucketResult>')
    request.resume().on('end', answer)
  })
  const { server } = await openCoffer(t, settingsFor(broken))
  const { services } = server
  const create = async (fill: () => void): Promise<string[]> =>
    await services.accounts.create({ id: createId(), username: 'carol', created: 1, unique: {}, fill })
  await t.rejects(
    create(() => fail('corrupted-data', 'it cannot be filled')),
    { message: 'it cannot be filled' }
  )
  t.equal(await deleteDue(services), 0)
  isDown = false
  t.equal(await deleteDue(services), 1)
  t.same(await create(() => {}), [])
})

t.test('settings are checked together', t => {
  const read = (...argv: string[]): unknown => loadSettings({ argv, env: {}, cwd: t.testdir() })
  const keys = ['--attachments.s3.accessKey=a', '--attachments.s3.secretKey=b']
  t.throws(() => read('--attachments.objects=s3://safe'), {
    message: /accessKey and attachments\.s3\.secretKey must be set/
  })
  t.throws(
    () => read('--attachments.objects=s3://safe', ...keys, '--cluster.node=n1', '--cluster.engine=nats://x'),
    {
      message: /cannot be set with cluster\.node/
    }
  )
  for (const value of ['s3://', 'safe', 's3://a', 's3://safe/../x?y', 's3://user:key@safe', 's3://<bucket>'])
    t.throws(
      () => read(`--attachments.objects=${value}`, ...keys),
      { message: /attachments\.objects.*must/ },
      value
    )
  t.throws(
    () =>
      read(
        '--attachments.objects=s3://safe',
        '--attachments.s3.accessKey=a',
        '--attachments.s3.secretKey=CHANGEME'
      ),
    {
      message: /secretKey.*must be replaced/
    }
  )
  t.ok(read('--attachments.objects=s3://safe/a/b', ...keys))
  t.notOk(existsSync('data'))
  t.end()
})
