/** Holder events of series: creation, validation, and how they follow their points. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import t from 'tap'
import type { Change, ChangeBus } from '../../../../core/changes.js'
import { openCoffer, type Answer } from '../../../support/coffer.js'

const format = 'flatJSON'
const fields = ['deltaTime', 'value']

t.test('a holder event', async t => {
  const service = await openCoffer(t)
  const { alice, clock, server } = service
  await alice.stream('diary')

  t.test('is created without content, and returned with a description of its points', async t => {
    for (const [type, content] of [
      ['mass/kg', { fields, required: fields }],
      ['boolean/bool', { fields, required: fields }],
      [
        'position/wgs84',
        {
          fields: [
            'deltaTime',
            'latitude',
            'longitude',
            'altitude',
            'horizontalAccuracy',
            'verticalAccuracy',
            'speed',
            'bearing'
          ],
          required: ['deltaTime', 'latitude', 'longitude']
        }
      ]
    ] as const)
      for (const given of [undefined, null]) {
        const event = await alice.event({ type: `series:${type}`, content: given, duration: 7 })
        t.same(event.content, { elementType: type, ...content })
        t.equal(event.duration ?? 0, 0)
      }
  })

  t.test('accepts the content with which it was returned', async t => {
    const places = ['deltaTime', 'latitude', 'longitude']
    for (const [elementType, content] of [
      ['mass/kg', { fields, required: fields }],
      ['mass/kg', { fields: fields.toReversed(), required: fields.toReversed() }],
      ['position/wgs84', { fields: [...places, 'colour'], required: places }]
    ] as const) {
      const event = await alice.event({ type: `series:${elementType}`, content: { elementType, ...content } })
      const plain = await alice.event({ type: `series:${elementType}`, content: null })
      t.same(event.content, plain.content, 'and gets its own')
    }
  })

  t.test('refuses other content, an unknown type, or a trashed stream', async t => {
    const event = { streamIds: ['diary'], type: 'series:mass/kg' }
    const own = { elementType: 'mass/kg', fields, required: fields }
    const others = [
      { ...own, elementType: 'mass/g' },
      { ...own, fields: ['value'] },
      { ...own, fields: 'deltaTime,value' },
      { ...own, required: ['deltaTime'] },
      { ...own, points: [] },
      { elementType: 'mass/kg' }
    ]
    for (const content of [{}, 1, [], 'x', ...others])
      t.match(await alice.call('events.create', { ...event, content }), {
        status: 400,
        error: { id: 'invalid-parameters-format' }
      })
    t.match(await alice.call('events.create', { ...event, type: 'series:not/known' }), {
      status: 400,
      error: { id: 'invalid-event-type' }
    })
    await alice.stream('old')
    await alice.do('streams.update', { id: 'old', update: { trashed: true } })
    t.match(await alice.call('events.create', { ...event, streamIds: ['old'] }), {
      status: 400,
      error: { id: 'invalid-operation' }
    })
  })

  t.test('can be updated like any event, except its content and type', async t => {
    const { id, content } = await alice.event({ type: 'series:mass/kg', content: undefined })
    const { event } = await alice.do('events.update', { id, update: { description: 'scale' } })
    t.match(event, { description: 'scale', content })
    for (const [update, error] of [
      [{ content: { elementType: 'x' } }, 'forbidden'],
      [{ content: null }, 'forbidden'],
      [{ type: 'mass/kg' }, 'invalid-operation'],
      [{ type: 'series:mass/g' }, 'invalid-operation']
    ] as const)
      t.match(
        await alice.call('events.update', { id, update }),
        { error: { id: error } },
        JSON.stringify(update)
      )
    const normal = await alice.event()
    t.match(await alice.call('events.update', { id: normal.id, update: { type: 'series:mass/kg' } }), {
      status: 400,
      error: { id: 'invalid-operation' }
    })
    t.match((await alice.do('events.getOne', { id })).event, event)
  })

  t.test('follows its points in duration, author and time, and publishes each change', async t => {
    const { id } = await alice.event({ type: 'series:mass/kg', content: undefined })
    const sensor = await alice.grant('create-only', 'diary')
    clock.advance(10)
    const told = nextChange(server.services.bus)
    await sensor.do('hfs.add', {
      id,
      format,
      fields,
      points: [
        [8, 1],
        [42.5, 1]
      ]
    })
    t.match(await told, { kind: 'events', places: [[['diary']]] })
    const { event } = await alice.do('events.getOne', { id })
    t.match(event, { duration: 42.5, modifiedBy: sensor.access.id })
    t.ok(event.modified >= clock.now())
    const toldAgain = nextChange(server.services.bus)
    await alice.do('hfs.add', { id, format, fields, points: [[1, 1]] })
    await toldAgain
    const { event: later } = await alice.do('events.getOne', { id })
    t.match(later, { duration: 42.5, modifiedBy: alice.access.id })
    t.ok(later.modified > event.modified)
    t.notOk(JSON.stringify([event, later]).includes(sensor.token))
    for (const duration of [1e9, 0, null]) {
      await alice.do('events.update', { id, update: { duration, description: `not ${duration}` } })
      const found = (await alice.do('events.getOne', { id })).event
      t.match(found, { duration: 42.5, description: `not ${duration}` }, 'whatever an update says')
    }
  })
})

t.test('points of types whose columns refer to other parts of the schema', async t => {
  const number = { $ref: '#/definitions/number' }
  const type = {
    type: 'object',
    definitions: { number: { type: 'number', minimum: 2 } },
    properties: { x: number, y: { anyOf: [number, { type: 'null' }] }, z: { $ref: '#/properties/x' } },
    required: ['x']
  }
  const types = {
    'own/referring': type,
    'own/named': { ...type, $id: 'https://types.example/own' },
    'own/nested': { ...type, properties: { x: { $id: 'https://o.example/', anyOf: [number] } } }
  }
  const file = join(t.testdir(), 'types.json')
  writeFileSync(file, JSON.stringify({ types }))
  const { alice } = await openCoffer(t, { service: { eventTypes: pathToFileURL(file).href } })
  await alice.stream('diary')
  const columns = ['deltaTime', 'x', 'y', 'z']
  for (const name of ['own/referring', 'own/named']) {
    const { id } = await alice.event({ type: `series:${name}`, content: undefined })
    const add = async (...point: unknown[]): Promise<Answer> =>
      await alice.call('hfs.add', { id, format, fields: columns, points: [[0, ...point]] })
    t.match(await add(3, 4, '5'), { status: 'ok' }, name)
    for (const point of [
      [1, 4, 5],
      [3, 1, 5],
      [3, 4, 1],
      [3, 'x', 5],
      ['x', 4, 5]
    ])
      t.match(await add(...point), { error: { id: 'invalid-request-structure', data: { rule: 'type' } } })
    t.same((await alice.do('hfs.get', { id, toDeltaTime: 10 })).points, [[0, 3, 4, 5]])
  }
  const added = await alice.call('events.create', { streamIds: ['diary'], type: 'series:own/nested' })
  if (added.error) return
  const { id } = added.event
  const refused = await alice.call('hfs.add', { id, format, fields: ['deltaTime', 'x'], points: [[0, 3]] })
  t.match(refused, { error: { id: 'invalid-request-structure' } }, 'what cannot be looked up')
})

/** Resolves with the next published change. */
function nextChange(bus: ChangeBus): Promise<Change> {
  return new Promise(resolve => {
    const stop = bus.subscribe((_, change) => {
      stop()
      resolve(change)
    })
  })
}
