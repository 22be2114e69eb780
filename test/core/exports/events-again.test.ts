/** Events exported as a table, JSON or NDJSON can be imported unchanged. */
import t from 'tap'
import { collected } from '../../imports/collecting.js'
import { standardTypes } from '../../../schemas/event-types/directory.js'
import { coffer, type Answer, type Client } from '../../support/coffer.js'
import { broughtIn, sent } from '../../support/importing.js'
import { Random } from '../../support/random.js'

/** Writes the cells of a line in quotation marks. */
function quote(line: string): string {
  return line.replaceAll(/(?<=^|,)([^,"]+)(?=,|$)/g, '"$1"')
}

/** Does the same with texts only, as R does. */
function quoteTexts(line: string): string {
  return line.replaceAll(/(?<=^|,)([a-zA][^,"]*)(?=,|$)/g, '"$1"')
}

/** Gives each event the members of all, as pandas and DuckDB do, which have a column for each. */
function asTable(list: readonly Record<string, unknown>[]): object[] {
  const names = [...new Set(list.flatMap(event => Object.keys(event)))]
  return list.map(event => Object.fromEntries(names.map(name => [name, event[name] ?? null])))
}

/** Reads the content, description and duration of events in JSON. */
async function read(list: readonly object[]): Promise<unknown[]> {
  const { data } = await collected(JSON.stringify(list), 'a.json', {}, standardTypes.types)
  return data.map(({ content, description, duration }) => [content, description, duration])
}

const seed = Number(process.env['COFFER_TEST_SEED'] ?? Date.now() % 1e6)

async function exported({ service, token, username }: Client, query: string): Promise<string> {
  const url = `${service.server.url}/${username}/events/export?${query}`
  const response = await fetch(url, { headers: { authorization: token } })
  return await response.text()
}

t.test(
  'exported events keep values, types, times and streams, and are recognised when imported again',
  async t => {
    const { alice } = await coffer(t)
    await alice.do('streams.create', { id: 'health', name: 'Health' })
    await alice.do('streams.create', { id: 'weight', name: 'Weight', parentId: 'health' })
    const events = [
      { type: 'mass/kg', content: 71.25, time: 1714540500.125 },
      {
        type: 'blood-pressure/mmhg-bpm',
        content: { systolic: 120, diastolic: 80, rate: 60 },
        time: 1714540501
      },
      { type: 'note/txt', content: '=1+1', time: 1714540502 },
      { type: 'note/txt', content: '12, "34"\n5', time: 1714540503 },
      { type: 'note/txt', content: '007', time: 1714540504 },
      { type: 'sleep/analysis', content: { analysis: 'asleep' }, time: 1714540505, duration: 3600 },
      { type: 'boolean/bool', content: false, time: 1714540506 },
      { type: 'activity/plain', time: 1714540507, duration: 60, description: '-5 °C, cold' }
    ]
    for (const event of events) await alice.do('events.create', { streamIds: ['weight'], ...event })
    for (const format of ['csv', 'json', 'ndjson']) {
      const text = await exported(alice, `format=${format}&streams=health&sortAscending=true`)
      const found = await collected(text, `alice.${format}`)
      t.same(found.formats, ['coffer'])
      t.same(
        found.data.map(({ content, description, duration, time, type }) => ({
          type,
          content,
          time,
          duration,
          description
        })),
        events.map(
          ({
            content,
            description,
            duration,
            time,
            type
          }: {
            content?: unknown
            description?: string
            duration?: number
            time: number
            type: string
          }) => ({ type, content, time, duration, description })
        ),
        format
      )
      t.same(
        [...new Set(found.data.map(({ path, stream }) => [...(path ?? []), stream].join('/')))],
        [format === 'csv' ? 'Health/Weight' : 'weight']
      )
      t.equal(new Set(found.data.map(({ identity }) => identity)).size, events.length)
      t.same(found.leftOut, {})
      t.same((await collected(text)).data, found.data)
    }
  }
)

/** Contents that a table could confuse with others. */
const ambiguous: readonly (readonly [type: string, content: unknown])[] = [
  ...[
    '007',
    '7',
    '1e5',
    '2,5',
    '-5',
    '10:30',
    '½',
    'Infinity',
    'true',
    '[1]',
    '[1,2]',
    "'[1]",
    '{',
    ' a \n',
    ''
  ].map(text => ['hotel/room', text] as const),
  ...['=x', "'=x", "''-1", '\ttab', '12', "'", '{}', 'a\r\nb'].map(text => ['note/txt', text] as const),
  ['phone/number', '0791234567'],
  ['message/facebook', '5'],
  ['count/generic', 1e21],
  ['count/generic', -1.5e-9],
  ['my-app/answer', true],
  ['my-app/answer', -7],
  ['my-app/answer', [1, 'a', { b: [] }]],
  ['my-app/answer', { taken: true, dose: '010', count: '1', list: '[]', a: { b: [] } }],
  ['my-app/answer', { value: 5, unit: 'drops' }],
  ['my-app/answer', { 'a.b': 1 }],
  ['my-app/answer', { '-x': 'y' }],
  ['music/basic', { title: '7', artist: 'b', track: 1, year: 2000 }],
  ['ratio/generic', { value: 1, relativeTo: 3 }],
  ['message/email', { from: '1', to: 'b', body: '', 'x-headers': { a: '1' } }],
  [
    'clinical/fhir',
    {
      displayName: '1',
      clinicalType: 'conditionRecord',
      fhir: { identifier: '2', resourceType: 'condition' }
    }
  ],
  ['numset/day', { body: { 'mass/kg': 1 } }]
]

t.test('tables keep values that look like others, durations without an end, and paths', async t => {
  const { alice } = await coffer(t)
  await alice.do('streams.create', { id: 'hands', name: 'Left / "right"' })
  await alice.do('streams.create', { id: 'quoted', name: '"Ana"; +1', parentId: 'hands' })
  const sent = ambiguous.map(([type, content], at) => ({ type, content, time: 1e9 + at }))
  for (const event of sent) await alice.do('events.create', { streamIds: ['hands'], ...event })
  const others = [
    { type: 'activity/plain', duration: null, description: "'=on" },
    { type: 'activity/plain', duration: 60, description: ' - ' },
    { type: 'activity/plain', description: '5' }
  ]
  for (const [at, event] of others.entries())
    await alice.do('events.create', { streamIds: ['quoted', 'hands'], time: 2e9 + at, ...event })
  const text = await exported(alice, 'format=csv&streams=hands&sortAscending=true&toTime=3e9&fromTime=0')
  const { data } = await collected(text, 'alice.csv', {}, standardTypes.types)
  t.same(
    data.slice(0, sent.length).map(({ content, time, type }) => ({ type, content, time })),
    sent
  )
  t.ok(data.slice(0, sent.length).every(({ path, stream }) => !path && stream === 'Left / "right"'))
  t.same(
    data.slice(sent.length).map(({ content, description, duration, otherPaths, path, stream, type }) => ({
      type,
      content,
      duration,
      description,
      paths: [[...(path ?? []), stream], ...(otherPaths ?? [])]
    })),
    others.map(({ duration, ...event }) => ({
      content: undefined,
      duration,
      ...event,
      paths: [['Left / "right"', '"Ana"; +1'], ['Left / "right"']]
    }))
  )
})

t.test('tables that other programs have written again are read with the types of the directory', async t => {
  const header = 'id time unixTime duration streamId stream type field value unit'.split(' ')
  const lines = [
    ['c1', '1', '', 'note/txt', '12'],
    ['c2', '2', '', 'mass/kg', ' 70.50'],
    ['c3', '3', '60', 'boolean/bool', 'TRUE'],
    ['c4', '4', '', 'my-app/answer', '7'],
    ['c5', '5', '', 'my-app/answer', '-2.5']
  ].map(([id, time, duration, type, value]) =>
    [id, '', time, duration, 'a', 'A', type, 'value', value, ''].map(cell => `"${cell}"`)
  )
  // Excel writes semicolons in many countries, and numbers with a comma.
  const commas = lines.map(cells => cells.map(cell => cell.replace('.', ',').replace('"1"', '"1,25"')))
  for (const [delimiter, rows, first] of [
    [',', lines, 1],
    [';', lines, 1],
    [';', commas, 1.25],
    ['\t', commas, 1.25]
  ] as const) {
    const text = [header, ...rows].map(cells => cells.join(delimiter)).join('\n')
    const { data, formats } = await collected(text, 'a.csv', {}, standardTypes.types)
    t.same(formats, ['coffer'])
    t.equal(data[0]?.time, first)
    t.same(
      data.map(({ content, duration }) => [content, duration]),
      [
        ['12', undefined],
        [70.5, undefined],
        [true, 60],
        [7, undefined],
        [-2.5, undefined]
      ]
    )
  }
})

t.test('booleans are read as spreadsheets write them, also those that tell the trash', async t => {
  const header = 'id,time,unixTime,duration,streamId,stream,type,field,value,unit,trashed'
  for (const [yes, no] of [
    ['TRUE', 'FALSE'],
    ['True', 'False'],
    ['WAHR', 'FALSCH'],
    ['VRAI', 'FAUX'],
    ['PRAWDA', 'FAŁSZ'],
    ['t', 'f'],
    ['1', '0']
  ] as const) {
    const rows = [`c1,,1,,a,A,boolean/bool,value,${no},,${no}`, `c2,,2,,a,A,mass/kg,value,700,,${yes}`]
    const { data, leftOut } = await collected([header, ...rows].join('\n'), 'a.csv', {}, standardTypes.types)
    t.same(
      data.map(({ content }) => content),
      [false],
      yes
    )
    t.same(leftOut, { 'in the trash': 1 }, yes)
  }
})

t.test('tables of R and pandas have numbers of rows, and those of R have NA for empty cells', async t => {
  const header =
    'id,time,unixTime,duration,streamId,stream,type,field,value,unit,otherStreamIds,description,attachments,otherStreams,trashed'
  const rows = [
    ['c1,,1,NA,a,A,mass/kg,value,70.5,kg,NA,NA,NA,NA,FALSE', 70.5],
    ['c2,,2,NA,a,A,mass/kg,value,700,kg,NA,NA,NA,NA,TRUE', undefined],
    ['c3,,3,60,a,A,note/txt,value,"NA",NA,NA,NA,NA,NA,FALSE', 'NA']
  ] as const
  const contents = rows.flatMap(([, content]) => content ?? [])
  const tables = {
    'write.csv': [`"",${quote(header)}`, ...rows.map(([row], at) => `"${at + 1}",${row}`)],
    // A column in which only some cells are empty has texts; those are quoted.
    'write.csv, with files': [
      `"",${quote(header)}`,
      ...rows.map(([row], at) => `"${at + 1}",${quoteTexts(row).replace(/NA,NA,(?=[A-Z]+$)/, '"",NA,')}`)
    ],
    write_csv: [header, ...rows.map(([row]) => row)],
    'to_csv, by time': [header, ...rows.map(([row]) => row.replaceAll(/(?<!")NA(?!")/g, ''))].map(line =>
      line.replace(/^(\w+),(\w*),/, '$2,$1,')
    ),
    to_csv: [`,${header}`, ...rows.map(([row], at) => `${at},${row.replaceAll(/(?<!")NA(?!")/g, '')}`)],
    'to_csv, three times': [
      `,Unnamed: 0.1,Unnamed: 0,${header}`,
      ...rows.map(([row], at) => `${at},${at},${at},${row.replaceAll(/(?<!")NA(?!")/g, '')}`)
    ],
    'to_csv, read and written again': [
      `Unnamed: 0,${header}`,
      ...rows.map(([row], at) => `${at},${row.replaceAll(/(?<!")NA(?!")/g, '')}`)
    ]
  }
  for (const [name, lines] of Object.entries(tables)) {
    const { data, formats, leftOut } = await collected(lines.join('\n'), 'a.csv', {}, standardTypes.types)
    t.same(formats, ['coffer'], name)
    t.same(
      data.map(({ content, description, duration, otherPaths }) => [
        content,
        description,
        duration,
        otherPaths
      ]),
      contents.map((content, at) => [content, undefined, at === 0 ? undefined : 60, undefined]),
      name
    )
    t.same(leftOut, { 'in the trash': 1 }, name)
  }
  // In readr, no cell is empty. With a duration and a file, others are NA.
  const full = await collected(
    [header, 'c1,NA,1,60,a,A,mass/kg,value,70.5,kg,NA,NA,a.txt,NA,FALSE'].join('\n'),
    'a.csv',
    {},
    standardTypes.types
  )
  t.match(full.data, [{ content: 70.5, duration: 60, description: undefined, otherPaths: undefined }])
  // Written by this service, a text may be NA.
  const { data } = await collected(
    [header, 'c1,,1,,a,A,note/txt,value,NA,,na,NA,,NA,false'].join('\n'),
    'a.csv',
    {},
    standardTypes.types
  )
  t.match(data, [{ content: 'NA', description: 'NA', otherPaths: [['NA']] }])
})

t.test('events that other programs have written as JSON do not go on', async t => {
  const { alice } = await coffer(t)
  await alice.do('streams.create', { id: 'a', name: 'A' })
  const events = [
    { type: 'mass/kg', content: 70.5 },
    { type: 'activity/plain', duration: 60 },
    { type: 'activity/plain', duration: null },
    { type: 'note/txt', content: 'A', description: 'B' }
  ]
  for (const [time, event] of events.entries())
    await alice.do('events.create', { streamIds: ['a'], time, ...event })
  const given = JSON.parse(
    await exported(alice, 'format=json&streams=a&fromTime=0&toTime=9&sortAscending=true')
  ) as Record<string, unknown>[]
  const kept = events.map(({ content, description, duration }) => [content, description, duration])
  t.strictSame(await read(given), kept)
  const withoutEnds = kept.map(([content, description, duration]) => [
    content,
    description,
    duration ?? undefined
  ])
  t.strictSame(await read(asTable(given)), withoutEnds)
  t.strictSame(await read(asTable(given.toReversed())), withoutEnds.toReversed())
  t.strictSame(await read(asTable(given.slice(0, 2))), withoutEnds.slice(0, 2))
})

t.test('data of the account itself is skipped, and recognised events are not imported twice', async t => {
  const { alice } = await coffer(t)
  await alice.do('streams.create', { id: 'diary', name: 'Diary' })
  await alice.do('events.create', { streamIds: ['diary'], type: 'note/txt', content: 'hello', time: 1e9 })
  const { id } = await alice.event({
    streamIds: ['diary'],
    type: 'note/txt',
    content: 'before',
    time: 1e9 + 1
  })
  for (const format of ['csv', 'json', 'ndjson']) {
    const text = await exported(alice, `format=${format}&fromTime=0`)
    const { data, leftOut } = await collected(text.replaceAll('diary', ':_system:email'))
    t.same([data, leftOut], [[], { 'a value of the account itself': 2 }], format)
    const { tally } = await sent(alice, `events.${format}`, text)
    t.match(tally, { broughtIn: {}, known: { 'note/txt': 2 } }, format)
    t.same(tally.broughtIn, {}, format)
  }
  const before = await exported(alice, 'format=json&streams=diary&fromTime=0')
  await alice.do('events.update', { id, update: { content: 'after' } })
  const { tally } = await broughtIn(alice, 'before.json', before)
  t.match(tally, { broughtIn: { 'note/txt': 1 }, known: { 'note/txt': 1 } }, 'a changed event is another one')
})

t.test('series keep their descriptions, such as the names of tracks', async t => {
  const service = await coffer(t)
  const { alice } = service
  await alice.do('streams.create', { id: 'runs', name: 'Runs' })
  const texts = ['Along the lake', undefined, 'x'.repeat(5000)]
  const points = [
    [0, 46, 6],
    [1, 46.1, 6.1]
  ]
  for (const [at, description] of texts.entries()) {
    const common = { streamIds: ['runs'], type: 'series:position/wgs84', content: undefined }
    const { id } = await alice.event({ ...common, time: 1e9 + at * 1000, description })
    const fields = ['deltaTime', 'latitude', 'longitude']
    await alice.do('hfs.add', { id, format: 'flatJSON', fields, points })
  }
  const archive = await fetch(`${service.server.url}/alice/account/export`, {
    headers: { authorization: alice.token }
  })
  const files = {
    'a.csv': await exported(alice, 'format=csv&streams=runs&series=true&fromTime=0'),
    'a.ndjson': await exported(alice, 'format=ndjson&streams=runs&series=true&fromTime=0'),
    'a.zip': Buffer.from(await archive.arrayBuffer())
  }
  for (const [name, data] of Object.entries(files)) {
    const bob = await service.user(`bob-${name.slice(2)}`)
    await broughtIn(bob, name, data)
    const { events } = await bob.do('events.get', {
      types: ['series:position/wgs84'],
      fromTime: 0,
      sortAscending: true
    })
    t.same(
      events.map(({ description }: Answer) => description),
      ['Along the lake', undefined, `${'x'.repeat(999)}…`],
      name
    )
  }
})

t.test('data points with texts and booleans become events', async t => {
  const { alice } = await coffer(t)
  await alice.do('streams.create', { id: 'night', name: 'Night' })
  const series = [
    { type: 'series:note/txt', field: 'value', values: ['a', '5'] },
    { type: 'series:boolean/bool', field: 'value', values: [true, false] },
    { type: 'series:sleep/analysis', field: 'analysis', values: ['asleep', 'awake'] }
  ]
  for (const { field, type, values } of series) {
    const { id } = await alice.event({ streamIds: ['night'], type, content: undefined, time: 1e9 })
    const points = values.map((value, at) => [at, value])
    await alice.do('hfs.add', { id, format: 'flatJSON', fields: ['deltaTime', field], points })
  }
  for (const format of ['csv', 'ndjson']) {
    const text = await exported(alice, `format=${format}&streams=night&series=true&fromTime=0`)
    const { data } = await collected(text, 'a', {}, standardTypes.types)
    t.same(
      new Set(
        data.map(({ content, time, track, type }) => JSON.stringify([type, time, content, track ?? null]))
      ),
      new Set(
        series.flatMap(({ field, type, values }) =>
          values.map((value, at) =>
            JSON.stringify([
              type.slice('series:'.length),
              1e9 + at,
              field === 'value' ? value : { [field]: value },
              null
            ])
          )
        )
      ),
      format
    )
  }
})

t.test('long texts come first and between others, and their lines are no rows', async t => {
  const { alice } = await coffer(t)
  await alice.do('streams.create', { id: 'diary', name: 'Diary' })
  await alice.do('streams.create', { id: 'weight', name: 'Weight', parentId: 'diary' })
  const row = 'c1,2024-01-01T00:00:00Z,1704067200,,weight,Weight,mass/kg,value,999,kg,,,,\n'
  // Rows of more than 256 KB are not read, however they are cut into chunks; one that begins within quotes neither.
  const contents = [`${row.repeat(1000)}"\n`, `${row.repeat(20_000)}"\n"a","b\n`.repeat(2), 'x'.repeat(3e6)]
  for (const [at, content] of contents.entries())
    await alice.event({ streamIds: ['diary'], type: 'note/txt', content, time: 1e9 + at })
  for (let at = 0; at < 3; at++)
    await alice.event({ streamIds: ['weight'], type: 'mass/kg', content: 60 + at, time: 1.1e9 + at })
  const query = 'streams=diary&fromTime=0&sortAscending=true'
  for (const [format, kept] of [
    ['csv', 1],
    ['json', 3],
    ['ndjson', 3]
  ] as const) {
    const { data, formats, leftOut } = await collected(await exported(alice, `format=${format}&${query}`))
    t.same(formats, ['coffer'], format)
    const notes = data.filter(({ type }) => type === 'note/txt')
    t.ok(notes.every(({ content, time }) => content === contents[time - 1e9]))
    t.same(
      data.slice(notes.length).map(({ content, time }) => [content, time]),
      [60, 61, 62].map((content, at) => [content, 1.1e9 + at]),
      format
    )
    t.ok(notes.length <= kept, format)
    t.equal(notes.length + Object.values(leftOut).reduce((sum, count) => sum + count, 0), 3, format)
  }
})

t.test('names of further streams may have any separators', async t => {
  const { alice } = await coffer(t)
  const names = ['a;', ';', '; a', 'a /', '/ a', '/', ' / ', '"', 'a"', 'a; b', "'", '=a']
  const random = new Random(seed)
  const paths = Array.from({ length: 19 }, (_, at) => [`top ${at}`, random.pick(names), random.pick(names)])
  for (const [at, [top, middle, low]] of paths.entries()) {
    await alice.do('streams.create', { id: `top-${at}`, name: top })
    await alice.do('streams.create', { id: `middle-${at}`, name: middle, parentId: `top-${at}` })
    await alice.do('streams.create', { id: `low-${at}`, name: low, parentId: `middle-${at}` })
  }
  const streamIds = paths.flatMap((_, at) => [`low-${at}`, `middle-${at}`]).slice(0, 21)
  await alice.event({ streamIds, type: 'note/txt', content: 'a', time: 1e9 })
  const { data } = await collected(await exported(alice, 'format=csv&streams=top-0&fromTime=0'))
  const [{ otherPaths = [], path = [], stream }] = data as [(typeof data)[0]]
  t.same(
    [[...path, stream], ...otherPaths],
    streamIds.map(id => paths[Number(id.split('-')[1])]!.slice(0, id.startsWith('low') ? 3 : 2)),
    `seed ${seed}`
  )
})
