/** Forms: questionnaires, responses, the events that they become, and reminders of forms. */
import t from 'tap'
import type { Answer, Client } from '../../support/coffer.js'
import { receiver } from '../../support/receiver.js'
import { until } from '../../support/socket.js'
import { addChannel } from '../channels/world.js'
import { addReminder, start, startWorld } from '../reminders/world.js'

const invalid = { error: { id: 'invalid-parameters-format' } }
const event = (type: string, streamId?: string): object => ({
  url: 'urn:coffer:event',
  extension: [
    { url: 'type', valueString: type },
    ...(streamId === undefined ? [] : [{ url: 'streamId', valueString: streamId }])
  ]
})
const limit = (name: string, value: number): object => ({
  url: `http://hl7.org/fhir/StructureDefinition/${name}`,
  valueInteger: value
})

/** A questionnaire with items of all kinds. */
const visit = {
  resourceType: 'Questionnaire',
  title: 'Visit',
  status: 'active',
  item: [
    { linkId: 'intro', type: 'display', text: 'Before your visit' },
    {
      linkId: 'body',
      type: 'group',
      item: [
        { linkId: 'weight', type: 'decimal', required: true, extension: [event('mass/kg', 'weight')] },
        { linkId: 'age', type: 'integer', extension: [limit('minValue', 0), limit('maxValue', 130)] }
      ]
    },
    { linkId: 'smokes', type: 'boolean', required: true },
    {
      linkId: 'perDay',
      type: 'integer',
      required: true,
      enableWhen: [{ question: 'smokes', operator: '=', answerBoolean: true }]
    },
    {
      linkId: 'since',
      type: 'date',
      enableWhen: [{ question: 'perDay', operator: 'exists', answerBoolean: true }]
    },
    { linkId: 'notes', type: 'text', maxLength: 10 }
  ]
}
const respond = (...item: object[]): object => ({
  resourceType: 'QuestionnaireResponse',
  status: 'completed',
  item
})
const one = (linkId: string, value: object): object => ({ linkId, answer: [value] })
const body = { linkId: 'body', item: [one('weight', { valueDecimal: 61.5 })] }

async function addForm(client: Client, fields: object = { questionnaire: visit }): Promise<Answer> {
  const { form } = await client.do('forms.create', { streamId: 'pills', ...fields })
  return form
}

t.test('a response at a time that is no date is stored without one', async t => {
  const { alice } = await startWorld(t)
  await alice.stream('weight')
  const { id } = await addForm(alice)
  const response = respond(body, one('smokes', { valueBoolean: false }))
  const { event: stored } = await alice.do('forms.answer', { id, response, time: 1e300 })
  t.match(stored, { time: 1e300, content: { authored: undefined, status: 'completed' } })
})

t.test('a response becomes events', async t => {
  const { alice } = await startWorld(t)
  await alice.stream('weight')
  const { id } = await addForm(alice)
  const smokes = one('smokes', { valueBoolean: true })
  const response = respond(
    body,
    smokes,
    one('perDay', { valueInteger: 3 }),
    one('since', { valueDate: '2020-02-29' })
  )
  const { event: stored, eventIds } = await alice.do('forms.answer', { id, response, time: start - 60 })
  t.equal(eventIds.length, 1)
  const { event: weight } = await alice.do('events.getOne', { id: eventIds[0] })
  t.match(
    [stored, weight],
    [
      {
        type: 'questionnaire/response',
        streamIds: ['pills'],
        time: start - 60,
        content: {
          resourceType: 'QuestionnaireResponse',
          questionnaire: `urn:coffer:form:${id}`,
          status: 'completed',
          item: [
            { linkId: 'body', item: [{ linkId: 'weight', answer: [{ valueDecimal: 61.5 }] }] },
            { linkId: 'smokes', answer: [{ valueBoolean: true }] },
            { linkId: 'perDay', answer: [{ valueInteger: 3 }] },
            { linkId: 'since', answer: [{ valueDate: '2020-02-29' }] }
          ]
        },
        clientData: { 'coffer:form': { id } }
      },
      {
        type: 'mass/kg',
        streamIds: ['weight'],
        content: 61.5,
        clientData: { 'coffer:form': { id, response: stored.id, linkId: 'weight' } }
      }
    ]
  )
  await alice.do('forms.delete', { id })
  t.equal((await alice.do('events.get', { streams: ['pills', 'weight'] })).events.length, 2, 'events stay')
})

