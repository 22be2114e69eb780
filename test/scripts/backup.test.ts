/** `coffer backup` and `coffer restore`: next to a running service, complete, and never restoring damaged data. */
import {
  cpSync,
  existsSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  utimesSync,
  writeFileSync
} from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { generateX25519Identity } from 'age-encryption'
import { checkDirectory } from '../../scripts/maintenance/check.js'
import { Layout } from '../../storage/files/layout.js'
import { ManualClock } from '../../core/time.js'
import { startServer } from '../../server/server.js'
import { coffer, openCoffer, testSettings, type Answer, type Client } from '../support/coffer.js'
import { command, commandProcess, type Ended } from '../support/command.js'
import { inRotation, rotate } from '../support/rotation.js'

t.setTimeout(900_000)

const adminKey = 'key of the operator'

type Run = (dataDir: string, folder: string, ...more: string[]) => Promise<Ended>

const backupBy =
  (run: typeof command): Run =>
  async (dataDir, folder, ...more) =>
    await run(['backup', `--dataDir=${dataDir}`, folder, '--json', ...more])
const backup = backupBy(command)
/** Backs up from another process. */
const backupApart = backupBy(commandProcess)

const restoreBy =
  (run: typeof command): Run =>
  async (folder, dataDir, ...more) =>
    await run(['restore', folder, '--dataDir', dataDir, ...more])
const restore = restoreBy(command)
const restoreApart = restoreBy(commandProcess)

/** Starts a service with two users who have data of every kind. */
async function sample(t: Test, workers = 0): ReturnType<typeof coffer> {
  const service = await coffer(t, { adminKey, versioning: { forceKeepHistory: true }, workers })
  for (const client of [service.alice, await service.user('bob')]) {
    await client.stream('diary')
    const { id } = await client.event({ content: 'secret words of mine' })
    await client.do('events.update', { id, update: { content: 'secret words, other ones' } })
    await attach(client, id, 'bytes of a file')
    await client.do('profile.updatePublic', { update: { colour: 'blue' } })
    // The audit log stores only part of this one.
    await client.http('GET', `/events?limit=1&${'types=note/txt&'.repeat(200)}`)
  }
  return service
}

async function attach(client: Client, id: string, bytes: string): Promise<void> {
  const form = new FormData()
  form.append('file', new Blob([bytes]), 'a.txt')
  const { status } = await client.http('POST', `/events/${id}`, form)
  if (status !== 200) throw new Error(`${status}`)
}

/** Makes accounts appear unchanged for some time. */
function age({ directory, server }: Awaited<ReturnType<typeof openCoffer>>): void {
  const { accounts } = server.services
  for (const name of ['alice', 'bob']) {
    const account = accounts.find(name)!
    accounts.openStore(account).flushUsage()
    const file = new Layout(directory).userFile(account.id)
    for (const path of [file, `${file}-wal`]) if (existsSync(path)) utimesSync(path, 1e9, 1e9)
  }
}

/** Returns the responses of the accounts in a data directory, from a new service. */
async function answersOf(dataDir: string, clients: readonly Client[]): Promise<Answer[]> {
  const server = await startServer(testSettings(dataDir), { clock: new ManualClock() })
  try {
    return await Promise.all(
      clients.map(async ({ token, username }) => {
        const get = async (path: string): Promise<Answer> => {
          const response = await fetch(`${server.url}/${username}${path}`, {
            headers: { authorization: token }
          })
          const { meta: _, ...answer } = (await response.json()) as Answer
          return answer
        }
        const { events } = await get('/events?limit=100')
        const files = await Promise.all(
          events.flatMap(({ attachments = [], id }: Answer) =>
            attachments.map(async ({ id: fileId }: Answer) => {
              const path = `${server.url}/${username}/events/${id}/${fileId}`
              return await (await fetch(path, { headers: { authorization: token } })).text()
            })
          )
        )
        const one = await get(`/events/${events[0]?.id}?includeHistory=true`)
        return { events, files, one, streams: await get('/streams'), profile: await get('/profile/public') }
      })
    )
  } finally {
    await server.close()
  }
}

/** Returns the paths of all files below a folder. */
function filesOf(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map(name => join(folder, name))
    .filter(path => statSync(path).isFile())
}

/** Between the writes during a backup: more of them take time, and prove no more. */
const pauseMs = 10

