/** Attachments that are available on every node: an object each, and local files as a cache. */
import { existsSync, mkdirSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import t, { type Test } from 'tap'
import { SharedAttachments } from '../../cluster/objects/shared-attachments.js'
import { createId } from '../../core/ids.js'
import { StoreUnavailable } from '../../storage/errors.js'
import { Layout } from '../../storage/files/layout.js'
import { MemoryObjects } from './memory-objects.js'

const account = createId()

interface Place {
  readonly layout: Layout
  readonly attachments: SharedAttachments
}

/** Creates the attachment store of a node, with its own folder. */
function node(
  t: Test,
  objects: MemoryObjects,
  cacheBytes = 0,
  assertWriter = async (): Promise<void> => {}
): Place {
  const layout = new Layout(join(t.testdirName, `${places++}`))
  mkdirSync(layout.userDirectory(account), { recursive: true })
  const onError = (error: Error): void => void t.fail(error.message)
  const options = { layout, objects, node: `n${places}`, cacheBytes, assertWriter, onError }
  return { layout, attachments: new SharedAttachments(options) }
}

let places = 0

async function refuse(): Promise<void> {
  await Promise.resolve()
  throw new StoreUnavailable('not ours')
}

async function put({ attachments }: Place, bytes: Buffer): Promise<string> {
  const id = createId()
  await attachments.put(account, id, await attachments.receive(Readable.from([bytes]), 'sha256'))
  return id
}

async function read(
  { attachments }: Place,
  id: string,
  range?: { start: number; end: number }
): Promise<string | undefined> {
  const source = await attachments.get(account, id, range)
  return source && (await buffer(source)).toString()
}

t.test('a file', async t => {
  t.testdir()
  const objects = new MemoryObjects()
  const [here, there] = [node(t, objects), node(t, objects)]
  const id = await put(here, Buffer.from('0123456789'))

  t.test('is stored at one node and read at another, whole and in ranges', async t => {
    t.equal(await read(there, id, { start: 2, end: 4 }), '234')
    t.equal(await read(there, id), '0123456789')
    t.equal(await there.attachments.size(account, id), 10)
    t.same(await there.attachments.list(account), [id])
  })

  t.test('is fetched once for concurrent readers', async t => {
    const third = node(t, objects)
    t.same(await Promise.all([1, 2, 3].map(async () => await read(third, id))), Array(3).fill('0123456789'))
    t.same(readdirSync(third.layout.draftsDirectory), [])
  })

  t.test('is not found if it does not exist', async t => {
    t.equal(await read(there, createId()), undefined)
    t.equal(await there.attachments.size(account, createId()), undefined)
  })

  t.test('is not fetched into the folder of a deleted account', async t => {
    const fourth = node(t, objects)
    const folder = fourth.layout.userDirectory(account)
    rmSync(folder, { recursive: true })
    t.equal(await read(fourth, id), undefined)
    t.equal(await fourth.attachments.size(account, id), undefined)
    t.notOk(existsSync(folder))
    t.same(readdirSync(fourth.layout.draftsDirectory), [])
  })

  t.test('is removed everywhere, but only by the node that serves the account', async t => {
    const former = node(t, objects, 0, refuse)
    await t.rejects(former.attachments.remove(account, id), StoreUnavailable)
    t.equal(await read(former, id), '0123456789')
    const kept = await put(here, Buffer.from('kept'))
    t.equal(await read(former, kept), 'kept')
    await here.attachments.remove(account, id)
    t.same(objects.keys, [`file/${account}/${kept}`])
    t.equal(await read(here, id), undefined)
    await former.attachments.sweep(0)
    t.equal(await read(former, id), undefined, 'nor is the copy that another node has fetched')
    t.ok(existsSync(former.layout.attachmentFile(account, kept)))
  })
})

t.test('a file received at one node is stored by another', async t => {
  t.testdir()
  const objects = new MemoryObjects()
  const [here, there] = [node(t, objects), node(t, objects)]
  const received = await here.attachments.receive(Readable.from([Buffer.from('lent')]), 'sha256')
  const id = createId()
  const lent = await here.attachments.lend(received)
  await here.attachments.discard(received)
  await there.attachments.put(account, id, lent)
  t.equal(await read(here, id), 'lent')
  t.same(objects.keys, [`file/${account}/${id}`])

  const other = await here.attachments.lend(
    await here.attachments.receive(Readable.from([Buffer.from('x')]), 'sha256')
  )
  await there.attachments.discard(other)
  t.same(objects.keys, [`file/${account}/${id}`])
})

t.test('drafts of earlier runs are removed, and those of this run kept', async t => {
  t.testdir()
  const objects = new MemoryObjects()
  const layout = new Layout(join(t.testdirName, 'one'))
  const options = {
    layout,
    objects,
    node: 'n1',
    cacheBytes: 0,
    assertWriter: async () => {},
    onError: () => {}
  }
  const former = new SharedAttachments(options)
  await former.lend(await former.receive(Readable.from([Buffer.from('x')]), 'sha256'))
  const now = new SharedAttachments(options)
  const { draft } = await now.lend(await now.receive(Readable.from([Buffer.from('x')]), 'sha256'))
  t.equal(objects.keys.length, 2)
  await now.sweepDrafts()
  t.same(objects.keys, [draft.slice('object:'.length)])
})

t.test('nothing is stored while object storage is unavailable', async t => {
  t.testdir()
  const state = { fails: true }
  const objects = new MemoryObjects(() => state.fails)
  const here = node(t, objects)
  await t.rejects(put(here, Buffer.from('x')), StoreUnavailable)
  await t.rejects(read(here, createId()), StoreUnavailable)
  state.fails = false
  t.same(await here.attachments.list(account), [])
})

t.test('local files stay within the cache limit', async t => {
  t.testdir()
  const objects = new MemoryObjects()
  const here = node(t, objects, 100_000)
  const local = createId()
  const path = here.layout.attachmentFile(account, local)
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, Buffer.alloc(20_000))
  utimesSync(path, 1, 1)
  const ids: string[] = []
  for (let index = 0; index < 12; index++) {
    const id = await put(here, Buffer.alloc(20_000, index))
    utimesSync(here.layout.attachmentFile(account, id), 100 + index, 100 + index)
    ids.push(id)
    await here.attachments.waitUntilSettled()
  }
  const isHere = (id: string): boolean => existsSync(here.layout.attachmentFile(account, id))
  t.ok(ids.filter(isHere).length <= 5, 'no more than fit are left')
  t.notOk(isHere(ids[0] as string), 'the one that was used longest ago has gone')
  t.ok(isHere(ids.at(-1) as string), 'the last one is here')
  await here.attachments.sweep(0)
  t.ok(isHere(local), 'what is not stored elsewhere is kept')
  t.equal(Buffer.from((await read(here, ids[0] as string)) ?? '').length, 20_000)

  await here.attachments.share(account)
  t.ok(objects.keys.includes(`file/${account}/${local}`))
})
