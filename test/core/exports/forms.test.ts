/** Export formats: they contain what `events.get` returns. */
import t from 'tap'
import type { Success } from '../../../core/call/outcome.js'
import { coffer, type Answer, type Client } from '../../support/coffer.js'
import { longestTurn, assertTakesLessThan } from '../../support/probe.js'
import { inRotation, rotate } from '../../support/rotation.js'
import { until } from '../../support/socket.js'

/** Returns the document as sent over HTTP. */
async function exported(client: Client, query: Record<string, unknown>): Promise<string> {
  const params = new URLSearchParams()
  for (const [name, value] of Object.entries(query))
    params.set(name, typeof value === 'string' ? value : JSON.stringify(value))
  const response = await fetch(
    `${client.service.server.url}/${client.username}/events/export?${params.toString()}`,
    { headers: { authorization: client.token } }
  )
  const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(await response.arrayBuffer())
  if (!response.ok) throw new Error(text)
  return text
}

/** Parses the rows of CSV strictly by RFC 4180. */
function rowsOf(csv: string): string[][] {
  const rows: string[][] = [[]]
  for (const [, quoted, plain, end] of csv.matchAll(/(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n|$)/g)) {
    if (end === '' && quoted === undefined && plain === '') break
    rows.at(-1)!.push(quoted?.replaceAll('""', '"') ?? plain!)
    if (end !== ',') rows.push([])
  }
  return rows.filter(row => row.length > 0)
}

function byName(csv: string): Record<string, string>[] {
  const [head = [], ...rows] = rowsOf(csv)
  return rows.map(row => Object.fromEntries(row.map((cell, at) => [head[at]!, cell])))
}

const largeTest = inRotation(t, 2)

t.test('a wide table has the rows of events.get in the same order', async t => {
  const { alice } = await coffer(t)
  await alice.stream('body')
  await alice.stream('weight', 'body')
  await alice.stream('diary')
  for (const from of [0, 650])
    await alice.do(
      'callBatch',
      Array.from({ length: 650 }, (_, index) => {
        const n = from + index
        const params = {
          streamIds: ['weight'],
          type: 'mass/kg',
          content: 60 + (n % 40) / 10,
          time: 1e9 + n * 3600
        }
        return { method: 'events.create', params }
      })
    )
  await alice.event({
    streamIds: ['body', 'diary'],
    type: 'blood-pressure/mmhg-bpm',
    content: { systolic: 142, diastolic: 88 },
    time: 1.1e9,
    duration: 30.5,
    description: 'With a "quote",\r\nand a line'
  })
  const queries = [
    { streams: ['body'] },
    { types: ['mass/kg'], content: [{ path: '$', gte: 62 }], sortAscending: true },
    { fromTime: 1e9, toTime: 1e9 + 40_000, skip: 3, limit: 5 },
    { text: 'quote' },
    { streams: { any: ['body'], not: ['weight'] } }
  ]
  for (const query of queries) {
    const { events } = await alice.do('events.get', { limit: 100_000, ...query })
    t.ok(events.length > 0)
    const rows = byName(await exported(alice, { format: 'csv-wide', ...query }))
    t.same(
      rows.map(({ id }) => id),
      events.map(({ id }: Answer) => id),
      JSON.stringify(query)
    )
    const lines = (await exported(alice, { format: 'ndjson', ...query })).split('\n')
    t.same(
      lines.slice(0, -1).map(line => JSON.parse(line)),
      events
    )
    t.same(JSON.parse(await exported(alice, { format: 'json', ...query })), events)
  }
  const [row] = byName(await exported(alice, { format: 'csv-wide', types: ['blood-pressure/mmhg-bpm'] }))
  t.match(row, {
    time: '2004-11-09T11:33:20Z',
    unixTime: '1100000000',
    duration: '30.5',
    streamIds: 'body; diary',
    'content.systolic': '142',
    'content.rate': '',
    description: 'With a "quote",\r\nand a line'
  })
  t.notOk('content' in row!)
  t.equal(
    await exported(alice, {
      format: 'csv-wide',
      columns: ['time', 'content.systolic'],
      titles: ['=When', 'mmHg'],
      types: ['blood-pressure/mmhg-bpm'],
      bom: true
    }),
    "\ufeff'=When,mmHg\r\n2004-11-09T11:33:20Z,142\r\n"
  )
  t.equal(await exported(alice, { format: 'json', types: ['none/such'] }), '[\n]\n')
  t.equal(await exported(alice, { format: 'ndjson', types: ['none/such'] }), '')
})

