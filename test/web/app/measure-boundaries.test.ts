/** Lanes of measures at boundaries: days with 25 hours, views that begin within a night, accesses without a profile. */
import t from 'tap'
import type { Page } from 'playwright-core'
import { desk, go, startApp } from '../../support/app.js'
import { leave } from '../../support/browser.js'
import { inRotation, rotate } from '../../support/rotation.js'

const hour = 3600
const day = 24 * hour
/** Midnight in Zurich before the day on which clocks go back. */
const midnight = Date.parse('2023-10-28T22:00:00Z') / 1000
const inZurich = { ...desk, timezoneId: 'Europe/Zurich' }

const lane = (page: Page, name: string) =>
  page.locator('.lane').filter({ has: page.getByRole('heading', { name, exact: true }) })
const settle = async (page: Page): Promise<void> => {
  await page.locator('.lane figure[aria-busy=false]').first().waitFor()
  await page.locator('.lane figure[aria-busy=true]').first().waitFor({ state: 'detached' })
}
const readTable = async (page: Page, name: string): Promise<string[]> => {
  await lane(page, name)
    .getByRole('button', { name: `Actions for ${name}` })
    .click()
  await page.getByRole('button', { name: 'View as table', exact: true }).click()
  await page.getByRole('dialog').locator('caption').waitFor()
  const rows = await page.getByRole('dialog').locator('tbody tr').allInnerTexts()
  await page.getByRole('dialog').getByRole('button', { name: 'Close' }).click()
  return rows.map(row => row.replaceAll(/\s+/g, ' '))
}
const view = (from: number, to: number): string =>
  `/app/daisy/timeline?lanes=@steps,@sleep&from=${from}&to=${to}`

t.test('lanes of measures', async t => {
  const { daisy, enter, open, service } = await startApp(t)
  const now = service.clock.now()
  for (const [id, measure] of [
    ['watch', 'steps'],
    ['telephone', 'steps'],
    ['nights', 'sleep'],
    ['scale', 'weight']
  ] as const)
    await daisy.do('streams.create', { id, name: id, clientData: { 'coffer:measure': measure } })
  // From the day before until the day after: 24, 25 and 24 hours.
  const calls = Array.from({ length: 73 }, (_, n) => midnight - day + n * hour).flatMap(time =>
    ['watch', 'telephone'].map(streamId => ({
      method: 'events.create',
      params: { streamIds: [streamId], type: 'count/steps', content: 100, time, duration: hour }
    }))
  )
  await daisy.do('callBatch', calls)
  const sleep = async (time: number, duration: number, analysis: string): Promise<void> =>
    void (await daisy.event({
      streamIds: ['nights'],
      type: 'sleep/analysis',
      content: { analysis },
      time,
      duration
    }))
  // The night in which clocks go back: from 23:00 to 07:00 are nine hours.
  await sleep(midnight - hour, 9 * hour, 'inBed')
  await sleep(midnight - hour, 5 * hour, 'asleep')
  await sleep(midnight + 4.5 * hour, 3 * hour, 'asleep')
  await daisy.event({ streamIds: ['scale'], type: 'mass/kg', content: 61.9, time: now - 300 })

  const page = await enter('/app/daisy/streams', inZurich)
  const test = inRotation(t, 2)
  const show = async (from: number, to: number): Promise<void> => {
    // Elsewhere first: lanes keep what they show until they have read another range.
    await go(page, '/app/daisy/streams')
    await go(page, view(from, to))
    await settle(page)
  }

  await test('days of 25 hours have the steps of 25 hours', async t => {
    await show(midnight - 10 * day, midnight + 10 * day)
    t.same(
      (await readTable(page, 'Steps')).map(row => row.replace(/^(.*) 00:00 ?/, '$1 ')),
      ['28 Oct, 2,400', '29 Oct, 2,500', '30 Oct, 2,400']
    )
    await show(midnight - day, midnight + 50 * hour)
    const rows = await readTable(page, 'Steps')
    t.equal(rows.length, 73)
    t.ok(
      rows.every(row => row.endsWith(' 100')),
      'steps of two devices are not added'
    )
  })

  await test('a night is the same in views that begin or end within it', async t => {
    const views = [
      [midnight - 5 * day, midnight + 5 * day],
      [midnight + 2 * hour, midnight + 2 * day],
      [midnight + 6 * hour, midnight + day],
      [midnight - day, midnight + 3 * hour],
      [midnight - 200 * day, midnight + 100 * day]
    ] as const
    for (const [from, to] of rotate(t, views, 3)) {
      await show(from, to)
      const rows = await readTable(page, 'Sleep')
      t.equal(rows.length, 1, `from ${from - midnight} to ${to - midnight}: ${rows.join(' | ')}`)
      t.match(rows[0], /8 h 00/)
    }
  })
  await leave(page)

  await t.test('shared links show lanes of measures', async t => {
    const { access } = await daisy.do('accesses.create', {
      name: 'Dr. Meyer',
      type: 'shared',
      permissions: ['watch', 'scale'].map(streamId => ({ streamId, level: 'read' }))
    })
    const page = await open(`/app/shared#daisy.${access.token}`, inZurich)
    await lane(page, 'Weight').getByText('61.9').first().waitFor()
    t.equal(await lane(page, 'Steps').count(), 1)
    t.equal(await lane(page, 'Sleep').count(), 0)
    await lane(page, 'Steps').getByRole('button', { name: 'Actions for Steps' }).click()
    await page.getByRole('button', { name: 'Sources', exact: true }).click()
    const sources = page.getByRole('dialog').locator('li')
    await sources.first().waitFor()
    t.match(await sources.allInnerTexts(), [/watch[^]*73 readings/])
    t.equal(await page.getByRole('button', { name: /^Prefer/ }).count(), 0, 'the order is the owner’s')
    t.equal(await page.getByText('Which measure is this?').count(), 0)
    await leave(page)
  })
})
