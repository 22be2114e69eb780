/** The operator's log: lines of JSON with listed fields only, and no secrets. */
import { execFileSync } from 'node:child_process'
import { closeSync, constants, openSync, readdirSync, readFileSync, readSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { ApiError } from '../../core/errors.js'
import { ManualClock } from '../../core/time.js'
import { LogOutput } from '../../server/log-output.js'
import { createLog } from '../../server/log.js'
import { startServer } from '../../server/server.js'
import { AccountElsewhere, AccountGone, AccountMoved } from '../../storage/errors.js'
import { methodModules, Service, testSettings, type Answer } from '../support/coffer.js'
import { SmallDisk } from '../faults/small-disk.js'
import { socketOf, until } from '../support/socket.js'

/** All fields that a line may have. */
const fields = words(
  'level time msg method status errorId durationMs accessId accountId url cause link name message stack'
)

function words(text: string): string[] {
  return text.split(' ')
}

interface Logged {
  readonly service: Service
  /** The lines logged so far. */
  readonly lines: string[]
}

async function logged(t: Test, requests: boolean): Promise<Logged> {
  const directory = t.testdir()
  const lines: string[] = []
  const log = createLog({ level: 'debug' }, { write: (line: string) => void lines.push(line) })
  const clock = new ManualClock()
  const settings = testSettings(directory, {
    adminKey: 'canary-admin-key',
    log: { level: 'debug', requests },
    // A test below closes files of the core.
    workers: 0
  })
  const server = await startServer(settings, { clock, log, methodModules })
  t.teardown(() => server.close())
  return { service: new Service(server, clock, directory), lines }
}

/** Returns the names of all members of a value, at any depth. */
function namesIn(value: Answer): string[] {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, inner]) => [name, ...namesIn(inner)])
}

t.test('the log', async t => {
  const { lines, service } = await logged(t, true)
  const alice = await service.user('canary-user')
  const canaries = ['canary', alice.token]

  t.test('has a line for each call if log.requests is on', async t => {
    await alice.http('GET', '/streams')
    const line = JSON.parse(lines.find(text => text.includes('streams.get'))!)
    t.match(line, { level: 30, msg: 'call', method: 'streams.get', status: 200, accessId: alice.access.id })
    t.type(line.durationMs, 'number')
    await alice.http('GET', '/events/cunknown00000000000000000')
    t.ok(lines.some(text => text.includes('"errorId":"unknown-resource"')))
  })

  t.test('contains no secrets, whatever the call', async t => {
    const password = 'canary-password'
    const account = { appId: 'canary-app', username: 'canary-new', password, email: 'canary@example.com' }
    const origin = { origin: service.server.url }
    await service.http('POST', '/users', account)
    await service.http('POST', '/canary-new/auth/login', account, origin)
    await service.http('POST', '/canary-new/auth/login', { ...account, password: 'canary-wrong' }, origin)
    await service.http(
      'POST',
      '/canary-user/account/change-password',
      { oldPassword: password, newPassword: 'canary-2' },
      { authorization: alice.token }
    )
    await alice.stream('canary-stream')
    await alice.http('POST', '/events', {
      streamIds: ['canary-stream'],
      type: 'note/txt',
      content: 'canary-content',
      description: 5
    })
    await alice.http('POST', '/events', '{"canary-broken": ')
    await alice.http('POST', '/events?canary=query', { canary: { __proto__: 1 } })
    await alice.http('GET', `/events?auth=${alice.token}&streams=canary-unknown`)
    await alice.http('GET', '/canary/path/%E0%A4%A')
    await alice.http('GET', '/events', undefined, {
      'x-canary': 'canary',
      cookie: 'sso=canary',
      authorization: 'canary-token'
    })
    await alice.http('POST', '/', [{ method: 'canary.method', params: { canary: 1 } }])
    await service.http('GET', '/metrics', undefined, { authorization: 'canary-admin-key' })
    await service.http('GET', '/system/user-info/canary-user', undefined, {
      authorization: 'canary-admin-wrong'
    })
    const form = new FormData()
    form.append('canary-part', new Blob(['canary-bytes'], { type: 'canary/type' }), 'canary-file')
    await alice.http('POST', '/events', form)
    const socket = await socketOf(t, alice)
    await socket.call('canary.method', { canary: 'params' })
    await socket.call('events.create', { content: 'canary' })
    t.ok(lines.length > 10)
    for (const line of lines) for (const canary of canaries) t.notMatch(line, canary)
  })

  t.test('contains no secrets after an internal failure', async t => {
    const before = lines.length
    const users = join(service.directory, 'users')
    const bob = await service.user('canary-other')
    await bob.stream('canary-stream')
    // The cause of a failure is logged: here a file that is not a database.
    const account = service.server.services.accounts.find('canary-other')!
    const path = readdirSync(users, { recursive: true, encoding: 'utf8' }).find(name =>
      name.endsWith(`${account.id}/user.sqlite`)
    )!
    await service.server.services.accounts.close()
    for (const suffix of ['-wal', '-shm', ''])
      writeFileSync(join(users, path + suffix), 'canary, no database')
    t.equal((await bob.http('GET', `/streams?auth=${bob.token}`)).status, 500)
    const added = lines.slice(before)
    t.ok(added.some(line => line.includes('"level":50')))
    for (const line of added) for (const canary of ['canary', bob.token]) t.notMatch(line, canary)
  })

  t.test('has only the listed fields', async t => {
    for (const line of lines)
      t.same(
        namesIn(JSON.parse(line)).filter(name => !fields.includes(name)),
        [],
        line
      )
  })
})

