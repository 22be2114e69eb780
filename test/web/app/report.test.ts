/** The printout for the doctor, in a browser. */
import { join } from 'node:path'
import t from 'tap'
import { phone, startApp } from '../../support/app.js'
import { leave, leavesPictures, pictures } from '../../support/browser.js'
import { look } from '../../support/look.js'

const daySeconds = 86_400

t.test('the printout for the doctor', async t => {
  const { daisy, enter, service } = await startApp(t)
  const noon = Math.floor(service.clock.now() / daySeconds) * daySeconds - daySeconds / 2
  await daisy.stream('body')
  for (let at = 0; at < 40; at++) {
    const time = noon - at * daySeconds
    const add = (type: string, content: unknown): Promise<unknown> =>
      daisy.do('events.create', { streamIds: ['body'], type, time, content })
    await add('mass/kg', 70 + (at % 5))
    await add('blood-pressure/mmhg-bpm', { systolic: 120 + (at % 10), diastolic: 80 - (at % 4) })
  }
  await daisy.do('events.create', { streamIds: ['body'], type: 'count/steps', time: noon, content: 4000 })
  await daisy.do('events.create', {
    streamIds: ['body'],
    type: 'count/steps',
    time: noon + 60,
    content: 1000
  })
  await daisy.do('events.create', { streamIds: ['body'], type: 'note/txt', time: noon, content: 'private' })

  await t.test('has a row for each measure, with figures that add up', async t => {
    const page = await enter('/app/daisy/timeline')
    await page.getByRole('link', { name: 'Print for the doctor' }).click()
    await page.getByRole('heading', { name: 'Summary for the doctor' }).waitFor()
    const row = (name: string) => page.getByRole('row').filter({ hasText: name })
    await row('Weight').waitFor()
    const cells = async (name: string): Promise<string[]> => await row(name).getByRole('cell').allInnerTexts()
    t.match(await cells('Weight'), ['40', '72', '70', '74', /^70 \(/, ''])
    t.match(await cells('Blood pressure'), [
      '40',
      '125/79',
      '120/77',
      '129/80',
      /^120\/80 \(/,
      '90–119 / 60–79'
    ])
    t.match(await cells('Steps'), ['1', '5,000', '5,000', '5,000', /^5,000 \(/, ''])
    t.notMatch(await page.locator('.page.report').innerText(), /private/)
    t.equal(await page.getByRole('img', { name: /Blood pressure, daily values/ }).count(), 1)

    await page.getByLabel('Name').fill('Daisy Duck')
    await page.getByLabel('Date of birth').fill('1970-12-31')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('heading', { name: 'Daisy Duck, born 31 December 1970' }).waitFor()
    const { profile } = await daisy.do('profile.get', { id: 'private' })
    t.same(profile['coffer:person'], { name: 'Daisy Duck', birth: '1970-12-31' })
    await look(t, page, 'app-report')

    await page.getByLabel('Print Steps').uncheck()
    await page.emulateMedia({ media: 'print' })
    for (const hidden of ['Steps', '30 days', 'Date of birth', 'Timeline'])
      t.equal(
        await page.getByText(hidden, { exact: true }).first().isVisible(),
        false,
        `${hidden} is not printed`
      )
    t.ok(await row('Weight').isVisible())
    if (leavesPictures) await page.pdf({ path: join(pictures, 'app-report.pdf'), format: 'A4' })
    await page.emulateMedia({ media: 'screen' })
    await page.getByRole('button', { name: '30 days' }).click()
    await row('Weight').getByRole('cell', { name: '29', exact: true }).waitFor()
    await leave(page)
  })

  await t.test('is one click away from the sharing page, and keeps the name', async t => {
    const page = await enter('/app/daisy/shared', phone)
    await page.getByRole('link', { name: 'Print for the doctor' }).click()
    await page.getByRole('heading', { name: 'Daisy Duck, born 31 December 1970' }).waitFor()
    await look(t, page, 'app-report-phone')
    await leave(page)
  })
})
