/** The storage used by an account, updated with every write. (docs/spec/accounts.md#account-object) */
import t from 'tap'
import { removeExpired } from '../../../core/platform/retention.js'
import type { UserStore } from '../../../storage/user/user-store.js'
import { openCoffer, type Answer, type Client, type Overrides } from '../../support/coffer.js'
import { Random } from '../../support/random.js'
import { rotate } from '../../support/rotation.js'

const calls = 600

const settings: [string, Overrides][] = [
  ['', {}],
  [
    ', with all history kept',
    { versioning: { forceKeepHistory: true, deletionMode: 'keep-everything' }, deletions: { retention: 300 } }
  ]
]
for (const [name, overrides] of rotate(t, settings))
  t.test(`storage used equals a recount after a random workload${name}`, async t => {
    const { alice, clock, server } = await openCoffer(t, overrides)
    const store = storeOf(alice)
    const workload = new Workload(alice, new Random(7))
    await alice.stream('diary')
    for (let count = 0; count < calls; count++) {
      await workload.step()
      clock.advance(1)
      if (count % 100 === 0) t.same(store().storageUsed(), store().recountStorageUsed(), `after ${count}`)
    }
    t.same(store().storageUsed(), store().recountStorageUsed())
    t.ok(store().storageUsed().documents > 10_000, 'documents were written')
    t.ok(store().storageUsed().attachments > 1000, 'files were written')
    t.ok(workload.failed < calls / 8, `${workload.failed} calls failed`)
    t.same([...workload.done.keys()].toSorted(), Object.keys(workload.makers()).toSorted())
    const { documents } = store().storageUsed()
    const cleaned = await removeExpired(server.services, server.services.accounts.find('alice')!, {
      kind: 'deletions'
    })
    t.equal(cleaned > 0, 'deletions' in overrides)
    t.equal(
      store().storageUsed().documents < documents,
      'deletions' in overrides,
      'history goes with its record'
    )
    t.same(store().storageUsed(), store().recountStorageUsed())
  })

t.test('storage used', async t => {
  const { alice } = await openCoffer(t)
  await alice.stream('diary')
  const store = storeOf(alice)
  const before = store().storageUsed()

  const event = await alice.event({ content: 'zwölf €' })
  const size = Buffer.byteLength(JSON.stringify(event))
  t.same(store().storageUsed(), { ...before, documents: before.documents + size })

  t.test('excludes failed calls', async t => {
    const used = store().storageUsed()
    await alice.call('events.create', { streamIds: ['nowhere'], type: 'note/txt', content: 'x' })
    const batch = [
      { method: 'events.create', params: { streamIds: ['nowhere'], type: 'note/txt', content: 'x' } },
      { method: 'streams.create', params: { id: 'diary', name: 'other' } }
    ]
    await alice.http('POST', '/', batch)
    t.same(store().storageUsed(), used)
  })

  t.test('includes files until the event is deleted', async t => {
    const created = await upload(alice, 5000)
    t.equal(created.status, 201)
    t.equal(store().storageUsed().attachments, 5000)
    const { id } = created.body.event
    await alice.do('events.delete', { id })
    t.equal(store().storageUsed().attachments, 5000, 'the trash counts')
    await alice.do('events.delete', { id })
    t.same(store().storageUsed(), { ...before, documents: before.documents + size })
  })

  t.test('includes data points until their event is deleted', async t => {
    const holder = await alice.event({ type: 'series:mass/kg', content: null })
    const used = store().storageUsed().documents
    const points = Array.from({ length: 100 }, (_, index) => [index, index / 4])
    await alice.do('hfs.add', {
      id: holder.id,
      format: 'flatJSON',
      fields: ['deltaTime', 'value'],
      points
    })
    t.ok(store().storageUsed().documents > used + 500)
    await alice.do('events.delete', { id: holder.id })
    await alice.do('events.delete', { id: holder.id })
    t.same(store().storageUsed(), { ...before, documents: before.documents + size })
  })

  t.test('excludes events deleted with their stream', async t => {
    await alice.stream('gone')
    await upload(alice, 100, 'gone')
    await alice.do('streams.delete', { id: 'gone' })
    await alice.do('streams.delete', { id: 'gone', mergeEventsWithParent: false })
    t.same(store().storageUsed(), { ...before, documents: before.documents + size })
    t.same(store().storageUsed(), store().recountStorageUsed())
  })
})

/** Opens the account's file each time: it may have been closed since. */
function storeOf({ service, username }: Client): () => UserStore {
  const { accounts } = service.server.services
  return () => accounts.openStore(accounts.find(username)!)
}

async function upload(
  { service, token, username }: Client,
  size: number,
  streamId = 'diary'
): Promise<{ status: number; body: Answer }> {
  const form = new FormData()
  form.append('event', JSON.stringify({ streamIds: [streamId], type: 'file/attached' }))
  form.append('file', new Blob([Buffer.alloc(size, 'x')]), 'file.bin')
  const response = await fetch(`${service.server.url}/${username}/events`, {
    method: 'POST',
    headers: { authorization: token },
    body: form
  })
  return { status: response.status, body: await response.json() }
}

