/** Comparing two measures in a browser. */
import t from 'tap'
import { phone, startApp } from '../../support/app.js'
import { leave, untilHeading } from '../../support/browser.js'
import { look } from '../../support/look.js'

t.test('the page that compares measures', async t => {
  const { daisy, enter, service } = await startApp(t)
  const day = 86_400
  const now = service.clock.now()
  for (const id of ['scale', 'watch']) await daisy.stream(id)
  const page = await enter('/app/daisy/compare', phone)

  await t.test('says what is missing', async () => {
    await untilHeading(page, 'Compare')
    await page.getByText('Comparing needs data of at least two measures.').waitFor()
  })

  await t.test('says in words how two measures go together, and when', async t => {
    for (let at = 1; at <= 40; at++) {
      const weight = 70 + ((at * 7) % 11)
      await daisy.event({ streamIds: ['scale'], type: 'mass/kg', time: now - at * day, content: weight })
      const time = now - (at - 1) * day
      const content = 20_000 - weight * 100
      await daisy.event({ streamIds: ['watch'], type: 'count/steps', time, duration: 60, content })
    }
    await page.reload()
    await page.getByLabel('First measure').selectOption('Weight')
    await page.getByLabel('Second measure').selectOption('Steps')
    await page.locator('.scatter circle').nth(38).waitFor()
    await page.getByText('No clear link between Weight and Steps.').waitFor()
    await page.getByRole('button', { name: /Steps 1 day later/ }).click()
    await page.getByText('On days with higher values of Weight, Steps tends to be lower.').waitFor()
    await page.getByText('Strong link: ρ −1.00 (95% interval −1.00 to −1.00), 40 days with both.').waitFor()
    t.equal(await page.locator('.scatter circle').count(), 40)
    t.equal(new URL(page.url()).search, '?a=weight&b=steps&range=year')
    await look(t, page, 'app-compare')
    await page.getByLabel('Time range').selectOption('3 months')
    await page.locator('.scatter circle').nth(39).waitFor()
  })
  await t.test('compares the days before events with those after them', async t => {
    await daisy.stream('trips')
    for (const at of [10, 20, 30])
      await daisy.event({ streamIds: ['trips'], type: 'note/txt', time: now - at * day, content: 'x' })
    await page.reload()
    await page.getByLabel('First measure').selectOption('Weight')
    await page.locator('.around select').first().selectOption('trips: Note')
    await page.getByText(/^No clear difference in Weight: [\d.]+\skg before, [\d.]+\skg after\.$/).waitFor()
    await page.getByText('3 events. So few may differ by chance. Some days count for two events.').waitFor()
    await page.getByLabel('Days on each side').selectOption('7')
    await page.getByText('Some days count for two events.').waitFor()
    await look(t, page, 'app-compare-around')
  })
  await leave(page)
})