t.test('without log.requests', async t => {
  const { lines, service } = await logged(t, false)

  t.test('does not log calls that succeed or are refused', async t => {
    const alice = await service.user('alice')
    await alice.http('GET', '/streams')
    await alice.http('GET', '/nothing')
    t.same(lines, [])
  })
})

t.test('createLog', async t => {
  t.test('omits unlisted fields, and includes the causes of an error', async t => {
    const lines: string[] = []
    const log = createLog({ level: 'info' }, { write: (line: string) => void lines.push(line) })
    const cause = Object.assign(new Error('outer', { cause: new ApiError('forbidden') }), {
      secret: 'canary'
    })
    log.warn('something', {
      accountId: 'a',
      cause,
      body: 'canary',
      headers: { authorization: 'canary' }
    } as object)
    t.match(JSON.parse(lines[0]!), {
      msg: 'something',
      accountId: 'a',
      cause: { message: 'outer', cause: { name: 'ApiError' } }
    })
    t.notMatch(lines[0], 'canary')
  })
})

t.test('omits the user name from errors about an account that has moved or was deleted', t => {
  const lines: string[] = []
  const log = createLog({ level: 'info' }, { write: (line: string) => void lines.push(line) })
  for (const kind of [AccountElsewhere, AccountGone, AccountMoved])
    log.error('call failed', { cause: new kind('canary-user') })
  t.equal(lines.length, 3)
  for (const line of lines) t.notMatch(line, 'canary')
  t.end()
})

t.test('writes at most sixty similar lines a minute, then counts them', async t => {
  const lines: Answer[] = []
  const clock = new ManualClock()
  const log = createLog({ level: 'info' }, { write: line => void lines.push(JSON.parse(line)) }, clock)
  for (let count = 0; count < 500; count++) log.warn('a route of the operator was called', {})
  for (let count = 0; count < 500; count++) log.error('call failed', { errorId: 'corrupted-data' })
  for (let count = 0; count < 3; count++) log.error('call failed', { errorId: 'unexpected-error' })
  for (let count = 0; count < 200; count++) log.info('call', { method: 'events.get' })
  for (let count = 0; count < 1000; count++) log.error('an account is lost', { accountId: String(count) })
  t.equal(lines.length, 60 + 60 + 3 + 200 + 10, 'calls are what the operator asked for')
  lines.length = 0
  clock.advance(60)
  t.same(
    lines.map(({ level, msg }) => [level, msg]),
    [
      [40, 'a route of the operator was called (similar lines omitted: 440)'],
      [50, 'call failed (similar lines omitted: 440)'],
      [50, 'an account is lost (similar lines omitted: 990)']
    ],
    'without another one'
  )
  log.warn('a route of the operator was called', {})
  clock.advance(60)
  t.equal(lines.length, 4)
})

t.test('limits the lines that unauthenticated requests to operator routes can cause', async t => {
  const { lines, service } = await logged(t, false)
  for (let count = 0; count < 100; count++) await service.http('GET', '/reg/admin/users')
  const told = lines.filter(line => line.includes('wrong or missing key'))
  t.equal(told.length, 60)
})

