/** Parameters and matchers as Prometheus reads them. */
import t from 'tap'
import { coffer, type Answer } from '../../support/coffer.js'
import { assertTakesLessThan, longestTurn } from '../../support/probe.js'
import { parseDuration, parseTime } from '../../../transports/prometheus/parse-time.js'

/** Monday, 5 January 2026, at midnight in UTC. */
const monday = Date.UTC(2026, 0, 5) / 1000

t.test('times are numbers as Go parses them, or RFC 3339, in milliseconds', async t => {
  for (const [text, time] of [
    ['1.7e9', 1_700_000_000],
    ['+1700000000.', 1_700_000_000],
    ['-.5E1', -5],
    ['1764144000.1234567', 1_764_144_000.123],
    ['0.0004', 0],
    ['2026-01-05T00:00:00.25Z', monday + 0.25],
    ['2026-01-05T01:00:00+01:00', monday]
  ] as const)
    t.equal(parseTime(text), time, text)
  for (const text of ['', ' 1', '1 ', '0x10', '1e', 'NaN', 'Inf', '-Infinity', '1e999', '1,5', '1_000', '.'])
    t.equal(parseTime(text), undefined, text)
})

t.test('durations are numbers of seconds, or units from the longest to the shortest', async t => {
  for (const [text, seconds] of [
    ['0.5', 0.5],
    ['15.5', 15.5],
    ['0.29', 0.29],
    ['1e3', 1000],
    ['0.0015', 0.001],
    ['0.0009', 0],
    ['-5', -5],
    ['1h30m', 5400],
    ['1y2w3d4h5m6s7ms', 365 * 86_400 + 17 * 86_400 + 4 * 3600 + 306.007],
    ['90m', 5400],
    ['250ms', 0.25],
    ['0', 0],
    ['9e9', 9e9]
  ] as const)
    t.equal(parseDuration(text), seconds, text)
  for (const text of ['', '1', '5']
    .map(each => `${each}x`)
    .concat(['', 'h', '1m1d', '1s1s', '1.5h', '1h 30m', '300y', '1e10', 'Inf']))
    t.equal(parseDuration(text), undefined, text)
})

