/** Parquet: what other readers find in it. */
import { parquetMetadata, parquetReadObjects } from 'hyparquet'
import t from 'tap'
import { coffer, type Client } from '../../support/coffer.js'
import { assertTakesLessThan, longestTurn } from '../../support/probe.js'
import { inRotation } from '../../support/rotation.js'

/** Returns the file as sent over HTTP. */
async function download({ service, token, username }: Client, query: string): Promise<ArrayBuffer> {
  const url = `${service.server.url}/${username}/events/export?format=parquet&${query}`
  const response = await fetch(url, { headers: { authorization: token } })
  if (!response.ok) throw new Error(await response.text())
  t.equal(response.headers.get('content-type'), 'application/vnd.apache.parquet')
  return await response.arrayBuffer()
}

async function readRows(file: ArrayBuffer): Promise<Record<string, unknown>[]> {
  return await parquetReadObjects({ file })
}

t.test('a Parquet file has typed rows of all values, as the long table', async t => {
  const { alice, server } = await coffer(t)
  await alice.stream('body')
  await alice.stream('cuff', 'body')
  await alice.stream('other')
  const { id } = await alice.event({
    streamIds: ['cuff', 'other'],
    type: 'blood-pressure/mmhg-bpm',
    content: { systolic: 142, diastolic: 88 },
    time: 1e9 + 0.123456,
    description: 'after dinner 🍝 ÿ'
  })
  await alice.event({ streamIds: ['body'], type: 'activity/plain', content: null, time: -1.5, duration: 60 })
  await alice.event({ streamIds: ['body'], type: 'note/txt', content: 'Käse\u0000', time: 1e9 + 1 })
  await alice.event({ streamIds: ['body'], type: 'boolean/bool', content: false, time: 1e9 + 2 })
  const holder = await alice.event({
    streamIds: ['cuff'],
    type: 'series:mass/kg',
    content: undefined,
    time: 2e9
  })
  const points = Array.from({ length: 9000 }, (_, n) => [n / 10, 60 + n / 1000])
  await alice.do('hfs.add', { id: holder.id, format: 'flatJSON', fields: ['deltaTime', 'value'], points })
  await server.settle()
  const file = await download(alice, 'sortAscending=true&series=true')
  const rows = await readRows(file)
  t.equal(rows.length, 1 + 2 + 1 + 1 + 1 + 9000)
  t.match(rows[0], { time: new Date(-1500), duration: 60, type: 'activity/plain', number: null, text: null })
  t.match(rows[1], {
    id,
    streamId: 'cuff',
    stream: 'body / cuff',
    field: 'systolic',
    number: 142,
    unit: 'mm[Hg]',
    otherStreamIds: 'other',
    description: 'after dinner 🍝 ÿ'
  })
  t.match(rows[2], { id, field: 'diastolic', number: 88, description: null, otherStreamIds: null })
  t.match(rows[3], { field: 'value', number: null, text: 'Käse\u0000', unit: null })
  t.match(rows[4], { field: 'value', number: null, text: 'false' })
  t.match(rows[5], { id: holder.id, type: 'series:mass/kg', number: null })
  t.same(
    rows.slice(6).map(({ number, time }) => [time, number]),
    points.map(([delta, value]) => [new Date(2e12 + delta! * 1000), value])
  )
  t.match(rows.at(-1), { id: holder.id, type: 'mass/kg', unit: 'kg', streamId: 'cuff' })
  // Microseconds are exact.
  const [exact] = await parquetReadObjects({
    file: await download(alice, 'types=blood-pressure/mmhg-bpm'),
    parsers: { timestampFromMicroseconds: (micros: bigint) => micros }
  })
  t.equal(exact!.time, 1_000_000_000_123_456n)
  const metadata = parquetMetadata(file)
  t.equal(Number(metadata.num_rows), rows.length)
  t.ok(metadata.row_groups.length > 1)
  t.same(await readRows(await download(alice, 'types=none/such')), [], 'without rows it is a file, too')
})

