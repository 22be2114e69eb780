/** Scenarios of the methods on what was done of reminders. (docs/api/reminders.md#answers) */
import { add, template, toOthers } from './reminders.js'
import { withoutToken, type Contract } from './scenario.js'
import type { World } from './world.js'

const invalid = { error: 'invalid-parameters-format' } as const
const answered =
  (answer: string, fields: object = {}) =>
  ({ reminderDue, reminderId }: World) => ({ id: reminderId, due: reminderDue, answer, ...fields })
const march = { from: '2026-03-01', to: '2026-03-31' }

export const reminderAnswerScenarios: Contract = {
  'reminders.answer': [
    {
      name: 'records an event',
      kind: 'success',
      by: 'app',
      before: add,
      params: answered('done'),
      answer: ({ reminderDue, reminderId }) => ({
        occurrence: { reminderId, due: reminderDue, state: 'done' },
        event: {
          streamIds: ['diary'],
          type: 'note/txt',
          content: 'taken',
          clientData: { 'coffer:reminder': { id: reminderId, due: reminderDue } }
        }
      })
    },
    {
      name: 'records that it was skipped',
      kind: 'success',
      before: add,
      params: answered('skipped'),
      answer: { occurrence: { state: 'skipped' } }
    },
    {
      name: 'postpones it',
      kind: 'success',
      before: add,
      params: answered('later', { laterBy: 60 }),
      answer: ({ reminderDue }) => ({ occurrence: { state: 'later', again: reminderDue + 60 } })
    },
    {
      name: 'refuses another answer',
      kind: 'params',
      before: add,
      params: answered('maybe'),
      ...invalid
    },
    {
      name: 'refuses a time weeks before',
      kind: 'params',
      before: add,
      params: answered('done', { time: 0 }),
      ...invalid
    },
    {
      name: 'refuses a time at which it is not due',
      kind: 'unknown',
      before: add,
      params: ({ reminderId }) => ({ id: reminderId, due: 1, answer: 'done' }),
      error: 'unknown-resource'
    },
    {
      name: 'refuses an unknown id',
      kind: 'unknown',
      params: { id: 'cunknown', due: 1, answer: 'done' },
      error: 'unknown-resource'
    },
    {
      name: 'refuses another answer once it is done',
      kind: 'state',
      before: async world => {
        await world.addReminder(template)
        await world.owner.do('reminders.answer', answered('done')(world))
      },
      params: answered('skipped'),
      error: 'invalid-operation'
    },
    ...toOthers(answered('done')),
    ...withoutToken({ id: 'any', due: 1, answer: 'done' })
  ],

  'reminders.days': [
    {
      name: 'returns the days on which it was due',
      kind: 'success',
      by: 'app',
      before: add,
      params: ({ reminderId }) => ({ id: reminderId, ...march }),
      answer: { days: [] }
    },
    {
      name: 'refuses a date that does not exist',
      kind: 'params',
      before: add,
      params: ({ reminderId }) => ({ id: reminderId, from: '2026-02-30', to: '2026-03-01' }),
      ...invalid
    },
    {
      name: 'refuses more than 366 days',
      kind: 'params',
      before: add,
      params: ({ reminderId }) => ({ id: reminderId, from: '2026-01-01', to: '2027-12-31' }),
      ...invalid
    },
    {
      name: 'refuses an unknown id',
      kind: 'unknown',
      params: { id: 'cunknown', ...march },
      error: 'unknown-resource'
    },
    ...toOthers(({ reminderId }) => ({ id: reminderId, ...march })),
    ...withoutToken({ id: 'any', ...march })
  ]
}
