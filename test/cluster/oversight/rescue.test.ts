/** Accounts whose files cannot be rebuilt from their logs: available copies are found, and the best one restored. */
import { rmSync } from 'node:fs'
import t, { type Test } from 'tap'
import { EngineUnavailable, type Entry } from '../../../cluster/engine.js'
import { Rescue } from '../../../cluster/rescue.js'
import { Layout } from '../../../storage/files/layout.js'
import { collectGarbage } from '../../support/heap.js'
import { Random } from '../../support/random.js'
import { inRotation } from '../../support/rotation.js'
import { until } from '../../support/socket.js'
import { MemoryLog } from '../memory-log.js'
import { MemoryObjects } from '../memory-objects.js'
import { Nodes } from '../nodes.js'

t.setTimeout(300_000)

interface World {
  readonly log: DamagedLog
  readonly nodes: Nodes
  readonly objects: MemoryObjects
  readonly rescues: readonly Rescue[]
  write(node: number, content: string): Promise<string>
  contents(node: number): Promise<string[] | string>
  /** The same, once it is available: fetching a file may take longer than a call's timeout. */
  served(node: number): Promise<string[]>
  /** Releases the account on all nodes. */
  rest(): Promise<void>
}

/** A log in which a bit of a record can be flipped. */
class DamagedLog extends MemoryLog {
  /** Whether appends fail. */
  refuses = false

  override async append(subject: string, expected: number, bytes: Uint8Array): Promise<number> {
    if (this.refuses) throw new EngineUnavailable()
    return await super.append(subject, expected, bytes)
  }

  /** `at` counts from the end. */
  damage(subject: string, at: number): void {
    const { bytes } = this.entries(subject).at(-1 - at)!
    bytes[bytes.length - 1]! ^= 1
  }
}

const getSubject = (id: string): string => id

/** Starts two nodes on a log that the test damages, each with its rescue. */
async function start(t: Test): Promise<World> {
  const log = new DamagedLog()
  const objects = new MemoryObjects()
  const nodes = new Nodes(t, { log, objects, snapshotBytes: 1e9, getSubject }, new Random(1))
  await nodes.start(2, 1)
  const { account, token } = nodes.person(0)
  const call = async (node: number, method: string, params: object): Promise<{ error?: { id: string } }> =>
    (await nodes.at(node).call(account.username, method, params, token)) as { error?: { id: string } }
  const rescues = [0, 1].map(index => {
    const layout = new Layout(nodes.at(index).directory)
    const { logs } = nodes.node(index)
    const rescue = new Rescue({ log, objects, layout, getSubject, isServed: id => logs.isServed(id) })
    t.teardown(() => rescue.close())
    return rescue
  })
  const contents = async (node: number): Promise<string[] | string> => {
    const answer = (await call(node, 'events.get', { streams: ['diary'], limit: 100 })) as {
      error?: { id: string }
      events?: { content: string }[]
    }
    return answer.events?.map(({ content }) => content).toSorted() ?? answer.error!.id
  }
  return {
    log,
    nodes,
    objects,
    rescues,
    async write(node, content) {
      const made = await call(node, 'events.create', { streamIds: ['diary'], type: 'note/txt', content })
      return made.error?.id ?? 'ok'
    },
    contents,
    async served(node) {
      let found: string[] | string = ''
      await until(async () => {
        found = await contents(node)
        return typeof found !== 'string'
      }, 'the account to be served')
      return found as unknown as string[]
    },
    async rest() {
      for (const node of [0, 1]) await nodes.at(node).server.services.accounts.handover.release(account)
    }
  }
}

t.test('a damaged last record is replaced by the file of the node that wrote it', async t => {
  const { contents, log, nodes, rescues, rest, served, write } = await start(t)
  const { account } = nodes.person(0)
  const [here, there] = rescues as [Rescue, Rescue]
  for (const content of ['one', 'two', 'three']) t.equal(await write(0, content), 'ok')
  await t.rejects(here.restore(account.id, 'file', true), /serves the account/)
  await t.rejects(here.inspect(account.id), /serves the account/, 'its file is open, and left alone')
  await rest()
  log.damage(account.id, 0)
  t.equal(await contents(0), 'api-unavailable', 'nothing is served that may be too old')
  t.equal(await contents(1), 'api-unavailable')

  const { copies, end } = await here.inspect(account.id)
  t.equal(end.damaged, 1)
  t.match(copies[0], { place: 'file' })
  t.ok(copies.some(({ place }) => place === 'log'))
  t.ok(copies[0]!.lsn > copies.find(({ place }) => place === 'log')!.lsn, 'the file has more than the log')
  t.notOk((await there.inspect(account.id)).copies.some(({ place }) => place === 'file'))
  const { length } = log.entries(account.id)
  await t.rejects(here.restore(account.id, 'file', false), /--accept-loss/)
  await t.rejects(here.restore(account.id, 'aside', true), /no complete copy/)
  await t.rejects(here.restore(account.id, '../../etc/passwd', true), /no complete copy/)
  t.equal(log.entries(account.id).length, length, 'nothing is done before it is said')

  await here.restore(account.id, 'file', true)
  t.same(await served(1), ['one', 'three', 'two'], 'any node has it')
  t.equal(await write(1, 'four'), 'ok')
  await rest()
  t.same(await served(0), ['four', 'one', 'three', 'two'])
  t.same(await nodes.differences(), [])
})

