/** A year that arrives live and is imported as a file, in turns: each value is stored once. The truth is counted by itself. */
import t from 'tap'
import { coffer, type Answer, type Client } from '../../support/coffer.js'
import { broughtIn } from '../../support/importing.js'
import { seeded } from '../../support/random.js'
import { connect, events, look, points, send } from './connecting.js'

const day = 86_400
/** The short form lives through four months. */
const days = process.env['COFFER_TEST_LONG'] === '1' ? 365 : 120
/** The year ends before the time of the service. */
const start = Math.floor(1_699_900_000 / day) * day - days * day
const source = 'Apple Watch'

interface Truth {
  readonly kind: 'steps' | 'weight' | 'resting' | 'sleep' | 'workout'
  readonly time: number
  readonly seconds: number
  readonly value: number
}

const random = seeded(t)

/** What has happened: steps of each hour awake, a weight on most days, a resting heart rate, a night, workouts. */
const truth: readonly Truth[] = Array.from({ length: days }, (_, at): Truth[] => {
  const midnight = start + at * day
  return [
    ...Array.from({ length: 16 }, (_hour, hour): Truth => {
      return {
        kind: 'steps',
        time: midnight + (6 + hour) * 3600,
        seconds: 3540,
        value: 1 + random.below(2000)
      }
    }),
    ...(random.chance(0.8)
      ? [
          {
            kind: 'weight',
            time: midnight + 7 * 3600,
            seconds: 0,
            value: 150 + random.below(100) / 10
          } as const
        ]
      : []),
    { kind: 'resting', time: midnight + 8 * 3600, seconds: 0, value: 50 + random.below(15) },
    { kind: 'sleep', time: midnight + 3600, seconds: 4 * 3600 + random.below(3600), value: 0 },
    ...(at % 3 === 0
      ? [
          {
            kind: 'workout',
            time: midnight + 17 * 3600,
            seconds: 1800 + random.below(600),
            value: 0
          } as const
        ]
      : [])
  ]
}).flat()

const written = (time: number): string =>
  `${new Date(time * 1000).toISOString().slice(0, 19).replace('T', ' ')} +0000`

/** What Health Auto Export sends of these. */
function toLive(values: readonly Truth[]): object {
  const metric = (kind: Truth['kind'], name: string, units: string): object => ({
    name,
    units,
    data: values
      .filter(each => each.kind === kind)
      .map(({ time, value }) => ({ date: written(time), qty: value, source }))
  })
  const stages = values
    .filter(({ kind }) => kind === 'sleep')
    .map(({ seconds, time }) => ({
      startDate: written(time),
      endDate: written(time + seconds),
      qty: seconds / 3600,
      value: 'Core',
      source
    }))
  const workouts = values
    .filter(({ kind }) => kind === 'workout')
    .map(({ seconds, time }, at) => ({
      id: `${time} ${at}`,
      name: 'Outdoor Run',
      start: written(time),
      end: written(time + seconds),
      stepCount: [{ date: written(time), qty: 100, units: 'count', source }]
    }))
  const metrics = [
    metric('steps', 'step_count', 'count'),
    metric('weight', 'weight_body_mass', 'kg'),
    metric('resting', 'resting_heart_rate', 'count/min'),
    { name: 'sleep_analysis', units: 'hr', data: stages }
  ]
  return { data: { metrics, workouts } }
}

/** Apple's export of these. */
function toFile(values: readonly Truth[]): string {
  const lines = values.map(({ kind, seconds, time, value }) => {
    const common = `sourceName="${source}" startDate="${written(time)}" endDate="${written(time + seconds)}"`
    const quantity = (type: string, unit: string): string =>
      `<Record type="HKQuantityTypeIdentifier${type}" unit="${unit}" ${common} value="${value}"/>`
    if (kind === 'steps') return quantity('StepCount', 'count')
    if (kind === 'weight') return quantity('BodyMass', 'kg')
    if (kind === 'resting') return quantity('RestingHeartRate', 'count/min')
    if (kind === 'sleep')
      return `<Record type="HKCategoryTypeIdentifierSleepAnalysis" ${common} value="HKCategoryValueSleepAnalysisAsleepCore"/>`
    return `<Workout workoutActivityType="HKWorkoutActivityTypeRunning" ${common}/>`
  })
  return `<HealthData>${lines.join('\n')}</HealthData>`
}

/** Lists what is stored as `[kind, time, value]`, by kind and time. */
async function listStored(user: Client): Promise<unknown[]> {
  const kinds = new Map<string, Truth['kind']>([
    ['mass/kg', 'weight'],
    ['frequency/bpm', 'resting'],
    ['sleep/analysis', 'sleep'],
    ['activity/plain', 'workout']
  ])
  const found: [string, number, unknown][] = (await events(user)).flatMap(
    ({ content, duration, time, type }: Answer) => {
      const kind = kinds.get(type)
      if (!kind) return []
      return [[kind, time, kind === 'sleep' || kind === 'workout' ? duration : content]]
    }
  )
  for (const [path, time, { value }] of await points(user))
    if (/Step count\/|Steps\//.test(path)) found.push(['steps', time, value])
  return sort(found)
}

function sort(list: readonly [string, number, unknown][]): unknown[] {
  return list.toSorted((a, b) => (a[0] === b[0] ? a[1] - b[1] : a[0] < b[0] ? -1 : 1))
}

t.test('health-auto-export and the export of a year', async t => {
  const { alice } = await coffer(t)
  const connection = await connect(alice, 'health-auto-export')
  for (let at = 0; at < days; at++) {
    // Yesterday and today so far, twice.
    const [from, to] = [start + (at - 1) * day, start + (at + 1) * day]
    const recent = truth.filter(({ time }) => time >= from && time < to)
    const response = await send(alice, 'health-auto-export', connection, toLive(recent))
    t.equal(response.status, 200)
    if (at === 120) await broughtIn(alice, 'export.xml', toFile(truth.filter(({ time }) => time < to)))
  }
  await broughtIn(alice, 'export.xml', toFile(truth))
  await send(alice, 'health-auto-export', connection, toLive(truth.slice(-200)))
  const expected = truth.map(({ kind, seconds, time, value }): [string, number, unknown] => [
    kind,
    time,
    kind === 'sleep' || kind === 'workout' ? seconds : value
  ])
  t.same(await listStored(alice), sort(expected))
  t.match(await look(alice, connection), { notUnderstood: {}, lastProblem: null })
})
