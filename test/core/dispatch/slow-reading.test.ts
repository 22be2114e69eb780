/** Responses that are read slowly: each page checks the reader's access, and shows what it may see at that time. */
import t from 'tap'
import type { ApiError, ErrorId } from '../../../core/errors.js'
import type { Outcome } from '../../../core/call/outcome.js'
import { Client, coffer, type Answer, type Overrides, type Service } from '../../support/coffer.js'
import { inRotation, rotate } from '../../support/rotation.js'

t.setTimeout(900_000)

const settings: Overrides = {
  adminKey: 'the-key-of-the-operator-which-is-long',
  auth: { sessionMaxAge: 3600 },
  versioning: { forceKeepHistory: true }
}

/** A response that is read on demand. */
class Slow {
  text: string

  constructor(private readonly outcome: Outcome) {
    if (!outcome.ok) throw outcome.error
    this.text = outcome.members
  }

  static async call({ access, service, username }: Client, method: string, params: unknown): Promise<Slow> {
    const credentials = { ip: '127.0.0.1', via: 'http', authorization: access.token } as const
    return new Slow(await service.server.dispatcher.call({ user: username, method, params, credentials }))
  }

  get isLong(): boolean {
    return this.outcome.ok && this.outcome.remainder !== undefined
  }

  /** Reads the next chunk; `false` at the end. */
  async next(): Promise<boolean> {
    const step = this.outcome.ok && (await this.outcome.remainder?.next())
    if (!step || step.done) return false
    this.text += step.value
    return true
  }

  /** Reads until the text contains a word. */
  async until(word: string): Promise<void> {
    while (!this.text.includes(word) && (await this.next()));
  }

  async all(): Promise<Answer> {
    while (await this.next());
    return JSON.parse(`{${this.text}}`)
  }

  /** Reads to the end. Returns the id of the error that ends the response. */
  async refusal(): Promise<ErrorId | undefined> {
    try {
      await this.all()
      return undefined
    } catch (error) {
      return (error as ApiError).id
    }
  }
}

const size = 20_000
/** Data points of a series: more than one page holds. */
const pointCount = 12_000

/** Returns calls that create `count` events of some kilobytes, an hour apart. */
function notes(streamId: string, count: number, letter = 'x'): object[] {
  return Array.from({ length: count }, (_, index) => ({
    method: 'events.create',
    params: {
      streamIds: [streamId],
      type: 'note/txt',
      time: 1_600_000_000 + index * 3600,
      content: `${streamId} ${index} ${letter.repeat(size)}`
    }
  }))
}

/** Fills an account with much of everything. Returns the ids of an event with a history and of one with data points. */
async function filled(user: Client): Promise<{ past: string; holder: string }> {
  for (const id of ['work', 'diary']) await user.stream(id)
  await user.do('callBatch', notes('work', 60))
  const streams = Array.from({ length: 1000 }, (_, index) => ({
    method: 'streams.create',
    params: { id: `s${index}`, name: `Stream ${index} ${'n'.repeat(60)}`, parentId: 'diary' }
  }))
  await user.do('callBatch', streams)
  const past = await user.event({ content: 'p'.repeat(50_000) })
  for (let version = 0; version < 8; version++)
    await user.do('events.update', { id: past.id, update: { content: `${version} ${'p'.repeat(50_000)}` } })
  const holder = await user.event({ type: 'series:mass/kg', content: undefined })
  const points = Array.from({ length: pointCount }, (_, at) => [at, at * 1.25])
  const format = { format: 'flatJSON', fields: ['deltaTime', 'value'] }
  await user.do('hfs.add', { id: holder.id, ...format, points })
  return { past: past.id, holder: holder.id }
}

/** Makes every call with a long response. */
async function longOnes(reader: Client, { holder, past }: { holder: string; past: string }) {
  const range = { id: holder, fromDeltaTime: 0, toDeltaTime: 40_000 }
  const calls: [name: string, method: string, params: unknown][] = [
    ['events', 'events.get', { limit: 1000 }],
    ['events of one stream', 'events.get', { limit: 1000, streams: ['work'], sortAscending: true }],
    ['events since', 'events.get', { modifiedSince: 0, limit: 1000, includeDeletions: true }],
    ['points', 'hfs.get', range],
    ['points backwards', 'hfs.get', { ...range, sortAscending: false }],
    ['a sample', 'hfs.get', { ...range, sample: 9000 }],
    ['a past', 'events.getOne', { id: past, includeHistory: true }],
    ['streams', 'streams.get', {}],
    ['a batch', 'callBatch', [{ method: 'events.get', params: { limit: 1000 } }]]
  ]
  const slow = new Map<string, Slow>()
  for (const [name, method, params] of calls) slow.set(name, await Slow.call(reader, method, params))
  return slow
}

