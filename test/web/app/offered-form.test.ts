/** Forms that come with requests, in a browser: sending one, and accepting one. */
import t from 'tap'
import { phone, startApp } from '../../support/app.js'
import { leave, untilHeading } from '../../support/browser.js'
import { look } from '../../support/look.js'
import { rotate } from '../../support/rotation.js'
import { offer } from '../../support/two-servers.js'

t.setTimeout(300_000)

const questionnaire = {
  resourceType: 'Questionnaire',
  status: 'active',
  title: 'Evening diary',
  item: [{ linkId: 'mood', type: 'string', text: 'How are you?' }]
}
const toFile = (content: unknown) => ({
  name: 'form.json',
  mimeType: 'application/json',
  buffer: Buffer.from(JSON.stringify(content))
})

t.test('a request is sent with a form', async t => {
  const { daisy, enter } = await startApp(t, { cmc: { allowInternalTargets: true } })
  const page = await enter('/app/daisy/people', phone)
  await page.getByRole('link', { name: 'Ask someone for data' }).click()
  await page.getByLabel('Title').fill('Evenings')
  await page.getByLabel('Why you ask').fill('To see how you are.')
  const send = async (content: unknown): Promise<void> => {
    await page.getByLabel('Form (optional)').setInputFiles(toFile(content))
    await page.getByRole('button', { name: 'Create link' }).click()
  }
  await send({ resourceType: 'Patient' })
  await page.getByText('This file is not a FHIR questionnaire.').waitFor()
  await send(questionnaire)
  await page.getByText('For people with an account on another server').waitFor()
  const { events } = await daisy.do('events.get', { types: ['consent/request-cmc'] })
  t.match(events[0].content, {
    'coffer:form': { questionnaire, streamId: 'form-answers' },
    request: { permissions: [{ streamId: 'form-answers', level: 'read', defaultName: 'Evening diary' }] }
  })
  await leave(page)
})

t.test('a request with a form is accepted', async t => {
  const { daisy, enter, service } = await startApp(t, { cmc: { allowInternalTargets: true } })
  const dora = await service.user('dora-doctor')
  const permissions = [{ streamId: 'answers', level: 'read', defaultName: 'Answers' }]
  const schedule = { times: ['08:00', '20:00'], days: [1, 4], until: '2199-12-31' }
  const form = { questionnaire, streamId: 'answers', schedule }
  const { content } = await offer(dora, { 'coffer:form': form, request: { permissions } })
  const others = [
    ['de', 'Sie werden daran erinnert, es auszufüllen: Mo und Do, 08:00 und 20:00, bis 31. Dezember 2199.'],
    [
      'fr',
      /Un rappel vous invitera à le remplir\s: lun\. et jeu\., 08:00 et 20:00, jusqu’au 31 décembre 2199\./
    ]
  ] as const
  const english = 'You will be reminded to fill it in: Mon and Thu, 08:00 and 20:00, until 31 December 2199.'
  for (const [locale, reminder] of [...rotate(t, others), ['en-GB', english] as const]) {
    const page = await enter('/app/daisy/people', { ...phone, locale })
    await page.getByRole('textbox').last().fill(content.capabilityUrl)
    await page.keyboard.press('Enter')
    await page.getByText('Evening diary').first().waitFor()
    await page.getByText(reminder).waitFor()
    await look(t, page, `app-people-form-${locale}`)
    if (locale === 'en-GB') {
      await page.getByText('With a form: Evening diary.').waitFor()
      await page.getByRole('button', { name: 'Agree and share' }).click()
      await page.getByRole('link', { name: /^Open/ }).waitFor()
      await page.goto(page.url().replace(/people.*/, 'forms'))
      await untilHeading(page, 'Forms')
      await page.getByRole('link', { name: 'Evening diary' }).last().waitFor()
    }
    await page.context().close()
  }
  t.match((await daisy.do('reminders.get')).reminders, [{ name: 'Evening diary', schedule }])
  t.match((await daisy.do('forms.get')).forms, [{ title: 'Evening diary', streamId: 'answers' }])
})
