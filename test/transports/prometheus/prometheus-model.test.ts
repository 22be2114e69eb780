/** Values of the query API compared with a plain computation over all readings, for random data and queries. */
import t from 'tap'
import { coffer, type Answer } from '../../support/coffer.js'
import { seeded } from '../../support/random.js'

/** Number of queries; a quarter as many aggregate several series. */
const rounds = process.env['COFFER_TEST_LONG'] === '1' ? 600 : 60
const minute = 60
const day = 86_400
/** The present of these queries: noon of 5 January 2026 in UTC. */
const noon = Date.UTC(2026, 0, 5, 12) / 1000

/** A reading of a series by itself. Steps last from their time on, over no time. */
interface Reading {
  readonly time: number
  readonly value: number
  readonly source: string
}

/** Selectors of single series, with the readings that each shows. */
interface Lane {
  readonly selector: string
  readonly readings: readonly Reading[]
  readonly isSum?: boolean
}

const readers: Record<string, (some: readonly Reading[], seconds: number) => number> = {
  last_over_time: some => some.reduce((last, one) => (one.time >= last.time ? one : last)).value,
  count_over_time: some => some.length,
  sum_over_time: some => add(some),
  avg_over_time: some => add(some) / some.length,
  min_over_time: some => Math.min(...some.map(({ value }) => value)),
  max_over_time: some => Math.max(...some.map(({ value }) => value)),
  increase: some => add(some),
  rate: (some, seconds) => add(some) / seconds
}
const ofLevels = Object.keys(readers).slice(0, 6)
const ofSums = ['last_over_time', 'count_over_time', 'sum_over_time', 'increase', 'rate']

function add(some: readonly Reading[]): number {
  return some.reduce((sum, { value }) => sum + value, 0)
}