t.test('coffer backup', async t => {
  const rarely = inRotation(t, 2)
  t.test('copies the data of a running service, which can be restored', async t => {
    const { alice, directory, server } = await sample(t)
    const folder = join(t.testdir(), 'backup')
    const made = await backupApart(directory, folder)
    t.equal(made.code, 0, made.errors)
    t.match(JSON.parse(made.output), { accounts: 2, copied: 2, attachments: 2, problems: [] })
    const target = join(t.testdirName, 'data')
    const done = await restoreApart(folder, target)
    t.equal(done.code, 0, done.errors)
    t.match(done.output, '2 accounts restored')
    t.same((await checkDirectory(new Layout(target))).problems, [])
    await server.close()
    const clients = [alice]
    const [before, after] = [await answersOf(directory, clients), await answersOf(target, clients)]
    t.equal(before[0].events.length, 1)
    t.same(before[0].files, ['bytes of a file'])
    t.same(after, before)
    t.same(
      readdirSync(directory).filter(name => name.startsWith('copies')),
      []
    )
  })

  t.test('copies only changed accounts again', async t => {
    const service = await sample(t)
    const { alice, directory } = service
    const folder = join(t.testdir(), 'backup')
    age(service)
    await backup(directory, folder)
    const same = JSON.parse((await backup(directory, folder)).output)
    t.match(same, { accounts: 2, copied: 0, attachments: 0, bytes: 0 })
    await alice.event({ content: 'one more' })
    await alice.do('profile.updatePublic', { update: { colour: 'green' } })
    const more = JSON.parse((await backup(directory, folder)).output)
    t.match(more, { accounts: 2, copied: 1, attachments: 0 })
    t.equal(filesOf(folder).filter(path => path.endsWith('.sqlite')).length, 3, 'nothing old is left')
    const target = join(t.testdirName, 'data')
    t.equal((await restore(folder, target)).code, 0)
    t.same((await checkDirectory(new Layout(target))).problems, [])
  })

  void rarely('copies a consistent state of each account, however much is written meanwhile', async t => {
    const service = await sample(t)
    const { alice, clock, directory } = service
    const folder = join(t.testdir(), 'backup')
    const stopping = new AbortController()
    const writing = (async () => {
      for (let n = 0; !stopping.signal.aborted; n++) {
        const { id } = await alice.event({ content: `number ${n}` })
        await attach(alice, id, `file ${n}`)
        if (n % 2 === 0) for (const _ of 'ab') await alice.do('events.delete', { id })
        if (n % 10 === 0) {
          await service.user(`user${n}`)
          const path = `/users/user${n - 10}`
          if (n >= 10) await service.http('DELETE', path, undefined, { authorization: adminKey })
        }
        clock.advance(1)
        await wait(pauseMs)
      }
    })()
    const [first, second] = [await backupApart(directory, folder), await backupApart(directory, folder)]
    stopping.abort()
    await writing
    t.match([first.code, second.code], [0, 0], first.errors + second.errors)
    const target = join(t.testdirName, 'data')
    const done = await restore(folder, target)
    t.equal(done.code, 0, done.errors)
    t.same((await checkDirectory(new Layout(target))).problems, [])
  })

  t.test('can be encrypted', async t => {
    const { directory } = await sample(t)
    // With an identity, since a passphrase takes seconds to check: those are in `encrypted-backup`.
    const identity = join(t.testdir(), 'identity')
    const keyed = join(t.testdirName, 'keyed')
    writeFileSync(identity, await generateX25519Identity(), { mode: 0o600 })
    const made = await backup(directory, keyed, '--identity', identity)
    t.equal(made.code, 0, made.errors)
    for (const path of filesOf(keyed)) {
      const bytes = readFileSync(path).toString('latin1')
      for (const word of ['alice', 'secret words', 'bytes of a file', 'SQLite'])
        t.notOk(bytes.includes(word), path)
    }

    const damages: [string, (path: string, others: string[]) => void][] = [
      ['a changed byte', path => flip(path)],
      ['a cut', path => truncateSync(path, statSync(path).size - 1)],
      ['a cut between chunks', path => truncateSync(path, 200 + 64 * 1024 + 16)],
      [
        'a file of another name',
        (path, others) =>
          cpSync(
            others.find(other => other !== path)!,
            path
          )
      ]
    ]
    for (const [what, damage] of rotate(t, damages, 2))
      t.test(`and ${what} is detected`, async t => {
        const copy = join(t.testdir(), 'copy')
        cpSync(keyed, copy, { recursive: true })
        const files = filesOf(copy).filter(path => path.endsWith('.sqlite.age') && !path.includes('platform'))
        damage(files[0]!, files)
        const place = join(t.testdirName, 'data')
        const refused = await restore(copy, place, '--identity', identity)
        t.equal(refused.code, 1)
        t.match(refused.errors, 'Nothing was restored')
        t.same(
          readdirSync(place).filter(name => !name.startsWith('coffer.lock')),
          []
        )
      })
  })

  void rarely('keeps the previous copy of an account that is damaged now, and reports it', async t => {
    const service = await sample(t)
    const { directory } = service
    const { id } = service.server.services.accounts.find('bob')!
    const folder = join(t.testdir(), 'backup')
    await backup(directory, folder)
    await service.server.close()
    flip(new Layout(directory).userFile(id), 3 * 4096 + 3)
    const again = await backup(directory, folder)
    t.equal(again.code, 1)
    t.match(JSON.parse(again.output).problems, [{ user: 'bob', detail: /malformed.*kept/ }])
    const target = join(t.testdirName, 'data')
    t.equal((await restore(folder, target)).code, 0)
    t.same((await checkDirectory(new Layout(target))).problems, [])
  })

  t.test('does not modify other folders', async t => {
    const { directory } = await openCoffer(t)
    const folder = t.testdir({ 'letter.txt': 'mine' })
    const refused = await backup(directory, folder)
    t.equal(refused.code, 1)
    t.match(refused.errors, 'neither empty nor a backup')
    t.same(readdirSync(folder), ['letter.txt'])
    t.match((await backup(join(folder, 'nowhere'), join(folder, 'b'))).errors, 'folder not found')
    t.match((await restore(folder, directory)).errors, 'is not a backup')
    t.match((await command(['backup', `--dataDir=${directory}`])).errors, 'Missing destination')
  })
})