t.test('an unwritable log', async t => {
  const disk = SmallDisk.mounted(t, 1)

  await t.test(
    'counts the lost lines, and reports the number once it can',
    { skip: typeof disk === 'string' && disk },
    async t => {
      const small = disk as SmallDisk
      const file = join(small.directory, 'log')
      const fd = openSync(file, 'a')
      t.teardown(() => closeSync(fd))
      const output = new LogOutput(fd)
      const log = createLog({ level: 'info' }, output)
      log.info('before')
      small.fill()
      // The last page of the file has space left, so one of the lines is truncated.
      for (let count = 0; count < 100; count++) log.error(`lost ${count} ${'x'.repeat(100)}`)
      t.ok(output.dropped > 50 && output.dropped < 100, `${output.dropped} lines`)
      small.empty()
      log.info('after')
      log.info('last')
      const lines = readFileSync(file, 'utf8').split('\n')
      const after = lines.slice(100 - output.dropped + 1)
      t.match(JSON.parse(lines[0]!), { msg: 'before' })
      t.throws(() => JSON.parse(after[0]!), 'the line that was cut')
      t.same(
        after.slice(1, 4).map(line => JSON.parse(line).msg),
        [`log lines that could not be written: ${output.dropped} (ENOSPC)`, 'after', 'last']
      )
      t.equal(lines.at(-1), '')
    }
  )

  await t.test('reports lost lines even if nothing else is logged', async t => {
    const path = join(t.testdir(), 'pipe')
    execFileSync('mkfifo', [path])
    const fd = openSync(path, constants.O_RDWR | constants.O_NONBLOCK)
    t.teardown(() => closeSync(fd))
    const output = new LogOutput(fd, 10)
    const log = createLog({ level: 'info' }, output)
    // Nothing reads the pipe: it is full, and each further line would block.
    for (let count = 0; output.dropped < 1000; count++) log.info(`${count} ${'x'.repeat(1000)}`)
    const buffer = Buffer.alloc(1_000_000)
    let said = ''
    await until(() => {
      try {
        said += buffer.toString('utf8', 0, readSync(fd, buffer))
      } catch {
        // Nothing more to read yet.
      }
      // A report may fit where a longer line does not.
      const told = [...said.matchAll(/"msg":"log lines that could not be written: (\d+) \(EAGAIN\)"/g)]
      return told.reduce((sum, [, count]) => sum + Number(count), 0) === 1000
    }, 'it is told')
    t.equal(output.dropped, 1000)
  })

  await t.test('does not block on each line to a slowly read pipe', t => {
    const path = join(t.testdir(), 'pipe')
    execFileSync('mkfifo', [path])
    const fd = openSync(path, constants.O_RDWR | constants.O_NONBLOCK)
    t.teardown(() => closeSync(fd))
    const output = new LogOutput(fd)
    const log = createLog({ level: 'info' }, output)
    const buffer = Buffer.alloc(16 * 1024)
    const begin = performance.now()
    for (let round = 0; round < 12; round++) {
      const { dropped } = output
      while (output.dropped === dropped) log.info('x'.repeat(1000))
      readSync(fd, buffer)
    }
    const tookMs = performance.now() - begin
    t.ok(tookMs < 1500, `${tookMs} ms, of which a reader may be waited for 250`)
    t.end()
  })

  await t.test('does not throw on a closed pipe or file', t => {
    // Stays open: the output is retried from time to time, and a closed descriptor would be reused by the next file.
    const fd = openSync('/dev/null', 'r')
    const output = new LogOutput(fd)
    createLog({ level: 'info' }, output).error('call failed', { cause: new Error('x') })
    t.equal(output.dropped, 1, 'EBADF')
    t.end()
  })
})

t.test('the log does not throw, whatever the cause of an error', t => {
  const lines: string[] = []
  const log = createLog({ level: 'info' }, { write: (line: string) => void lines.push(line) })
  const circle = new Error('circle')
  circle.cause = new Error('inner', { cause: circle })
  let chain = new Error('end')
  for (let depth = 0; depth < 50_000; depth++) chain = new Error('link', { cause: chain })
  const throwing = Object.defineProperty(new Error('throwing'), 'stack', {
    get: () => {
      throw new Error('no stack')
    }
  })
  const causes = [
    circle,
    chain,
    throwing,
    Object.create(null),
    Symbol('s'),
    null,
    5n,
    new Proxy({}, { get: () => assertNever() })
  ]
  for (const cause of causes) log.error('unexpected failure', { cause })
  t.equal(lines.length, causes.length)
  for (const line of lines) t.match(JSON.parse(line), { msg: 'unexpected failure' })
  t.end()
})

function assertNever(): never {
  throw new Error('asked')
}
