/** Data points of series as Observations, merged with events over pages. */
import t from 'tap'
import { coffer, type Answer } from '../../support/coffer.js'
import { ask, day, ids, monday, type Response } from '../../support/fhir.js'

t.test('data points', async t => {
  const { alice } = await coffer(t)
  await alice.stream('heart')
  await alice.stream('blood')
  const add = async (streamId: string, type: string, time: number, fields: string[], points: number[][]) => {
    const { id } = await alice.event({ streamIds: [streamId], type: `series:${type}`, content: null, time })
    await alice.do('hfs.add', { id, format: 'flatJSON', fields, points })
    return id as string
  }
  const minutes = Array.from({ length: 90 }, (_, at) => [at * 60, 60 + at])
  const watch = await add('heart', 'frequency/bpm', monday, ['deltaTime', 'value'], minutes)
  // At the same times as every tenth of the others.
  const strap = minutes.filter((_, at) => at % 10 === 0).map(([at]) => [at! - 600, 100])
  await add('heart', 'frequency/bpm', monday + 600, ['deltaTime', 'value'], strap.slice(1))
  const cuff = await add(
    'blood',
    'blood-pressure/mmhg-bpm',
    monday + 0.25,
    ['deltaTime', 'systolic', 'diastolic'],
    [[0.5, 120, 80]]
  )
  for (let at = 0; at < 5; at++)
    await alice.event({ streamIds: ['heart'], type: 'frequency/bpm', content: 99, time: monday + at * 600 })
  await alice.service.server.settle()

  t.test('are found by code and time, with events, each once', async t => {
    const total = 90 + 8 + 5
    for (const order of ['date', '-date'])
      for (const count of [1, 7, 40, 500]) {
        const query = `Observation?code=8867-4&date=ge2026-01-05&date=lt2026-01-06&_sort=${order}&_count=${count}`
        const seen: Answer[] = []
        let next: string | undefined = query
        for (let pages = 0; next !== undefined && pages < 120; pages++) {
          const { body }: Response = await ask(t, alice, next)
          seen.push(...(body.entry ?? []).map(({ resource }: Answer) => resource))
          next = body.link.find(({ relation }: Answer) => relation === 'next')?.url.split('/fhir/')[1]
        }
        t.equal(new Set(seen.map(({ id }) => id)).size, seen.length, 'each once')
        t.equal(seen.length, total, `${order} by ${count}`)
        const dates = seen.map(({ effectiveDateTime }) => Date.parse(effectiveDateTime))
        const sorted = dates.toSorted((a, b) => a - b)
        t.same(dates, order === 'date' ? sorted : sorted.toReversed())
      }
    const hour = await ask(
      t,
      alice,
      'Observation?code=8867-4&date=ge2026-01-05T01:00:00Z&date=lt2026-01-05T01:00:01Z'
    )
    t.equal(ids(hour.body).length, 2, 'within exact bounds')
  })

  t.test('next to the dates are not read: the first page has some', async t => {
    await alice.stream('watch')
    const three = Array.from({ length: 3 * 144 }, (_, at) => [at * 600, 70])
    const start = Date.UTC(2019, 1, 4) / 1000
    await add('watch', 'frequency/bpm', start, ['deltaTime', 'value'], three)
    await alice.service.server.settle()
    for (const order of ['date', '-date'])
      for (const [first, last] of [
        ['gt2019-02-04', 'lt2019-02-06'],
        ['sa2019-02-04', 'eb2019-02-06'],
        ['ge2019-02-05', 'le2019-02-05']
      ]) {
        const query = `code=8867-4&date=${first}&date=${last}&_sort=${order}&_count=10`
        const { body } = await ask(t, alice, `Observation?${query}`)
        t.ok(ids(body).length >= 9, `${ids(body).length} of ${query}`)
        const { total } = (await ask(t, alice, `Observation?${query}&_summary=count`)).body
        t.equal(total, 144)
      }
  })

  t.test('can be read by their ids', async t => {
    const id = `${watch}.p60000000`
    const { body } = await ask(t, alice, `Observation/${id}`)
    t.match(body, { id, valueQuantity: { value: 61 }, effectiveDateTime: '2026-01-05T00:01:00Z' })
    t.same(ids((await ask(t, alice, `Observation?_id=${id}`)).body), [id])
    t.equal((await ask(t, alice, `Observation/${watch}.p60000001`)).status, 404)
    const { id: single } = await alice.event({
      streamIds: ['heart'],
      type: 'frequency/bpm',
      content: 9,
      time: 0
    })
    t.equal((await ask(t, alice, `Observation/${single}.p5`)).status, 404, 'not of a series')
    t.same(ids((await ask(t, alice, `Observation?_id=${single}.p5,${single}`)).body), [single])
    await alice.do('events.delete', { id: single })
    await alice.do('events.delete', { id: single })
    const parts = await ask(t, alice, `Observation/${cuff}.p500000`)
    t.equal(parts.body.effectiveDateTime, '2026-01-05T00:00:00.750Z')
    t.match(parts.body.component, [{ valueQuantity: { value: 120 } }, { valueQuantity: { value: 80 } }])
  })

  t.test('that have parts last as long as they say, too', async t => {
    const start = monday - 100 * day
    const id = await add(
      'blood',
      'blood-pressure/mmhg-bpm',
      start,
      ['deltaTime', 'duration', 'systolic', 'diastolic'],
      [[0, 60, 130, 85]]
    )
    const { body } = await ask(t, alice, `Observation/${id}.p0`)
    const at = new Date(start * 1000).toISOString().slice(0, 17)
    t.same(body.effectivePeriod, { start: `${at}00Z`, end: `${at.replace(':00:', ':01:')}00Z` })
    t.same(
      body.component.map(({ valueQuantity }: Answer) => valueQuantity.value),
      [130, 85]
    )
  })

  t.test('are only found by a code, whether or not the time has a start and an end', async t => {
    t.equal(ids((await ask(t, alice, 'Observation?date=2026-01-05')).body).length, 5)
    for (const [query, total] of [
      ['date=ge2026-01-05', 103],
      ['date=lt2020-01-01', 432],
      ['', 535]
    ] as const) {
      const path = `Observation?code=8867-4&${query}&_count=500`
      const first: Response = await ask(t, alice, path)
      const next = first.body.link.find(({ relation }: Answer) => relation === 'next')?.url.split('/fhir/')[1]
      const more = next === undefined ? [] : ids((await ask(t, alice, next)).body)
      t.equal(ids(first.body).length + more.length, total, query)
      t.equal((await ask(t, alice, `${path}&_summary=count`)).body.total, total, query)
    }
  })

  t.test('are not read in great numbers for a made-up page', async t => {
    const pages: [unknown[], string][] = [
      [[2_000_000, null, null, monday, 'x'], 'too-costly'],
      [[0, 'now', ''], 'invalid'],
      [[0, monday, 5], 'invalid'],
      [[0, monday, '', 1], 'invalid'],
      [[0, null, null, monday], 'invalid'],
      [[0, null, null, monday, 'x', 1], 'invalid']
    ]
    for (const [parts, code] of pages) {
      const page = Buffer.from(JSON.stringify(parts)).toString('base64url')
      const query = `Observation?code=8867-4&date=2026-01-05&_sort=date&page=1.${page}`
      const { body, status } = await ask(t, alice, query)
      t.match({ body, status }, { status: 400, body: { issue: [{ code }] } }, JSON.stringify(parts))
    }
  })

  t.test('that are nanoseconds apart have ids of their own', async t => {
    const times = [0, 0.000_000_001, 0.000_000_002, 0.1, 100.000_000_1, 86_000_000.25]
    const id = await add(
      'heart',
      'frequency/bpm',
      monday - 1000 * day,
      ['deltaTime', 'value'],
      times.map((time, at) => [time, at])
    )
    await alice.service.server.settle()
    const names = ['p0', 'p0.001', 'p0.002', 'p100000', 'p100000000.100', 'p86000000250000']
    for (const count of [1, 2, 500]) {
      const seen: string[] = []
      let next: string | undefined =
        `Observation?code=8867-4&date=ge2023-01-01&date=lt2026-01-05&_sort=date&_count=${count}`
      for (let pages = 0; next !== undefined && pages < 10; pages++) {
        const { body }: Response = await ask(t, alice, next)
        seen.push(...ids(body))
        next = body.link.find(({ relation }: Answer) => relation === 'next')?.url.split('/fhir/')[1]
      }
      t.same(
        seen,
        names.map(name => `${id}.${name}`)
      )
    }
    for (const [at, name] of names.entries())
      t.equal((await ask(t, alice, `Observation/${id}.${name}`)).body.valueQuantity.value, at, name)
  })

  t.test('of more series than are read at once are found in order of time', async t => {
    const start = Date.UTC(2024, 0, 1) / 1000
    const fields = ['deltaTime', 'value']
    // Two at a time, of which each second one lasts until the next pair, and one that lasts all the time.
    for (let at = 0; at < 50; at++) {
      const length = at % 2 === 0 ? 600 : day
      await add('heart', 'frequency/bpm', start + Math.floor(at / 2) * day, fields, [
        [0, 60],
        [length / 2, 61],
        [length, 62]
      ])
    }
    await add(
      'heart',
      'frequency/bpm',
      start - day,
      fields,
      Array.from({ length: 28 }, (_, at) => [at * day, 63])
    )
    await alice.service.server.settle()
    for (const range of ['ge2023-12-01&date=lt2024-03-01', 'lt2024-03-01'])
      for (const order of ['date', '-date'])
        for (const count of [1, 7, 500]) {
          const seen: Answer[] = []
          let next: string | undefined =
            `Observation?code=8867-4&date=${range}&_sort=${order}&_count=${count}`
          for (let pages = 0; next !== undefined && pages < 1200; pages++) {
            const { body, status }: Response = await ask(t, alice, next)
            if (status !== 200) throw new Error(JSON.stringify(body))
            seen.push(...(body.entry ?? []).map(({ resource }: Answer) => resource))
            next = body.link.find(({ relation }: Answer) => relation === 'next')?.url.split('/fhir/')[1]
          }
          const query = `${range} ${order} by ${count}`
          const dates = seen.map(({ effectiveDateTime }) => Date.parse(effectiveDateTime))
          const sorted = dates.toSorted((a, b) => (order === 'date' ? a - b : b - a))
          t.same(dates, sorted, query)
          t.equal(new Set(seen.map(({ id }) => id)).size, seen.length, query)
          t.equal(dates.filter(date => date > Date.UTC(2023, 11)).length, 178, query)
        }
  })

  t.test('are refused where too many series overlap', async t => {
    for (let at = 0; at < 21; at++)
      await add('heart', 'frequency/bpm', monday + 30 * day, ['deltaTime', 'value'], [[0, 60]])
    for (const query of ['date=2026', 'date=ge2026-02-04&_sort=date']) {
      const { body, status } = await ask(t, alice, `Observation?code=8867-4&${query}`)
      t.match({ body, status }, { status: 400, body: { issue: [{ code: 'too-costly' }] } }, query)
    }
    t.equal((await ask(t, alice, 'Observation?code=8867-4&date=2026-01-05')).status, 200)
    const before = await ask(t, alice, 'Observation?code=8867-4&date=ge2026-01-05&_sort=date&_count=500')
    t.equal(ids(before.body).length, 103, 'up to there, they are found')
  })
})

