/** `hfs.get`: ranges, permissions, and extensions of the specification. */
import t from 'tap'
import { openCoffer, textsOf, type Answer } from '../../../support/coffer.js'
import { inRotation, rotate } from '../../../support/rotation.js'

t.test('hfs.get', async t => {
  const service = await openCoffer(t)
  const { alice, clock, server } = service
  const call = service.call.bind(service)
  await alice.stream('diary')
  const time = clock.now() - 100
  const { id } = await alice.event({ type: 'series:mass/kg', content: undefined, time })
  const count = 6000
  const all = Array.from({ length: count }, (_, i) => [i / 20, (i * 37) % 101])
  const fields = ['deltaTime', 'value']
  for (let start = 0; start < count; start += 1500)
    await alice.do('hfs.add', { id, format: 'flatJSON', fields, points: all.slice(start, start + 1500) })
  const get = async (params: object): Promise<Answer> => (await alice.do('hfs.get', { id, ...params })).points

  t.test('returns points in the format of hfs.add, ascending', async t => {
    const answer = await alice.call('hfs.get', { id, toDeltaTime: 1000 })
    t.match(answer, { format: 'flatJSON', fields })
    t.same(answer.points, all)
  })

  t.test('ends at the present by default', async t => {
    t.same(
      await get({}),
      all.filter(([at]) => at! < 100)
    )
    clock.advance(50)
    t.same(
      await get({ fromDeltaTime: 120 }),
      all.filter(([at]) => at! >= 120 && at! < 150)
    )
    t.same(await get({ fromDeltaTime: 160 }), [])
  })

  t.test('returns the points between both ends of the range', async t => {
    for (const [fromDeltaTime, toDeltaTime] of [
      [0, 0],
      [0, 0.05],
      [74.9, 75.1],
      [75, 75.05],
      [100.02, 230.01],
      [299.95, 1e300],
      [-1e300, 1],
      [300, 400]
    ] as const)
      t.same(
        await get({ fromDeltaTime, toDeltaTime }),
        all.filter(([at]) => at! >= fromDeltaTime && at! < toDeltaTime),
        `${fromDeltaTime} to ${toDeltaTime}`
      )
  })

  t.test(
    'returns nothing for a series without points, and only its columns if the range is empty',
    async t => {
      const empty = await alice.event({ type: 'series:mass/kg', content: undefined })
      t.match(await alice.call('hfs.get', { id: empty.id }), {
        format: 'flatJSON',
        fields: [],
        points: []
      })
      t.match(await alice.call('hfs.get', { id, fromDeltaTime: 5000, toDeltaTime: 6000 }), {
        fields,
        points: []
      })
    }
  )

  t.test('accepts a limit and a descending order', async t => {
    const range = { fromDeltaTime: 10, toDeltaTime: 290 }
    const within = all.filter(([at]) => at! >= 10 && at! < 290)
    t.same(await get({ ...range, sortAscending: false }), within.toReversed())
    for (const limit of [0, 1, 1300, 2000, 99_999]) {
      t.same(await get({ ...range, limit }), within.slice(0, limit), `first ${limit}`)
      t.same(
        await get({ ...range, limit, sortAscending: false }),
        within.toReversed().slice(0, limit),
        `last ${limit}`
      )
    }
  })

  t.test('samples the extremes of equal buckets on request', async t => {
    const width = all.at(-1)![0]! + 1e-3
    // Buckets within a chunk, and buckets that span several.
    for (const sample of [30, 3, 2, 1]) {
      const sampled = await get({ toDeltaTime: 1e9, sample })
      t.ok(sampled.length <= 2 * sample, String(sampled.length))
      t.same(
        sampled,
        sampled.toSorted((a: number[], b: number[]) => a[0]! - b[0]!)
      )
      for (let bucket = 0; bucket < sample; bucket++) {
        const isWithin = ([at]: number[]): boolean => Math.floor((at! / width) * sample) === bucket
        const of = all.filter(isWithin).map(([, value]) => value!)
        const kept = sampled.filter(isWithin).map(([, value]: number[]) => value)
        t.same(
          [Math.min(...kept), Math.max(...kept)],
          [Math.min(...of), Math.max(...of)],
          `part ${bucket} of ${sample}`
        )
      }
    }
    t.same(await get({ fromDeltaTime: 20, toDeltaTime: 20.3, sample: 100 }), all.slice(400, 406))
    t.same(await get({ fromDeltaTime: 20, toDeltaTime: 20, sample: 100 }), [])
    t.same(await get({ fromDeltaTime: 2000, toDeltaTime: 3000, sample: 100 }), [])
  })

  t.test('samples points the same, whether written in one call or overwritten later', async t => {
    const { id: other } = await alice.event({ type: 'series:mass/kg', content: undefined, time })
    const points = Array.from({ length: 9000 }, (_, i) => [i, (i * 7919) % 1009])
    const sample = async (buckets: number): Promise<Answer> =>
      (await alice.do('hfs.get', { id: other, toDeltaTime: 1e9, sample: buckets })).points
    await alice.do('hfs.add', { id: other, format: 'flatJSON', fields, points })
    const before = [await sample(1), await sample(4), await sample(50)]
    const again = points.filter((_, i) => i % 100 === 0)
    await alice.do('hfs.add', { id: other, format: 'flatJSON', fields, points: again })
    t.same([await sample(1), await sample(4), await sample(50)], before)
    await alice.do('hfs.add', { id: other, format: 'flatJSON', fields, points: [[4321, -5]] })
    t.ok((await sample(1)).some(([at, value]: number[]) => at === 4321 && value === -5))
  })

  t.test('samples series with several columns, and series without numbers', async t => {
    const place = await alice.event({ type: 'series:position/wgs84', content: undefined, time })
    const points = Array.from({ length: 100 }, (_, i) => [i, Math.sin(i), i === 50 ? 99 : i % 7])
    const format = 'flatJSON'
    await alice.do('hfs.add', {
      id: place.id,
      format,
      fields: ['deltaTime', 'latitude', 'longitude'],
      points
    })
    const { points: kept } = await alice.do('hfs.get', { id: place.id, sample: 2 })
    t.ok(kept.length <= 8)
    t.ok(kept.some(([at]: number[]) => at === 50))
    const note = await alice.event({ type: 'series:note/txt', content: undefined, time })
    const texts = Array.from({ length: 10 }, (_, i) => [i, `text ${i}`])
    await alice.do('hfs.add', { id: note.id, format, fields, points: texts })
    t.same((await alice.do('hfs.get', { id: note.id, sample: 2 })).points, [texts[0], texts[5]])
  })

  t.test('samples points at very large times', async t => {
    const { id } = await alice.event({ type: 'series:mass/kg', content: undefined, time })
    for (const at of [9e12, 1e15, 1.7e308]) {
      await alice.do('hfs.add', { id, format: 'flatJSON', fields, points: [[at, 1]] })
      const { points } = await alice.do('hfs.get', {
        id,
        toDeltaTime: 1.75e308,
        fromDeltaTime: at,
        sample: 1
      })
      t.same(points, [[at, 1]])
    }
  })

  t.test('summarises buckets on request: numeric columns only, without empty buckets', async t => {
    const { id: place } = await alice.event({ type: 'series:position/wgs84', content: undefined, time })
    const points = [0, 1, 2, 60, 61].map(at => [at, at / 2, -at, at === 1 ? 5 : null])
    const columns = ['deltaTime', 'latitude', 'longitude', 'altitude']
    await alice.do('hfs.add', { id: place, format: 'flatJSON', fields: columns, points })
    const sum = async (params: object): Promise<Answer> =>
      await alice.do('hfs.get', { id: place, sample: 4, summary: true, ...params })
    const answer = await sum({ toDeltaTime: 80 })
    t.same(answer.fields, [
      'deltaTime',
      'count',
      ...columns.slice(1).flatMap(name => [`${name}.min`, `${name}.max`, `${name}.mean`])
    ])
    t.same(answer.points, [
      [0, 3, 0, 1, 0.5, -2, 0, -1, 5, 5, 5],
      [45.751, 2, 30, 30.5, 30.25, -61, -60, -60.5, null, null, null]
    ])
    t.same((await sum({ fromDeltaTime: 3, toDeltaTime: 60 })).points, [])
    t.same((await sum({ sample: 1, resolution: 'ns', fromDeltaTime: 0.5 })).points[0].slice(0, 2), [0.5, 4])
    const note = await alice.event({ type: 'series:note/txt', content: undefined, time })
    const texts = [
      [0, 'a'],
      [9, 'b']
    ]
    await alice.do('hfs.add', { id: note.id, format: 'flatJSON', fields, points: texts })
    const { fields: counted, points: counts } = await sum({ id: note.id, sample: 9 })
    t.same(
      [counted, counts],
      [
        ['deltaTime', 'count'],
        [
          [0, 1],
          [8.001, 1]
        ]
      ]
    )
  })

  const test = inRotation(t, 2)
  test('triggers the creation of missing summaries', async t => {
    const { id: long } = await alice.event({ type: 'series:mass/kg', content: undefined, time })
    const points = Array.from({ length: 6000 }, (_, i) => [i, i % 100])
    for (const part of [points, points.filter((_, i) => i % 1000 === 0)])
      await alice.do('hfs.add', { id: long, format: 'flatJSON', fields, points: part })
    const { series } = server.services.accounts.openStore(server.services.accounts.find('alice')!)
    // Waits for the summaries of other tests.
    await server.settle()
    t.notOk(series.lacksSummaries)
    const sum = async (): Promise<Answer> =>
      (await alice.do('hfs.get', { id: long, toDeltaTime: 1e9, sample: 2, summary: true })).points
    // The service may add summaries before the answer has arrived here.
    let added = 0
    const summarize = series.summarize.bind(series)
    series.summarize = () => {
      added++
      summarize()
    }
    const before = await sum()
    await server.settle()
    t.ok(added > 0, 'those of chunks that have been written over')
    t.notOk(series.lacksSummaries)
    t.same(await sum(), before)
    t.notOk(series.lacksSummaries, 'the next one finds them')
  })

  t.test('accepts null for optional params', async t => {
    const unset = [
      'fromDeltaTime',
      'toDeltaTime',
      'limit',
      'sortAscending',
      'sample',
      'summary',
      'resolution'
    ]
    const params = Object.fromEntries(unset.map(name => [name, null]))
    const answer = await alice.do('hfs.get', { id, ...params })
    t.same(answer.points, (await alice.do('hfs.get', { id })).points)
    t.not(answer.points.length, 0)
  })

  t.test('refuses contradictory params', async t => {
    for (const params of [
      { fromDeltaTime: 'x' },
      { toDeltaTime: 'soon' },
      { fromDeltaTime: 2, toDeltaTime: 1 },
      { toDeltaTime: -1, fromDeltaTime: 0 },
      { fromTime: 1 },
      { limit: -1 },
      { limit: 1.5 },
      { sample: 0 },
      { sample: 100_001 },
      { summary: true },
      { sample: 1, summary: 'x' },
      { resolution: 's' },
      { id: 7 }
    ])
      t.match(
        await alice.call('hfs.get', { id, ...params }),
        { status: 400, error: { id: 'invalid-parameters-format' } },
        JSON.stringify(params)
      )
  })

  t.test('is only for events that hold a series', async t => {
    t.match(await alice.call('hfs.get', { id: 'nothing' }), {
      status: 404,
      error: { id: 'unknown-resource' }
    })
    const { id: note } = await alice.event()
    t.match(await alice.call('hfs.get', { id: note }), { status: 400, error: { id: 'invalid-operation' } })
  })

  t.test('requires a level that permits reading events', async t => {
    for (const [level, isAllowed] of [
      ['read', true],
      ['contribute', true],
      ['manage', true],
      ['create-only', false],
      ['none', false]
    ] as const) {
      const client = await alice.grant(level, 'diary')
      const expected = isAllowed ? { fields } : { status: 403, error: { id: 'forbidden' } }
      t.match(await client.call('hfs.get', { id, limit: 1 }), expected, level)
    }
    for (const token of [undefined, 'wrong'])
      t.match(await call('alice', 'hfs.get', { id }, token), {
        status: 401,
        error: { id: 'invalid-access-token' }
      })
  })

  t.test('returns the same over HTTP, where long chunks are sent as stored', async t => {
    const deltas = Array.from({ length: 30_000 }, (_, i) => i / 8)
    const measure = ['deltaTime', 'systolic', 'diastolic']
    const cases: [string, string, string[], unknown[][]][] = [
      ['plain', 'series:mass/kg', fields, deltas.map((at, i) => [at, i])],
      ['not ASCII', 'series:note/txt', fields, deltas.map((at, i) => [at, `“é${'😀'.repeat(i % 5)}\n`])],
      [
        'with a column that some chunks lack',
        'series:blood-pressure/mmhg-bpm',
        measure,
        deltas.map((at, i) => [at, 120, i])
      ],
      [
        'with a chunk of finer times',
        'series:mass/kg',
        fields,
        deltas.map((at, i) => [i > 12_000 && i < 12_100 ? at + 1e-5 : at, i])
      ]
    ]
    for (const [name, type, names, points] of rotate(t, cases, 2)) {
      const { id: long } = await alice.event({ type, content: undefined, time })
      const add = (columns: string[], rows: unknown[][]): Promise<Answer> =>
        alice.do('hfs.add', { id: long, format: 'flatJSON', fields: columns, points: rows })
      for (let from = 0; from < points.length; from += 10_000)
        await add(names, points.slice(from, from + 10_000))
      if (names === measure) await add([...measure, 'rate'], [[3000, 120, 24_000, 60]])
      for (const more of [
        {},
        { limit: 25_000 },
        { fromDeltaTime: 100.25, toDeltaTime: 3700 },
        { sortAscending: false },
        { resolution: 'ns' }
      ]) {
        const params = { toDeltaTime: 1e9, ...more }
        const query = Object.entries(params).map(([key, value]) => `${key}=${value}`)
        const { body } = await alice.http('GET', `/events/${long}/series?${query.join('&')}`)
        const read = await alice.do('hfs.get', { id: long, ...params })
        t.ok(read.points.length >= 25_000)
        const isSame = JSON.stringify(body.points) === JSON.stringify(read.points)
        t.ok(isSame, `${name}, ${query.join(' ')}`)
      }
    }
  })

  t.test('ends with an error once all points have been replaced by points with other columns', async t => {
    const { id: replaced } = await alice.event({ type: 'series:position/wgs84', content: undefined, time })
    const write = async (column: string, value: number): Promise<void> => {
      const points = Array.from({ length: 20_000 }, (_, at) => [at, 46, 7, value])
      const fields = ['deltaTime', 'latitude', 'longitude', column]
      await alice.do('hfs.add', { id: replaced, format: 'flatJSON', fields, points })
    }
    await write('altitude', 500)
    const params = { id: replaced, toDeltaTime: 1e9 }
    const credentials = { ip: '127.0.0.1', via: 'http', authorization: alice.token } as const
    const begin = async (): Promise<AsyncGenerator<string, void, undefined>> =>
      textsOf(await server.dispatcher.call({ user: 'alice', method: 'hfs.get', params, credentials }))
    const [first, second] = [await begin(), await begin()]
    for (const reading of [first, second]) t.match(await reading.next(), { done: false })
    await alice.do('hfs.deletePoints', { id: replaced, toDeltaTime: 1e9 })
    t.match(await second.next(), { value: ']' }, 'a series without points is at its end')
    await write('speed', 33)
    await t.rejects(first.next(), { name: 'ApiError', id: 'api-unavailable' })
    t.match((await alice.do('hfs.get', { ...params, limit: 1 })).points, [[0, 46, 7, 33]])
  })

  test('is consistent while points are written and merged', async t => {
    const { id: busy } = await alice.event({ type: 'series:mass/kg', content: undefined, time })
    const points = Array.from({ length: 50_000 }, (_, i) => [i, i])
    await alice.do('hfs.add', { id: busy, format: 'flatJSON', fields, points })
    const reading = alice.do('hfs.get', { id: busy, toDeltaTime: 1e9 })
    for (let i = 0; i < 80; i++)
      await alice.do('hfs.add', {
        id: busy,
        format: 'flatJSON',
        fields,
        points: [
          [i * 600, -1],
          [50_000 + i, i]
        ]
      })
    const seen = (await reading).points
    t.equal(new Set(seen.map(([at]: number[]) => at)).size, seen.length)
    t.same(
      seen.slice(0, 50_000).map(([at]: number[]) => at),
      points.map(([at]) => at)
    )
  })
})
