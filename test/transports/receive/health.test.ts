/** HC Webhook and Health Auto Export, from request to stored values. */
import t from 'tap'
import { coffer, type Answer, type Client } from '../../support/coffer.js'
import { broughtIn } from '../../support/importing.js'
import { connect, events, look, points, send } from './connecting.js'

/** 2026-11-26T12:00:00Z */
const noon = 1_795_694_400
const at = (seconds: number): string => new Date((noon + seconds) * 1000).toISOString()

/** The requests of a phone over some hours: each contains what is new, and every second one all of the last 48 hours again. */
function* sync(hours: number): Generator<object> {
  const beats: object[] = []
  for (let hour = 0; hour < hours; hour++) {
    const fresh = Array.from({ length: 60 }, (_, minute) => ({
      bpm: 60 + ((hour + minute) % 40),
      time: at(hour * 3600 + minute * 60)
    }))
    beats.push(...fresh)
    const steps = [{ count: 100 + hour, start_time: at(hour * 3600), end_time: at(hour * 3600 + 600) }]
    const heart_rate = hour % 2 === 0 ? fresh : beats.slice(-12 * 60)
    yield { timestamp: at(hour * 3600), app_version: '1.9.0', heart_rate, steps }
  }
}

t.test('hc-webhook: syncs of half a day, each sent again, are stored once', async t => {
  const { alice } = await coffer(t)
  const connection = await connect(alice, 'hc-webhook')
  for (const body of sync(12))
    for (let round = 0; round < 2; round++)
      t.match(await send(alice, 'hc-webhook', connection, body), { status: 200, body: { status: 'ok' } })
  const stored = await points(alice)
  t.equal(stored.filter(([path]: Answer) => path === 'Health Connect/Heart rate/phone').length, 12 * 60)
  t.same(
    stored.findLast(([path]: Answer) => path === 'Health Connect/Steps/phone'),
    ['Health Connect/Steps/phone', noon + 11 * 3600, { value: 111, duration: 600 }]
  )
  t.match(await look(alice, connection), { notUnderstood: {}, lastProblem: null })
})

t.test('hc-webhook: a night that goes on and a corrected weight are new versions', async t => {
  const { alice } = await coffer(t)
  const connection = await connect(alice, 'hc-webhook')
  const night = (hours: number): object => ({
    session_end_time: at(hours * 3600),
    duration_seconds: hours * 3600
  })
  await send(alice, 'hc-webhook', connection, { sleep: [night(6)], weight: [{ kilograms: 71, time: at(0) }] })
  await send(alice, 'hc-webhook', connection, {
    sleep: [night(8)],
    weight: [{ kilograms: 71.5, time: at(0) }]
  })
  const all = await events(alice)
  t.equal(all.length, 2)
  t.match(
    all.find(({ type }) => type === 'mass/kg'),
    { content: 71.5 }
  )
  t.match(
    all.find(({ type }) => type === 'sleep/analysis'),
    { duration: 8 * 3600 }
  )
  const { id } = all.find(({ type }) => type === 'mass/kg')!
  await alice.do('events.update', { id, update: { content: 70 } })
  await send(alice, 'hc-webhook', connection, { weight: [{ kilograms: 71.9, time: at(0) }] })
  t.match(
    (await events(alice)).find(({ type }) => type === 'mass/kg'),
    { content: 70 },
    'the user has the last word'
  )
})

t.test(
  'hc-webhook: two phones at one second are two sources; a new connection of a name adds nothing',
  async t => {
    const { alice } = await coffer(t)
    const body = { weight: [{ kilograms: 71, time: at(0) }] }
    const first = await connect(alice, 'hc-webhook')
    await send(alice, 'hc-webhook', first, body)
    await alice.do('connections.delete', { id: first.id })
    t.equal((await send(alice, 'hc-webhook', first, body)).status, 401)
    await send(alice, 'hc-webhook', await connect(alice, 'hc-webhook'), body)
    t.equal((await events(alice)).length, 1)
    await send(alice, 'hc-webhook', await connect(alice, 'hc-webhook', { name: 'tablet' }), body)
    t.equal((await events(alice)).length, 2)
  }
)

const date = (minute: number): string =>
  `2024-05-01 ${String(8 + Math.floor(minute / 60)).padStart(2, '0')}:${String(minute % 60).padStart(2, '0')}:00 +0200`
const source = 'Apple Watch'
const beats = Array.from({ length: 120 }, (_, minute) => ({ date: date(minute), value: 60 + (minute % 30) }))

