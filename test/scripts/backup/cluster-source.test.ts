/** Copies of accounts from the shared storage of a running cluster. */
import { randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import SQLite from 'better-sqlite3'
import { EngineUnavailable, type Engine } from '../../../cluster/engine.js'
import { FileThread } from '../../../cluster/files/file-thread.js'
import { beginPlatform } from '../../../cluster/platform/begin-platform.js'
import { silentLog } from '../../../core/log.js'
import { ManualClock } from '../../../core/time.js'
import { ClusterSource } from '../../../scripts/backup/sources/cluster-source.js'
import { startServer } from '../../../server/server.js'
import { Layout } from '../../../storage/files/layout.js'
import type { Account } from '../../../storage/platform/account.js'
import { PlatformStore } from '../../../storage/platform/platform-store.js'
import { readFilePosition } from '../../../storage/wal/closed-file.js'
import { Client, methodModules, Service, testSettings } from '../../support/coffer.js'
import { until } from '../../support/socket.js'
import { MemoryCluster } from '../../cluster/memory-engine.js'
import { MemoryObjects } from '../../cluster/memory-objects.js'

const objects = new MemoryObjects()
const cluster = new MemoryCluster()

/** Starts a node with a user that it serves. */
async function start(t: Test, root: string): Promise<{ service: Service; alice: Client; account: Account }> {
  const layout = new Layout(join(root, 'node'))
  mkdirSync(layout.root)
  const beginning = new PlatformStore(layout)
  await beginPlatform(beginning, { engine: cluster.connect(), objects, draftsDirectory: layout.root })
  beginning.close()
  const clock = new ManualClock()
  const node = { node: 'n1', engine: 'nats://memory', snapshotBytes: 65_536 }
  const server = await startServer(testSettings(layout.root, { workers: 0, cluster: node }), {
    clock,
    methodModules,
    shared: { engine: cluster.connect(), objects },
    log: silentLog
  })
  t.teardown(() => server.close())
  const service = new Service(server, clock, layout.root)
  const { accounts } = server.services
  await until(() => accounts.owns({ username: 'alice' }), 'the user to be served')
  const { access } = await service.call(undefined, 'test.createUser', { username: 'alice' })
  const alice = new Client(service, 'alice', access as Client['access'])
  await alice.stream('diary')
  return { service, alice, account: accounts.find('alice')! }
}

function snapshots({ id }: Account): string[] {
  return objects.keys.filter(key => key.startsWith(`snap/${id}/`))
}

/** Writes until a new snapshot has replaced the existing ones. */
async function replaceSnapshot(alice: Client, account: Account): Promise<void> {
  const former = new Set(snapshots(account))
  await until(async () => {
    await alice.event({ content: randomBytes(30_000).toString('base64') })
    const [now, ...others] = snapshots(account)
    return now !== undefined && others.length === 0 && !former.has(now)
  }, 'a snapshot to take the place of another')
}

/** Returns the contents of a copy's notes. */
function notesIn(draft: Layout, { id }: Account): string[] {
  const db = new SQLite(draft.userFile(id), { readonly: true })
  const bodies = db.prepare('SELECT body FROM event').pluck().all() as string[]
  db.close()
  return bodies.map(body => (JSON.parse(body) as { content: string }).content)
}

t.test('a cluster as the source of backups', async t => {
  const root = t.testdir()
  const { account, alice, service } = await start(t, root)
  const engine: Engine = cluster.connect()
  const files = new FileThread()
  t.teardown(() => files.close())
  let afterLast: (() => Promise<void>) | undefined
  const unanswered = new Set(['read'])
  const watched = new Proxy(engine, {
    get(target, name) {
      const value = Reflect.get(target, name, target) as unknown
      if (unanswered.delete(String(name))) return () => Promise.reject(new EngineUnavailable())
      if (name !== 'last') return typeof value === 'function' ? (value.bind(target) as unknown) : value
      return async (subject: string) => {
        const found = await engine.last(subject)
        await afterLast?.()
        return found
      }
    }
  })
  const source = new ClusterSource(watched, objects, files)
  const draft = new Layout(join(root, 'draft'))
  mkdirSync(draft.root)
  await source.copyPlatform(draft)
  t.same([...unanswered], [], 'the first request was not answered')

  await t.test('provides a platform file and accounts that belong to no cluster', async t => {
    const platform = new PlatformStore(draft)
    platform.assertNotFollowing()
    t.match(platform.find('alice'), { id: account.id, state: 'active' })
    platform.close()
    await alice.event({ content: 'the first' })
    unanswered.add('read')
    await source.copyAccount(account, draft)
    t.same([...unanswered], [], 'the first request was not answered')
    t.same(notesIn(draft, account), ['the first'])
    t.equal(readFilePosition(draft.userFile(account.id)), undefined)
  })

  await t.test('has a change mark that changes only with the account', async t => {
    const mark = await source.getChangeMark(account)
    t.match(mark, /^[0-9-]+$/)
    t.equal(await source.getChangeMark(account), mark)
    await alice.event({ content: 'the second' })
    t.not(await source.getChangeMark(account), mark)
  })

  await t.test('provides an account whose snapshot is replaced meanwhile', async t => {
    await replaceSnapshot(alice, account)
    let times = 0
    afterLast = async () => {
      if (times++ === 0) await replaceSnapshot(alice, account)
    }
    await alice.event({ content: 'the last' })
    rmSync(draft.usersDirectory, { recursive: true, force: true })
    await source.copyAccount(account, draft)
    t.ok(times > 1, `asked ${times} times`)
    t.ok(notesIn(draft, account).includes('the last'))
  })

  await t.test('provides attachments as long as they exist', async t => {
    const form = new FormData()
    form.append('event', JSON.stringify({ streamIds: ['diary'], type: 'note/txt', content: 'with a file' }))
    form.append('file', new Blob(['some bytes']), 'some.txt')
    const { body } = await alice.http('POST', '/events', form)
    const [{ id }] = (body as { event: { attachments: [{ id: string }] } }).event.attachments
    const read = async (): Promise<string | undefined> =>
      await source.withAttachment(account, id, draft, path => Promise.resolve(readFileSync(path, 'utf8')))
    t.equal(await read(), 'some bytes')
    await objects.remove(`file/${account.id}/${id}`)
    t.equal(await read(), undefined)
  })

  await t.test('does not treat an account with a damaged last record as deleted', async t => {
    const entries = [...cluster.logs.values()].find(([entry]) => entry?.subject.endsWith(account.id))!
    const last = entries.at(-1)!
    const whole = Buffer.from(last.bytes)
    last.bytes[last.bytes.length - 1]! ^= 1
    await t.rejects(source.getChangeMark(account), /damaged/)
    t.equal(await source.isDeleted(account), false)
    whole.copy(Buffer.from(last.bytes.buffer, last.bytes.byteOffset))
    t.ok(await source.getChangeMark(account))
  })

  await t.test('reports that an account was deleted', async t => {
    t.equal(await source.isDeleted(account), false)
    await service.server.services.accounts.remove(account)
    t.equal(await source.isDeleted(account), true)
    await t.rejects(source.copyAccount(account, draft), /no log of the account/)
    t.notOk(existsSync(`${draft.userFile(account.id)}-coming`))
  })
})