t.test('coffer restore', async t => {
  t.test('restores all accounts, only into an empty folder', async t => {
    const { directory } = await sample(t)
    const folder = join(t.testdir(), 'backup')
    await backup(directory, folder)
    const target = join(t.testdirName, 'data')
    await restore(folder, target)
    writeFileSync(join(target, 'mine'), '')
    const again = await restore(folder, target)
    t.equal(again.code, 1)
    t.match(again.errors, 'not empty')
    t.ok(existsSync(join(target, 'mine')))
    t.match((await restore(folder, directory)).errors, 'in use by another process')
  })

  t.test('skips damaged accounts on request', async t => {
    const { directory } = await sample(t)
    const folder = join(t.testdir(), 'backup')
    await backup(directory, folder)
    const damaged = filesOf(folder).find(path => path.includes('users') && path.endsWith('.sqlite'))!
    flip(damaged)
    t.equal((await restore(folder, join(t.testdirName, 'a'), '--verify')).code, 1)
    t.notOk(existsSync(join(t.testdirName, 'a')))
    const target = join(t.testdirName, 'data')
    const done = await restore(folder, target, '--skip-damaged')
    t.equal(done.code, 1)
    t.match(done.output, '1 account, 1 problem, ')
    const { counts, problems } = await checkDirectory(new Layout(target))
    t.match(counts, { accounts: 1 })
    t.same(problems, [])
  })

  for (const workers of rotate(t, [0, 2]))
    t.test(`restores one account into a running service with ${workers} threads`, async t => {
      const service = await sample(t, workers)
      const { alice, directory, server } = service
      const port = new URL(server.url).port
      const before = await alice.http('GET', '/events')
      const folder = join(t.testdir(), 'backup')
      await backup(directory, folder)
      await alice.event({ content: 'written after the backup' })
      t.equal((await alice.http('GET', '/events')).body.events.length, 2)

      const unknown = await restore(folder, directory, '--user', 'carol')
      t.match([unknown.code, unknown.errors], [1, 'contains no account carol'])
      // As for a process of another user, which may not read it.
      rmSync(new Layout(directory).serviceFile)
      const locked = await restore(folder, directory, '--user', 'alice')
      t.match([locked.code, locked.errors], [1, /in use by a running service\. Stop it, .*set adminKey/])
      t.equal((await alice.http('GET', '/events')).body.events.length, 2, 'nothing has changed')

      const flags = [`--port=${port}`, `--adminKey=${adminKey}`]
      const replaced = await restoreApart(folder, directory, '--user=alice', ...flags)
      t.match([replaced.code, replaced.output], [0, 'alice: replaced'], replaced.errors)
      t.same((await alice.http('GET', '/events')).body.events, before.body.events)
      const { id } = await alice.event({ content: 'it goes on' })
      await attach(alice, id, 'with files')

      await service.http('DELETE', '/users/alice', undefined, { authorization: adminKey })
      t.equal((await alice.http('GET', '/events')).status, 404)
      const added = await restore(folder, directory, '--user=alice')
      t.match([added.code, added.output], [0, 'alice: added'], added.errors)
      t.same((await alice.http('GET', '/events')).body.events, before.body.events)
      await server.close()
      t.same((await checkDirectory(new Layout(directory))).problems, [])
    })
})

/** Flips a byte of a file. */
function flip(file: string, at?: number): void {
  const bytes = readFileSync(file)
  const place = at ?? Math.floor(bytes.length / 2)
  bytes[place] = bytes[place]! ^ 0xff
  rmSync(file)
  writeFileSync(file, bytes)
}
