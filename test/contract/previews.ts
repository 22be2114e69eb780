/** Scenarios of the methods on image previews. (docs/spec/previews.md) */
import assert from 'node:assert/strict'
import { noPictures, picture } from '../support/pictures.js'
import { withoutToken, type Contract, type Scenario } from './scenario.js'
import type { World } from './world.js'

const pictures = new WeakMap<World, string>()

/** Creates a picture event unless there is one. */
async function photograph(world: World): Promise<void> {
  if (pictures.has(world)) return
  const form = new FormData()
  form.append('event', JSON.stringify({ streamIds: ['diary'], type: 'picture/attached', time: 6000 }))
  const bytes = noPictures === false ? await picture(30, 20) : Buffer.from('no picture')
  form.append('file', new Blob([new Uint8Array(bytes)]), 'a.jpg')
  const { body } = await world.owner.http('POST', '/events', form)
  pictures.set(world, body.event.id)
}

const shown = (world: World): object => ({ id: pictures.get(world) })
const invalid = { error: 'invalid-parameters-format' } as const

/** Scenarios of a picture where previews are available. */
const made: Scenario[] = [
  {
    name: 'returns an image',
    kind: 'success',
    only: 'http',
    by: 'reader',
    before: photograph,
    params: world => ({ ...shown(world), width: 300 }),
    type: 'image/jpeg'
  },
  {
    name: "returns the preview's properties",
    kind: 'success',
    only: 'batch',
    by: 'reader',
    before: photograph,
    params: world => ({ ...shown(world), w: 300, h: 10 }),
    answer: { preview: { frame: 'width-512', fileId: String, modified: Number } }
  }
]

export const previewScenarios: Contract = {
  'previews.get': [
    ...(noPictures === false ? made : []),
    {
      name: 'returns null for an event that is not a picture',
      kind: 'success',
      only: 'batch',
      params: ({ events }) => ({ id: events.note }),
      answer: { preview: null }
    },
    {
      name: 'returns no content for an event that is not a picture',
      kind: 'success',
      only: 'http',
      status: 204,
      params: ({ events }) => ({ id: events.note }),
      text: ''
    },
    {
      name: 'fails without a file',
      kind: 'state',
      before: async world => {
        const { id } = await world.owner.event({ type: 'picture/attached', content: null })
        pictures.set(world, id)
      },
      params: shown,
      error: 'corrupted-data',
      status: 422
    },
    { name: 'refuses invalid sizes', kind: 'params', params: { id: 'any', w: 0 }, ...invalid },
    { name: 'refuses unknown params', kind: 'params', params: { id: 'any', depth: 3 }, ...invalid },
    {
      name: 'refuses an unknown event',
      kind: 'unknown',
      params: { id: 'cunknown00000000000000000' },
      error: 'unknown-resource'
    },
    ...(['sensor', 'restricted'] as const).map((by): Scenario => ({
      name: `is refused to ${by}`,
      kind: 'caller',
      by,
      params: ({ events }) => ({ id: by === 'sensor' ? events.note : events.walk }),
      error: 'forbidden'
    })),
    ...withoutToken({ id: 'any' })
  ],

  'previews.cleanUpCache': [
    {
      name: 'returns a message',
      kind: 'success',
      by: 'owner',
      answer: { message: String },
      after: (_world, { message }) => assert.match(message, /removed|cleaned up/)
    }
  ]
}
