/** Contract of the engine port, tested with three real servers. */
import t, { type Test } from 'tap'
import { Conflict, EngineUnavailable } from '../../../cluster/engine.js'
import { NatsEngine } from '../../../cluster/nats-engine.js'
import { EngineServers, until } from '../engine-servers.js'

t.setTimeout(900_000)

const servers = await EngineServers.start(t)
/** Large records take long on a busy machine. */
const timeoutMs = 60_000
const engine = await servers.connect(t, { timeoutMs })
/** A connection like that of another node. */
const other = await servers.connect(t, { timeoutMs })
await servers.makeStreams(engine)

const bytes = (text: string): Buffer => Buffer.from(text)
const text = ({ bytes }: { bytes: Uint8Array }): string => Buffer.from(bytes).toString()
let subjects = 0
/** Returns the subject of an account without records. */
const fresh = (): string => `coffer.wal.00.account${subjects++}`

/** Appends records, each after the previous one. Returns their sequences. */
async function append(subject: string, ...records: string[]): Promise<number[]> {
  const sequences = [(await engine.last(subject))?.sequence ?? 0]
  for (const record of records) sequences.push(await engine.append(subject, sequences.at(-1)!, bytes(record)))
  return sequences.slice(1)
}

const promises: Readonly<Record<string, (t: Test) => Promise<unknown>>> = {
  'a record follows the expected one, and is read as it was written': async t => {
    const subject = fresh()
    const odd = Buffer.from([0, 255, 10, 13, 0])
    const first = await engine.append(subject, 0, odd)
    const second = await engine.append(subject, first, Buffer.alloc(0))
    t.ok(second > first)
    const read = await other.read(subject, 0, 10)
    t.same(
      read.map(entry => [entry.subject, entry.sequence, Buffer.from(entry.bytes)]),
      [
        [subject, first, odd],
        [subject, second, Buffer.alloc(0)]
      ]
    )
  },

  'a record that does not follow the last one is refused, and not there': async t => {
    const subject = fresh()
    const [first, last] = (await append(subject, 'one', 'two')) as [number, number]
    await t.rejects(engine.append(subject, 0, bytes('wrong')), Conflict)
    await t.rejects(engine.append(subject, first, bytes('wrong')), Conflict)
    // A log never goes back: a server that reports an earlier end does not know all of it.
    await t.rejects(engine.append(subject, last + 1, bytes('wrong')), EngineUnavailable)
    t.same((await engine.read(subject, 0, 10)).map(text), ['one', 'two'])
  },

  'one of many who write at once succeeds': async t => {
    const subject = fresh()
    for (let round = 0, last = 0; round < 5; round++) {
      const ends = await Promise.allSettled(
        Array.from({ length: 16 }, (_, index) =>
          (index % 2 ? engine : other).append(subject, last, bytes(`${round}-${index}`))
        )
      )
      const won = ends.filter(({ status }) => status === 'fulfilled')
      t.equal(won.length, 1)
      for (const end of ends) if (end.status === 'rejected') t.type(end.reason, Conflict)
      last = (won[0] as PromiseFulfilledResult<number>).value
    }
    t.equal((await engine.read(subject, 0, 100)).length, 5)
  },

  'the last record is the one that was appended last': async t => {
    const subject = fresh()
    t.equal(await engine.last(subject), undefined)
    for (const record of ['one', 'two']) {
      const [sequence] = await append(subject, record)
      t.match(await other.last(subject), { subject, sequence, bytes: bytes(record) })
    }
  },

  'a log is read in pages, from a sequence on': async t => {
    const subject = fresh()
    const between = fresh()
    const sequences: number[] = []
    for (let index = 0; index < 25; index++) {
      sequences.push(...(await append(subject, String(index))))
      await append(between, 'of another account')
    }
    const pages: number[][] = []
    for (let from = 0; ;) {
      const page = await other.read(subject, from, 10)
      if (page.length === 0) break
      pages.push(page.map(({ sequence }) => sequence))
      from = page.at(-1)!.sequence + 1
    }
    t.same(pages, [sequences.slice(0, 10), sequences.slice(10, 20), sequences.slice(20)])
    t.same((await engine.read(subject, sequences[3]!, 2)).map(text), ['3', '4'])
    t.same((await engine.read(subject, sequences[3]! + 1, 1)).map(text), ['4'], 'its own sequence is between')
    t.same(await engine.read(subject, sequences.at(-1)! + 1, 10), [])
  },

  'a page of long records ends before it is too much': async t => {
    const subject = fresh()
    const long = Buffer.alloc(engine.maxBytes, 'x')
    let last = 0
    for (let index = 0; index < 4; index++) last = await engine.append(subject, last, long)
    let count = 0
    for (let from = 0; from <= last; count++) {
      const page = await engine.read(subject, from, 100)
      t.ok(page.length > 0 && page.length < 4)
      from = page.at(-1)!.sequence + 1
    }
    t.ok(count > 1)
    t.same((await engine.last(subject))?.bytes.length, long.length)
    await t.rejects(engine.append(subject, last, Buffer.alloc(engine.maxBytes + 1)), RangeError)
    await engine.trim(subject, last)
  },

  'what is trimmed is gone, but for the last record': async t => {
    const subject = fresh()
    const sequences = await append(subject, 'one', 'two', 'three')
    // The replica that answers may lag behind, and still hold what is trimmed.
    const untilRead = (...expected: string[]): Promise<void> =>
      until(
        `reads find only ${expected.join()}`,
        async () => (await engine.read(subject, 0, 10)).map(text).join() === expected.join()
      )
    await engine.trim(subject, sequences[1]!)
    await untilRead('two', 'three')
    await engine.trim(subject, sequences[2]! + 100)
    await untilRead('three')
    await t.rejects(engine.append(subject, 0, bytes('wrong')), Conflict)
    await append(subject, 'four')
    await engine.trim(fresh(), 10)
  },

  'a subject that belongs to no log is refused': async t => {
    for (const subject of [
      'coffer.wal.00',
      'coffer.wal.64.account',
      'coffer.wal.0.account',
      'coffer.wal.00.>',
      'coffer.wal.00.*',
      'coffer.wal.00.a b',
      'coffer.wal.00.a..b',
      'coffer.wal.00.é',
      'coffer.wal.00.a\r\n',
      'other'
    ]) {
      await t.rejects(engine.append(subject, 0, bytes('one')), RangeError)
      await t.rejects(engine.last(subject), RangeError)
    }
  },

  'a register changes if it is as expected': async t => {
    const { register } = engine
    t.equal(await register.get('node.one'), undefined)
    const first = await register.cas('node.one', 0, bytes('a'))
    t.ok(first > 0)
    await t.rejects(other.register.cas('node.one', 0, bytes('b')), Conflict)
    const second = await other.register.cas('node.one', first, bytes('c'))
    await t.rejects(register.cas('node.one', first, bytes('d')), Conflict)
    t.match(await register.get('node.one'), { key: 'node.one', revision: second, bytes: bytes('c') })
  },

  'registers are listed by their prefix, and never older than they were seen': async t => {
    const { register } = other
    for (const key of ['shard.1', 'shard.2', 'shard.22', 'shared', 'platform.snapshot'])
      await register.cas(key, 0, bytes(key))
    const keys = async (prefix: string): Promise<string[]> =>
      (await register.list(prefix)).map(({ key }) => key).toSorted()
    t.same(await keys('shard.'), ['shard.1', 'shard.2', 'shard.22'])
    t.same(await keys('shard.2'), ['shard.2', 'shard.22'])
    t.same(await keys('sha'), ['shard.1', 'shard.2', 'shard.22', 'shared'])
    t.same(await keys('none.'), [])
    for (let revision = 0, round = 0; round < 50; round++) {
      revision = await register.cas('lease.mine', revision, bytes(String(round)))
      const [mine] = await register.list('lease.')
      t.equal(mine?.revision, revision)
    }
    await t.rejects(register.get('a b'), RangeError)
    await t.rejects(register.cas('shard.>', 0, bytes('')), RangeError)
  },

  'one of many who change a register at once succeeds': async t => {
    const ends = await Promise.allSettled(
      Array.from({ length: 16 }, (_, index) =>
        (index % 2 ? engine : other).register.cas('shard.9', 0, bytes(`${index}`))
      )
    )
    t.equal(ends.filter(({ status }) => status === 'fulfilled').length, 1)
  },

  'a message is answered by the node that it is sent to': async t => {
    const stop = other.handle('one', async message => Buffer.concat([bytes('one has '), message]))
    other.handle('two', async message => Buffer.concat([bytes('two has '), message]))
    await until('the first answer', async () =>
      engine.send('two', bytes('it'), 2000).then(
        () => true,
        () => false
      )
    )
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, index) =>
        engine.send(index % 2 ? 'one' : 'two', bytes(String(index)), 10_000)
      )
    )
    answers.forEach((answer, index) =>
      t.equal(Buffer.from(answer).toString(), `${index % 2 ? 'one' : 'two'} has ${index}`)
    )
    const long = Buffer.alloc(engine.maxBytes - 10, 'y')
    t.equal((await engine.send('one', long, 10_000)).length, long.length + 'one has '.length)
    stop()
    await until('nobody answers any more', async () =>
      engine.send('one', bytes('it'), 2000).then(
        () => false,
        () => true
      )
    )
  },

  'a message that nobody answers is given up': async t => {
    const begun = performance.now()
    await t.rejects(engine.send('nobody', bytes('it'), 60_000), EngineUnavailable)
    t.ok(performance.now() - begun < 30_000, 'at once, where nobody listens')
    let asked = 0
    other.handle('three', async () => {
      asked++
      throw new Error('it cannot')
    })
    other.handle('four', async () => {
      asked++
      return Buffer.alloc(20 * 1024 * 1024)
    })
    for (const node of ['three', 'four'])
      await until(`${node} was asked`, async () => {
        const before = asked
        await t.rejects(engine.send(node, bytes('it'), 300), EngineUnavailable)
        return asked > before
      })
    await t.rejects(engine.send('a b', bytes('it'), 300), RangeError)
    await t.rejects(engine.send('three', Buffer.alloc(9 * 1024 * 1024), 300), RangeError)
  },

  'what is announced is heard everywhere, also by whoever told': async t => {
    const heard = new Map<string, string[]>([
      ['engine', []],
      ['other', []],
      ['elsewhere', []]
    ])
    const note = (name: string) => (message: Uint8Array) =>
      void heard.get(name)!.push(Buffer.from(message).toString())
    const stop = engine.subscribe('news', note('engine'))
    other.subscribe('news', note('other'))
    other.subscribe('weather', note('elsewhere'))
    // Servers learn of subscribers at other servers with a delay.
    await until('all hear', () => {
      engine.announce('news', bytes('hello'))
      return heard.get('other')!.length > 0
    })
    heard.get('engine')!.length = heard.get('other')!.length = 0
    for (let index = 0; index < 20; index++) engine.announce('news', bytes(String(index)))
    const all = Array.from({ length: 20 }, (_, index) => String(index))
    await until(
      'all is heard',
      () => heard.get('other')!.includes('19') && heard.get('engine')!.includes('19')
    )
    t.same(heard.get('engine')!.slice(-20), all)
    t.same(heard.get('other')!.slice(-20), all)
    t.same(heard.get('elsewhere'), [])
    stop()
    stop()
  },

  'what is under way when it is closed rejects, and all that is asked later': async t => {
    const closing = await NatsEngine.connect({ servers: servers.urls })
    other.handle('slow', () => new Promise(() => {}))
    await until('it listens', async () =>
      closing.send('slow', bytes(''), 100).then(
        () => true,
        ({ cause }) => !String(cause).includes('no responders')
      )
    )
    const underWay = t.rejects(closing.send('slow', bytes(''), 60_000), EngineUnavailable)
    await closing.close()
    await underWay
    const subject = fresh()
    await t.rejects(closing.append(subject, 0, bytes('late')), EngineUnavailable)
    await t.rejects(closing.last(subject), EngineUnavailable)
    await t.rejects(closing.read(subject, 0, 1), EngineUnavailable)
    await t.rejects(closing.trim(subject, 1), EngineUnavailable)
    await t.rejects(closing.register.get('node.one'), EngineUnavailable)
    await t.rejects(closing.register.cas('node.one', 0, bytes('')), EngineUnavailable)
    await t.rejects(closing.register.list('node.'), EngineUnavailable)
    closing.announce('news', bytes('late'))
    t.equal(await engine.last(subject), undefined)
  },

  'streams that are full refuse, until something is trimmed': async t => {
    const subject = 'coffer.wal.01.full'
    const long = Buffer.alloc(engine.maxBytes, 'z')
    let last = 0
    const fill = async (): Promise<void> => {
      for (let index = 0; index < 16; index++) last = await engine.append(subject, last, long)
    }
    await t.rejects(fill(), EngineUnavailable)
    await engine.trim(subject, last)
    t.ok((await engine.append(subject, last, bytes('fits'))) > last)
  },

  'making the streams again leaves what is in them': async t => {
    const subject = fresh()
    await append(subject, 'kept')
    await servers.makeStreams(engine)
    t.same((await engine.read(subject, 0, 10)).map(text), ['kept'])
  },

  'nobody is reached where no server is': async t => {
    await t.rejects(NatsEngine.connect({ servers: ['nats://127.0.0.1:1'] }), EngineUnavailable)
  }
}

for (const [promise, holds] of Object.entries(promises)) t.test(promise, holds)