t.test('values are those of all readings', async t => {
  const random = seeded(t)
  const { alice } = await coffer(t)
  const streams = ['scale', 'typed', 'counter', 'arm', 'pulse'].map(id => ({
    method: 'streams.create',
    params: { id, name: id }
  }))
  await alice.do('callBatch', streams)
  // Times are distinct, so that there is one last reading; some are on the minutes at which queries are evaluated, some later.
  const times = new Set<number>()
  const pickTime = (): number => {
    for (;;) {
      const at = noon + random.below(3 * 1440) * minute - 2 * day + random.pick([0, 0, 1, 7.25])
      if (times.has(at)) continue
      times.add(at)
      return at
    }
  }
  const calls: object[] = []
  const create = (streamId: string, type: string, count: number, value: () => number): Reading[] =>
    Array.from({ length: count }, () => {
      const reading = { time: pickTime(), value: value(), source: streamId }
      calls.push({
        method: 'events.create',
        params: { streamIds: [streamId], type, time: reading.time, content: reading.value }
      })
      return reading
    })
  const scale = create('scale', 'mass/kg', 200, () => 60 + random.below(200) / 10)
  const typed = create('typed', 'mass/kg', 40, () => 60 + random.below(200) / 10)
  const counter = create('counter', 'count/steps', 150, () => 1 + random.below(500))
  const arm = Array.from({ length: 80 }, () => {
    const values = { systolic: 100 + random.below(50), diastolic: 60 + random.below(40) }
    const reading = { time: pickTime(), ...values }
    const params = {
      streamIds: ['arm'],
      type: 'blood-pressure/mmhg-bpm',
      time: reading.time,
      content: values
    }
    calls.push({ method: 'events.create', params })
    return reading
  })
  await alice.do('callBatch', calls.slice(0, 250))
  await alice.do('callBatch', calls.slice(250))
  // Points of series, dense enough that whole parts of them lie within a window.
  const { event: holder } = await alice.do('events.create', {
    streamIds: ['pulse'],
    type: 'series:frequency/bpm',
    time: noon - 2 * day
  })
  const points = Array.from({ length: 9000 }, (_, at) => [
    at * 25 + random.pick([0, 1]),
    50 + random.below(90)
  ])
  await alice.do('hfs.add', {
    id: holder.id,
    format: 'flatJSON',
    fields: ['deltaTime', 'value'],
    points
  })
  const { event: cuff } = await alice.do('events.create', {
    streamIds: ['arm'],
    type: 'series:blood-pressure/mmhg-bpm',
    time: noon - 2 * day
  })
  const pairs = Array.from(
    { length: 300 },
    (_, at) => [at * 400 + 13, 100 + random.below(50), 60 + random.below(40)] as const
  )
  await alice.do('hfs.add', {
    id: cuff.id,
    format: 'flatJSON',
    fields: ['deltaTime', 'systolic', 'diastolic'],
    points: pairs
  })
  const pressure = (name: 'systolic' | 'diastolic'): Reading[] => [
    ...arm.map(({ time, [name]: value }) => ({ time, value, source: 'arm' })),
    ...pairs.map(([delta, systolic, diastolic]) => ({
      time: noon - 2 * day + delta,
      value: name === 'systolic' ? systolic : diastolic,
      source: 'arm'
    }))
  ]
  const pulse = points.map(([delta, value]) => ({
    time: noon - 2 * day + delta!,
    value: value!,
    source: 'pulse'
  }))
  const lanes: Lane[] = [
    { selector: 'coffer_mass_kg{stream="scale"}', readings: scale },
    { selector: 'coffer_mass_kg{stream="typed"}', readings: typed },
    { selector: 'coffer_measure_weight', readings: [...scale, ...typed] },
    { selector: 'coffer_count_steps', readings: counter, isSum: true },
    { selector: 'coffer_measure_steps', readings: counter, isSum: true },
    { selector: 'coffer_measure_blood_pressure_systolic', readings: pressure('systolic') },
    { selector: 'coffer_measure_blood_pressure_diastolic', readings: pressure('diastolic') },
    { selector: 'coffer_frequency_bpm{measure="heart-rate"}', readings: pulse },
    { selector: 'coffer_measure_heart_rate', readings: pulse }
  ]
  async function ask(path: string, params: Record<string, string>): Promise<Answer> {
    const { service, token, username } = alice
    const text = String(new URLSearchParams(params))
    const url = `${service.server.url}/${username}/prometheus/api/v1/${path}?${text}`
    const response = await fetch(url, { headers: { authorization: token } })
    return await response.json()
  }

  /** Returns the expected value of a time; `undefined` if there is none. */
  function compute(lane: Lane, apply: string | undefined, time: number, window: number): number | undefined {
    // What adds up counts from its time on, and readings at their time. The last number is always a reading.
    const starts = lane.isSum && apply !== 'last_over_time'
    const within = lane.readings.filter(({ time: at }) =>
      starts ? at >= time - window && at < time : at > time - window && at <= time
    )
    // Of several sources, the first of the preferred ones; the last number is that of any.
    const preferred = within.filter(
      ({ source }) => source === within.find(one => one.source === 'scale')?.source
    )
    const isLast = apply === undefined ? !lane.isSum : apply === 'last_over_time'
    const used = isLast || preferred.length === 0 ? within : preferred
    if (used.length === 0) return undefined
    return readers[apply ?? (lane.isSum ? 'sum_over_time' : 'last_over_time')]!(used, window)
  }

  let compared = 0
  for (let round = 0; round < rounds; round++) {
    const lane = random.pick(lanes)
    const apply = random.pick([undefined, ...(lane.isSum ? ofSums : ofLevels)])
    const isInstant = random.chance(0.3)
    const step = minute * random.pick([1, 5, 30, 60, 720, 1 / 120, 15.5 / 60, 90.25 / 60])
    const count = isInstant ? 1 : 1 + random.below(60)
    // Windows of one cell: in longer ones, each cell has its own preferred source.
    const isMerged = lane.selector === 'coffer_measure_weight'
    const range =
      isMerged && !isInstant && apply !== 'last_over_time'
        ? step
        : minute * random.pick(step < 2 * minute ? [1, 7, 0.125, 61.125 / 60] : [1, 7, 45, 720, 4000])
    const window = apply === undefined ? (isInstant ? 300 : Math.max(step, 300)) : range
    const start = noon - 2 * day + random.below(3 * 1440) * minute + random.pick([0, 0, 0.25])
    const query =
      apply === undefined ? lane.selector : `${apply}(${lane.selector}[${Math.round(range * 1000)}ms])`
    const { data, error } = await (isInstant
      ? ask('query', { query, time: `${start}` })
      : ask('query_range', {
          query,
          start: `${start}`,
          end: `${start + (count - 1) * step}`,
          step: `${step}`
        }))
    if (error) {
      t.fail(`${query}: ${error}`)
      break
    }
    const rows: [number, string][] = isInstant
      ? data.result.map(({ value }: Answer) => value)
      : (data.result[0]?.values ?? [])
    const found = new Map(rows.map(([at, value]) => [at, Number(value)]))
    const wrong = Array.from({ length: count }, (_, at) => start + at * step)
      .map(time => ({ time, found: found.get(time), expected: compute(lane, apply, time, window) }))
      .find(({ found: is, expected }) =>
        is === undefined || expected === undefined
          ? is !== expected
          : Math.abs(is - expected) > 1e-9 * Math.abs(expected)
      )
    compared += found.size
    if (!wrong) continue
    t.same(wrong.found, wrong.expected, `${query} at ${wrong.time - noon} s, step ${step}, ${count} times`)
    break
  }
  t.ok(compared > rounds, `${compared} values`)

  for (let round = 0; round < rounds / 4; round++) {
    const aggregation = random.pick(['sum', 'avg', 'min', 'max', 'count'])
    const start = noon - 2 * day + random.below(3 * 1440) * minute
    const step = minute * random.pick([1, 30, 720, 1 / 120])
    const range = minute * random.pick(step < minute ? [7, 0.5] : [7, 45, 0.5, 4000])
    const query = `${aggregation} by (measure) (last_over_time(coffer_mass_kg[${Math.round(range * 1000)}ms]) * 2)`
    const params = { query, start: `${start}`, end: `${start + 20 * step}`, step: `${step}` }
    const { data } = await ask('query_range', params)
    const expected = Array.from({ length: 21 }, (_, at) => start + at * step).flatMap(time => {
      const values = lanes.slice(0, 2).flatMap(lane => compute(lane, 'last_over_time', time, range) ?? [])
      const readings = values.map(value => ({ time, value: value * 2, source: '' }))
      return values.length === 0 ? [] : [[time, readers[`${aggregation}_over_time`]!(readings, range)]]
    })
    t.same(
      (data.result[0]?.values ?? []).map(([time, value]: Answer) => [time, Number(value)]),
      expected,
      query
    )
  }
})
