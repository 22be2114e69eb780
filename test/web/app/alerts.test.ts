/** The page of alerts in a browser: adding one, testing it on past data, pausing and removing it. */
import t from 'tap'
import { phone, startApp } from '../../support/app.js'
import { untilHeading } from '../../support/browser.js'
import { look } from '../../support/look.js'

const hourSeconds = 3600

t.test('alerts', async t => {
  const { daisy, enter } = await startApp(t)
  await daisy.stream('heart')
  const now = daisy.service.clock.now()
  const calls = Array.from({ length: 48 }, (_, index) => ({
    method: 'events.create',
    params: {
      streamIds: ['heart'],
      type: 'frequency/bpm',
      content: index === 10 || index === 30 ? 140 : 70,
      time: now - (index + 1) * hourSeconds
    }
  }))
  await daisy.do('callBatch', calls)
  const target = { streamId: 'heart' }
  const { channel } = await daisy.do('channels.create', { type: 'event', name: 'My notes', target })
  const page = await enter('/app/daisy/channels', phone)
  await page.getByRole('link', { name: 'Choose what you get alerts about' }).click()
  await untilHeading(page, 'Alerts')
  await page.getByRole('link', { name: 'Add an alert' }).click()
  await untilHeading(page, 'Add an alert')
  await page.getByLabel('When').selectOption('above')
  await page.getByLabel('Measure').selectOption('heart-rate')
  await page.getByLabel('Value (bpm)').fill('120')
  await page.getByLabel('My notes').check()
  await page.getByLabel('From').fill('22:00')
  await page.getByLabel('To', { exact: true }).fill('07:00')
  await look(t, page, 'app-alerts-add')
  await page.getByRole('button', { name: 'Save alert' }).click()
  await untilHeading(page, 'Heart rate above 120 bpm')
  const [rule] = (await daisy.do('rules.get')).rules
  t.match(rule, {
    condition: { kind: 'above', measure: 'heart-rate', value: 120 },
    channelIds: [channel.id],
    quietHours: { from: '22:00', to: '07:00' },
    showsValues: false
  })
  await page.getByRole('button', { name: 'Test on the last 30 days' }).click()
  await page.getByText('It would have happened 2 times in the last 30 days.').waitFor()
  await look(t, page, 'app-alerts-alert')
  await page.getByRole('button', { name: 'Pause' }).click()
  await page.getByText('Paused').waitFor()
  t.match((await daisy.do('rules.get')).rules, [{ isActive: false }])
  await page.getByRole('link', { name: 'Alerts' }).first().click()
  await page.getByRole('link', { name: /^Heart rate above 120 bpm/ }).waitFor()
  await look(t, page, 'app-alerts')
  await page.getByRole('link', { name: /^Heart rate above 120 bpm/ }).click()
  await page.getByRole('button', { name: 'Remove' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click()
  await untilHeading(page, 'Alerts')
  t.same((await daisy.do('rules.get')).rules, [])
  await page.close()
})