t.test('responses are checked', async t => {
  const { alice } = await startWorld(t)
  await alice.stream('weight')
  const { id } = await addForm(alice)
  const no = one('smokes', { valueBoolean: false })
  const cases: [string, object][] = [
    ['another resource', { resourceType: 'Patient' }],
    ['an unfinished response', { ...respond(body, no), status: 'in-progress' }],
    ['a missing answer', respond(no)],
    ['an answer that is not asked for', respond(body, no, one('perDay', { valueInteger: 3 }))],
    ['a missing answer that is asked for', respond(body, one('smokes', { valueBoolean: true }))],
    ['an answer of another type', respond(body, one('smokes', { valueString: 'no' }))],
    ['two values', respond(body, one('smokes', { valueBoolean: true, valueInteger: 1 }))],
    [
      'two answers',
      respond(body, { linkId: 'smokes', answer: [{ valueBoolean: true }, { valueBoolean: false }] })
    ],
    ['an item at another place', respond(one('weight', { valueDecimal: 60 }), no)],
    ['an item that is given twice', respond(body, no, no)],
    ['a linkId that is no text', respond(body, no, { linkId: { toString: 1 } })],
    ['an unknown item', respond(body, no, one('__proto__', { valueString: 'x' }))],
    ['an answer to a display', respond(body, no, one('intro', { valueString: 'x' }))],
    [
      'a number above the limit',
      respond({ linkId: 'body', item: [...body.item, one('age', { valueInteger: 131 })] }, no)
    ],
    ['a fraction', respond({ linkId: 'body', item: [...body.item, one('age', { valueInteger: 1.5 })] }, no)],
    ['a long text', respond(body, no, one('notes', { valueString: 'x'.repeat(11) }))],
    ['10,000 items', respond(...Array.from({ length: 10_000 }, () => no))]
  ]
  for (const [what, response] of cases)
    t.match(await alice.call('forms.answer', { id, response }), invalid, what)
  t.same((await alice.do('events.get', { streams: ['pills', 'weight'] })).events, [], 'nothing is stored')
  await alice.do('forms.answer', { id, response: respond(body, no, { linkId: 'notes', answer: [] }) })
})