t.test('data points of what has no code are not read: a house has many thermometers', async t => {
  const { alice } = await coffer(t)
  await alice.do('streams.create', { id: 'body', name: 'Body temperature' })
  const add = async (streamId: string): Promise<string> => {
    const holder = { streamIds: [streamId], type: 'series:temperature/c', content: null, time: monday }
    const { id } = await alice.event(holder)
    const points = Array.from({ length: 30 }, (_, at) => [at * day, 20])
    await alice.do('hfs.add', { id, format: 'flatJSON', fields: ['deltaTime', 'value'], points })
    return id
  }
  const { id: single } = await alice.event({
    streamIds: ['body'],
    type: 'temperature/c',
    content: 37,
    time: monday
  })
  for (let at = 0; at < 22; at++) await add((await alice.stream(`room-${at}`)).id)
  await alice.service.server.settle()
  const path = 'Observation?code=8310-5&_count=5'
  for (const order of ['date', '-date'])
    t.match(await ask(t, alice, `${path}&_sort=${order}`), { status: 200, body: { total: 1 } }, order)
  const patch = await add('body')
  await alice.service.server.settle()
  const { body } = await ask(t, alice, `${path}&_sort=date`)
  t.same(
    ids(body).toSorted(),
    [single, ...[0, 1, 2, 3].map(at => `${patch}.p${at * day * 1e6}`)].toSorted(),
    'those of the body are'
  )
})

