/** Forms in a browser: adding one, filling it in, and a reminder that opens it. */
import t from 'tap'
import { phone, startApp } from '../../support/app.js'
import { leave, setTime, untilHeading } from '../../support/browser.js'
import { look } from '../../support/look.js'
import { inRotation } from '../../support/rotation.js'

t.setTimeout(300_000)

t.test('forms', async t => {
  const { daisy, enter, service } = await startApp(t)
  const page = await enter('/app/daisy/reminders', phone)
  await untilHeading(page, 'Reminders')

  await t.test('one is added and filled in', async t => {
    await page.getByRole('link', { name: 'Forms' }).click()
    await untilHeading(page, 'Forms')
    await look(t, page, 'app-forms')
    await page.getByRole('button', { name: 'Add PHQ-9' }).click()
    await untilHeading(page, 'PHQ-9')
    await page.getByText(/Question 9 asks about thoughts of death/).waitFor()
    await page.getByRole('button', { name: 'Save' }).click()
    await page.locator('.missing input:focus').waitFor()
    await look(t, page, 'app-forms-one')
    t.same((await daisy.do('events.get', { types: ['questionnaire/*'] })).events, [], 'nothing is stored')
    const answers = page.getByLabel('Several days')
    for (let index = 0; index < 9; index++) await answers.nth(index).check()
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Recorded: PHQ-9.').waitFor()
    const { events } = await daisy.do('events.get', { types: ['count/generic'] })
    t.match(events, [{ content: 9 }])
    const { facts } = await daisy.do('measures.facts', { measures: ['phq-9'] })
    t.match(facts, [{ measure: 'phq-9', count: 1 }], 'the sum is a value of the measure')
  })

  await t.test('conditions show and hide questions', async t => {
    await daisy.stream('visits')
    const questionnaire = {
      resourceType: 'Questionnaire',
      title: 'Visit',
      item: [
        { linkId: 'pain', type: 'boolean', text: 'Are you in pain?', required: true },
        {
          linkId: 'group',
          type: 'group',
          text: 'Your pain',
          enableWhen: [{ question: 'pain', operator: '=', answerBoolean: true }],
          item: [
            { linkId: 'level', type: 'integer', text: 'How strong?', required: true },
            { linkId: 'since', type: 'date', text: 'Since when?' },
            { linkId: 'notes', type: 'text', text: 'Notes' }
          ]
        }
      ]
    }
    const { form } = await daisy.do('forms.create', { questionnaire, streamId: 'visits' })
    await page.goto(page.url().replace(/today.*$/, `forms/${form.id}`))
    await untilHeading(page, 'Visit')
    t.equal(await page.getByLabel('How strong?').count(), 0)
    await page.getByLabel('Yes').check()
    await page.getByLabel('How strong?').fill('4')
    await page.getByLabel('Notes').fill('in the knee')
    await look(t, page, 'app-forms-conditions')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Recorded: Visit.').waitFor()
    const { events } = await daisy.do('events.get', { streams: ['visits'] })
    t.match(events[0].content.item, [
      { linkId: 'pain', answer: [{ valueBoolean: true }] },
      {
        linkId: 'group',
        item: [
          { linkId: 'level', answer: [{ valueInteger: 4 }] },
          { linkId: 'notes', answer: [{ valueString: 'in the knee' }] }
        ]
      }
    ])
    await daisy.do('forms.delete', { id: form.id })
  })

  await inRotation(t, 2)('members that are not understood, and odd ids, do no harm', async t => {
    const odd = { toString: 1, valueOf: 1 }
    const questionnaire = {
      resourceType: 'Questionnaire',
      title: 'Odd',
      copyright: null,
      item: [
        { linkId: 'constructor', type: 'string', text: 'First', required: true },
        { linkId: '__proto__', type: 'string', text: 'Second', maxLength: -5 },
        {
          linkId: 'toString',
          type: 'string',
          text: 'Never',
          enableBehavior: 'any',
          enableWhen: [
            { question: 'constructor', operator: '=', answerString: odd },
            { question: 'constructor', operator: '=', answerCoding: { code: odd } }
          ]
        }
      ]
    }
    const { form } = await daisy.do('forms.create', { questionnaire, streamId: 'visits' })
    await page.goto(page.url().replace(/today.*$/, `forms/${form.id}`))
    await untilHeading(page, 'Odd')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.locator('.missing input:focus').waitFor()
    await page.getByLabel('First').fill('yes')
    t.equal(await page.getByLabel('Never').count(), 0)
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Recorded: Odd.').waitFor()
    const { events } = await daisy.do('events.get', { streams: ['visits'], limit: 1 })
    t.match(events[0].content.item, [{ linkId: 'constructor', answer: [{ valueString: 'yes' }] }])
    t.equal(events[0].content.item.length, 1)
    await daisy.do('forms.delete', { id: form.id })
  })

  await t.test('a reminder opens it', async t => {
    const [{ id }] = (await daisy.do('forms.get')).forms
    await page.goto(page.url().replace(/today.*$/, `forms/${id}`))
    await untilHeading(page, 'PHQ-9')
    await page.getByRole('link', { name: 'Remind me' }).click()
    await untilHeading(page, 'New reminder')
    await page.getByLabel('Name', { exact: true }).fill('How are you?')
    await page.getByLabel('Time 1').fill('23:30')
    await page.getByLabel('Stream').selectOption('visits')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('link', { name: 'How are you?' }).waitFor()
    const [reminder] = (await daisy.do('reminders.get')).reminders
    t.match(reminder, { kind: 'form', formId: id })
    service.clock.advance(reminder.next - service.clock.now() + 60)
    await setTime(page, service.clock.now())
    await page.goto(page.url().replace(/reminders.*$/, 'today'))
    await page.getByRole('link', { name: /^Fill in: How are you\?/ }).click()
    await untilHeading(page, 'PHQ-9')
    const answers = page.getByLabel('Not at all')
    for (let index = 0; index < 9; index++) await answers.nth(index).check()
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Recorded: PHQ-9.').waitFor()
    const { occurrences } = await daisy.do('reminders.getOne', { id: reminder.id })
    t.match(occurrences, [{ due: reminder.next, state: 'done' }])
  })
  await leave(page)
})