/** Makes calls whose responses list many accesses and calls. */
async function longAboutCalls(reader: Client): Promise<Map<string, Slow>> {
  const slow = new Map<string, Slow>()
  const grants = Array.from({ length: 150 }, (_, index) => ({
    method: 'accesses.create',
    params: {
      name: `share ${index}`,
      expireAfter: 60,
      permissions: [{ streamId: 'work', level: 'read' }],
      clientData: { a: 'c'.repeat(1000) }
    }
  }))
  await reader.do('callBatch', grants)
  await reader.do(
    'callBatch',
    Array.from({ length: 500 }, () => ({ method: 'getAccessInfo', params: {} }))
  )
  const own = `:_audit:access-${reader.access.id}`
  slow.set('accesses', await Slow.call(reader, 'accesses.get', {}))
  slow.set('calls', await Slow.call(reader, 'audit.get', { limit: 10_000 }))
  slow.set('calls as events', await Slow.call(reader, 'events.get', { streams: [own], limit: 10_000 }))
  return slow
}

interface Ending {
  readonly name: string
  /** Returns the reader. */
  reader(alice: Client): Promise<Client>
  end(reader: Client, alice: Client): Promise<unknown>
  readonly error?: string
  /** Whether it needs an account of its own, since the one before has ended. */
  readonly needsAccount?: boolean
}

const manageAll = [{ streamId: '*', level: 'manage' as const }]
const another = async ({ service, username }: Client): Promise<Client> => {
  const { access } = await service.call(undefined, 'test.signIn', { username, appId: 'other' })
  return new Client(service, username, access)
}
const operator = (service: Service, method: string, params: object): Promise<Answer> =>
  service.call(undefined, method, params, settings.adminKey)

const endings: readonly Ending[] = [
  {
    name: 'its access has been deleted',
    reader: alice => alice.grantAll(manageAll, { type: 'app' }),
    end: ({ access }, alice) => alice.do('accesses.delete', { id: access.id })
  },
  {
    name: 'its access has expired',
    reader: alice => alice.grantAll(manageAll, { type: 'app', expireAfter: 600 }),
    end: async ({ service }) => service.clock.advance(601)
  },
  {
    name: 'its reader has signed out',
    reader: another,
    end: reader => reader.do('auth.logout')
  },
  {
    name: 'its session has expired',
    reader: another,
    end: async ({ service }) => service.clock.advance(3602)
  },
  {
    name: 'the account has moved',
    reader: another,
    end: ({ service, username }) =>
      operator(service, 'system.relocateUser', { username, url: 'https://other.example.com' }),
    error: 'user-account-relocated'
  },
  {
    name: 'the account has been deleted',
    reader: async alice => alice,
    end: ({ service, username }) => operator(service, 'users.delete', { username }),
    error: 'unknown-resource',
    needsAccount: true
  }
]

for (const workers of rotate(t, [0, 2]))
  t.test(`a long response ends, with ${workers} threads, once`, async t => {
    const service = await coffer(t, { ...settings, workers })
    // Endings of an access, and one of the account itself, share an account.
    const shared = await service.user('shared')
    const test = inRotation(t, 3)
    const sharedIds = await filled(shared)
    for (const [
      index,
      { end, error = 'invalid-access-token', name, needsAccount, reader }
    ] of endings.entries())
      await test(name, async t => {
        const user = needsAccount ? await service.user(`user${index}`) : shared
        const ids = needsAccount ? await filled(user) : sharedIds
        const by = await reader(user)
        const slow = new Map([...(await longOnes(by, ids)), ...(await longAboutCalls(by))])
        for (const [what, answer] of slow) t.ok(answer.isLong, what)
        t.notMatch(await end(by, user), { error: {} })
        for (const [what, answer] of slow) {
          const { text } = answer
          t.equal(await answer.refusal(), error, what)
          t.equal(answer.text, text, what)
          t.notOk(await answer.next(), `${what} has ended`)
        }
      })
  })

/** Number of events that the reader of a list may go on reading, and of those that are hidden from it. */
const perStream = 60

