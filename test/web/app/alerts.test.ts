/** The page of alerts in a browser: adding one, testing it on past data, pausing and removing it. */
import t from 'tap'
import type { Answer } from '../../support/coffer.js'
import { phone, startApp } from '../../support/app.js'
import { untilHeading } from '../../support/browser.js'
import { until } from '../../support/socket.js'
import { look } from '../../support/look.js'

t.setTimeout(300_000)

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

t.test('an open alert waits on Today and on its page until it is acknowledged', async t => {
  const { daisy, enter } = await startApp(t)
  await daisy.stream('heart')
  const condition = { kind: 'above', measure: 'heart-rate', value: 120 }
  const names = ['Racing heart', 'Call me']
  for (const name of names) await daisy.do('rules.create', { name, condition, channelIds: [] })
  const { clock } = daisy.service
  clock.advance(60)
  const event = { streamIds: ['heart'], type: 'frequency/bpm', content: 140, time: clock.now() }
  await daisy.do('events.create', event)
  const countOpen = async (): Promise<number> =>
    (await daisy.do('rules.get')).rules.filter((rule: Answer) => rule.state.isOpen === true).length
  await until(async () => (await countOpen()) === 2, 'two open alerts')
  for (const language of ['de', 'fr']) {
    const page = await enter('/app/daisy/today', { ...phone, locale: language })
    await page.locator('.open-alerts li').nth(1).waitFor()
    await look(t, page, `app-today-alerts-${language}`)
    await page.context().close()
  }
  const page = await enter('/app/daisy/today', phone)
  const open = page.getByRole('region', { name: 'Open alerts' })
  await open.getByText('Heart rate above 120 bpm').first().waitFor()
  await look(t, page, 'app-today-alerts')
  await open.getByRole('button', { name: 'Acknowledge: Racing heart' }).click()
  await page.getByText('Acknowledged.').waitFor()
  await until(async () => (await countOpen()) === 1, 'one open alert')
  await page.goto(page.url().replace(/today.*/, 'alerts'))
  await open.getByRole('link', { name: 'Call me' }).waitFor()
  await look(t, page, 'app-alerts-open')
  const [, { id, state }] = (await daisy.do('rules.get')).rules
  await page.goto(`${page.url()}/${id}?acknowledge=${state.firedAt}`)
  await page.locator('button:focus', { hasText: 'Acknowledge' }).waitFor()
  await page.keyboard.press('Enter')
  await page.getByText('Acknowledged: You,').waitFor()
  await look(t, page, 'app-alerts-acknowledged')
  t.equal(await countOpen(), 0)
  await page.close()
})
