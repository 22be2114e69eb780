/** Lanes of measures: all sources in one, with the true latest reading in every view. */
import t from 'tap'
import type { Page } from 'playwright-core'
import { desk, go, phone, startApp } from '../../support/app.js'
import { leave } from '../../support/browser.js'
import type { Answer } from '../../support/coffer.js'
import { look } from '../../support/look.js'
import { inRotation, rotate } from '../../support/rotation.js'

t.setTimeout(300_000)

const day = 86_400
const inZurich = { ...desk, timezoneId: 'Europe/Zurich' }

t.test('a measure has one lane, whatever streams hold its data', async t => {
  const { daisy, enter, service } = await startApp(t)
  const now = service.clock.now()
  const marked = async (id: string, measure: string): Promise<void> =>
    void (await daisy.do('streams.create', {
      id,
      name: id,
      clientData: { 'coffer:measure': measure }
    }))
  for (const id of ['export', 'table', 'byhand']) await marked(id, 'weight')
  for (const id of ['watch', 'telephone']) await marked(id, 'steps')
  await marked('pulse', 'heart-rate')
  await marked('nights', 'sleep')
  for (let n = 1; n <= 40; n++) {
    const morning = now - n * day
    const add = async (streamId: string, type: string, content: unknown, time: number, duration?: number) =>
      await daisy.event({
        streamIds: [streamId],
        type,
        content,
        time,
        ...(duration !== undefined && { duration })
      })
    await add(n % 2 === 0 ? 'export' : 'table', 'mass/kg', 70 + n / 10, morning)
    // Two devices count the same steps.
    await add('watch', 'count/steps', 3000, morning, 3600)
    await add('telephone', 'count/steps', 2500, morning + 60, 3500)
    await add('nights', 'sleep/analysis', { analysis: 'asleep' }, morning - 8 * 3600, 6 * 3600)
    await add('nights', 'sleep/analysis', { analysis: 'inBed' }, morning - 9 * 3600, 8 * 3600)
  }
  await daisy.event({ streamIds: ['byhand'], type: 'mass/lb', content: 154, time: now - 600 })
  const holder = await daisy.event({
    streamIds: ['pulse'],
    type: 'series:frequency/bpm',
    content: null,
    time: now - 3 * day
  })
  const points = Array.from({ length: 1000 }, (_, n) => [n * 250, n === 999 ? 57 : 80])
  await daisy.do('hfs.add', { id: holder.id, format: 'flatJSON', fields: ['deltaTime', 'value'], points })

  const page = await enter('/app/daisy/streams', inZurich)
  const test = inRotation(t, 2)
  const open = async (days: number): Promise<void> => {
    // Elsewhere first: lanes keep what they show until they have read another range.
    await go(page, '/app/daisy/streams')
    await go(page, `/app/daisy/timeline?from=${Math.round(now - days * day)}&to=${Math.round(now)}`)
    await page.locator('figure[aria-busy=true]').first().waitFor({ state: 'detached' })
  }

  await t.test('with the same latest value in every view', async t => {
    for (const days of rotate(t, [1, 7, 30, 365], 2)) {
      await open(days)
      t.equal(await lane(page, 'Weight').count(), 1)
      for (const [name, latest] of [
        ['Weight', /69\.9\s+kg, 10 min/],
        ['Heart rate', /57\s+bpm/],
        ['Sleep', /6 h 00/]
      ] as const)
        t.match(await lane(page, name).locator('.latest').innerText(), latest, `${name}, ${days} days`)
    }
  })

  await t.test('while the sidebar counts nights, not their periods', async t => {
    await open(7)
    const row = page.locator('nav.side .tree li', { hasText: 'nights' })
    await row.locator('.n', { hasText: /^40$/ }).waitFor()
    t.equal(await row.locator('.n').innerText(), '40')
  })

  await test('with sums by the hours of local clocks, also where these differ by half an hour', async t => {
    const page = await enter('/app/', { ...desk, timezoneId: 'Asia/Kolkata' })
    const request = page.waitForRequest(each => /"measures.sample".*"steps"/.test(each.postData() ?? ''))
    await page.goto(
      page.url().replace(/[^/]*$/, `timeline?from=${Math.round(now - day)}&to=${Math.round(now)}`)
    )
    const calls = JSON.parse((await request).postData()!)
    const { params } = calls.find((each: Answer) => each.params.parts && each.params.measure === 'steps')
    t.match(params.zone, /^Asia\/(?:Calcutta|Kolkata)$/)
    t.equal((params.fromTime + 19_800) % 3600, 0)
    t.equal((params.toTime - params.fromTime) / params.parts, 3600)
    await leave(page)
  })

  await t.test('never adds up what two devices have counted', async t => {
    await open(30)
    t.match(
      await lane(page, 'Steps').locator('.about', { hasText: /\S/ }).innerText(),
      /^2,500 a day on average$/
    )
    await look(t, page, 'app-timeline-measures')
  })

  await t.test('counts readings instead of the series that hold them', async t => {
    await open(7)
    t.match(
      await lane(page, 'Heart rate').locator('.about', { hasText: /\S/ }).innerText(),
      /\(1,000 readings\)/
    )
    t.match(await page.locator('nav').getByText('1,000', { exact: true }).first().innerText(), /1,000/)
  })

  await t.test('lists its sources, which the user puts in order or shows one by one', async t => {
    await open(30)
    await lane(page, 'Steps').getByRole('button', { name: 'Actions for Steps' }).click()
    await page.getByRole('button', { name: 'Sources', exact: true }).click()
    const sources = page.getByRole('dialog').locator('li')
    await sources.nth(1).waitFor()
    t.match(await sources.allInnerTexts(), [/telephone[^]*40 readings/, /watch[^]*40 readings/])
    await look(t, page, 'app-timeline-sources')
    await page.getByRole('button', { name: 'Prefer watch', exact: true }).click()
    await sources.first().getByText('watch').waitFor()
    await page.getByRole('button', { name: 'Done' }).click()
    await lane(page, 'Steps')
      .locator('.about')
      .getByText(/^3,000 /)
      .waitFor()
    const { profile } = await daisy.do('profile.get', { id: 'private' })
    t.same(profile['coffer:sources'], { steps: ['watch', 'telephone'] })
    await lane(page, 'Steps').getByRole('button', { name: 'Actions for Steps' }).click()
    await page.getByRole('button', { name: 'Show each source' }).click()
    await lane(page, 'Steps: watch').waitFor()
    t.match(new URL(page.url()).searchParams.get('lanes'), /@steps\/watch,@steps\/telephone/)
    await page.getByRole('button', { name: 'Actions for Steps: watch' }).click()
    await page.getByRole('button', { name: 'Show sources together' }).click()
    await lane(page, 'Steps').waitFor()
    t.equal(await lane(page, 'Steps: watch').count(), 0)
  })

  await test('appears when the first value of a measure arrives', async t => {
    await open(7)
    await daisy.do('streams.create', { id: 'glucose', name: 'Sugar' })
    t.equal(await lane(page, 'Body temperature').count(), 0)
    await daisy.event({ streamIds: ['glucose'], type: 'temperature/c', content: 37.2, time: now - 60 })
    await page.locator('.lane').filter({ hasText: '37.2' }).first().waitFor()
  })

  await leave(page)
  await test('in German on a phone', async t => {
    const german = await enter(
      `/app/daisy/timeline?from=${Math.round(now - 30 * day)}&to=${Math.round(now)}`,
      { ...phone, locale: 'de-CH', timezoneId: 'Europe/Zurich' }
    )
    t.match(await lane(german, 'Gewicht').locator('.latest').innerText(), /69\.9\s+kg, vor 10/)
    await look(t, german, 'app-timeline-measures-phone')
    await leave(german)
  })
})

/** Returns the lane with a name. */
function lane(page: Page, name: string) {
  return page.locator('.lane').filter({ has: page.getByRole('heading', { name, exact: true }) })
}
