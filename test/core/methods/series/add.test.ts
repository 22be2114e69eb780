/** `hfs.add`: the rules of the format, permissions, and what is stored. */
import t from 'tap'
import { planColumns } from '../../../../core/series/column-plan.js'
import { readPoints } from '../../../../core/series/flat-json.js'
import { runSteps } from '../../../../storage/steps.js'
import { type Answer, type Client, openCoffer } from '../../../support/coffer.js'

const simple = 'series:mass/kg'
const position = 'series:position/wgs84'
const named = 'series:call/name'
/** A point with as much text as a point may have. */
const longest = [0, 'x'.repeat(1_000_000)] as const

async function holder(client: Client, type = simple, fields: object = {}): Promise<string> {
  return (await client.event({ type, content: undefined, time: 1_600_000_000, ...fields })).id
}

async function points(client: Client, id: string, more: object = {}): Promise<Answer> {
  const { fields, points } = await client.do('hfs.get', { id, toDeltaTime: 1e12, ...more })
  return { fields, points }
}

function flat(fields: unknown, points: unknown): object {
  return { format: 'flatJSON', fields, points }
}

t.test('hfs.add', async t => {
  const { alice, service } = await openCoffer(t).then(all => ({ alice: all.alice, service: all }))
  await alice.stream('diary')

  t.test('refuses violations of a rule, names the rule, and stores nothing', async t => {
    const ids = new Map<string, string>()
    for (const type of [
      simple,
      position,
      named,
      'series:mood/rating',
      'series:symptoms/severity',
      'series:boolean/bool'
    ])
      ids.set(type, await holder(alice, type))
    const value = ['deltaTime', 'value']
    const place = ['deltaTime', 'latitude', 'longitude']
    for (const [type, body, data] of [
      [simple, {}, { rule: 'format' }],
      [simple, { ...flat(value, []), format: 'json' }, { rule: 'format' }],
      [simple, { ...flat(value, []), format: undefined }, { rule: 'format' }],
      [simple, flat(undefined, []), { rule: 'fields' }],
      [simple, flat('deltaTime,value', []), { rule: 'fields' }],
      [simple, flat(['deltaTime', 1], []), { rule: 'fields' }],
      [simple, flat([], []), { rule: 'missing', column: 'deltaTime' }],
      [simple, flat(['value'], [[1]]), { rule: 'missing', column: 'deltaTime' }],
      [simple, flat(['deltaTime'], [[1]]), { rule: 'missing', column: 'value' }],
      [simple, flat([...value, 'value'], []), { rule: 'duplicate', column: 'value' }],
      [simple, flat([...value, 'deltaTime'], []), { rule: 'duplicate', column: 'deltaTime' }],
      [simple, flat([...value, 'timestamp'], []), { rule: 'duplicate', column: 'timestamp' }],
      [simple, flat([...value, 'other'], []), { rule: 'unknown', column: 'other' }],
      [simple, flat([...value, '__proto__'], []), { rule: 'unknown', column: '__proto__' }],
      [simple, flat(['deltaTime', 'latitude'], []), { rule: 'unknown', column: 'latitude' }],
      [position, flat(['deltaTime', 'latitude'], []), { rule: 'missing', column: 'longitude' }],
      [position, flat([...place, 'value'], []), { rule: 'unknown', column: 'value' }],
      [simple, flat(value, undefined), { rule: 'points' }],
      [simple, flat(value, {}), { rule: 'points' }],
      [simple, flat(value, [[0, 1], { 0: 1 }]), { rule: 'row', row: 1 }],
      [simple, flat(value, [[0, 1], null]), { rule: 'row', row: 1 }],
      [simple, flat(value, [[0, 1], [1]]), { rule: 'width', row: 1 }],
      [simple, flat(value, [[0, 1, 2]]), { rule: 'width', row: 0 }],
      [named, flat(value, [longest, [1, `${longest[1]}x`]]), { rule: 'length', row: 1 }],
      [simple, flat(value, [[]]), { rule: 'width', row: 0 }],
      [
        simple,
        flat(value, [
          [0, 1],
          [-0.1, 1]
        ]),
        { rule: 'negative', row: 1, column: 'deltaTime' }
      ],
      [simple, flat(value, [[-1e-12, 1]]), { rule: 'negative', row: 0 }],
      [simple, flat(['timestamp', 'value'], [[1_599_999_999, 1]]), { rule: 'negative', column: 'timestamp' }],
      [simple, flat(value, [[null, 1]]), { rule: 'type', row: 0, column: 'deltaTime' }],
      [simple, flat(value, [['now', 1]]), { rule: 'type', column: 'deltaTime' }],
      [simple, flat(value, [[Infinity, 1]]), { rule: 'type', column: 'deltaTime' }],
      [simple, flat(value, [[true, 1]]), { rule: 'type', column: 'deltaTime' }],
      [simple, flat(value, [[0, null]]), { rule: 'required', row: 0, column: 'value' }],
      [position, flat(place, [[0, 1, null]]), { rule: 'required', column: 'longitude' }],
      ...['x', '', ' ', '1,5', true, {}, [1], Infinity, '1e999'].map(
        cell =>
          [
            simple,
            flat(value, [
              [0, 1],
              [1, cell]
            ]),
            { rule: 'type', row: 1, column: 'value' }
          ] as const
      ),
      [position, flat([...place, 'altitude'], [[0, 1, 2, 'high']]), { rule: 'type', column: 'altitude' }],
      ['series:mood/rating', flat(value, [[0, 1.5]]), { rule: 'type', column: 'value' }],
      ['series:symptoms/severity', flat(value, [[0, 'awful']]), { rule: 'type', column: 'value' }],
      ['series:boolean/bool', flat(value, [[0, 1]]), { rule: 'type', column: 'value' }]
    ] as const) {
      const answer = await alice.call('hfs.add', { id: ids.get(type), ...body })
      t.match(answer, { status: 400, error: { id: 'invalid-request-structure', data } }, JSON.stringify(body))
    }
    for (const id of ids.values()) t.same(await points(alice, id), { fields: [], points: [] })
  })

  t.test('limits texts, except those that another server has stored', async t => {
    const plan = planColumns(service.server.services.eventTypes, named)
    const long = flat(['deltaTime', 'value'], [[0, `${longest[1]}x`]])
    t.throws(() => runSteps(readPoints(long, plan, 0)), { message: /1000000 characters/ })
    t.equal(runSteps(readPoints(long, plan, 0, { isCopy: true })).rows.length, 1)
    t.match(
      await alice.call('hfs.add', {
        id: await holder(alice, named),
        ...flat(['deltaTime', 'value'], [longest])
      }),
      {
        status: 'ok'
      }
    )
  })

  t.test('limits the texts of a point, however many writes they come with', async t => {
    const id = await holder(alice, 'series:message/email')
    const required = ['deltaTime', 'from', 'to', 'body']
    const write = (fields: string[], rows: unknown[][]): Promise<Answer> =>
      alice.call('hfs.add', { id, ...flat([...required, ...fields], rows) })
    const long = 'x'.repeat(600_000)
    const tooLong = { status: 400, error: { id: 'invalid-request-structure', data: { rule: 'length' } } }
    t.match(await write(['cc'], [[0, 'f', 't', 'b', long]]), { status: 'ok' })
    t.match(await write(['bcc'], [[0, 'f', 't', 'b', long]]), tooLong, 'a second write')
    const twice = flat([...required, 'bcc'], [[0, 'f', 't', 'b', long]])
    t.match(
      await alice.call('hfs.addBatch', { format: 'seriesBatch', data: [{ eventId: id, data: twice }] }),
      { ...tooLong, error: { data: { rule: 'length', entry: 0, eventId: id } } },
      'a batch'
    )
    t.match(
      await write(
        ['cc', 'bcc'],
        [
          [1, 'f', 't', 'b', long, null],
          [1, 'f', 't', 'b', null, long]
        ]
      ),
      tooLong,
      'two rows of one time'
    )
    t.match(await points(alice, id), { fields: [...required, 'cc'], points: [[0, 'f', 't', 'b', long]] })
    const { accounts } = service.server.services
    const { series } = accounts.openStore(accounts.find('alice')!)
    const { number } = series.findHolder(id)!
    const stored = { columns: [...required.slice(1), 'subject'], rows: [[0, 'f', 't', 'b', long]] as const }
    runSteps(series.add(number, stored, { writer: 'x', written: 1 }))
    t.match(await write(['cc'], [[0, 'f', 't', 'bb', null]]), tooLong, 'what was too long may not grow')
    t.match(await write(['cc'], [[0, 'f', 't', 'c', null]]), { status: 'ok' })
    t.match(await write(['cc'], [[0, 'f', 't', 'bb', 'short']]), { status: 'ok' }, 'but may get shorter')
  })

  t.test('accepts fields in any order, strings for numbers, and null for optional fields', async t => {
    const id = await holder(alice, position)
    const fields = ['speed', 'longitude', 'deltaTime', 'latitude', 'altitude']
    const rows = [
      [null, '7.25', '2', 47, 400],
      [3, 7, 1, 46, null]
    ]
    t.match(await alice.call('hfs.add', { id, ...flat(fields, rows) }), { status: 'ok' })
    t.same(await points(alice, id), {
      fields: ['deltaTime', 'latitude', 'longitude', 'altitude', 'speed'],
      points: [
        [1, 46, 7, null, 3],
        [2, 47, 7.25, 400, null]
      ]
    })
  })

  t.test('omits columns that never had a value', async t => {
    const id = await holder(alice, position)
    const fields = ['deltaTime', 'latitude', 'longitude', 'altitude']
    await alice.do('hfs.add', { id, ...flat(fields, [[0, 1, 2, null]]) })
    t.same(await points(alice, id), { fields: ['deltaTime', 'latitude', 'longitude'], points: [[0, 1, 2]] })
    await alice.do('hfs.add', { id, ...flat(fields, [[1, 1, 2, 3]]) })
    t.same(await points(alice, id), {
      fields,
      points: [
        [0, 1, 2, null],
        [1, 1, 2, 3]
      ]
    })
  })

  t.test('overwrites points with the same time, cell by cell, also within one request', async t => {
    const id = await holder(alice, position)
    const fields = ['deltaTime', 'latitude', 'longitude', 'altitude']
    await alice.do('hfs.add', {
      id,
      ...flat(fields, [
        [1, 1, 1, 100],
        [0, 0, 0, 1]
      ])
    })
    await alice.do('hfs.add', {
      id,
      ...flat(fields, [
        [1, 2, 2, null],
        [2, 1, 1, 5],
        [2, 3, 3, null]
      ])
    })
    await alice.do('hfs.add', {
      id,
      ...flat(['longitude', 'latitude', 'timestamp'], [[9, 9, 1_600_000_000]])
    })
    t.same((await points(alice, id)).points, [
      [0, 9, 9, 1],
      [1, 2, 2, 100],
      [2, 3, 3, 5]
    ])
  })

  t.test('converts timestamps, with nanosecond precision', async t => {
    const id = await holder(alice)
    await alice.do('hfs.add', {
      id,
      ...flat(
        ['timestamp', 'value'],
        [
          [1_600_000_000.123, 1],
          ['1600000001', 2]
        ]
      )
    })
    await alice.do('hfs.add', {
      id,
      ...flat(
        ['deltaTime', 'value'],
        [
          [0.123, 3],
          [0.1230000004, 4],
          [5e-9, 5],
          [-0, 6]
        ]
      )
    })
    t.same((await points(alice, id, { resolution: 'ns' })).points, [
      [0, 6],
      [5e-9, 5],
      [0.123, 4],
      [1, 2]
    ])
    t.same((await points(alice, id)).points, [
      [0, 6],
      [5e-9, 5],
      [0.123, 4],
      [1, 2]
    ])
  })

  t.test('stores strings, booleans, nested fields and times without values', async t => {
    for (const [type, fields, row] of [
      ['series:note/txt', ['value'], ['],[ "é" \u{1F600}']],
      ['series:boolean/bool', ['value'], [true]],
      ['series:activity/plain', [], []],
      [
        'series:clinical/fhir',
        ['displayName', 'clinicalType', 'fhir.identifier'],
        ['x', 'labResultRecord', 'y']
      ]
    ] as const) {
      const id = await holder(alice, type)
      await alice.do('hfs.add', { id, ...flat(['deltaTime', ...fields], [[1, ...row]]) })
      t.same(await points(alice, id), { fields: ['deltaTime', ...fields], points: [[1, ...row]] })
    }
    const id = await holder(alice, 'series:boolean/bool')
    await alice.do('hfs.add', {
      id,
      ...flat(
        ['deltaTime', 'value'],
        [
          [0, 'true'],
          [1, 'false']
        ]
      )
    })
    t.same((await points(alice, id)).points, [
      [0, true],
      [1, false]
    ])
  })

  t.test('refuses deep nesting anywhere', async t => {
    const deep = JSON.parse('['.repeat(50_000) + ']'.repeat(50_000))
    const id = await holder(alice, 'series:audiogram/data')
    const columns = ['deltaTime', 'sensitivityPoints', 'start', 'end', 'metadata']
    for (const body of [
      flat(deep, []),
      flat([deep], []),
      flat(columns, deep),
      flat(columns, [[0, [], 1, 2, deep]]),
      flat(columns, [[0, deep, 1, 2, null]]),
      flat(columns, [[deep, [], 1, 2, null]]),
      flat(columns, [[0, [], deep, 2, null]])
    ])
      t.match(await alice.call('hfs.add', { id, ...body }), { error: { id: 'invalid-request-structure' } })
    t.match(await alice.call('hfs.addBatch', deep), { error: { id: 'invalid-request-structure' } })
    const sensitivityPoints = [{ frequency: 1000, level: 20 }]
    await alice.do('hfs.add', { id, ...flat(columns, [[0, sensitivityPoints, 'a', 2, { by: 'me' }]]) })
    t.same((await points(alice, id)).points, [[0, sensitivityPoints, 'a', 2, { by: 'me' }]])
  })

  t.test('accepts an empty list of points', async t => {
    const id = await holder(alice)
    t.match(await alice.call('hfs.add', { id, ...flat(['deltaTime', 'value'], []) }), { status: 'ok' })
    t.same(await points(alice, id), { fields: [], points: [] })
  })

  t.test('is only for events that hold a series and are not trashed', async t => {
    const body = flat(['deltaTime', 'value'], [[0, 1]])
    const note = await alice.event()
    t.match(await alice.call('hfs.add', { id: note.id, ...body }), {
      status: 400,
      error: { id: 'invalid-operation' }
    })
    t.match(await alice.call('hfs.add', { id: 'nothing', ...body }), {
      status: 404,
      error: { id: 'unknown-resource' }
    })
    t.match(await alice.call('hfs.add', body), { status: 400, error: { id: 'invalid-parameters-format' } })
    const id = await holder(alice)
    await alice.do('hfs.add', { id, ...body })
    await alice.do('events.delete', { id })
    t.match(await alice.call('hfs.add', { id, ...flat(['deltaTime', 'value'], [[1, 1]]) }), {
      status: 400,
      error: { id: 'invalid-operation', data: { trashedReference: 'eventId' } }
    })
    t.same((await points(alice, id)).points, [[0, 1]])
    await alice.do('events.update', { id, update: { trashed: false } })
    await alice.do('hfs.add', { id, ...flat(['deltaTime', 'value'], [[1, 1]]) })
    t.equal((await points(alice, id)).points.length, 2)
    await alice.do('events.delete', { id })
    await alice.do('events.delete', { id })
    t.match(await alice.call('hfs.add', { id, ...body }), { error: { id: 'unknown-resource' } })
    t.match(await alice.call('hfs.get', { id }), { error: { id: 'unknown-resource' } })
  })

  t.test('counts towards the storage used until the event is deleted', async t => {
    const id = await holder(alice)
    const { accounts } = service.server.services
    const used = (): number => accounts.openStore(accounts.find('alice')!).storageUsed().documents
    const before = used()
    const long = Array.from({ length: 1000 }, (_, i) => [i, 0.5])
    await alice.do('hfs.add', { id, ...flat(['deltaTime', 'value'], long) })
    t.ok(used() > before + 9000)
    await alice.do('events.delete', { id })
    await alice.do('events.delete', { id })
    t.ok(used() < before + 1000)
  })

  t.test('requires a level that permits creating events in one of the streams', async t => {
    const id = await holder(alice)
    const body = { id, ...flat(['deltaTime', 'value'], [[0, 1]]) }
    for (const [level, isAllowed] of [
      ['read', false],
      ['none', false],
      ['create-only', true],
      ['contribute', true],
      ['manage', true]
    ] as const) {
      const client = await alice.grant(level, 'diary')
      const expected = isAllowed ? { status: 'ok' } : { status: 403, error: { id: 'forbidden' } }
      t.match(await client.call('hfs.add', body), expected, level)
    }
    await alice.stream('elsewhere')
    const stranger = await alice.grant('manage', 'elsewhere')
    t.match(await stranger.call('hfs.add', body), { error: { id: 'forbidden' } })
  })

  t.test('is refused if the token is missing, wrong, or was just revoked', async t => {
    const id = await holder(alice)
    const body = { id, ...flat(['deltaTime', 'value'], [[0, 1]]) }
    for (const token of [undefined, 'wrong'])
      t.match(await service.call('alice', 'hfs.add', body, token), {
        error: { id: 'invalid-access-token' }
      })
    const sensor = await alice.grant('create-only', 'diary')
    await sensor.do('hfs.add', body)
    await alice.do('accesses.delete', { id: sensor.access.id })
    t.match(await sensor.call('hfs.add', body), { status: 401, error: { id: 'invalid-access-token' } })
  })

  t.test('is available under each of its names', async t => {
    const { event } = await alice.do('hfs.create', { streamIds: ['diary'], type: simple, time: 0 })
    const body = flat(['deltaTime', 'value'], [[0, 1]])
    const { results } = await alice.do('callBatch', [
      { method: 'hfs.add', params: { id: event.id, ...body } },
      {
        method: 'hfs.addBatch',
        params: { format: 'seriesBatch', data: [{ eventId: event.id, data: body }] }
      },
      { method: 'series.add', params: { id: event.id, ...body } },
      {
        method: 'series.addBatch',
        params: { format: 'seriesBatch', data: [{ eventId: event.id, data: body }] }
      },
      { method: 'series.get', params: { id: event.id } },
      { method: 'hfs.get', params: { id: event.id } },
      { method: 'hfs.update', params: { id: event.id, update: { description: 'x' } } },
      { method: 'hfs.delete', params: { id: event.id } }
    ])
    t.match(results, [
      { status: 'ok' },
      { status: 'ok' },
      { status: 'ok' },
      { status: 'ok' },
      { points: [[0, 1]] },
      { points: [[0, 1]] },
      { event: {} },
      { event: { trashed: true } }
    ])
  })
})