t.test('batches return a Parquet file in base64', async t => {
  const { alice } = await coffer(t)
  await alice.stream('diary')
  for (let n = 0; n < 50; n++)
    await alice.event({ content: `note ${n} ${'é'.repeat(n * 400)}`, time: 1e9 + n })
  const { export: whole } = await alice.do('events.export', { format: 'parquet', sortAscending: true })
  t.match(whole, { mediaType: 'application/vnd.apache.parquet', fileName: /\.parquet$/, base64: String })
  t.notOk('text' in whole)
  const bytes = Buffer.from(whole.base64, 'base64')
  t.same(bytes, Buffer.from(await download(alice, 'sortAscending=true')))
  const rows = await readRows(new Uint8Array(bytes).buffer)
  t.equal(rows.at(-1)!.text, `note 49 ${'é'.repeat(49 * 400)}`)
})

const test = inRotation(t, 2)

test('large texts are complete, and other calls run while a long file is written', async t => {
  const { alice, server } = await coffer(t)
  await alice.stream('diary')
  const large = 'x🍝'.repeat(700_000)
  await alice.event({ content: large, time: 1e9 })
  await alice.event({ content: 'after', time: 1e9 + 1 })
  const holder = await alice.event({ type: 'series:mass/kg', content: undefined, time: 2e9 })
  for (let part = 0; part < 5; part++) {
    const points = Array.from({ length: 9000 }, (_, n) => [part * 9000 + n, n / 7])
    await alice.do('hfs.add', { id: holder.id, format: 'flatJSON', fields: ['deltaTime', 'value'], points })
  }
  await server.settle()
  let file = new ArrayBuffer()
  await assertTakesLessThan(t, 150, () =>
    longestTurn(async () => {
      file = await download(alice, 'sortAscending=true&series=true')
    })
  )
  const rows = await readRows(file)
  t.equal(rows[0]!.text === large, true)
  t.equal(rows[1]!.text, 'after')
  t.equal(rows.length, 3 + 45_000)
  t.ok(rows.slice(3).every(({ number }, at) => number === (at % 9000) / 7))
})

test('the footer of a file with thousands of groups delays nobody', async t => {
  const { alice, server } = await coffer(t)
  const long = 'x'.repeat(1000)
  await alice.stream(long)
  await alice.do('streams.update', { id: long, update: { name: long } })
  const holder = await alice.event({ streamIds: [long], type: 'series:mass/kg', content: undefined, time: 1 })
  for (let part = 0; part < 10; part++) {
    const points = Array.from({ length: 100_000 }, (_, n) => [part * 100_000 + n, n / 7])
    await alice.do('hfs.add', { id: holder.id, format: 'flatJSON', fields: ['deltaTime', 'value'], points })
  }
  await server.settle()
  let file = new ArrayBuffer()
  await assertTakesLessThan(t, 100, () =>
    longestTurn(async () => {
      file = await download(alice, 'series=true')
    })
  )
  const { created_by: program, num_rows: count, row_groups: groups } = parquetMetadata(file)
  t.equal(program, 'Coffer')
  t.equal(count, 1_000_001n)
  t.ok(groups.length > 1500, `${groups.length} groups`)
  const rows = await parquetReadObjects({ file, rowStart: 999_990 })
  t.equal(rows.length, 11)
  t.match(rows.at(-1), { stream: long, number: 99_999 / 7 })
})

test('an event with many fields is one group, however large its client data is', async t => {
  const { alice } = await coffer(t)
  await alice.stream('diary')
  const content = Object.fromEntries(Array.from({ length: 3000 }, (_, at) => [`field${at}`, at]))
  const clientData = { note: 'x'.repeat(300_000) }
  for (const time of [1e9, 1e9 + 1]) await alice.event({ type: 'some/thing', content, clientData, time })
  const file = await download(alice, 'sortAscending=true')
  t.equal((await readRows(file)).length, 6000)
  t.ok(parquetMetadata(file).row_groups.length < 10)
})