t.test('questionnaires are checked', async t => {
  const { alice } = await startWorld(t)
  const item = { linkId: 'a', type: 'string' }
  const other = { linkId: 'b', type: 'string' }
  const deep = (depth: number): object => ({
    linkId: `g${depth}`,
    type: 'group',
    item: [depth === 0 ? item : deep(depth - 1)]
  })
  const cases: [string, unknown[], object?][] = [
    ['no items', []],
    ['an unknown type', [{ linkId: 'a', type: 'attachment' }]],
    ['no linkId', [{ type: 'string' }]],
    [
      'a condition on what is no text',
      [
        item,
        { ...other, enableWhen: [{ question: { toString: 1 }, operator: 'exists', answerBoolean: true }] }
      ]
    ],
    ['the same linkId twice', [item, item]],
    ['a choice without options', [{ linkId: 'a', type: 'choice' }]],
    ['options of a text', [{ ...item, answerOption: [{ valueCoding: { code: 'x' } }] }]],
    ['repetitions', [{ ...item, repeats: true }]],
    ['a modifier', [{ ...item, modifierExtension: [{ url: 'x' }] }]],
    [
      'a condition on itself',
      [{ ...item, enableWhen: [{ question: 'a', operator: 'exists', answerBoolean: true }] }]
    ],
    [
      'a condition on a later item',
      [{ ...item, enableWhen: [{ question: 'b', operator: 'exists', answerBoolean: true }] }, other]
    ],
    [
      'an unknown operator',
      [item, { ...other, enableWhen: [{ question: 'a', operator: '>', answerInteger: 1 }] }]
    ],
    ['items that are no objects', ['x']],
    ['301 items', Array.from({ length: 301 }, (_, n) => ({ linkId: `i${n}`, type: 'string' }))],
    ['deep groups', [deep(10)]],
    ['a long text', [{ ...item, text: 'x'.repeat(4001) }]],
    ['an event of no type', [{ ...item, extension: [event('x')] }]],
    ['an event of a series', [{ ...item, extension: [event('series:mass/kg')] }]],
    [
      'a sum of texts',
      [item],
      {
        extension: [
          {
            url: 'urn:coffer:score',
            extension: [
              { url: 'type', valueString: 'count/generic' },
              { url: 'linkId', valueString: 'a' }
            ]
          }
        ]
      }
    ]
  ]
  for (const [what, items, more] of cases) {
    const questionnaire = { resourceType: 'Questionnaire', title: 'x', item: items, ...more }
    t.match(await alice.call('forms.create', { streamId: 'pills', questionnaire }), invalid, what)
  }
  t.match(await alice.call('forms.create', { streamId: 'pills' }), invalid, 'neither')
  const bound = [{ ...item, extension: [event('note/txt', 'nowhere')] }]
  t.match(
    await alice.call('forms.create', {
      streamId: 'pills',
      questionnaire: { resourceType: 'Questionnaire', title: 'x', item: bound }
    }),
    { error: { id: 'unknown-referenced-resource' } }
  )
  t.same((await alice.do('forms.get')).forms, [])
})

t.test('templates add up their answers', async t => {
  const { alice } = await startWorld(t)
  for (const [template, count] of [
    ['phq-9', 9],
    ['gad-7', 7]
  ] as const)
    for (const language of ['en', 'de', 'fr']) {
      const { id, questionnaire, title } = await addForm(alice, { template, language })
      t.equal(title, template.toUpperCase())
      t.match(questionnaire.copyright, /Spitzer/)
      const choices = questionnaire.item.filter(({ type }: { type: string }) => type === 'choice')
      const [difficulty, ...questions] = [choices.pop(), ...choices]
      t.equal(questions.length, count)
      const items = questions.map(({ linkId }: { linkId: string }, index: number) =>
        one(linkId, { valueCoding: { code: String(index % 4) } })
      )
      const { eventIds } = await alice.do('forms.answer', { id, response: respond(...items) })
      const { event: total } = await alice.do('events.getOne', { id: eventIds[0] })
      const sum = Array.from({ length: count }, (_, index) => index % 4).reduce(
        (total, each) => total + each,
        0
      )
      t.match(total, { type: 'count/generic', content: sum }, `${template} ${language}`)
      const { linkId } = difficulty
      t.equal(linkId, `${template}-difficulty`)
      const hard = one(linkId, { valueCoding: { code: '3' } })
      const more = await alice.do('forms.answer', { id, response: respond(...items, hard) })
      t.match(more.event.content.item.at(-1), {
        linkId,
        text: difficulty.text,
        answer: [{ valueCoding: { code: '3', display: difficulty.answerOption[3].valueCoding.display } }]
      })
      t.equal(more.eventIds.length, 1)
      const { event: same } = await alice.do('events.getOne', { id: more.eventIds[0] })
      t.equal(same.content, sum, 'difficulty has no score')
      t.match(
        await alice.call('forms.answer', { id, response: respond(...items.slice(1)) }),
        invalid,
        'all are required'
      )
    }
})