/** Apple's export of a morning. */
const xml = `<HealthData>${beats
  .map(
    ({ date: start, value }) =>
      `<Record type="HKQuantityTypeIdentifierHeartRate" sourceName="${source}" unit="count/min" startDate="${start}" endDate="${start}" value="${value}"/>` +
      `<Record type="HKQuantityTypeIdentifierStepCount" sourceName="${source}" unit="count" startDate="${start}" endDate="${start.replace(':00 +', ':50 +')}" value="${value}"/>`
  )
  .join(
    ''
  )}<Record type="HKQuantityTypeIdentifierBodyMass" sourceName="${source}" unit="kg" startDate="${date(3)}" endDate="${date(3)}" value="71.3"/>
<Record type="HKCategoryTypeIdentifierSleepAnalysis" sourceName="${source}" startDate="2024-05-01 01:00:00 +0200" endDate="2024-05-01 02:00:00 +0200" value="HKCategoryValueSleepAnalysisAsleepDeep"/></HealthData>`

/** What Health Auto Export sends of the same morning. */
const live = {
  data: {
    metrics: [
      {
        name: 'heart_rate',
        units: 'count/min',
        data: beats.map(({ date: start, value }) => ({
          date: start,
          Min: value,
          Avg: value,
          Max: value,
          source
        }))
      },
      {
        name: 'step_count',
        units: 'count',
        data: beats.map(({ date: start, value }) => ({ date: start, qty: value, source }))
      },
      { name: 'weight_body_mass', units: 'kg', data: [{ date: date(3), qty: 71.3, source }] },
      {
        name: 'sleep_analysis',
        units: 'hr',
        data: [
          {
            startDate: '2024-05-01 01:00:00 +0200',
            endDate: '2024-05-01 02:00:00 +0200',
            qty: 1,
            value: 'Deep',
            source
          }
        ]
      }
    ]
  }
}

/** What is stored, without durations: the app does not send those of quantities. */
async function values(user: Client): Promise<unknown[]> {
  const stored = (await events(user)).map(({ content, time, type }) => [type, time, content])
  const rows = (await points(user)).map(([path, time, { value }]: Answer) => [path, time, value])
  return [...stored, ...rows]
}

t.test('health-auto-export: other units are converted, with the original beside them', async t => {
  const { alice } = await coffer(t)
  const connection = await connect(alice, 'health-auto-export')
  const metrics = [{ name: 'weight_body_mass', units: 'lb', data: [{ date: date(0), qty: 165.3, source }] }]
  await send(alice, 'health-auto-export', connection, { data: { metrics } })
  const [event] = await events(alice)
  t.match(event, {
    type: 'mass/kg',
    clientData: { 'health-auto-export:original': { value: 165.3, unit: 'lb' } }
  })
  t.ok(Math.abs(event.content - 74.978818761) < 1e-9)
})

for (const order of ['live first', 'file first'])
  t.test(`health-auto-export: live values and Apple's export are one, ${order}`, async t => {
    const service = await coffer(t)
    const { alice } = service
    const bob = await service.user('bobby')
    const connection = await connect(alice, 'health-auto-export')
    t.match(connection.link, /^com\.HealthExport:/)
    const sendLive = async (): Promise<void> =>
      void t.match(await send(alice, 'health-auto-export', connection, live), {
        status: 200,
        body: { success: true }
      })
    if (order === 'live first') await sendLive()
    await broughtIn(alice, 'export.xml', xml)
    if (order === 'file first') await sendLive()
    await sendLive()
    await broughtIn(bob, 'export.xml', xml)
    t.same(await values(alice), await values(bob))
    t.match(await look(alice, connection), { notUnderstood: {} })
  })

for (const order of ['live first', 'file first'])
  t.test(`health-auto-export: few values a day are one with those of the export, ${order}`, async t => {
    const { alice } = await coffer(t)
    const connection = await connect(alice, 'health-auto-export')
    const steps = [0, 50, 100].map(minute => ({ date: date(minute), qty: 400 + minute, source }))
    const metrics = (qty: number): object[] => [
      { name: 'flights_climbed', units: 'count', data: steps },
      { name: 'protein', units: 'g', data: [{ date: date(3), qty, source }] }
    ]
    const file = `<HealthData>${steps
      .map(
        ({ date: start, qty }) =>
          `<Record type="HKQuantityTypeIdentifierFlightsClimbed" sourceName="${source}" unit="count" startDate="${start}" endDate="${start.replace(':00 +', ':50 +')}" value="${qty}"/>`
      )
      .join(
        ''
      )}<Record type="HKQuantityTypeIdentifierDietaryProtein" sourceName="${source}" unit="g" startDate="${date(3)}" endDate="${date(3)}" value="20"/></HealthData>`
    const sendLive = async (...quantities: number[]): Promise<void> => {
      for (const qty of quantities)
        await send(alice, 'health-auto-export', connection, { data: { metrics: metrics(qty) } })
    }
    if (order === 'live first') await sendLive(12, 20)
    await broughtIn(alice, 'export.xml', file)
    if (order === 'file first') await sendLive(20, 20)
    t.same((await events(alice)).map(({ content }) => content).toSorted(), [20, 400, 450, 500])
  })