const hide = (user: Client, id = 'secret'): Promise<Answer> =>
  user.do('streams.update', { id, update: { parentId: 'elsewhere' } })

t.test('a list continues with what is visible by then', async t => {
  const service = await coffer(t, settings)
  const user = await service.user('user')
  await user.stream('work')
  await user.stream('secret', 'work')
  await user.stream('elsewhere')
  const secret = notes('secret', perStream)
  const calls = notes('work', perStream).flatMap((call, index) => [call, secret[index]!])
  await user.do('callBatch', calls)
  /** Creates a reader of a stream that contains another one, which is hidden later. */
  const setUp = async (): Promise<Client> => {
    await user.do('streams.update', { id: 'secret', update: { parentId: 'work', trashed: false } })
    return await user.grant('read', 'work', { type: 'app' })
  }
  const since = { modifiedSince: 0, limit: 1000 }

  const test = inRotation(t, 2)
  for (const [name, params] of Object.entries({
    'by time': { limit: 1000 },
    'in a stream': { limit: 1000, streams: ['work'] },
    'without another': { limit: 1000, streams: [{ any: ['*'], not: ['elsewhere'] }] },
    'of a type': { limit: 1000, types: ['note/*'], sortAscending: true },
    'since a time': since,
    'from a time on': { fromTime: 1_600_000_000, toTime: 1_700_000_000, limit: 1000 }
  }))
    test(`events ${name}, of which some have been hidden`, async t => {
      const reader = await setUp()
      const slow = await Slow.call(reader, 'events.get', params)
      await slow.until('secret')
      const { length } = slow.text
      await hide(user)
      const { events } = await slow.all()
      t.notMatch(slow.text.slice(length), 'secret')
      t.equal(events.filter((event: Answer) => event.streamIds.includes('work')).length, perStream)
    })

  t.test('omits events of a stream that was moved to the trash', async t => {
    const reader = await setUp()
    const slow = await Slow.call(reader, 'events.get', { limit: 1000 })
    const { length } = slow.text
    await user.do('streams.delete', { id: 'secret' })
    await slow.all()
    t.notMatch(slow.text.slice(length), 'secret')
  })

  t.test('stops if the reader may no longer read a stream that it named', async t => {
    const reader = await setUp()
    const slow = await Slow.call(reader, 'events.get', { limit: 1000, streams: ['secret'] })
    const { text } = slow
    await hide(user)
    t.equal(await slow.refusal(), 'forbidden')
    t.equal(slow.text, text)
  })

  t.test('omits a stream created after another was deleted', async t => {
    const reader = await setUp()
    await user.stream('last', 'work')
    const slow = await Slow.call(reader, 'events.get', { limit: 1000 })
    for (let time = 0; time < 2; time++)
      await user.do('streams.delete', { id: 'last', mergeEventsWithParent: false })
    await user.stream('private')
    await user.do(
      'callBatch',
      notes('private', 10).map((call, at) => early(call, at))
    )
    await slow.all()
    t.notMatch(slow.text, 'private')
  })

  t.test('omits trashed events', async t => {
    const reader = await setUp()
    const marked = await user.event({ streamIds: ['work'], time: 1, content: `marked ${'m'.repeat(size)}` })
    const slow = await Slow.call(reader, 'events.get', since)
    t.notMatch(slow.text, 'marked')
    await user.do('events.delete', { id: marked.id })
    await slow.all()
    t.notMatch(slow.text, 'marked')
  })

  for (const [name, change] of Object.entries({
    moved: (user: Client, id: string) =>
      user.do('events.update', { id, update: { streamIds: ['elsewhere'] } }),
    trashed: (user: Client, id: string) => user.do('events.delete', { id }),
    deleted: async (user: Client, id: string) => {
      await user.do('events.delete', { id })
      await user.do('events.delete', { id })
    },
    'replaced by another': async (user: Client, id: string) => {
      await user.do('events.delete', { id })
      await user.do('events.delete', { id })
      await user.stream('hidden')
      const { id: other } = await user.event({
        streamIds: ['hidden'],
        type: 'series:mass/kg',
        content: undefined
      })
      await addPoints(user, other)
    },
    'below a stream that has moved': (user: Client) => hide(user)
  }))
    test(`no data points of an event that is ${name}`, async t => {
      const reader = await setUp()
      const { id } = await user.event({ streamIds: ['secret'], type: 'series:mass/kg', content: undefined })
      await addPoints(user, id)
      const range = { id, fromDeltaTime: 0, toDeltaTime: 40_000 }
      const asked = [range, { ...range, sortAscending: false }, { ...range, sample: 9000 }]
      const slow = await Promise.all(asked.map(params => Slow.call(reader, 'hfs.get', params)))
      await change(user, id)
      for (const answer of slow) {
        const { text } = answer
        t.match(await answer.refusal(), /forbidden|unknown-resource/)
        t.equal(answer.text, text)
      }
    })

  t.test('omits versions of an event that was hidden', async t => {
    const reader = await setUp()
    const { id } = await user.event({ streamIds: ['secret'], content: 'p'.repeat(80_000) })
    for (let version = 0; version < 5; version++)
      await user.do('events.update', { id, update: { content: `${version} ${'p'.repeat(80_000)}` } })
    const slow = await Slow.call(reader, 'events.getOne', { id, includeHistory: true })
    await user.do('events.update', { id, update: { streamIds: ['elsewhere'] } })
    t.equal(await slow.refusal(), 'forbidden')
  })

  t.test('omits streams that were hidden meanwhile', async t => {
    const reader = await setUp()
    const streams = Array.from({ length: 1500 }, (_, index) => ({
      method: 'streams.create',
      params: { id: `s${index}`, name: `${index} ${'n'.repeat(80)}`, parentId: index % 2 ? 'secret' : 'work' }
    }))
    await user.do('callBatch', streams)
    const slow = await Slow.call(reader, 'streams.get', {})
    t.ok(slow.isLong)
    await slow.until('"id":"secret"')
    const { length } = slow.text
    await hide(user)
    await user.do('streams.update', { id: 's0', update: { name: 'renamed' } })
    const [work] = (await slow.all()).streams
    // What earlier pages contained stays.
    t.ok((slow.text.slice(length).match(/"parentId":"secret"/g) ?? []).length === 0)
    t.ok(work.children.length >= 740)
  })

  t.test('continues after the file was closed and reopened', async t => {
    const small = await coffer(t, { ...settings, storage: { maxOpenUsers: 1 } })
    const { alice } = small
    await alice.stream('work')
    await alice.do('callBatch', notes('work', 120))
    const reader = await alice.grant('read', 'work', { type: 'app' })
    const whole = await (await Slow.call(reader, 'events.get', { limit: 1000 })).all()
    const slow = await Slow.call(reader, 'events.get', { limit: 1000 })
    for (let time = 0; time === 0 || (await slow.next()); time++) await small.user(`other${time}`)
    t.same((await slow.all()).events, whole.events)
  })
})

