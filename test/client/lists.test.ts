/** Long lists and series by the client: streamed, complete or rejected, in little memory. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { pathToFileURL } from 'node:url'
import t from 'tap'
import {
  addPoints,
  flatPoints,
  pointsIn,
  readAudit,
  readEvents,
  readPoints,
  Coffer
} from '../../client/src/index.js'
import { parseItems } from '../../client/src/parse-items.js'
import { packageDirectory } from '../../core/version.js'
import { coffer } from '../support/coffer.js'
import { cofferOf, refusalOf, scripted } from '../support/own-client.js'

t.setTimeout(900_000)

t.test('readEvents', async t => {
  const { alice, server } = await coffer(t)
  await alice.stream('diary')
  const mine = cofferOf(alice)

  await t.test('yields all matching events in the requested order', async t => {
    await fill(mine, 30, index => ({ content: `"[{${index}}]\\" ☕` }))
    const seen: unknown[] = []
    for await (const { content } of readEvents(mine, { sortAscending: true })) seen.push(content)
    t.same(
      seen,
      Array.from({ length: 30 }, (_, index) => `"[{${index}}]\\" ☕`)
    )
    const some: number[] = []
    for await (const { time } of readEvents(mine, {
      streams: { any: ['diary'] },
      types: ['note/txt'],
      fromTime: 10,
      toTime: 12
    }))
      some.push(time)
    t.same(some, [12, 11, 10])
    for await (const _ of readEvents(mine, { streams: [] })) t.fail('nothing is in no stream')
  })

  await t.test('rejects with the error of the server', async t => {
    const wrong = readEvents(mine, { streams: ['nowhere'] })
    t.match(await refusalOf(wrong.next()), { id: 'unknown-referenced-resource' })
  })

  await t.test('rejects if the response is cut off', async t => {
    const { url } = await scripted(t, server.url, (_asked, response) => {
      response.writeHead(200).write('{"events":[{"id":"first"},{"id":"sec', () => response.destroy())
    })
    const list = readEvents(new Coffer(`${url}/alice/`), {})
    t.match(await list.next(), { value: { id: 'first' } })
    t.match(await refusalOf(list.next()), { id: 'offline' })
    const early = await scripted(
      t,
      server.url,
      (_asked, response) => void response.end('{"events":[{"id":"first"},')
    )
    const cut = readEvents(new Coffer(`${early.url}/alice/`), {})
    await cut.next()
    t.match(await refusalOf(cut.next()), { id: 'offline' })
  })

  await t.test('reads 1,500 events in less memory than they take', async t => {
    const { service } = alice
    const bob = await service.user('bob')
    await bob.stream('diary')
    // Each request is limited to some megabytes.
    for (let part = 0; part < 5; part++)
      await fill(cofferOf(bob), 300, index => ({ content: `${index} ${'x'.repeat(16_000)}` }))
    const program = join(t.testdir(), 'read.mjs')
    const client = pathToFileURL(join(packageDirectory, 'dist', 'client', 'src', 'index.js')).href
    writeFileSync(
      program,
      `import { Coffer, readEvents } from ${JSON.stringify(client)}
       const coffer = new Coffer(process.argv[2])
       let count = 0
       for await (const { content } of readEvents(coffer)) count += content.length > 16_000 ? 1 : 0
       console.log(count)`
    )
    const endpoint = `${server.url.replace('//', `//${bob.token}@`)}/bob/`
    const child = spawn(process.execPath, ['--max-old-space-size=14', program, endpoint], {
      stdio: ['ignore', 'pipe', 'ignore']
    })
    const [printed] = await Promise.all([text(child.stdout), once(child, 'exit')])
    t.equal(printed, '1500\n', '24 MB of contents with 14 MB of memory')
  })

  await t.test('closes the request when the loop ends or the signal aborts', async t => {
    const ended: Promise<unknown>[] = []
    const { url } = await scripted(t, server.url, (_asked, response) => {
      ended.push(once(response, 'close'))
      response.writeHead(200).write('{"events":[{"id":"first"},')
    })
    const endless = new Coffer(`${url}/alice/`)
    for await (const { id } of readEvents(endless)) {
      t.equal(id, 'first')
      break
    }
    await ended[0]
    const gone = new AbortController()
    const list = readEvents(endless, {}, { signal: gone.signal })
    await list.next()
    gone.abort(new Error('enough'))
    t.match(await refusalOf(list.next()), { message: 'enough' })
    await ended[1]
  })
})

t.test('readAudit', async t => {
  const { alice } = await coffer(t)
  await alice.stream('diary')
  const mine = cofferOf(alice)
  for (let count = 0; count < 3; count++) await mine.call('streams.get')
  const records: unknown[] = []
  for await (const { content } of readAudit(mine)) records.push((content as { action: string }).action)
  t.ok(records.filter(action => action === 'streams.get').length === 3, String(records))
})

t.test('series', async t => {
  const { alice } = await coffer(t)
  await alice.stream('diary')
  const mine = cofferOf(alice)
  const { event } = await mine.call('events.create', {
    streamIds: ['diary'],
    type: 'series:mass/kg',
    time: 1000
  })
  const points = Array.from({ length: 25_000 }, (_, index) => ({
    deltaTime: index / 10,
    value: 60 + (index % 7)
  }))
  const told: number[] = []
  await addPoints(mine, event.id, points, { onProgress: done => void told.push(done) })
  t.same(told, [10_000, 20_000, 25_000])
  let count = 0
  for await (const point of readPoints<{ value: number }>(mine, event.id)) {
    if (count % 5000 === 0) t.same(point, points[count])
    count += 1
  }
  t.equal(count, 25_000)
  const answer = await mine.call('hfs.get', { id: event.id, fromDeltaTime: 1, toDeltaTime: 1.2 })
  t.same(pointsIn(answer), points.slice(10, 12))
  t.same(
    flatPoints([
      { deltaTime: 0, a: 1, b: 2 },
      { deltaTime: 1, b: 3 }
    ]),
    {
      format: 'flatJSON',
      fields: ['deltaTime', 'a', 'b'],
      points: [
        [0, 1, 2],
        [1, null, 3]
      ]
    }
  )
  t.match(await refusalOf(readPoints(mine, 'nowhere').next()), { id: 'unknown-resource' })
})

t.test('itemsIn scans a long item once, whatever it contains', async t => {
  /** Returns the CPU time to read an item with this many characters, in milliseconds. */
  const effort = async (length: number): Promise<number> => {
    const content = '\\'.repeat(length)
    const text = JSON.stringify({ events: [{ content }] })
    // oxlint-disable-next-line require-await -- streams are async generators
    async function* pieces(): AsyncGenerator<string, void> {
      for (let at = 0; at < text.length; at += 8192) yield text.slice(at, at + 8192)
    }
    const before = process.cpuUsage()
    for await (const item of parseItems<{ content: string }>(pieces(), 'events'))
      t.ok(item.content === content, 'it is whole')
    return process.cpuUsage(before).user / 1000
  }
  await effort(100_000)
  const [short, long] = [await effort(400_000), await effort(3_200_000)]
  // Scanned again with each chunk, it would take 64 times as long.
  t.ok(long < 24 * Math.max(short, 10), `${short} and ${long} ms`)
})

