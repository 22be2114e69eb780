/** Scenarios of the methods on forms. (docs/api/forms.md) */
import assert from 'node:assert/strict'
import {
  lacks,
  refusesStrangers,
  refusesUnknownParams,
  withoutToken,
  type Contract,
  type Scenario
} from './scenario.js'
import type { World } from './world.js'

const questionnaire = {
  resourceType: 'Questionnaire',
  title: 'Pain',
  item: [{ linkId: 'level', type: 'integer', text: 'How strong is your pain?', required: true }]
}
const template = { questionnaire, streamId: 'diary' }
const respond = (value: object): object => ({
  resourceType: 'QuestionnaireResponse',
  status: 'completed',
  item: [{ linkId: 'level', answer: [value] }]
})
const response = respond({ valueInteger: 4 })
const add = async (world: World): Promise<void> => await world.addForm(template)
const id = ({ formId }: World): object => ({ id: formId })
const invalid = { error: 'invalid-parameters-format' } as const

/** Refusals of accesses that did not create the form. */
const toOthers = (fields: object = {}): Scenario[] =>
  refusesStrangers(add, ({ formId }) => ({ id: formId, ...fields }))

const unknown = (fields: object = {}): Scenario => ({
  name: 'refuses an unknown id',
  kind: 'unknown',
  params: { id: 'cunknown', ...fields },
  error: 'unknown-resource'
})

export const formScenarios: Contract = {
  'forms.get': [
    {
      name: 'returns the forms that the caller created, without questionnaires, and templates',
      kind: 'success',
      by: 'app',
      before: add,
      answer: ({ formId }) => ({
        forms: [{ id: formId, title: 'Pain', streamId: 'diary' }],
        templates: [
          { id: 'phq-9', title: 'PHQ-9' },
          { id: 'gad-7', title: 'GAD-7' }
        ]
      }),
      after: (_world, { forms }) => lacks(forms[0], 'questionnaire')
    },
    {
      name: 'returns none to other accesses',
      kind: 'success',
      by: 'reader',
      before: add,
      answer: {},
      after: (_world, { forms }) => assert.deepEqual(forms, [])
    },
    { name: 'refuses params', kind: 'params', params: { unheardOf: 1 }, ...invalid },
    ...withoutToken()
  ],

  'forms.getOne': [
    {
      name: 'returns the form with its questionnaire',
      kind: 'success',
      by: 'app',
      before: add,
      params: id,
      answer: ({ formId }) => ({ form: { id: formId, questionnaire } })
    },
    refusesUnknownParams,
    unknown(),
    ...toOthers(),
    ...withoutToken({ id: 'any' })
  ],

  'forms.create': [
    {
      name: 'returns the form',
      kind: 'success',
      by: 'app',
      params: template,
      answer: { form: { title: 'Pain', questionnaire, streamId: 'diary' } }
    },
    {
      name: 'makes a form from a template',
      kind: 'success',
      params: { template: 'phq-9', language: 'de', streamId: 'diary' },
      answer: { form: { title: 'PHQ-9', questionnaire: { language: 'de' } } }
    },
    ...(
      [
        ['an unknown template', { template: 'x', questionnaire: null }, '#/template'],
        ['another resource', { questionnaire: { resourceType: 'Patient' } }, '#/questionnaire/resourceType'],
        [
          'an unknown type of items',
          { questionnaire: { ...questionnaire, item: [{ linkId: 'a', type: 'attachment' }] } },
          '#/questionnaire/item/0/type'
        ]
      ] as const
    ).map(([what, params, path]): Scenario => ({
      name: `refuses ${what}`,
      kind: 'params',
      params: { ...template, ...params },
      ...invalid,
      match: { data: [{ path: new RegExp(`^${path}`) }] }
    })),
    {
      name: 'refuses an unknown stream',
      kind: 'unknown',
      params: { ...template, streamId: 'nowhere' },
      error: 'unknown-referenced-resource'
    },
    {
      name: 'refuses a stream in the trash',
      kind: 'state',
      params: { ...template, streamId: 'attic' },
      error: 'invalid-operation'
    },
    ...(['reader', 'sensor', 'restricted'] as const).map((by): Scenario => ({
      name: `refuses a stream to which ${by} may not contribute`,
      kind: 'caller',
      by,
      params: template,
      error: 'forbidden'
    })),
    ...withoutToken(template)
  ],

  'forms.update': [
    {
      name: 'replaces the questionnaire',
      kind: 'success',
      by: 'app',
      before: add,
      params: ({ formId }) => ({
        id: formId,
        update: { questionnaire: { ...questionnaire, title: 'Pain today' } }
      }),
      answer: { form: { title: 'Pain today', streamId: 'diary' } }
    },
    {
      name: 'refuses a questionnaire without items',
      kind: 'params',
      before: add,
      params: ({ formId }) => ({ id: formId, update: { questionnaire: { ...questionnaire, item: [] } } }),
      ...invalid
    },
    ...['id', 'title', 'accessId', 'created'].map((field): Scenario => ({
      name: `protects ${field}`,
      kind: 'params',
      by: 'app',
      before: add,
      params: ({ formId }) => ({ id: formId, update: { [field]: 1 } }),
      error: 'forbidden'
    })),
    unknown({ update: {} }),
    ...toOthers({ update: {} }),
    ...withoutToken({ id: 'any', update: {} })
  ],

  'forms.delete': [
    {
      name: 'deletes a form only once',
      kind: 'success',
      by: 'app',
      before: add,
      params: id,
      answer: ({ formId }) => ({ formDeletion: { id: formId } }),
      after: async world => {
        const answer = await world.owner.call('forms.delete', id(world))
        assert.equal(answer.error.id, 'unknown-resource')
      }
    },
    refusesUnknownParams,
    unknown(),
    ...toOthers(),
    ...withoutToken({ id: 'any' })
  ],

  'forms.answer': [
    {
      name: 'stores the response as an event',
      kind: 'success',
      by: 'app',
      before: add,
      params: ({ formId }) => ({ id: formId, response, time: 1000 }),
      answer: ({ formId }) => ({
        event: {
          type: 'questionnaire/response',
          streamIds: ['diary'],
          time: 1000,
          content: { questionnaire: `urn:coffer:form:${formId}`, item: [{ linkId: 'level' }] },
          clientData: { 'coffer:form': { id: formId } }
        },
        eventIds: []
      })
    },
    {
      name: 'refuses an answer of another type',
      kind: 'params',
      before: add,
      params: ({ formId }) => ({ id: formId, response: respond({ valueString: 'strong' }) }),
      ...invalid,
      match: { data: [{ path: '#/response/item/0/answer/0/valueInteger' }] }
    },
    {
      name: 'refuses a reminder of something else',
      kind: 'state',
      before: async world => {
        await add(world)
        await world.addReminder({
          name: 'pill',
          kind: 'medication',
          schedule: { times: ['08:00'] },
          zone: 'UTC',
          streamId: 'diary',
          event: { type: 'note/txt', content: 'x' }
        })
      },
      params: ({ formId, reminderDue, reminderId }) => ({
        id: formId,
        response,
        reminder: { id: reminderId, due: reminderDue }
      }),
      error: 'invalid-operation'
    },
    unknown({ response }),
    ...toOthers({ response }),
    ...withoutToken({ id: 'any', response })
  ]
}
