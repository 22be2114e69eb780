/** Scenarios of the methods on files of events. (docs/spec/attachments.md) */
import assert from 'node:assert/strict'
import { lacks, tooLong, withoutToken, type Contract, type Scenario } from './scenario.js'
import type { World } from './world.js'

const attach = async (world: World): Promise<void> => await world.attach()
const file = ({ events, fileId }: World): object => ({ id: events.note, fileId })
const invalid = { error: 'invalid-parameters-format' } as const

export const attachmentScenarios: Contract = {
  'events.addAttachment': [
    {
      name: 'returns the event with the new files after the existing ones',
      kind: 'success',
      only: 'http',
      by: 'contributor',
      before: attach,
      params: ({ events }) => ({ id: events.note }),
      files: ['b.txt', 'größer.txt'],
      answer: ({ events }) => ({
        event: {
          id: events.note,
          attachments: [
            { fileName: 'a.txt' },
            { id: String, fileName: 'b.txt', type: 'text/plain', size: 5 },
            { fileName: 'größer.txt', readToken: String }
          ]
        }
      })
    },
    {
      name: 'refuses a file name of more than 1024 characters',
      kind: 'params',
      only: 'http',
      params: ({ events }) => ({ id: events.note }),
      files: ['b.txt', 'n'.repeat(1025)],
      ...tooLong('#/attachments/1/fileName')
    },
    {
      name: 'requires files',
      kind: 'params',
      params: ({ events }) => ({ id: events.note }),
      error: 'invalid-request-structure'
    },
    {
      name: 'refuses an unknown id',
      kind: 'unknown',
      only: 'http',
      params: { id: 'cunknown00000000000000000' },
      files: ['b.txt'],
      error: 'unknown-resource'
    },
    ...(['reader', 'sensor', 'restricted'] as const).map((by): Scenario => ({
      name: `is refused to ${by}`,
      kind: 'caller',
      only: 'http',
      by,
      params: ({ events }) => ({ id: events.note }),
      files: ['b.txt'],
      error: 'forbidden'
    })),
    ...withoutToken({ id: 'any' }).map(scenario => ({ ...scenario, files: ['b.txt'] }))
  ],

  'events.getAttachment': [
    {
      name: 'returns the bytes',
      kind: 'success',
      only: 'http',
      before: attach,
      params: file,
      text: 'some bytes'
    },
    {
      name: "returns the file's properties",
      kind: 'success',
      only: 'batch',
      by: 'reader',
      before: attach,
      params: file,
      answer: { attachment: { fileName: 'a.txt', type: 'text/plain', size: 10 } }
    },
    { name: 'requires the id of a file', kind: 'params', only: 'batch', params: { id: 'any' }, ...invalid },
    {
      name: 'refuses an unknown event',
      kind: 'unknown',
      params: { id: 'cunknown00000000000000000', fileId: 'any' },
      error: 'unknown-resource'
    },
    {
      name: 'refuses an unknown file',
      kind: 'unknown',
      params: ({ events }) => ({ id: events.note, fileId: 'cunknown' }),
      error: 'unknown-resource'
    },
    {
      name: 'refuses create-only accesses',
      kind: 'caller',
      by: 'sensor',
      before: attach,
      params: file,
      error: 'forbidden'
    },
    ...withoutToken({ id: 'any', fileId: 'any' })
  ],

  'events.deleteAttachment': [
    {
      name: 'returns the event without the file',
      kind: 'success',
      by: 'contributor',
      before: attach,
      params: file,
      answer: ({ events }) => ({ event: { id: events.note } }),
      after: async (world, { event }) => {
        lacks(event, 'attachments')
        const { status } = await world.owner.http('GET', `/events/${world.events.note}/${world.fileId}`)
        assert.equal(status, 404)
      }
    },
    {
      name: 'refuses unknown params',
      kind: 'params',
      params: { id: 'any', fileId: 'any', unheardOf: 1 },
      ...invalid
    },
    {
      name: 'refuses an unknown event',
      kind: 'unknown',
      params: { id: 'cunknown00000000000000000', fileId: 'any' },
      error: 'unknown-resource'
    },
    {
      name: 'refuses an unknown file',
      kind: 'unknown',
      params: ({ events }) => ({ id: events.note, fileId: 'cunknown' }),
      error: 'unknown-resource'
    },
    ...(['reader', 'sensor', 'restricted'] as const).map((by): Scenario => ({
      name: `is refused to ${by}`,
      kind: 'caller',
      by,
      before: attach,
      params: file,
      error: 'forbidden'
    })),
    ...withoutToken({ id: 'any', fileId: 'any' })
  ]
}