t.test('itemsIn reads any text, wherever chunks end', async t => {
  const items = [
    1,
    'a"]}{[,\\',
    { a: [1, { b: '\\"' }] },
    [],
    '',
    null,
    [[',']],
    '☕\u2028',
    { 'list":[': 1 }
  ]
  for (const [value, name] of [
    [{ before: { list: [0] }, 'x"list': [7], list: items, after: [1, 2], meta: { list: [3] } }, 'list'],
    [{ list: [] }, 'list'],
    [{ other: 1 }, 'list']
  ] as const) {
    const whole = JSON.stringify(value)
    for (const size of [1, 2, 3, 5, 7, whole.length]) {
      const seen: unknown[] = []
      for await (const item of parseItems(cutInto(whole, size), name)) seen.push(item)
      t.same(seen, 'list' in value ? value.list : [], `in pieces of ${size}`)
    }
    for (const length of [1, whole.length - 1])
      await t.rejects(async () => {
        for await (const _ of parseItems(cutInto(whole.slice(0, length), 3), name));
      }, SyntaxError)
  }
})

async function* cutInto(whole: string, size: number): AsyncGenerator<string, void> {
  for (let from = 0; from < whole.length; from += size) yield whole.slice(from, from + size)
}

/** Creates notes in `diary`, one per second from time 0. */
async function fill(coffer: Coffer, count: number, fields: (index: number) => object): Promise<void> {
  const calls = Array.from({ length: count }, (_, index) => ({
    method: 'events.create' as const,
    params: { streamIds: ['diary'], type: 'note/txt', time: index, ...fields(index) }
  }))
  await coffer.batch(calls)
}
