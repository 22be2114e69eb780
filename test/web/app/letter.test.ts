/** The weekly letter in a browser: the page, its settings, and the link that turns it off. */
import t from 'tap'
import { phone, startApp } from '../../support/app.js'
import { leave, untilHeading } from '../../support/browser.js'
import { look } from '../../support/look.js'
import { mailbox } from '../../support/mailbox.js'

const day = 86_400

t.test('the weekly letter', async t => {
  const box = await mailbox(t)
  const { daisy, enter, open, service, url } = await startApp(t, box.settings)
  const now = service.clock.now()
  await daisy.stream('scale')
  const page = await enter('/app/daisy/letter', phone)

  await t.test('says so if there is no data', async () => {
    await untilHeading(page, 'Your week')
    await page.getByText('There is no data for these seven days.').waitFor()
  })

  await t.test('says what was different, and what is missing', async t => {
    for (let at = 1; at <= 35; at++) {
      const time = now - at * day
      const weight = { streamIds: ['scale'], type: 'mass/kg', time, content: at <= 5 ? 75 : 70 + (at % 3) }
      await daisy.event(weight)
      const night = { type: 'sleep/analysis', content: { analysis: 'asleep' }, duration: 7.5 * 3600 }
      if (at !== 3) await daisy.event({ streamIds: ['scale'], time: time - 8 * 3600, ...night })
    }
    await daisy.do('profile.updatePrivate', {
      update: { 'coffer:goals': { weight: { period: 'day', max: 74 } } }
    })
    await page.reload()
    await page.getByText('75 kg, higher than usual: usually 69.5 kg to 72.5 kg.').waitFor()
    await page.getByText('7 hrs 30 mins. 1 day is missing.').waitFor()
    await page.getByText('Reached on 2 of 7 days.').waitFor()
    await page.getByText('2 measures have been compared').waitFor()
    await look(t, page, 'app-letter')
  })

  await t.test('shows former weeks', async t => {
    await page.getByRole('link', { name: 'Previous week' }).click()
    await page
      .getByText('Nothing that can be compared')
      .or(page.getByText('In the usual range'))
      .first()
      .waitFor()
    t.equal(new URL(page.url()).searchParams.get('to'), '2023-11-06')
    await page.getByRole('link', { name: 'Next week' }).click()
    await page.getByText('75 kg, higher than usual').waitFor()
    t.equal(await page.getByRole('link', { name: 'Next week' }).count(), 0)
  })

  await t.test('is turned on with a weekday and a time', async t => {
    await page.getByText('Get this letter every week at daisy@example.com.').waitFor()
    await page.getByLabel('Day').selectOption('Sunday')
    await page.getByLabel('Time').fill('18:30')
    await page.getByLabel(/Show values and names/).check()
    await page.getByRole('button', { name: 'Turn on' }).click()
    await page.getByText(/The next letter is sent to/).waitFor()
    const { letter } = await daisy.do('letter.get')
    t.match(letter, { isOn: true, weekday: 7, time: '18:30', language: 'en', showsValues: true })
    await look(t, page, 'app-letter-on')
  })

  await t.test('is turned off with the link in a mail, without signing in', async t => {
    const { letter } = await daisy.do('letter.get')
    service.clock.advance(letter.next - now)
    const mail = await box.receivedBy(letter.address, 2)
    t.match(mail.subject, 'Your week from')
    const link = [...mail.text.matchAll(/https?:\/\/\S+letter-off\S+/g)][0]![0]
    const guest = await open(link.slice(url.length), phone)
    await guest.getByRole('button', { name: 'Turn off the weekly letter' }).click()
    await guest.getByText('The weekly letter is off').waitFor()
    await look(t, guest, 'letter-off')
    t.equal((await daisy.do('letter.get')).letter.isOn, false)
    t.notOk(guest.url().includes('token'))
    const wrong = await open('/access/letter-off.html?username=daisy#token=a-guess', phone)
    await wrong.getByRole('button', { name: 'Turn off the weekly letter' }).click()
    await wrong.getByText('This link is not valid').waitFor()
    await leave(guest)
    await leave(wrong)
  })
  await leave(page)
})