t.test('health-auto-export: sums that grow are corrected, and several values of one time stay', async t => {
  const { alice } = await coffer(t)
  const connection = await connect(alice, 'health-auto-export')
  const sendValues = async (name: string, units: string, ...quantities: number[]): Promise<void> => {
    const data = quantities.map(qty => ({ date: date(0), qty, source }))
    await send(alice, 'health-auto-export', connection, { data: { metrics: [{ name, units, data }] } })
  }
  for (const qty of [100, 150, 412, 412]) await sendValues('step_count', 'count', qty)
  t.match(
    (await points(alice)).map(([, , cells]: Answer) => cells),
    [{ value: 412 }]
  )
  for (const qty of [71, 71.3, 71.3]) await sendValues('weight_body_mass', 'kg', qty)
  t.match(await events(alice), [{ type: 'mass/kg', content: 71.3 }])
  t.equal((await events(alice)).length, 1)
  for (let round = 0; round < 2; round++) await sendValues('protein', 'g', 20, 5)
  t.same(
    (await events(alice))
      .filter(({ type }) => type === 'mass/g')
      .map(({ content }) => content)
      .toSorted(),
    [20, 5]
  )
})

for (const order of ['live first', 'file first'])
  t.test(`health-auto-export: weights and workouts are one with those of the export, ${order}`, async t => {
    const { alice } = await coffer(t)
    const connection = await connect(alice, 'health-auto-export')
    const metrics = [
      { name: 'weight_body_mass', units: 'kg', data: [{ date: date(0), qty: 75.3, source }] },
      { name: 'walking_running_distance', units: 'km', data: [{ date: date(1), qty: 0.25, source }] }
    ]
    const workouts = (['Outdoor Walk', 'Traditional Strength Training'] as const).map((name, at) => ({
      id: `${at}`,
      name,
      start: date(at * 20),
      end: date(at * 20 + 10),
      heartRateData: [{ date: date(at * 20), Min: 80, Avg: 90, Max: 99, units: 'count/min', source }]
    }))
    const file = `<HealthData><Record type="HKQuantityTypeIdentifierBodyMass" sourceName="${source}" unit="kg" startDate="${date(0)}" endDate="${date(0)}" value="75.3"/>
<Record type="HKQuantityTypeIdentifierDistanceWalkingRunning" sourceName="${source}" unit="km" startDate="${date(1)}" endDate="${date(1)}" value="0.25"/>
${['Walking', 'TraditionalStrengthTraining'].map((activity, at) => `<Workout workoutActivityType="HKWorkoutActivityType${activity}" sourceName="${source}" startDate="${date(at * 20)}" endDate="${date(at * 20 + 10)}"/>`).join('')}</HealthData>`
    const sendLive = async (): Promise<void> =>
      void (await send(alice, 'health-auto-export', connection, { data: { metrics, workouts } }))
    if (order === 'live first') await sendLive()
    await broughtIn(alice, 'export.xml', file)
    await sendLive()
    t.same(
      (await events(alice))
        .filter(({ type }) => type === 'activity/plain' || type === 'mass/kg')
        .map(({ content, duration, type }) => [type, duration ?? 0, content])
        .toSorted(),
      [
        ['activity/plain', 600, undefined],
        ['activity/plain', 600, undefined],
        ['mass/kg', 0, 75.3]
      ]
    )
    // Few are events, many a series.
    const distances = [
      ...(await events(alice)).filter(({ type }) => type === 'length/km').map(({ content }) => content),
      ...(await points(alice))
        .filter(([path]: Answer) => /istance/.test(path))
        .map(([, , { value }]: Answer) => value)
    ]
    t.same(distances, [0.25])
  })

t.test('health-auto-export: an electrocardiogram is a series of volts', async t => {
  const { alice } = await coffer(t)
  const connection = await connect(alice, 'health-auto-export')
  const voltageMeasurements = Array.from({ length: 1024 }, (_, index) => ({
    date: date(0),
    voltage: index,
    units: 'mcV'
  }))
  const ecg = [
    {
      start: date(0),
      end: date(1),
      samplingFrequency: 512,
      classification: 'Sinus Rhythm',
      voltageMeasurements
    }
  ]
  for (let round = 0; round < 2; round++)
    await send(alice, 'health-auto-export', connection, { data: { ecg } })
  const stored = await points(alice)
  t.equal(stored.length, 1024)
  const [path, time, cells] = stored[512]!
  t.same([path, time, cells], ['Apple Health/Electrocardiograms', 1_714_543_201, { value: 0.000512 }])
  t.match(await look(alice, connection), { received: 2 })
})