t.test('a batch that ends its own access returns all results', async t => {
  const service = await coffer(t, settings)
  const { alice } = service
  await alice.stream('work')
  await alice.do('callBatch', notes('work', 60))
  for (const [name, reader, method] of [
    ['by signing out', await another(alice), 'auth.logout'],
    ['by deleting it', await alice.grantAll(manageAll, { type: 'app' }), 'accesses.delete']
  ] as const)
    t.test(name, async t => {
      const slow = await Slow.call(reader, 'callBatch', [
        { method: 'events.get', params: { limit: 100 } },
        { method, params: method === 'auth.logout' ? {} : { id: reader.access.id } },
        { method: 'events.get', params: { limit: 100 } }
      ])
      t.ok(slow.isLong)
      const [first, ended, after] = (await slow.all()).results
      t.equal(first.events.length, 60)
      t.notOk(ended.error)
      t.match(after, { error: { id: 'invalid-access-token' } })
    })
})

t.test('reading does not extend a session', async t => {
  const service = await coffer(t, settings)
  const { alice, clock } = service
  await alice.stream('work')
  await alice.do('callBatch', notes('work', 120))
  const reader = await another(alice)
  const slow = await Slow.call(reader, 'events.get', { limit: 100 })
  clock.advance(3000)
  t.ok(await slow.next())
  clock.advance(1000)
  t.equal(await slow.refusal(), 'invalid-access-token')
})

function early(call: object, at: number): object {
  const { method, params } = call as { method: string; params: object }
  return { method, params: { ...params, time: 1000 + at } }
}

async function addPoints(user: Client, id: string): Promise<void> {
  const points = Array.from({ length: pointCount }, (_, at) => [at, at * 1.25])
  await user.do('hfs.add', { id, format: 'flatJSON', fields: ['deltaTime', 'value'], points })
}