t.test('data points are found if they end their series at the time at which a page ends', async t => {
  const { alice } = await coffer(t)
  await alice.stream('heart')
  // Their sum is less than the same time in decimals.
  const [start, length] = [monday + 0.001, 0.05]
  const end = Math.round((start + length) * 1e6) / 1e6
  t.ok(start + length < end)
  const { id } = await alice.event({
    streamIds: ['heart'],
    type: 'series:frequency/bpm',
    content: null,
    time: start
  })
  const points = [
    [0, 60],
    [length, 61]
  ]
  await alice.do('hfs.add', { id, format: 'flatJSON', fields: ['deltaTime', 'value'], points })
  await alice.event({ streamIds: ['heart'], type: 'frequency/bpm', content: 62, time: end })
  await alice.service.server.settle()
  const values: number[] = []
  let next: string | undefined = 'Observation?code=8867-4&_sort=date&_count=1'
  for (let pages = 0; next !== undefined && pages < 10; pages++) {
    const { body }: Response = await ask(t, alice, next)
    for (const { resource } of body.entry ?? []) values.push(resource.valueQuantity.value)
    next = body.link.find(({ relation }: Answer) => relation === 'next')?.url.split('/fhir/')[1]
  }
  t.same(values, [60, 62, 61])
  const from = new Date(end * 1000).toISOString()
  t.equal((await ask(t, alice, `Observation?code=8867-4&date=ge${from}`)).body.total, 2)
})