t.test('forms made of an earlier template stay as they are', async t => {
  const { alice } = await startWorld(t)
  const { questionnaire: now } = await addForm(alice, { template: 'gad-7', language: 'fr' })
  const item = now.item.filter(({ linkId }: { linkId: string }) => linkId !== 'gad-7-difficulty')
  const { id } = await addForm(alice, { questionnaire: { ...now, item } })
  const items = Array.from({ length: 7 }, (_, n) => one(`gad-7-${n + 1}`, { valueCoding: { code: '2' } }))
  const { eventIds } = await alice.do('forms.answer', { id, response: respond(...items) })
  t.match(await alice.do('events.getOne', { id: eventIds[0] }), { event: { content: 14 } })
  const hard = one('gad-7-difficulty', { valueCoding: { code: '1' } })
  t.match(await alice.call('forms.answer', { id, response: respond(...items, hard) }), invalid)
  t.same((await alice.do('forms.getOne', { id })).form.questionnaire.item, item)
})

t.test('a reminder of a form is done by its response', async t => {
  const { alice, clock } = await startWorld(t)
  const server = await receiver(t)
  const { id: channel } = await addChannel(alice, 'webhook', { url: server.url })
  const { id: formId } = await addForm(alice, { template: 'gad-7' })
  t.match(
    await alice.call('reminders.create', {
      name: 'x',
      kind: 'form',
      schedule: { times: ['09:00'] },
      zone: 'UTC',
      streamId: 'pills',
      event: { type: 'questionnaire/response' }
    }),
    invalid,
    'a form is required'
  )
  const form = { kind: 'form', formId, event: { type: 'questionnaire/response' }, channelIds: [channel] }
  const { id, next: due } = await addReminder(alice, form)
  clock.advance(3600)
  await until(() => server.deliveries.length === 1, 'the notification')
  t.match(await alice.call('reminders.answer', { id, due, answer: 'done' }), {
    error: { id: 'invalid-operation' }
  })
  const response = respond(
    ...Array.from({ length: 7 }, (_, n) => one(`gad-7-${n + 1}`, { valueCoding: { code: '1' } }))
  )
  const params = { id: formId, response, reminder: { id, due } }
  const { event: stored } = await alice.do('forms.answer', params)
  t.match(stored.clientData, { 'coffer:reminder': { id, due } })
  t.match((await alice.do('reminders.getOne', { id })).occurrences, [
    { due, state: 'done', eventId: stored.id }
  ])
  t.match(await alice.call('forms.answer', params), { error: { id: 'invalid-operation' } }, 'only once')
  await alice.do('reminders.answer', { id, due: due + 86_400, answer: 'skipped' })
})

t.test('forms of apps', async t => {
  const { alice } = await startWorld(t)
  await alice.stream('weight')
  const app = await alice.grant('contribute', 'pills', { type: 'app' })
  const other = await alice.grant('manage', 'pills', { type: 'app' })
  t.match(
    await app.call('forms.create', { streamId: 'pills', questionnaire: visit }),
    { error: { id: 'forbidden' } },
    'answers go to streams to which the app contributes'
  )
  const { id } = await addForm(app, { template: 'phq-9' })
  for (const [method, params] of [
    ['getOne', {}],
    ['delete', {}],
    ['update', { update: { streamId: 'pills' } }],
    ['answer', { response: respond() }]
  ] as const)
    t.match(await other.call(`forms.${method}`, { id, ...params }), { error: { id: 'forbidden' } }, method)
  t.same((await other.do('forms.get')).forms, [])
  t.match(
    await other.call('reminders.create', {
      name: 'x',
      kind: 'form',
      formId: id,
      schedule: { times: ['09:00'] },
      zone: 'UTC',
      streamId: 'pills',
      event: { type: 'questionnaire/response' }
    }),
    { error: { id: 'forbidden' } }
  )
  await alice.do('accesses.delete', { id: app.access.id })
  t.match(await alice.call('forms.getOne', { id }), { error: { id: 'unknown-resource' } })
})
