/**
 * A new user imports an export of Apple Health, a FIT file and a table, and types one value: each measure is one, and each number
 * on the page Today is that counted here from the same values.
 */
import t from 'tap'
import { getLocalDay } from '../../../schemas/zones.js'
import { fitFile, type FitField } from '../../imports/fit-writer.js'
import { desk, startApp } from '../../support/app.js'
import { leave } from '../../support/browser.js'
import type { Answer } from '../../support/coffer.js'
import { broughtIn, zipOf } from '../../support/importing.js'

const zone = 'Europe/Zurich'
const [hour, day] = [3600, 86_400]
/** Seconds from 1970 to the epoch of FIT files. */
const fitEpoch = 631_065_600
/** Rates per second of a run, from which the FIT file is made. */
const rates = Array.from({ length: 90 }, (_, second) => 120 + second)
const mean = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length

t.test('one measure, whatever brings its values', async t => {
  const { daisy, enter, service } = await startApp(t)
  const start = getLocalDay(zone, service.clock.now()).from + day
  service.clock.advance(start + 20 * hour - service.clock.now())
  const format = (time: number): string =>
    `${new Date((time + hour) * 1000).toISOString().slice(0, 19).replace('T', ' ')} +0100`
  const date = (days: number): string =>
    new Date((start + days * day + 12 * hour) * 1000).toISOString().slice(0, 10)

  const record = (
    type: string,
    unit: string,
    source: string,
    [at, length, value]: readonly number[]
  ): string =>
    `<Record type="HKQuantityTypeIdentifier${type}" sourceName="${source}" unit="${unit}" startDate="${format(at!)}" endDate="${format(at! + length!)}" value="${value}"/>`
  const pulses = Array.from({ length: 12 }, (_, index) => [start - 10 * hour + index * 600, 0, 60 + index])
  const watchSteps = [
    [start - 15 * hour, hour, 4000],
    [start - 14 * hour, hour, 2000],
    [start + 8 * hour, hour, 1000],
    [start + 9 * hour, hour, 500]
  ]
  // The telephone was in the pocket at eight, too, and alone at eleven.
  const phoneSteps = [
    [start + 8 * hour, hour, 900],
    [start + 11 * hour, hour, 300]
  ]
  const scale = [
    [start - 3 * day + 7 * hour, 0, 71.2],
    [start - 2 * day + 7 * hour, 0, 71]
  ]
  const apple = [
    ...pulses.map(each => record('HeartRate', 'count/min', 'Watch', each)),
    ...watchSteps.map(each => record('StepCount', 'count', 'Watch', each)),
    ...phoneSteps.map(each => record('StepCount', 'count', 'iPhone', each)),
    ...scale.map(each => record('BodyMass', 'kg', 'Scale', each))
  ]
  const table = Array.from({ length: 7 }, (_, index) => [date(index - 10), 72 - index / 10] as const)
  const fileId: readonly FitField[] = [
    [0, 0x00],
    [4, 0x86]
  ]
  const run = fitFile(fit => {
    const begun = start + 14 * hour - fitEpoch
    fit.define(0, 0, fileId)
    fit.data(0, [4, begun])
    fit.define(1, 20, [
      [253, 0x86],
      [3, 0x02]
    ])
    for (const [second, rate] of rates.entries()) fit.data(1, [begun + second, rate])
  })

  for (const [name, content] of [
    [
      'export.zip',
      await zipOf({ 'apple_health_export/export.xml': `<HealthData>${apple.join('')}</HealthData>` })
    ],
    ['run.fit', run],
    ['weights.csv', ['Date,Weight (kg)', ...table.map(([at, value]) => `${at} 07:00,${value}`)].join('\n')]
  ] as const)
    t.equal((await broughtIn(daisy, name, content, { zone })).state, 'written', name)
  await daisy.stream('by-hand')
  const typed = { streamIds: ['by-hand'], type: 'mass/lb', content: 155, time: start + 7 * hour }
  await daisy.event(typed)

  const { facts } = await daisy.do('measures.facts')
  const factOf = (id: string): Answer => facts.find(({ measure }: Answer) => measure === id)
  const daysOf = async (measure: string): Promise<[day: string, value: number][]> => {
    const { days } = await daisy.do('measures.days', { measure, from: date(-20), to: date(0), zone })
    return days.map((each: Answer) => [each.day, Math.round(each.value * 1000) / 1000])
  }
  const pounds = 0.45359237

  await t.test('one weight', async t => {
    t.equal(factOf('weight').count, scale.length + table.length + 1)
    t.equal(new Set(factOf('weight').sources.map(({ streamId }: Answer) => streamId)).size, 3)
    t.same(await daysOf('weight'), [
      ...table,
      [date(-3), 71.2],
      [date(-2), 71],
      [date(0), Math.round(155 * pounds * 1000) / 1000]
    ])
  })

  await t.test('one heart rate', async t => {
    t.equal(factOf('heart-rate').count, pulses.length + rates.length)
    t.match(factOf('heart-rate').latest, { time: start + 14 * hour + rates.length - 1, value: rates.at(-1) })
    t.same(await daysOf('heart-rate'), [
      [date(-1), mean(pulses.map(([, , value]) => value!))],
      [date(0), mean(rates)]
    ])
  })

  await t.test('steps that are counted once', async t => {
    t.same(await daysOf('steps'), [
      [date(-1), 6000],
      [date(0), 1800]
    ])
  })

  await t.test('and the same numbers on Today', async t => {
    const page = await enter('/app/daisy/today', { ...desk, timezoneId: zone })
    const shown = async (measure: string): Promise<string> =>
      (await page.locator(`[data-measure="${measure}"] .value`).innerText()).replaceAll(/\s+/g, ' ')
    await page.locator('[data-measure="weight"] .value').waitFor()
    t.equal(await shown('weight'), '70.3 kg')
    t.equal(await shown('heart-rate'), `${rates.at(-1)} bpm`)
    t.equal(await shown('steps'), '1,800')
    const since = page.getByRole('region', { name: 'Since yesterday' })
    const text = (await since.innerText()).replaceAll(/\s+/g, ' ')
    t.match(text, /Weight 10 readings/)
    t.match(text, /Heart rate 102 readings/)
    t.match(text, /Steps 6 readings/)
    await leave(page)
  })
})
