/** Reminders in a browser: adding one, answering on Today, and what a notification opens. */
import t from 'tap'
import { phone, startApp } from '../../support/app.js'
import { leave, setTime, untilHeading } from '../../support/browser.js'
import { look } from '../../support/look.js'
import { until } from '../../support/socket.js'

t.setTimeout(300_000)

t.test('reminders', async t => {
  const { daisy, enter, service } = await startApp(t)
  const { clock } = service
  const page = await enter('/app/daisy/channels', phone)
  await untilHeading(page, 'Notifications')

  await t.test('one is added', async t => {
    await page.getByRole('link', { name: 'Reminders for medication and habits' }).click()
    await untilHeading(page, 'Reminders')
    await page.getByRole('link', { name: 'New reminder' }).click()
    await untilHeading(page, 'New reminder')
    await page.getByLabel('Name', { exact: true }).fill('Blood pressure pill')
    await page.getByLabel('Time 1').fill('23:00')
    await page.getByLabel('On which days').selectOption('weekly')
    await page.getByLabel('On which days').selectOption('daily')
    await look(t, page, 'app-reminders-new')
    await page.getByRole('button', { name: 'Save' }).click()
    await untilHeading(page, 'Reminders')
    await page.getByRole('link', { name: 'Blood pressure pill' }).waitFor()
    const { reminders } = await daisy.do('reminders.get')
    t.match(reminders, [
      {
        name: 'Blood pressure pill',
        kind: 'medication',
        schedule: { times: ['23:00'] },
        event: { type: 'count/generic', content: 1 },
        showsName: false,
        isActive: true
      }
    ])
  })

  const [{ id, next: due }] = (await daisy.do('reminders.get')).reminders
  await t.test('Today answers with one touch', async t => {
    clock.advance(due - clock.now() + 60)
    await until(async () => (await daisy.do('reminders.getOne', { id })).occurrences.length === 1, 'the time')
    await setTime(page, clock.now())
    await page.goto(page.url().replace(/reminders.*$/, `today?reminder=${id}&due=${due}&answer=done`))
    const done = page.getByRole('button', { name: /^Done: Blood pressure pill/ })
    await done.waitFor()
    await page.locator('.due .selected .chosen:focus').waitFor()
    await look(t, page, 'app-today-due')
    t.same(
      (await daisy.do('events.get', { types: ['count/generic'] })).events,
      [],
      'opening the page answers nothing'
    )
    await done.click()
    await page.getByText('Recorded: Blood pressure pill.').waitFor()
    t.match((await daisy.do('reminders.getOne', { id })).occurrences, [{ due, state: 'done' }])
    await page.getByRole('button', { name: 'Undo' }).click()
    await done.waitFor()
    t.match((await daisy.do('reminders.getOne', { id })).occurrences, [{ due, state: 'open' }])
    await page.getByRole('button', { name: /^Later: / }).click()
    await page.getByText(/Blood pressure pill: again at/).waitFor()
    await page.getByRole('button', { name: /^Skip: / }).click()
    await page.getByText(/skipped$/).waitFor()
    t.match((await daisy.do('reminders.getOne', { id })).occurrences, [{ due, state: 'skipped' }])
  })

  await t.test('its page shows the days, changes and removes it', async t => {
    await page.getByRole('link', { name: 'All reminders' }).click()
    await page.getByRole('link', { name: 'Blood pressure pill' }).click()
    await untilHeading(page, 'Blood pressure pill')
    await page.getByText(/Done: 0%/).waitFor()
    await look(t, page, 'app-reminders-one')
    await page.getByRole('button', { name: 'Add a time' }).click()
    await page.getByLabel('Name', { exact: true }).fill('Pill')
    await page.getByRole('button', { name: 'Save' }).click()
    await untilHeading(page, 'Pill')
    t.match((await daisy.do('reminders.getOne', { id })).reminder, {
      schedule: { times: ['20:00', '23:00'] },
      event: { type: 'count/generic', content: 1 }
    })
    await page.getByRole('button', { name: 'Remove', exact: true }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click()
    await untilHeading(page, 'Reminders')
    t.same((await daisy.do('reminders.get')).reminders, [])
  })
  await leave(page)
})
