/** Dashboards over the query API of Prometheus: discovery, values by an independent count, and refusals. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { packageDirectory } from '../../../core/version.js'
import { measures } from '../../../schemas/measures/catalogue.js'
import { coffer, type Answer, type Client } from '../../support/coffer.js'

const day = 86_400
/** Monday, 5 January 2026, at midnight in UTC. */
const monday = Date.UTC(2026, 0, 5) / 1000

/** Requests a path of the API with a token. */
async function ask(
  { service, username }: Client,
  token: string,
  path: string,
  params: Record<string, string> = {}
): Promise<Answer> {
  const url = `${service.server.url}/${username}/prometheus/api/v1/${path}?${String(new URLSearchParams(params))}`
  const response = await fetch(url, { headers: { authorization: token } })
  return { code: response.status, ...((await response.json()) as Answer) }
}

/** Returns a pattern that repeats another one a thousand times. */
function repeat(inner: string): string {
  return `(?:(?:(?:${inner}){10}){10}){10}`
}

t.test('dashboards', async t => {
  const { alice } = await coffer(t)
  await alice.stream('body')
  for (const id of ['scale', 'typed']) await alice.stream(id, 'body')
  await alice.stream('diary')
  for (const [at, content] of [70, 71, 72, 73].entries())
    await alice.event({ streamIds: ['scale'], type: 'mass/kg', content, time: monday + at * day + 7 * 3600 })
  await alice.event({ streamIds: ['typed'], type: 'mass/lb', content: 160, time: monday + 20 * 3600 })
  for (let hour = 0; hour < 48; hour++)
    await alice.event({
      streamIds: ['body'],
      type: 'count/steps',
      content: 100 + hour,
      time: monday + hour * 3600,
      duration: 3600
    })
  await alice.event({
    streamIds: ['body'],
    type: 'blood-pressure/mmhg-bpm',
    content: { systolic: 121, diastolic: 81, rate: 60 },
    time: monday + 100
  })
  await alice.event({ streamIds: ['diary'], content: 'a secret', time: monday })
  const { token } = await alice.grant('read', 'body', { type: 'app', name: 'grafana' })
  const get = async (path: string, params?: Record<string, string>): ReturnType<typeof ask> =>
    await ask(alice, token, path, params)
  const select = async (pattern: string): Promise<Answer> =>
    await get('series', { 'match[]': `{stream=~${JSON.stringify(pattern)}}` })
  const range = async (query: string, start: number, end: number, step: string): Promise<Answer> => {
    const { code, data, error } = await get('query_range', { query, start: `${start}`, end: `${end}`, step })
    if (code !== 200) throw new Error(`${query}: ${error}`)
    return data
  }
  /** Reads one series every 15 seconds: times and values. */
  const readOften = async (query: string, start: number, end: number): Promise<[number, number][]> => {
    const { result } = await range(query, start, end, '15s')
    return result[0].values.map(([time, value]: [number, string]) => [time, Number(value)])
  }

  t.test('find out what there is', async t => {
    t.match(await get('query', { query: '1+1' }), {
      code: 200,
      status: 'success',
      data: { resultType: 'scalar', result: [Number, '2'] }
    })
    const { data: build } = await get('status/buildinfo')
    t.equal(build.version, '2.55.0')
    t.notOk('features' in build, 'Grafana would take it for Mimir')
    const { data: names } = await get('label/__name__/values')
    t.same(names, [
      'coffer_blood_pressure_mmhg_bpm_diastolic',
      'coffer_blood_pressure_mmhg_bpm_systolic',
      'coffer_count_steps',
      'coffer_daily_blood_pressure_diastolic',
      'coffer_daily_blood_pressure_systolic',
      'coffer_daily_steps',
      'coffer_daily_weight',
      'coffer_mass_kg',
      'coffer_measure_blood_pressure_diastolic',
      'coffer_measure_blood_pressure_systolic',
      'coffer_measure_steps',
      'coffer_measure_weight'
    ])
    const { data: labels } = await get('labels', { 'match[]': 'coffer_mass_kg' })
    t.same(labels, ['__name__', 'measure', 'source', 'stream', 'stream_name', 'unit'])
    t.same((await get('label/stream/values', { 'match[]': '{measure="weight"}' })).data, ['scale', 'typed'])
    t.match((await get('series', { 'match[]': '{stream=~"sc.*"}' })).data, [
      { __name__: 'coffer_mass_kg', stream: 'scale', stream_name: 'scale', source: 'body', measure: 'weight' }
    ])
    const { data: metrics } = await get('metadata')
    t.match(metrics, { coffer_mass_kg: [{ type: 'gauge', unit: 'kg' }] })
    const one = { coffer_mass_kg: metrics.coffer_mass_kg }
    t.same((await get('metadata', { metric: 'coffer_mass_kg' })).data, one)
    t.same((await get('metadata', { metric: 'nothing' })).data, {})
    for (const limit of ['0', '1', '3'])
      t.equal(Object.keys((await get('metadata', { limit })).data).length, Number(limit))
    for (const path of ['series', 'labels', 'label/__name__/values']) {
      const all = await get(path)
      t.same(await get(path, { limit: '0' }), all)
      t.same(await get(path, { limit: String(all.data.length) }), all)
      const warnings = ['results truncated due to limit']
      t.same(await get(path, { limit: '2' }), { ...all, data: all.data.slice(0, 2), warnings })
      for (const limit of ['-1', 'x', '1.5'])
        t.match(await get(path, { limit }), { code: 400, errorType: 'bad_data', error: /limit/ })
    }
    for (const [path, data] of [
      ['rules', { groups: [] }],
      ['alerts', { alerts: [] }],
      ['query_exemplars', []]
    ] as const)
      t.same((await get(path)).data, data, path)
  })

  t.test('read values at each step', async t => {
    const end = monday + 4 * day
    const scale = await range('coffer_mass_kg{stream="scale"}', monday + day, end, '1d')
    t.same(scale.resultType, 'matrix')
    t.same(
      scale.result[0].values,
      [70, 71, 72, 73].map((value, at) => [monday + (at + 1) * day, String(value)])
    )
    const typed = await range('coffer_mass_kg{stream="typed"}', monday + day, end, '86400')
    const [[, pounds]] = typed.result[0].values
    t.ok(Math.abs(pounds - 160 * 0.453_592_37) < 1e-9, 'in the unit of the measure')
    const merged = await range('coffer_measure_weight * 1000', monday + day, end, '1d')
    t.same(
      merged.result[0].values.map(([, value]: [number, string]) => Math.round(Number(value))),
      [72_575, 71_000, 72_000, 73_000],
      'the last reading of any source'
    )
    const average = await range('avg_over_time(coffer_measure_weight[1d])', monday + day, end, '1d')
    t.same(
      average.result[0].values.map(([, value]: [number, string]) => value),
      ['70', '71', '72', '73'],
      'of the preferred source'
    )
    t.notOk('__name__' in merged.result[0].metric)
    const pair = await range('coffer_measure_blood_pressure_systolic', monday, monday + 3600, '1h')
    t.same(pair.result[0].values, [[monday + 3600, '121']])
  })

  t.test('aggregate by the name of a metric, and leave out what is no number', async t => {
    const time = String(monday + 3 * day + 7 * 3600)
    const query = async (text: string): Promise<Answer> =>
      (await get('query', { query: text, time })).data.result
    t.same(
      (await query('count by (__name__) ({measure="weight"})')).map(({ metric, value }: Answer) => [
        metric['__name__'],
        value[1]
      ]),
      [
        ['coffer_measure_weight', '1'],
        ['coffer_daily_weight', '1'],
        ['coffer_mass_kg', '1']
      ]
    )
    t.same(
      (await query('last_over_time({__name__=~"coffer_measure_blood_.*"}[7d])')).map(
        ({ metric }: Answer) => metric['__name__']
      ),
      ['coffer_measure_blood_pressure_systolic', 'coffer_measure_blood_pressure_diastolic'],
      'the last reading is still what the metric is'
    )
    const last = 'last_over_time({__name__=~"coffer_(mass_kg|count_steps)"}[7d])'
    // Of 73 kg, this is no number; of less, and of steps, it is infinite.
    for (const [apply, value] of [
      ['min', '-Inf'],
      ['max', '+Inf'],
      ['sum', 'NaN']
    ] as const)
      t.equal((await query(`${apply}((${last} - 73) / 0)`))[0].value[1], value, apply)
    const only = '(last_over_time(coffer_mass_kg{stream="scale"}[7d]) - 73) / 0'
    t.equal((await query(`min(${only})`))[0].value[1], 'NaN')
  })

  t.test('summarise ranges', async t => {
    const start = monday + 6 * 3600
    const end = monday + 48 * 3600
    const hours = Array.from({ length: 48 }, (_, hour) => 100 + hour)
    const expected = (from: number, to: number): number =>
      hours.slice(Math.max(0, from), to).reduce((sum, value) => sum + value, 0)
    const sums = await range('sum_over_time(coffer_measure_steps[6h])', start, end, '1h')
    t.same(
      sums.result[0].values.map(([, value]: [number, string]) => Number(value)),
      Array.from({ length: 43 }, (_, at) => expected(at, at + 6))
    )
    const rates = await range('rate(coffer_measure_steps[1h])*3600', start, end, '6h')
    t.same(
      rates.result[0].values.map(([, value]: [number, string]) => Math.round(Number(value))),
      Array.from({ length: 8 }, (_, at) => hours[6 * (at + 1) - 1])
    )
    const average = await range('avg by (measure) (coffer_daily_steps)', monday, monday + 2 * day - 1, '12h')
    t.same(
      average.result[0].values.map(([, value]: [number, string]) => Number(value)),
      [expected(0, 24), expected(0, 24), expected(24, 48), expected(24, 48)]
    )
    for (const [apply, value] of [
      ['avg', 71.5],
      ['min', 70],
      ['max', 73],
      ['sum', 286],
      ['count', 4],
      ['last', 73]
    ] as const) {
      const { data } = await get('query', {
        query: `${apply}_over_time(coffer_mass_kg{stream="scale"}[30d])`,
        time: String(monday + 10 * day)
      })
      t.equal(Number(data.result[0].value[1]), value, apply)
    }
    const odd = await range(
      'sum_over_time(coffer_mass_kg{stream="scale"}[36h])',
      monday + day,
      monday + 4 * day,
      '1d'
    )
    t.same(
      odd.result[0].values.map(([, value]: [number, string]) => Number(value)),
      [70, 71, 72, 73],
      'of exactly the range, which is no multiple of the step'
    )
    const near = { query: 'sum_over_time(coffer_mass_kg[61m])', start: String(monday), step: '3607' }
    t.match(await get('query_range', { ...near, end: String(monday + 3607 * 10_000) }), {
      code: 422,
      error: /does not fit the step/
    })
    // On 300 days, the five minutes until a reading: as many cells as five minutes there are would be too many otherwise.
    for (const [query, value] of [
      ['min_over_time(coffer_mass_kg{stream="scale"}[5m])', 73],
      ['increase(coffer_measure_steps[5m])', 130 / 12],
      ['count_over_time(coffer_mass_kg{stream="scale"}[7m])', 1]
    ] as const) {
      const first = monday - 296 * day + 7 * 3600
      const { result } = await range(query, first, first + 299 * day, '1d')
      t.equal(Number(result[0]?.values.at(-1)[1]).toFixed(6), value.toFixed(6), query)
    }
    const { data } = await get('query', {
      query: 'count(last_over_time({measure="weight",stream!=""}[30d]))',
      time: String(monday + 10 * day)
    })
    t.match(data, { resultType: 'vector', result: [{ metric: {}, value: [monday + 10 * day, '2'] }] })
  })

  t.test('summarise days at the steps of the last hours', async t => {
    // As Grafana asks at first. Ranges of a day have 5,760 cells with data each.
    const start = monday + 30 * 3600
    const values = await readOften('increase(coffer_measure_steps[24h])', start, start + 6 * 3600)
    t.same(
      [0, 1, 6].map(hour => Number(values[240 * hour]![1].toFixed(6))),
      // Of the hours from 6 to 29, and so on.
      [0, 1, 6].map(hour => 24 * (117.5 + hour))
    )
    t.equal(values.length, 1441)
  })

  t.test('summarise long ranges at short steps, as of the last hour', async t => {
    const later = monday + 10 * day
    const last = monday + 3 * day + 7 * 3600
    for (const [query, value] of [
      ['avg_over_time(coffer_mass_kg{stream="scale"}[30d])', 71.5],
      ['min_over_time(coffer_mass_kg{stream="scale"}[30d])', 70],
      ['max_over_time(coffer_mass_kg{stream="scale"}[30d])', 73],
      ['sum_over_time(coffer_mass_kg{stream="scale"}[30d])', 286],
      ['count_over_time(coffer_mass_kg{stream="scale"}[30d])', 4],
      ['last_over_time(coffer_measure_weight[30d])', 73],
      ['last_over_time(coffer_measure_blood_pressure_systolic[30d])', 121],
      ['increase(coffer_measure_steps[30d])', 48 * 100 + (47 * 48) / 2]
    ] as const) {
      const values = await readOften(query, later, later + 3600)
      t.equal(values.length, 241, query)
      t.same([...new Set(values.map(([, each]) => each))], [value], query)
    }
    const counts = await readOften(
      'count_over_time(coffer_mass_kg{stream="scale"}[30d])',
      last - 60,
      last + 60
    )
    t.same(
      counts.map(([, value]) => value),
      [3, 3, 3, 3, 4, 4, 4, 4, 4],
      'what comes within the range counts from its time on'
    )
    const expires = last + 30 * day
    const lasts = await readOften(
      'last_over_time(coffer_mass_kg{stream="scale"}[30d])',
      expires - 1800,
      expires + 5400
    )
    const until = lasts.at(-1)![0]
    t.ok(until >= expires - 15 && until < expires + (30 * day) / 500, `${until - expires} s`)
  })

  t.test('are ready to use', async t => {
    const { panels } = JSON.parse(
      readFileSync(join(packageDirectory, 'docs', 'dashboards', 'coffer.json'), 'utf8')
    )
    const queries: string[] = panels.flatMap((panel: Answer) => panel.targets.map(({ expr }: Answer) => expr))
    t.ok(queries.length >= 12)
    const ids = new Set(measures.map(({ id }) => id.replaceAll('-', '_')))
    for (const query of queries) {
      const text = query.replaceAll('$__interval', '1h')
      const { result } = await range(text, monday, monday + 4 * day, '1h')
      t.ok(Array.isArray(result), query)
      const near = query.replaceAll('$__interval', '15s')
      t.ok(Array.isArray((await range(near, monday, monday + 3600, '15s')).result), `${query}, of an hour`)
      const [, id = ''] = /coffer_(?:measure|daily)_([a-z_]+)/.exec(query) ?? []
      t.ok(
        query.includes('measure="') || ids.has(id.replace(/_(?:systolic|diastolic)$/, '')),
        `${query}: a known measure`
      )
    }
  })

  t.test('count the current day once it is over', async t => {
    const { panels } = JSON.parse(
      readFileSync(join(packageDirectory, 'docs', 'dashboards', 'coffer.json'), 'utf8')
    )
    const panel = panels.find(({ title }: Answer) => title === 'Steps a day')
    // As Grafana does: the range is moved, and ends with its last day.
    const [, days, unit] = /^(\d+)d(\/d)?$/.exec(panel.timeShift ?? '0d')!
    const now = monday + day + 8 * 3600 - Number(days) * day
    const end = unit === undefined ? now : Math.ceil(now / day) * day - 0.001
    const { result } = await range(panel.targets[0].expr, end - 7 * day, end, '1h')
    const total = Array.from({ length: 24 }, (_, hour) => 100 + hour).reduce((sum, value) => sum + value, 0)
    t.equal(Number(result[0].values.at(-1)[1]), total, 'a morning does not lower the mean')
  })

  t.test('use forms, and the token as a password', async t => {
    const { service, username } = alice
    const response = await fetch(`${service.server.url}/${username}/prometheus/api/v1/query_range`, {
      method: 'POST',
      headers: { authorization: `Basic ${Buffer.from(`${token}:`).toString('base64')}` },
      body: new URLSearchParams({
        query: 'coffer_measure_weight',
        start: '2026-01-05T07:00:00Z',
        end: '2026-01-05T08:00:00Z',
        step: '60'
      })
    })
    t.equal(response.status, 200)
    const { data } = (await response.json()) as Answer
    t.equal(data.result[0].values.length, 5, 'a reading is shown for five minutes')
  })

  t.test('are refused by name', async t => {
    const cases: [string, number, RegExp][] = [
      ['topk(3, coffer_mass_kg)', 422, /topk/],
      ['histogram_quantile(0.9, coffer_mass_kg)', 422, /histogram_quantile/],
      ['coffer_mass_kg offset 1d', 422, /offset/],
      ['coffer_mass_kg > 70', 422, />/],
      ['coffer_mass_kg + coffer_mass_kg', 422, /two series/],
      ['avg_over_time(coffer_mass_kg[1h:5m])', 422, /Subqueries/],
      ['avg_over_time(coffer_mass_kg[1d] offset 1d)', 422, /"offset"/],
      ['avg_over_time(coffer_mass_kg[1d] @ 5)', 422, /"@"/],
      ['rate(coffer_measure_weight[1h])', 422, /"rate".*"weight" does not.*last_over_time/],
      ['increase(coffer_daily_blood_pressure_systolic[7d])', 422, /"increase".*"blood-pressure"/],
      ['max_over_time(coffer_count_steps[1d])', 422, /"max_over_time".*"steps" adds up.*sum_over_time/],
      ['coffer_mass_kg[5m]', 422, /range/],
      ['coffer_mass_kg{', 400, /parse error/],
      ['{}', 400, /name/],
      ['avg_over_time({measure="blood-pressure"}[1y])', 422, /Several series.*"blood-pressure".*one name/],
      ['-last_over_time({measure="weight",stream=""}[1y])', 422, /Several series.*"weight"/],
      ['coffer_mass_kg{stream=~"("}', 400, /RE2/],
      [`coffer_mass_kg{stream=~"${'.{0,1000}'.repeat(20)}b"}`, 422, /too large/],
      ['', 400, /query/],
      [`${'('.repeat(50)}1${')'.repeat(50)}`, 422, /nested/],
      [`${'1+'.repeat(3000)}1`, 400, /characters/]
    ]
    for (const [query, code, error] of cases)
      t.match(
        await get('query', { query, time: String(monday + 10 * day) }),
        { code, status: 'error', error },
        query.slice(0, 50)
      )
    t.match(await get('query', { query: '# Sum\n1 + # one\n2' }), {
      code: 200,
      data: { result: [Number, '3'] }
    })
    for (const [number, value] of [
      ['+NaN', 'NaN'],
      ['-NaN', 'NaN'],
      ['1 + -NaN', 'NaN'],
      ['+Inf', '+Inf'],
      ['-inf', '-Inf'],
      ['010', '8'],
      ['-0_17', '-15'],
      ['09', '9'],
      ['010.5', '10.5'],
      ['-0x1F', '-31'],
      ['-1m', '-60']
    ] as const)
      t.match(await get('query', { query: number }), { code: 200, data: { result: [Number, value] } }, number)
    const ok = { query: '1', start: '0', end: '100', step: '10' }
    for (const [wrong, error] of [
      [{ step: '0' }, /step/],
      [{ step: '0.001' }, /steps/],
      [{ start: 'soon' }, /start/],
      [{ end: '2026-02-30T00:00:00Z' }, /"end" must be a time/],
      [{ end: '2026-02-28T24:00:00Z' }, /"end" must be a time/],
      [{ end: '2026-02-28T00:00:00+23:00' }, /"end" must be a time/],
      [{ end: '-5' }, /end/],
      [{ start: '1e300' }, /start/]
    ] as const)
      t.match(await get('query_range', { ...ok, ...wrong }), { code: 400, error }, JSON.stringify(wrong))
    t.match(
      await get('query_range', {
        ...ok,
        query: 'avg_over_time(coffer_mass_kg[1s])',
        end: '86400000',
        step: '86401'
      }),
      {
        code: 422
      }
    )
    const nested = `${'sum without() ('.repeat(28)}{__name__=~"coffer_.+"}${')'.repeat(28)}`
    const range = { start: String(monday), end: String(monday + 10_999 * 60), step: '60' }
    t.match(await get('query_range', { query: nested, ...range }), {
      code: 422,
      error: /too many operators/
    })
    const numbers = (depth: number): string =>
      depth === 0 ? '1' : `(${numbers(depth - 1)}+${numbers(depth - 1)})`
    t.match(await get('query_range', { query: numbers(7), start: '0', end: '10999', step: '1' }), {
      code: 422,
      error: /1000000 values/
    })
    t.match(await get('nothing'), { code: 404, errorType: 'not_found' })
    t.match(await get('query', { query: '1', zone: 'Mars/Base' }), { code: 400, error: /zone/ })
  })

  t.test('limit what repetitions in each other amount to', async t => {
    for (const pattern of [
      repeat('.?'.repeat(140)),
      repeat('\\pL'.repeat(95)),
      repeat(`${'a'.repeat(90)}[])]`),
      repeat(`${'a'.repeat(90)}[](]`),
      repeat(`${'a'.repeat(90)}\\)\\Q)(\\E[[:^alpha:])]`),
      `${'(?:'.repeat(10)}${'a?'.repeat(100)}${'){2}'.repeat(10)}`
    ])
      t.match(await select(pattern), { code: 422, error: /too large: repeat less/ }, pattern.slice(-40))
    for (const pattern of [
      '(sc|ty){1,3}[a-z]{2,40}',
      '[[:alpha:]]{5}',
      '(?:[a-z]{5}){1}',
      '\\Qscale\\E',
      '[]s]cale'
    ])
      t.same((await select(pattern)).data?.[0]?.stream, 'scale', pattern)
    for (const pattern of ['scale)', '(scale', '[scale'])
      t.match(await select(pattern), { code: 400, error: /RE2/ }, pattern)
  })

  t.test('limit how many characters ranges and classes consist of', async t => {
    for (const pattern of [
      `(?i)[${'Ā-\u{10FFFF}'.repeat(1000)}]`,
      `(?i:[${'a-q-Ā-\u{10FFFF}'.repeat(500)}])`,
      `(?i)[${'Ā-\\x{FFFF}'.repeat(300)}]`,
      `(?i)[${'\\pL\\PL'.repeat(300)}]`,
      `(?i)${'\\p{L}|'.repeat(150)}x`
    ])
      t.match(
        await select(pattern),
        { code: 422, error: /too large: use fewer ranges/ },
        pattern.slice(0, 20)
      )
    for (const pattern of ['(?i)S[À-ÿA-Z一-龥😀-🙏]+', 's[\\p{L}\\p{N}]+', 's[^\\x{80}-\\x{10FFFF}]+'])
      t.same((await select(pattern)).data?.[0]?.stream, 'scale', pattern)
  })

  t.test('are refused in the form of Prometheus wherever that happens', async t => {
    const { service, username } = alice
    const url = `${service.server.url}/${username}/prometheus/api/v1`
    for (const [path, code] of [
      ['query%ZZ', 400],
      ['query?query=1&x=%ZZ', 400],
      [`query?${'x=1&'.repeat(2000)}`, 400]
    ] as const) {
      const response = await fetch(`${url}/${path}`, { headers: { authorization: token } })
      t.equal(response.status, code, path.slice(0, 40))
      t.match(
        await response.json(),
        { status: 'error', errorType: 'bad_data', error: String },
        path.slice(0, 40)
      )
    }
  })

  t.test('are told when to call again', async t => {
    const { alice: limited } = await coffer(t, { limits: { callsPerToken: { app: 1 } } })
    const reader = await limited.grant('read', '*', { type: 'app' })
    t.equal((await reader.http('GET', '/prometheus/api/v1/rules')).status, 200)
    const refused = await reader.http('GET', '/prometheus/api/v1/rules')
    t.match(refused, { status: 429, body: { status: 'error', errorType: 'unavailable', error: String } })
    t.ok(Number(refused.headers.get('retry-after')) > 0)
  })

  t.test('know no labels but those of the series', async t => {
    for (const name of ['constructor', '__proto__', 'toString']) {
      t.same((await get(`label/${name}/values`)).data, [], name)
      for (const [operator, found] of [
        ['=~', 0],
        ['!~', 1]
      ] as const) {
        const query = `last_over_time(coffer_measure_weight{${name}${operator}".+"}[30d])`
        const answer = await get('query', { query, time: String(monday + 10 * day) })
        t.equal(answer.data?.result.length, found, query)
      }
    }
    const quoted = await range('sum by ("measure") (coffer_daily_steps)', monday, monday, '1h')
    t.match(quoted.result[0].metric, { measure: 'steps' })
  })

  t.test('have no more values than the memory holds', async t => {
    const calls = Array.from({ length: 92 }, (_, at) => [
      { method: 'streams.create', params: { id: `scale-${at}`, name: `Scale ${at}`, parentId: 'body' } },
      {
        method: 'events.create',
        params: { streamIds: [`scale-${at}`], type: 'mass/kg', content: 70, time: monday }
      }
    ])
    await alice.do('callBatch', calls.flat())
    const query = 'last_over_time(coffer_mass_kg{stream=~"scale-.*"}[10d])'
    const times = { start: String(monday), end: String(monday + 10_999 * 60), step: '60' }
    t.match(await get('query_range', { query, ...times }), { code: 422, error: /1000000 values/ })
    const fewer = await get('query_range', { query, ...times, step: '120' })
    t.equal(fewer.data.result.length, 92)
  })

  t.test('need a token, and see only what it permits', async t => {
    t.match(await ask(alice, 'nonsense', 'query', { query: 'coffer_mass_kg' }), {
      code: 401,
      status: 'error',
      errorType: 'unauthorized'
    })
    const { token: diary } = await alice.grant('read', 'diary', { type: 'app', name: 'diary' })
    t.same((await ask(alice, diary, 'label/__name__/values')).data, [
      'coffer_daily_note',
      'coffer_measure_note'
    ])
    for (const path of ['status/buildinfo', 'rules', 'alerts', 'query_exemplars', 'labels', 'metadata'])
      t.match(await ask(alice, 'nonsense', path), { code: 401 }, path)
  })
})

t.test('days of yes or no are 1 or 0, and what counts events says so', async t => {
  const { alice } = await coffer(t)
  const mark = { clientData: { 'coffer:measure': 'medication-taken' } }
  await alice.do('streams.create', { id: 'pill', name: 'pill', ...mark })
  for (const [at, content] of [true, false, false].entries())
    await alice.event({ streamIds: ['pill'], type: 'boolean/bool', content, time: monday + at * day + 100 })
  const { token } = await alice.grant('read', 'pill', { type: 'app' })
  const { data } = await ask(alice, token, 'query_range', {
    query: 'coffer_daily_medication_taken',
    start: String(monday),
    end: String(monday + 3 * day),
    step: '1d'
  })
  t.same(data.result[0]?.values, [
    [monday, '1'],
    [monday + day, '0'],
    [monday + 2 * day, '0']
  ])
  const { data: metrics } = await ask(alice, token, 'metadata')
  t.equal(
    metrics.coffer_measure_medication_taken[0].help,
    'Medication taken: number of events, over all sources'
  )
  t.equal(metrics.coffer_daily_medication_taken[0].help, 'Medication taken, by day')
})