t.test('a damaged record in the middle loses nothing if a file reaches the end of the log', async t => {
  const { contents, log, nodes, rescues, rest, served, write } = await start(t)
  const { account } = nodes.person(0)
  for (const content of ['one', 'two', 'three']) t.equal(await write(0, content), 'ok')
  await rest()
  // While its file is at the end of the log, its node needs no record.
  log.damage(account.id, 1)
  t.same(await served(0), ['one', 'three', 'two'])
  await rest()
  t.equal(await contents(1), 'api-unavailable')
  const { copies, end } = await rescues[0]!.inspect(account.id)
  t.ok(copies[0]!.place === 'file' && copies[0]!.lsn >= end.lsn)
  await rescues[0]!.restore(account.id, 'file', true)
  t.same(await served(1), ['one', 'three', 'two'])
})

t.test('without any file, the log is restored up to the damaged record', async t => {
  const { contents, log, nodes, rescues, rest, served, write } = await start(t)
  const { account } = nodes.person(0)
  for (const content of ['one', 'two', 'three', 'four']) t.equal(await write(0, content), 'ok')
  await rest()
  rmSync(new Layout(nodes.at(0).directory).userFile(account.id))
  log.damage(account.id, 1)
  const [rescue] = rescues as [Rescue]
  t.equal(await contents(1), 'api-unavailable')
  const { copies } = await rescue.inspect(account.id)
  t.match(copies, [{ place: 'log' }])
  await rescue.restore(account.id, 'log', true)
  const left = await served(1)
  t.ok(left.includes('one') && left.length < 4, JSON.stringify(left))
  t.equal(await write(0, 'five'), 'ok')
  t.same(await nodes.differences(), [])
})

const rarely = inRotation(t, 2)

void rarely('concurrent restores of one account are refused', async t => {
  const { log, nodes, rescues, rest, write } = await start(t)
  const { account } = nodes.person(0)
  t.equal(await write(0, 'one'), 'ok')
  await rest()
  const { length } = log.entries(account.id)
  const taken = await Promise.allSettled([
    rescues[0]!.restore(account.id, 'file', true),
    rescues[0]!.restore(account.id, 'file', true)
  ])
  t.same(taken.map(({ status }) => status).toSorted(), ['fulfilled', 'rejected'])
  t.equal(log.entries(account.id).length, length + 1)
})

void rarely('leftovers of a failed restore are not mistaken for a complete copy', async t => {
  const { log, nodes, objects, rescues, rest, served, write } = await start(t)
  const { account } = nodes.person(0)
  const [here] = rescues as [Rescue]
  for (const content of ['one', 'two']) t.equal(await write(0, content), 'ok')
  await rest()
  const { copies, end } = await here.inspect(account.id)
  t.equal(copies.find(({ place }) => place === 'file')?.lsn, end.lsn)

  log.refuses = true
  await t.rejects(here.restore(account.id, 'file', false))
  log.refuses = false
  const [left] = objects.keys.filter(key => key.startsWith(`snap/${account.id}/`)) as [string]
  const place = `snapshot-${left.slice(left.lastIndexOf('/') + 1)}`
  t.ok(Number(place.slice(9)) > end.lsn + 1000, 'has a number that no node gives to a commit meanwhile')
  await t.rejects(here.restore(account.id, place, false), /--accept-loss/)
  await here.restore(account.id, 'file', false)
  t.same(await served(1), ['one', 'two'])
})

/** A log whose records are created when they are read, a few at a time. */
class LongLog extends MemoryLog {
  /** Peak memory of its records, in bytes. */
  mostBytes = 0

  constructor(private readonly records: number) {
    super()
  }

  override async read(subject: string, from: number, limit: number): Promise<Entry[]> {
    collectGarbage()
    this.mostBytes = Math.max(this.mostBytes, process.memoryUsage().arrayBuffers)
    const first = Math.max(1, from)
    const count = Math.min(limit, 4, this.records + 1 - first)
    const entries = Array.from({ length: Math.max(0, count) }, (_, index) => ({
      subject,
      sequence: first + index,
      bytes: Buffer.alloc(recordBytes)
    }))
    return await Promise.resolve(entries)
  }
}

const recordBytes = 4 * 1024 * 1024

t.test('a log larger than memory can be inspected', async t => {
  const log = new LongLog(32)
  const layout = new Layout(t.testdir())
  const rescue = new Rescue({ log, objects: new MemoryObjects(), layout, getSubject, isServed: () => false })
  t.teardown(() => rescue.close())
  const { end } = await rescue.inspect('c000000000000000000000001')
  t.match(end, { damaged: 32, sequence: 32, lsn: 0 })
  t.ok(log.mostBytes < 16 * recordBytes, `${log.mostBytes} bytes at once`)
})