t.test('a wide table of one type has all of its values', async t => {
  const { alice } = await coffer(t)
  await alice.stream('diary')
  const add = async (type: string, content: unknown): Promise<void> => {
    await alice.event({ type, content, streamIds: ['diary'] })
  }
  await add('ratio/generic', { value: 3, relativeTo: 5 })
  await add('picture/base64', 'data:image/gif;base64,R0lGODlh')
  await add('message/email', {
    from: 'a@x.example',
    to: 'b',
    subject: 'c',
    body: 'd',
    'x-headers': { 'X-A': '1' }
  })
  await add('mass/kg', 61.5)
  const read = async (type: string): Promise<Record<string, string>> =>
    byName(await exported(alice, { format: 'csv-wide', types: [type] }))[0]!
  t.match(await read('ratio/generic'), { 'content.value': '3', 'content.relativeTo': '5' })
  t.match(await read('picture/base64'), { content: 'data:image/gif;base64,R0lGODlh', 'content.payload': '' })
  const mail = await read('message/email')
  t.equal(mail['content.from'], 'a@x.example')
  t.match(JSON.parse(mail['content']!), { 'x-headers': { 'X-A': '1' } })
  const weight = await read('mass/kg')
  t.match(weight, { content: '61.5', unit: 'kg' })
  t.notOk('content.value' in weight)
})

t.test('a long table has a row for each value, including data points', async t => {
  const service = await coffer(t)
  const { alice } = service
  await alice.stream('body')
  await alice.stream('cuff', 'body')
  await alice.stream('other')
  const { id } = await alice.event({
    streamIds: ['cuff', 'other'],
    type: 'blood-pressure/mmhg-bpm',
    content: { systolic: 142, diastolic: 88, more: { of: [1] } },
    time: 1e9,
    description: 'after dinner'
  })
  await alice.event({
    streamIds: ['body'],
    type: 'activity/plain',
    content: null,
    time: 1e9 - 1,
    duration: null
  })
  const holder = await alice.event({
    streamIds: ['cuff'],
    type: 'series:mass/kg',
    content: undefined,
    time: 1e9 - 2
  })
  const points = Array.from({ length: 5000 }, (_, n) => [n / 10, 60 + n / 1000])
  await alice.do('hfs.add', { id: holder.id, format: 'flatJSON', fields: ['deltaTime', 'value'], points })
  // Series events receive the duration of their series with a delay.
  await service.server.settle()
  const query = { format: 'csv', zone: 'America/New_York', sortAscending: false }
  const rows = byName(await exported(alice, query))
  t.match(rows, [
    {
      id,
      time: '2001-09-08T21:46:40-04:00',
      unixTime: '1000000000',
      streamId: 'cuff',
      stream: 'body / cuff',
      field: 'systolic',
      value: '142',
      unit: 'mm[Hg]',
      otherStreamIds: 'other',
      description: 'after dinner'
    },
    { id, field: 'diastolic', value: '88', otherStreamIds: '', description: '' },
    { id, field: 'more', value: '{"of":[1]}', unit: '' },
    { type: 'activity/plain', field: '', value: '', duration: '' },
    { type: 'series:mass/kg', field: '', value: '' }
  ])
  t.equal(rows.length, 5)
  const withPoints = byName(await exported(alice, { ...query, series: true }))
  t.equal(withPoints.length, 5005)
  t.same(
    withPoints.slice(5).map(({ unixTime, value }) => [Number(unixTime), Number(value)]),
    points.map(([at, value]) => [Math.round((1e9 - 2 + at!) * 1e6) / 1e6, value])
  )
  t.match(withPoints.at(-1), {
    id: holder.id,
    type: 'mass/kg',
    field: 'value',
    unit: 'kg',
    stream: 'body / cuff'
  })
  const within = byName(
    await exported(alice, {
      ...query,
      series: true,
      types: ['series:mass/kg'],
      fromTime: 1e9,
      toTime: 1e9 + 1
    })
  )
  t.equal(within.length, 1 + 11, 'points within the range only, both ends included')
  const lines = (await exported(alice, { format: 'ndjson', series: true })).trim().split('\n')
  const parsed = lines.map(line => JSON.parse(line))
  const chunks = parsed.filter(({ eventId }) => eventId === holder.id)
  t.same(
    chunks.flatMap(({ points: some }) => some),
    points
  )
  t.match(chunks[0], { format: 'flatJSON', fields: ['deltaTime', 'value'] })
})