/** Random calls of all kinds that write. */
class Workload {
  readonly done = new Map<string, number>()
  failed = 0
  readonly #events: string[] = []
  readonly #holders: string[] = []
  readonly #streams: string[] = ['diary']
  readonly #accesses: string[] = []
  readonly #slices: string[] = []
  #count = 0

  constructor(
    private readonly client: Client,
    private readonly random: Random
  ) {}

  async step(): Promise<void> {
    const [name, make] = this.random.pick(Object.entries(this.makers()))
    this.done.set(name, (this.done.get(name) ?? 0) + 1)
    const { error } = (await make()) ?? {}
    if (error) this.failed++
  }

  makers(): Record<string, () => Promise<Answer>> {
    const { client, random } = this
    const text = (): string => 'ä'.repeat(random.below(200))
    const event = (): string => this.#any(this.#events)
    const stream = (): string => this.#any(this.#streams)
    const fields = (): object => ({
      streamIds: [...new Set(random.some(this.#streams, 2))],
      type: 'note/txt',
      content: text(),
      ...(random.chance(0.3) && { tags: random.some(['a', 'b', 'ü'], 2) }),
      ...(random.chance(0.3) && { clientData: { key: text() } })
    })
    return {
      create: async () => this.#kept(this.#events, (await client.call('events.create', fields())).event),
      batch: async () =>
        await client.http(
          'POST',
          '/',
          [fields(), fields(), { streamIds: ['none'] }].map(params => ({ method: 'events.create', params }))
        ),
      update: async () => await client.call('events.update', { id: event(), update: fields() }),
      trash: async () => await client.call('events.delete', { id: event() }),
      delete: async () => {
        const id = event()
        await client.call('events.delete', { id })
        return await client.call('events.delete', { id })
      },
      upload: async () => {
        const { body } = await upload(client, random.below(3000), stream())
        return this.#kept(this.#events, body.event)
      },
      removeFile: async () => {
        const { events } = await client.do('events.get', { types: ['file/attached'], limit: 1 })
        const [file] = events[0]?.attachments ?? []
        return file && (await client.call('events.deleteAttachment', { id: events[0].id, fileId: file.id }))
      },
      series: async () => {
        const answer = await client.call('events.create', { streamIds: [stream()], type: 'series:mass/kg' })
        return this.#kept(this.#holders, answer.event)
      },
      points: async () => {
        const points = Array.from({ length: 1 + random.below(100) }, (_, at) => [at, random.next()])
        const id = this.#any(this.#holders)
        return await client.call('hfs.add', {
          id,
          format: 'flatJSON',
          fields: ['deltaTime', 'value'],
          points
        })
      },
      stream: async () => {
        const params = { id: `s${this.#count++}`, name: `${this.#count} ${text()}`, parentId: stream() }
        return this.#kept(this.#streams, (await client.call('streams.create', params)).stream)
      },
      renameStream: async () =>
        await client.call('streams.update', { id: stream(), update: { name: `${this.#count++} ${text()}` } }),
      deleteStream: async () => {
        if (this.#streams.length < 10) return undefined
        const id = this.#streams.pop()!
        await client.call('streams.delete', { id })
        return await client.call('streams.delete', { id, mergeEventsWithParent: random.chance(0.5) })
      },
      access: async () => {
        const params = {
          name: `a${this.#count++}`,
          permissions: [{ streamId: 'diary', level: 'read' }],
          clientData: { key: text() }
        }
        return this.#kept(this.#accesses, (await client.call('accesses.create', params)).access)
      },
      deleteAccess: async () => await client.call('accesses.delete', { id: this.#accesses.pop() ?? 'none' }),
      profile: async () =>
        await client.call('profile.updatePublic', { update: { [`k${random.below(5)}`]: text() || null } }),
      slice: async () => {
        const params = { name: `${this.#count++} ${text()}`, url: text(), accessToken: text() }
        return this.#kept(this.#slices, (await client.call('followedSlices.create', params)).followedSlice)
      },
      renameSlice: async () =>
        await client.call('followedSlices.update', {
          id: this.#any(this.#slices),
          update: { name: `${this.#count++} ${text()}` }
        }),
      deleteSlice: async () =>
        await client.call('followedSlices.delete', { id: this.#slices.pop() ?? 'none' }),
      account: async () => {
        await client.service.call(undefined, 'test.noteSignIns', { username: client.username })
        return await client.call('account.update', { update: { email: `${text()}${this.#count++}` } })
      }
    }
  }

  #any(ids: readonly string[]): string {
    return ids.length === 0 ? 'none' : this.random.pick(ids)
  }

  #kept(list: string[], item: Answer): Answer {
    if (!item) return { error: true }
    list.push(item.id)
    return {}
  }
}