t.test('parameters', async t => {
  const { alice } = await coffer(t)
  const { service, token, username } = alice
  await alice.stream('body')
  await alice.do('streams.create', { id: 'scale', name: 'Scale\nof "Daisy" ü 😀', parentId: 'body' })
  for (let at = 0; at < 10; at++)
    await alice.event({ streamIds: ['scale'], type: 'mass/kg', content: 70 + at, time: monday + at * 0.25 })
  const send = async (path: string, search: string, body?: string): Promise<Answer> => {
    const url = `${service.server.url}/${username}/prometheus/api/v1/${path}?${search}`
    const headers = {
      authorization: token,
      ...(body !== undefined && { 'content-type': 'application/x-www-form-urlencoded' })
    }
    const response = await fetch(url, { headers, ...(body !== undefined && { method: 'POST', body }) })
    return { code: response.status, ...((await response.json()) as Answer) }
  }
  const get = async (path: string, params: Record<string, string>): Promise<Answer> =>
    await send(path, String(new URLSearchParams(params)))
  const countReads = async (): Promise<number> => {
    const streams = [`:_audit:access-${alice.access.id}`]
    const { events } = await alice.do('events.get', { streams, limit: 10_000 })
    return events.filter(({ content }: Answer) => content.action === 'measures.sample').length
  }

  t.test('are times of fractions of a second, and steps', async t => {
    const query = 'coffer_mass_kg'
    for (const time of [`${(monday + 1) / 1e9}e9`, `${monday + 1}.0004`, '2026-01-05T00:00:01Z'])
      t.same((await get('query', { query, time })).data.result[0].value, [monday + 1, '74'], time)
    const start = `${monday}e0`
    const range = async (step: string, end: string): Promise<Answer> =>
      (await get('query_range', { query, start, end, step })).data.result[0].values
    t.same(
      await range('0.5', String(monday + 2)),
      [70, 72, 74, 76, 78].map((value, at) => [monday + at / 2, String(value)])
    )
    t.same(await range('500ms', String(monday + 0.5)), [
      [monday, '70'],
      [monday + 0.5, '72']
    ])
    const tenths = await range('0.1', String(monday + 2))
    t.equal(tenths.length, 21)
    for (const [at, [time]] of tenths.entries())
      t.equal(time, Number(`${monday + Math.floor(at / 10)}.${at % 10}`))
    t.same(await range('15.5', String(monday + 15.5)), [
      [monday, '70'],
      [monday + 15.5, '79']
    ])
    t.same(await range('1h30m', String(monday + 5400)), [
      [monday, '70'],
      [monday + 5400, '79']
    ])
    const sums = await get('query_range', {
      query: 'count_over_time(coffer_mass_kg[500ms])',
      start,
      end: String(monday + 2.25),
      step: '0.75'
    })
    t.same(
      sums.data.result[0].values.map(([, value]: Answer) => value),
      ['1', '2', '2', '2']
    )
    const numbers = { query: '0.0001', start: '0', step: '1' }
    const most = await get('query_range', { ...numbers, end: '11000' })
    t.same(most.data.result[0].values.at(-1), [11_000, '0.0001'], 'as many as Grafana requests at most')
    t.match(await get('query_range', { ...numbers, end: '11001' }), { code: 400, error: /11000 steps/ })
    const ok = { query: '1', start: '0', end: '1', step: '1' }
    for (const [wrong, error] of [
      [{ step: '0.0009' }, /"step".*1 ms/],
      [{ step: '-1' }, /"step".*1 ms/],
      [{ step: '1m1d' }, /"step"/],
      [{ step: 'NaN' }, /"step"/],
      [{ start: '-1e15' }, /"start".*250,000 years/],
      [{ end: '1e13' }, /"end".*250,000 years/],
      [{ start: 'Inf' }, /"start" must be a time/],
      [{ query: 'avg_over_time(coffer_mass_kg[0.0001])' }, /1 ms/],
      [{ query: 'avg_over_time(coffer_mass_kg[1m1h])' }, /parse error|duration/],
      [{ query: 'avg_over_time(coffer_mass_kg[300y])' }, /292 years/]
    ] as const)
      t.match(await get('query_range', { ...ok, ...wrong }), { code: 400, error }, JSON.stringify(wrong))
  })

  t.test('are times far from now', async t => {
    const steps = { streamIds: ['body'], type: 'count/steps' }
    const day = 86_400
    for (let year = 0; year < 40; year++)
      await alice.event({ ...steps, content: 10, time: monday - year * 365 * day, duration: 60 })
    for (const time of [-62_135_596_800, 253_402_300_000])
      await alice.event({ ...steps, content: 7, time, duration: 60 })
    const value = async (query: string, time: number | string): Promise<Answer> => {
      const { data, error } = await get('query', { query, time: String(time) })
      return error ?? data.result[0]?.value[1]
    }
    for (const time of ['-7.8e12', '7.8e12', -63e9, 254e9])
      for (const query of [
        'coffer_daily_weight',
        'coffer_daily_steps',
        'last_over_time(coffer_daily_steps[1y])',
        'coffer_measure_steps',
        'coffer_mass_kg',
        'sum_over_time(coffer_count_steps[14y])'
      ])
        t.equal(await value(query, time), undefined, `${query} at ${time}`)
    t.equal(await value('coffer_daily_steps', -62_135_596_800), '7')
    t.equal(await value('coffer_daily_steps', 253_402_300_000), '7')
    t.equal(await value('sum_over_time(coffer_measure_steps[14y])', monday + day), '140')
    for (const [range, sum] of [
      ['16y', '160'],
      ['100y', '400'],
      ['292y', '400']
    ] as const) {
      const query = `increase(coffer_measure_steps[${range}])`
      t.equal(await value(query, monday + day), sum, query)
      for (const step of [60, 20 * 365 * day]) {
        const [start, end] = [monday + day, monday + day + step].map(String) as [string, string]
        const { data } = await get('query_range', { query, start, end, step: String(step) })
        t.equal(data?.result[0].values[0][1], sum, `${query} at steps of ${step} s`)
      }
    }
    t.match(await value('sum_over_time(coffer_daily_steps[30y])', monday + day), /days.*29 years/)
    const { data } = await get('query_range', {
      query: 'increase(coffer_measure_steps[1y])',
      start: String(monday + day - 39 * 365 * day),
      end: String(monday + day),
      step: '1y'
    })
    t.same(
      data?.result[0].values.map(([, count]: Answer) => count),
      Array.from({ length: 40 }, () => '10'),
      'over forty years, in years'
    )
    const count = async (step: string, years: number): Promise<Answer> =>
      await get('query_range', {
        query: `increase(coffer_measure_steps[${step}])`,
        start: String(monday - years * 365 * day),
        end: String(monday),
        step
      })
    const before = await countReads()
    t.equal((await count('14y', 154)).code, 200)
    t.equal((await countReads()) - before, 7)
    for (const [step, years] of [
      ['1y', 10_000],
      ['14y', 10_000],
      ['30d', 800]
    ] as const)
      t.match(await count(step, years), { code: 422, error: /adds up can cover at most \d+ years/ }, step)
    t.equal((await countReads()) - before, 7, 'too many reads are refused before the first')
  })

  t.test('may be empty', async t => {
    const query = { query: '1', time: '', zone: '', limit: '' }
    t.match(await get('query', query), { code: 200, data: { result: [Number, '1'] } })
  })

  t.test('are matchers, also of labels that no series has', async t => {
    const count = async (matchers: string): Promise<number | string> => {
      const { data, error } = await get('series', { 'match[]': matchers })
      return error ?? data.length
    }
    for (const [matchers, found] of [
      ['coffer_mass_kg{nothing=""}', 1],
      ['coffer_mass_kg{nothing!=""}', 0],
      ['coffer_mass_kg{nothing=~".*"}', 1],
      ['coffer_mass_kg{nothing=~".+"}', 0],
      ['coffer_mass_kg{nothing=~""}', 1],
      ['coffer_mass_kg{nothing!~".*"}', 0],
      ['coffer_mass_kg{nothing!~".+"}', 1],
      ['coffer_mass_kg{nothing!~""}', 0],
      ['coffer_mass_kg{nothing!="x"}', 1],
      ['coffer_mass_kg{nothing=~"x|"}', 1],
      ['coffer_mass_kg{}', 1],
      ['{stream!=""}', 2],
      ['{stream=~".+",nothing=~".*"}', 2],
      ['{nothing!=""}', 0],
      ['{nothing!~".*"}', 0],
      ['{__name__=~"coffer_mass_.*"}', 1],
      ['{"coffer_mass_kg"}', 1],
      ['{"coffer_mass_kg",stream!=""}', 1]
    ] as const)
      t.equal(await count(matchers), found, matchers)
    // As in Prometheus, some matcher must select something.
    for (const matchers of ['{}', '{nothing=""}', '{nothing!="x"}', '{stream=~".*"}', '{a=~"x|",b!~".+"}'])
      t.match(await count(matchers), /name/, matchers)
    t.match(await get('query', { query: 'sum({stream=~".*"})' }), { code: 400, error: /name/ })
  })

  t.test('are texts with the escapes of Go', async t => {
    for (const text of [
      String.raw`"Scale\nof \"Daisy\" ü 😀"`,
      String.raw`'Scale\x0aof "Daisy" \u00fc \U0001F600'`,
      String.raw`"Scale\012of \x22Daisy\x22 \xc3\xbc \xf0\x9f\x98\x80"`,
      String.raw`"Scale\012of \042Daisy\042 \303\274 😀"`
    ])
      t.equal((await get('series', { 'match[]': `{stream_name=${text}}` })).data?.length, 1, text)
    t.equal((await get('series', { 'match[]': '{stream_name=~"Scale.of.*"}' })).data.length, 1, 'a dot')
    for (const text of [String.raw`"\UFFFFFFFF"`, String.raw`"\xff\xfe"`, String.raw`"\\x41"`])
      t.same((await get('series', { 'match[]': `{stream_name=${text}}` })).data, [], text)
  })

  t.test('are limits of metadata, of which a negative one is none', async t => {
    const all = (await get('metadata', {})).data
    t.ok(Object.keys(all).length > 2)
    for (const limit of ['-1', '-5', '', '+100']) t.same((await get('metadata', { limit })).data, all, limit)
    t.same((await get('metadata', { limit: '0' })).data, {})
    t.equal(Object.keys((await get('metadata', { limit: '+2' })).data).length, 2)
    for (const limit of ['x', '1.5', '--1', '1e2'])
      t.match(await get('metadata', { limit }), { code: 400, error: /limit/ })
  })

  t.test('are those of forms as well as of addresses', async t => {
    for (const [path, params] of [
      ['query', { query: 'coffer_mass_kg', time: String(monday + 1) }],
      ['series', { 'match[]': 'coffer_mass_kg' }],
      ['labels', { 'match[]': '{stream="scale"}', start: '0', end: '1' }],
      ['label/stream/values', { 'match[]': '{measure="weight"}' }]
    ] as const) {
      const byAddress = await get(path, params)
      t.equal(byAddress.code, 200)
      t.same(await send(path, '', String(new URLSearchParams(params))), byAddress, path)
    }
    const many = { match: Array.from({ length: 1001 }, () => 'coffer_mass_kg') }
    const body = String(new URLSearchParams({ _json: JSON.stringify(many) }))
    t.match(await send('series', '', body), { code: 400, error: /"match" can have at most 1000 values/ })
    const both = await send('series', 'match[]=coffer_mass_kg', 'match[]=coffer_measure_weight')
    t.equal(both.data.length, 2)
    t.same((await send('query', 'query=1', 'query=2')).data.result[1], '2', 'the form comes first, as in Go')
    for (const odd of ['', '1', '1+1', 'rate(x[5m])', 'x[5m]', '"a"', '{', 'x offset 5m', '-x'])
      t.match(await get('series', { 'match[]': odd }), { status: 'error', code: /^4/ }, odd)
    t.equal((await send('query', '', 'query=%ff')).code, 400)
  })

  t.test('let others have their turn, however many patterns a selector has', async t => {
    const one = `a=~"${'.{0,990}'.repeat(9)}"`
    const query = `{a!="",${Array.from({ length: 40 }, () => one).join(',')}}`
    await get('series', { 'match[]': query })
    await assertTakesLessThan(t, 100, () =>
      longestTurn(async () => void (await get('series', { 'match[]': query })))
    )
  })
})