t.test('hostile contents are escaped in all formats', async t => {
  const { alice } = await coffer(t)
  await alice.stream('diary')
  const name = '=HYPERLINK("x")</name><wpt/>\u0001'
  await alice.do('streams.update', { id: 'diary', update: { name } })
  const texts = [
    '=1+1',
    '+1',
    '-1+1',
    '@SUM(A1)',
    '\t=1',
    '\r=1',
    '\n=1',
    '＝1',
    '"',
    '",=1,"',
    'a\r\n=1',
    'a\t=1',
    'NUL\0=1',
    '\ud800 half',
    '<![CDATA[ ]]> & </ele>\ufffe',
    `}\u2028,{"id":"x"}\\`
  ]
  let time = 1e9
  for (const content of texts)
    await alice.event({
      content,
      description: content,
      time: time++,
      clientData: { x: [{ id: 'c' }, { id: content }] }
    })
  await alice.event({
    type: 'position/wgs84',
    content: { latitude: 1, longitude: 180 },
    description: texts[14],
    time: time++
  })
  await alice.event({
    type: 'position/wgs84',
    content: { latitude: 1e-9, longitude: 2 },
    description: texts.join(''),
    time: time + 1e6
  })
  await alice.event({ type: 'position/wgs84', content: { latitude: 95, longitude: 2 }, time: time + 2e6 })
  await alice.event({
    type: 'position/wgs84',
    content: { latitude: 9, longitude: 2, altitude: 1e300 },
    time: -1e13
  })

  const csv = await exported(alice, { format: 'csv', types: ['note/txt'], sortAscending: true })
  const unquoted = csv.replaceAll(/"(?:[^"]|"")*"/g, '')
  t.notMatch(unquoted, /[\t;]/, 'what some programs take for the end of a cell is within quotation marks')
  const rows = byName(csv)
  t.equal(rows.length, texts.length)
  for (const [at, row] of rows.entries())
    for (const cell of [row['value']!, row['description']!, row['stream']!]) {
      t.notMatch(cell, /^[=+\-@\t\r\n＝]/)
      t.notMatch(cell, /\0/)
      if (cell !== row['stream'])
        t.equal(cell.replace(/^'/, ''), texts[at]!.toWellFormed().replaceAll('\0', '\ufffd'))
    }
  const lines = (await exported(alice, { format: 'ndjson', sortAscending: true, types: ['note/txt'] }))
    .trim()
    .split('\n')
  t.same(
    lines.map(line => JSON.parse(line).content),
    texts
  )

  const gpx = await exported(alice, { format: 'gpx' })
  // oxlint-disable-next-line no-control-regex -- matches control characters on purpose
  t.notMatch(gpx, /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/)
  t.equal(gpx.match(/<wpt /g)?.length, 3, 'what is not on the earth is left out')
  t.match(gpx, 'lat="0.000000001" lon="2"')
  t.match(gpx, 'lon="-180"')
  t.notMatch(gpx, /<ele>|<time>-/)
  t.match(gpx, '&lt;![CDATA[ ]]&gt; &amp; &lt;/ele&gt;\ufffd')
  t.equal(gpx.match(/</g)!.length, gpx.match(/>/g)!.length)

  const { entry } = JSON.parse(await exported(alice, { format: 'fhir' }))
  t.equal(entry.length, texts.length + 4)
  for (const { resource } of entry) {
    // oxlint-disable-next-line no-control-regex -- matches control characters on purpose
    t.notMatch(JSON.stringify(resource), /\\u00(?:0[0-8bcef]|1.)|\\ud[89a-f]/)
    t.match(resource, { resourceType: 'Observation', status: 'final', subject: { display: 'alice' } })
  }
})

t.test('times are local times of the zone, through all changes of its clock', async t => {
  const { alice } = await coffer(t)
  await alice.stream('diary')
  const times = [
    ['Europe/Zurich', '2026-03-29T00:59:59Z', '2026-03-29T01:59:59+01:00'],
    ['Europe/Zurich', '2026-03-29T01:00:00Z', '2026-03-29T03:00:00+02:00'],
    ['Europe/Zurich', '2026-10-25T00:30:00Z', '2026-10-25T02:30:00+02:00'],
    ['Europe/Zurich', '2026-10-25T01:30:00.125Z', '2026-10-25T02:30:00.125+01:00'],
    ['Australia/Lord_Howe', '2026-04-04T15:00:00Z', '2026-04-05T01:30:00+10:30'],
    ['Asia/Kathmandu', '1985-12-31T18:29:59Z', '1985-12-31T23:59:59+05:30'],
    ['Asia/Kathmandu', '1985-12-31T18:30:00Z', '1986-01-01T00:15:00+05:45'],
    ['Pacific/Apia', '2011-12-30T10:00:00Z', '2011-12-31T00:00:00+14:00'],
    ['Pacific/Apia', '2011-12-30T09:59:59Z', '2011-12-29T23:59:59-10:00'],
    ['Europe/London', '2026-01-01T00:00:00Z', '2026-01-01T00:00:00Z'],
    // Amsterdam's local mean time is 19 minutes and 32 seconds ahead; texts only have whole minutes.
    ['Africa/Monrovia', '1960-01-01T00:00:00Z', '1959-12-31T23:15:00-00:45']
  ] as const
  for (const [zone, instant, local] of times) {
    const time = Date.parse(instant) / 1000
    await alice.event({ time, content: `${zone} ${instant}` })
    const columns = ['time', 'content']
    const csv = await exported(alice, { format: 'csv-wide', columns, zone, fromTime: time, toTime: time })
    const written = csv.split('\r\n')[1]!.split(',')[0]!
    t.equal(Date.parse(written), Date.parse(instant), `${zone} ${instant}: the same instant`)
    if (zone !== 'Africa/Monrovia') t.equal(written, local)
  }
  for (const [time, expected] of [
    [8.64e12, ''],
    [-8.64e12, ''],
    [1e300, ''],
    // Escaped like any text that a spreadsheet would treat as a formula.
    [253402300800, "'+010000-01-01T01:00:00+01:00"]
  ] as const) {
    await alice.event({ time, content: 'far' })
    const csv = await exported(alice, {
      format: 'csv-wide',
      columns: ['time'],
      zone: 'Europe/Zurich',
      fromTime: time,
      toTime: time
    })
    t.equal(csv.split('\r\n')[1], expected)
  }
})

t.test(
  'observations have the offsets of the nights in which clocks change, and only those of FHIR',
  async t => {
    const { alice } = await coffer(t)
    await alice.stream('steps')
    const add = async (start: string, fields: object): Promise<Answer> =>
      await alice.event({
        streamIds: ['steps'],
        type: 'count/steps',
        content: 5,
        time: Date.parse(start) / 1000,
        ...fields
      })
    const times = async (zone: string, start: string): Promise<Answer> => {
      const time = Date.parse(start) / 1000
      const query = { format: 'fhir-ndjson', zone, fromTime: time, toTime: time, series: true }
      const lines = (await exported(alice, query)).trim().split('\n')
      return lines.map(line => {
        const { effectiveDateTime, effectivePeriod }: Answer = JSON.parse(line)
        return effectiveDateTime ?? [effectivePeriod.start, effectivePeriod.end]
      })
    }
    await add('2026-03-29T00:30:00Z', { duration: 3600 })
    t.same(await times('Europe/Zurich', '2026-03-29T00:30:00Z'), [
      ['2026-03-29T01:30:00+01:00', '2026-03-29T03:30:00+02:00']
    ])
    await add('2026-10-25T00:30:00Z', { duration: 3600 })
    t.same(await times('Europe/Zurich', '2026-10-25T00:30:00Z'), [
      ['2026-10-25T02:30:00+02:00', '2026-10-25T02:30:00+01:00']
    ])
    await add('1850-01-01T12:00:00Z', {})
    t.same(await times('America/Juneau', '1850-01-01T12:00:00Z'), ['1850-01-01T12:00:00Z'])
    t.same(await times('Asia/Kathmandu', '1850-01-01T12:00:00Z'), ['1850-01-01T17:41:00+05:41'])
    await add('2011-12-30T10:00:00Z', {})
    t.same(await times('Pacific/Apia', '2011-12-30T10:00:00Z'), ['2011-12-31T00:00:00+14:00'])
  }
)

largeTest('long values are not split into fields, and do not block other calls', async t => {
  const { alice } = await coffer(t)
  await alice.stream('diary')
  const huge = 'x"\n'.repeat(1_200_000)
  const many = Object.fromEntries(Array.from({ length: 30_000 }, (_, n) => [`field ${n}`, { n }]))
  await alice.event({ content: huge, time: 3, clientData: { big: [1, 2] } })
  await alice.event({ type: 'some/object', content: many, time: 2 })
  await alice.event({ content: 'small', time: 1 })
  const rows = byName(await exported(alice, { format: 'csv' }))
  t.equal(rows.length, 3)
  t.equal(rows[0]!['value'], huge)
  t.same(JSON.parse(rows[1]!['value']!), many)
  t.equal(rows[2]!['value'], 'small')
  const { entry } = JSON.parse(await exported(alice, { format: 'fhir' }))
  t.match(entry[0].resource, { dataAbsentReason: { coding: [{ code: 'unsupported' }] } })
  t.match(entry[2].resource, { valueString: 'small' })
})

t.test('imported resources are written as they are, however large', async t => {
  const { alice } = await coffer(t)
  await alice.stream('records')
  const resources = [10, 400_000].map(length => ({
    resourceType: 'Observation',
    status: 'final',
    code: { text: 'ü"\\'.repeat(length) },
    note: [{ text: 'second "note"' }]
  }))
  for (const [at, resource] of resources.entries())
    await alice.event({
      streamIds: ['records'],
      type: 'clinical/fhir',
      content: { displayName: 'x', clinicalType: 'labResultRecord' },
      clientData: { before: { resourceType: 'x' }, 'fhir:resource': resource },
      time: at
    })
  const lines = (await exported(alice, { format: 'fhir-ndjson', sortAscending: true })).trim().split('\n')
  t.same(
    lines.map(line => JSON.parse(line)),
    resources
  )
  const { entry } = JSON.parse(await exported(alice, { format: 'fhir', sortAscending: true }))
  t.same(
    entry.map(({ resource }: Answer) => resource),
    resources
  )
})

t.test('large values', async t => {
  const { alice } = await coffer(t)
  let parentId: string | null = null
  for (let depth = 0; depth < 12; depth++) {
    await alice.do('streams.create', { id: `s${depth}`, name: `${depth}${'n'.repeat(199)}`, parentId })
    parentId = `s${depth}`
  }
  await alice.stream('diary')
  const note = `=${'"Ω😀;\n\u0001'.repeat(100_000)}`
  await alice.event({ streamIds: ['diary'], type: 'note/txt', content: note, time: 1 })

  const test = inRotation(t, 3)
  await t.test('a repeated column is refused', async t => {
    for (const columns of [
      ['content', 'id', 'content'],
      ['content.a', 'content.a']
    ])
      t.match(await alice.call('events.export', { format: 'csv-wide', columns }), {
        error: { id: 'invalid-parameters-format', data: [{ path: `#/columns/${columns.length - 1}` }] }
      })
  })

  await t.test('are written completely, in chunks', async t => {
    const query = { types: ['note/txt'] }
    const wide = await exported(alice, { format: 'csv-wide', columns: ['content', 'id'], ...query })
    t.ok(rowsOf(wide)[1]![0] === `'${note}`)
    t.ok(byName(await exported(alice, { format: 'csv', ...query }))[0]!['value'] === `'${note}`)
    t.ok(JSON.parse(await exported(alice, { format: 'json', ...query }))[0].content === note)
    t.ok(JSON.parse(await exported(alice, { format: 'ndjson', ...query })).content === note)
    const { results } = await alice.do('callBatch', [
      { method: 'events.export', params: { format: 'csv', ...query } }
    ])
    t.ok(byName(results[0].export.text)[0]!['value'] === `'${note}`)
    for (const format of ['csv', 'csv-wide', 'json', 'ndjson']) {
      const outcome = await begun(alice, { format, ...query })
      t.ok(outcome.members.length > 0 && outcome.members.length < 128 * 1024, `${format}: a page`)
      await outcome.remainder!.return()
    }
  })

  await test("use the client's memory, and are written as a whole if there are many", async t => {
    const query = { format: 'csv', types: ['note/txt'] }
    for (let n = 0; n < 3; n++) await (await begun(alice, query)).remainder!.return()
    const all = []
    for (let n = 0; n < 25; n++) all.push(await begun(alice, query))
    t.equal(all.filter(({ members }) => members.length > 128 * 1024).length, 2, 'beyond 32 MB')
    let text = all.at(-1)!.members
    for await (const more of all.at(-1)!.remainder!) text += more
    t.ok(byName(text)[0]!['value'] === `'${note}`, 'whole')
    for (const { remainder } of all) await remainder!.return()
    const after = await begun(alice, query)
    t.ok(after.members.length > 0)
    await after.remainder!.return()
  })

  await test('beyond 32 MB are written in chunks, one at a time', async t => {
    const { alice: owner } = await coffer(t, { limits: { bodyBytes: 64 * 1024 * 1024 } })
    await owner.stream('diary')
    const content = Array.from({ length: 850 }, () => 'x'.repeat(40_000))
    await owner.event({ streamIds: ['diary'], type: 'my/own', content, time: 1 })
    for (const format of rotate(t, ['csv', 'json'])) {
      const [first, second] = [await begun(owner, { format }), await begun(owner, { format })]
      t.ok(first.members.length > 0 && first.members.length < 128 * 1024, `${format}: a page`)
      t.notOk(second.members.length > 0 && second.members.length < 128 * 1024, 'no second one in memory')
      await second.remainder!.return()
      let { length } = first.members
      for await (const more of first.remainder!) length += more.length
      t.ok(length > 850 * 40_000, 'complete')
    }
  })

  await t.test('end when the access is revoked or the client disconnects, and release memory', async t => {
    const query = { types: ['note/txt'] }
    // With these, there is memory for two more, and not for a third.
    const held: Success[] = []
    while (held.length < 21) held.push(await begun(alice, { format: 'csv', ...query }))
    const isRoom = async (): Promise<boolean> => {
      const both = [
        await begun(alice, { format: 'csv', ...query }),
        await begun(alice, { format: 'csv', ...query })
      ]
      for (const { remainder } of both) await remainder!.return()
      return both.every(({ members }) => members.length < 128 * 1024)
    }
    for (const format of rotate(t, ['csv', 'csv-wide', 'json', 'ndjson', 'fhir', 'fhir-ndjson'], 3)) {
      const app = await alice.grantAll([{ streamId: 'diary', level: 'read' }], { type: 'app' })
      const both = [await begun(app, { format, ...query }), await begun(app, { format, ...query })]
      t.match(await both[0]!.remainder!.next(), { value: /./ }, `${format}: goes on`)
      t.notOk(await isRoom(), `${format}: takes memory`)
      await alice.do('accesses.delete', { id: app.access.id })
      for (const { remainder } of both)
        t.match(
          await remainder!.next().catch((error: unknown) => error),
          { id: 'invalid-access-token' },
          format
        )
      t.ok(await isRoom(), format)
    }
    const { url } = alice.service.server
    for (let n = 0; n < 8; n++) {
      const gone = new AbortController()
      const { body } = await fetch(`${url}/${alice.username}/events/export?format=csv&types=["note/txt"]`, {
        headers: { authorization: alice.token },
        signal: gone.signal
      })
      if (n % 2 === 0) await body!.getReader().read()
      gone.abort()
    }
    await until(isRoom, 'memory is left')
    for (const { remainder } of held) await remainder!.return()
  })

  await t.test('have their fields in a wide table while there is space', async t => {
    let content: object = { note: 'x'.repeat(1_000_000) }
    for (let depth = 0; depth < 20; depth++) content = { a: content }
    const { id } = await alice.event({ streamIds: ['diary'], type: 'deep/thing', content, time: 2 })
    const paths = Array.from({ length: 20 }, (_, depth) => `content${'.a'.repeat(depth + 1)}`)
    const columns = ['id', `${paths.at(-1)}.note`, ...paths, 'type']
    const csv = await exported(alice, { format: 'csv-wide', columns, types: ['deep/thing'] })
    const [, row] = rowsOf(csv)
    t.equal(row!.length, columns.length)
    t.equal(row![0], id)
    t.ok(row![1] === 'x'.repeat(1_000_000))
    t.same(JSON.parse(row![2]!), (content as Answer).a)
    t.equal(row!.at(-2), `[${'{"note":""}'.length + 1_000_000} characters omitted]`)
    t.equal(row!.at(-1), 'deep/thing')
    t.ok(csv.length < 3.2e6)
  })

  await test('do not block other calls, however many columns select parts of them', async t => {
    let content: object = {
      list: [1.5, 'x', null, true, [], {}],
      note: '"'.repeat(1_000_000),
      'k"Ω': { '': '😀' }
    }
    for (let depth = 0; depth < 90; depth++) content = { a: content }
    await alice.event({ streamIds: ['diary'], type: 'nested/thing', content, time: 2.5 })
    const paths = Array.from({ length: 90 }, (_, depth) => `content${'.a'.repeat(depth + 1)}`)
    const query = { format: 'csv-wide', columns: [...paths, 'id'], types: ['nested/thing'] }
    let text = ''
    await assertTakesLessThan(t, 150, () => longestTurn(async () => (text = await exported(alice, query))))
    const [, row] = rowsOf(text)
    t.equal(row!.length, 91)
    let own = content as Answer
    for (const cell of row!.slice(0, 90)) {
      own = own.a
      const whole = JSON.stringify(own)
      if (cell !== whole) t.equal(cell, `[${whole.length} characters omitted]`)
    }
  })

  await t.test('repeat the names of parent streams only up to a limit', async t => {
    const content = Object.fromEntries(Array.from({ length: 500 }, (_, n) => [`f${n}`, n]))
    await alice.event({ streamIds: ['s11'], type: 'many/fields', content, time: 3 })
    const rows = byName(await exported(alice, { format: 'csv', types: ['many/fields'] }))
    t.equal(rows.length, 500)
    t.equal(rows[7]!['stream'], ['…', ...[7, 8, 9, 10, 11].map(n => `${n}${'n'.repeat(199)}`)].join(' / '))
  })

  await t.test('do not hide a position or a description', async t => {
    const description = '&'.repeat(1_300_000)
    await alice.event({
      streamIds: ['diary'],
      type: 'position/wgs84',
      content: { latitude: 1, longitude: 2 },
      time: 4,
      description
    })
    const query = { types: ['position/wgs84'] }
    t.match(
      await exported(alice, { format: 'gpx', ...query }),
      /lat="1" lon="2">.*<name>(&amp;){1023}…<\/name>/
    )
    const resource = JSON.parse(await exported(alice, { format: 'fhir-ndjson', ...query }))
    t.match(resource.component, [{ valueQuantity: { value: 1 } }, { valueQuantity: { value: 2 } }])
    t.ok(resource.note.map(({ text }: Answer) => text).join('') === description)
    const text = `\u0001\ud800${'ä\u0002'.repeat(400_000)}`
    await alice.event({ streamIds: ['diary'], type: 'note/html', content: text, time: 5 })
    const bundle = JSON.parse(await exported(alice, { format: 'fhir', types: ['note/html'] }))
    t.ok(bundle.entry[0].resource.valueString === `\ufffd\ufffd${'ä\ufffd'.repeat(400_000)}`)
  })
})

/** Starts an export: its first page has been created. */
async function begun(client: Client, params: object): Promise<Success> {
  const outcome = await client.service.server.dispatcher.call({
    user: client.username,
    method: 'events.export',
    params,
    credentials: { authorization: client.token, ip: '127.0.0.1', via: 'http' },
    isDocument: true
  })
  if (!outcome.ok) throw outcome.error
  return outcome
}

largeTest(
  'a row of a wide table is limited, however many streams with long names its event is in',
  async t => {
    const { alice, server } = await coffer(t)
    await alice.stream('all')
    const streamIds = Array.from({ length: 2000 }, (_, at) => `s${at}`)
    for (let from = 0; from < streamIds.length; from += 1000)
      await alice.do(
        'callBatch',
        streamIds.slice(from, from + 1000).map(id => {
          const name = `${id} ${'x'.repeat(1000)}`
          return { method: 'streams.create', params: { id, name, parentId: 'all' } }
        })
      )
    await alice.event({ streamIds, content: 'everywhere' })
    await server.settle()
    t.match(
      await exported(alice, { format: 'csv-wide', columns: ['streams', 'content'] }),
      /^streams,content\r\n\[20\d{5} characters omitted\],everywhere\r\n$/
    )
  }
)