t.test('data points of fifteen series at a time are found, whatever the order', async t => {
  const { alice } = await coffer(t)
  await alice.stream('heart')
  for (const time of [monday, monday + 700])
    for (let at = 0; at < 15; at++) {
      const holder = { streamIds: ['heart'], type: 'series:frequency/bpm', content: null, time }
      const { id } = await alice.event(holder)
      const points = [
        [0, 60],
        [600, 61]
      ]
      await alice.do('hfs.add', { id, format: 'flatJSON', fields: ['deltaTime', 'value'], points })
    }
  await alice.service.server.settle()
  for (const order of ['date', '-date']) {
    const seen: string[] = []
    let next: string | undefined = `Observation?code=8867-4&_sort=${order}&_count=7`
    for (let pages = 0; next !== undefined && pages < 20; pages++) {
      const { body, status }: Response = await ask(t, alice, next)
      t.equal(status, 200, order)
      seen.push(...ids(body))
      next = body.link?.find(({ relation }: Answer) => relation === 'next')?.url.split('/fhir/')[1]
    }
    t.equal(seen.length, 60, order)
    t.equal(new Set(seen).size, 60, order)
  }
})

t.test(
  'data points have the same ids in exports, whatever part is exported and whatever is added later',
  async t => {
    const { alice } = await coffer(t)
    await alice.stream('heart')
    const { id } = await alice.event({
      streamIds: ['heart'],
      type: 'series:frequency/bpm',
      content: null,
      time: monday
    })
    const add = async (points: number[][]): Promise<void> => {
      await alice.do('hfs.add', { id, format: 'flatJSON', fields: ['deltaTime', 'value'], points })
      await alice.service.server.settle()
    }
    const exportTimes = async (query: string): Promise<Record<string, string>> => {
      const { body } = await alice.http('GET', `/events/export?format=fhir-ndjson&series=true${query}`)
      const lines: string[] = body.trimEnd().split('\n')
      return Object.fromEntries(
        lines.map((line): [string, string] => {
          const resource: Answer = JSON.parse(line)
          return [resource.id, resource.effectiveDateTime]
        })
      )
    }
    await add([
      [0, 60],
      [3600, 61],
      [3660.25, 62]
    ])
    const hour = await exportTimes(`&fromTime=${monday + 3600}&toTime=${monday + 7200}`)
    t.same(hour, {
      [`${id}.p3600000000`]: '2026-01-05T01:00:00Z',
      [`${id}.p3660250000`]: '2026-01-05T01:01:00.250Z'
    })
    await add([[30, 63]])
    t.same(await exportTimes(''), {
      [`${id}.p0`]: '2026-01-05T00:00:00Z',
      [`${id}.p30000000`]: '2026-01-05T00:00:30Z',
      ...hour
    })
    const found = await ask(t, alice, 'Observation?code=8867-4&date=ge2026-01-05T01:00:00Z&date=lt2026-01-06')
    t.same(ids(found.body).toSorted(), Object.keys(hour).toSorted(), 'as in searches')
  }
)
