/** `hfs.addBatch`: all points or none. */
import t from 'tap'
import { coffer, type Answer, type Client } from '../../../support/coffer.js'

const fields = ['deltaTime', 'value']

function flat(...points: unknown[]): object {
  return { format: 'flatJSON', fields, points }
}

function batch(...entries: [eventId: unknown, data: unknown][]): object {
  return { format: 'seriesBatch', data: entries.map(([eventId, data]) => ({ eventId, data })) }
}

async function rows(client: Client, id: string): Promise<Answer> {
  return (await client.do('hfs.get', { id, toDeltaTime: 1e12 })).points
}

t.test('hfs.addBatch', async t => {
  const { alice } = await coffer(t)
  await alice.stream('diary')
  await alice.stream('other')
  const holder = async (fields: object = {}): Promise<string> =>
    (await alice.event({ type: 'series:mass/kg', content: undefined, ...fields })).id

  t.test('writes to every series, also several times to one, in order', async t => {
    const [a, b] = [await holder(), await holder()]
    const answer = await alice.call(
      'hfs.addBatch',
      batch([a, flat([0, 1], [1, 2])], [b, flat([5, 5])], [a, flat([1, 3], [2, 4])], [b, flat()])
    )
    t.match(answer, { status: 'ok' })
    t.same(await rows(alice, a), [
      [0, 1],
      [1, 3],
      [2, 4]
    ])
    t.same(await rows(alice, b), [[5, 5]])
    t.match(await alice.call('hfs.addBatch', batch()), { status: 'ok' })
  })

  t.test('refuses a malformed batch, says where, and stores nothing of it', async t => {
    const id = await holder()
    const good = [id, flat([0, 1])] as [string, object]
    for (const [body, data] of [
      [null, { rule: 'object' }],
      [[], { rule: 'object' }],
      ['x', { rule: 'object' }],
      [{}, { rule: 'format' }],
      [{ ...batch(good), format: 'flatJSON' }, { rule: 'format' }],
      [{ format: 'seriesBatch' }, { rule: 'data' }],
      [{ format: 'seriesBatch', data: {} }, { rule: 'data' }],
      [
        { format: 'seriesBatch', data: [null] },
        { entry: 0, rule: 'entry' }
      ],
      [batch(good, [undefined, flat()]), { entry: 1, rule: 'eventId' }],
      [batch(good, [7, flat()]), { entry: 1, rule: 'eventId' }],
      [batch(good, [id, undefined]), { entry: 1, eventId: id, rule: 'object' }],
      [batch(good, [id, { format: 'x' }]), { entry: 1, rule: 'format' }],
      [batch(good, [id, flat([1, 1], [2])]), { entry: 1, eventId: id, row: 1, rule: 'width' }],
      [batch(good, [id, flat([1, 'x'])]), { entry: 1, row: 0, column: 'value', rule: 'type' }]
    ] as const)
      t.match(
        await alice.call('hfs.addBatch', body),
        { status: 400, error: { id: 'invalid-request-structure', data } },
        JSON.stringify(body)
      )
    t.same(await rows(alice, id), [])
  })

  t.test('stores nothing if one of the events is not writable', async t => {
    const id = await holder()
    const trashed = await holder()
    await alice.do('events.delete', { id: trashed })
    const elsewhere = await holder({ streamIds: ['other'] })
    const sensor = await alice.grant('create-only', 'diary')
    for (const [eventId, status, error] of [
      ['nothing', 404, 'unknown-resource'],
      [(await alice.event()).id, 400, 'invalid-operation'],
      [trashed, 400, 'invalid-operation'],
      [elsewhere, 403, 'forbidden']
    ] as const)
      t.match(
        await sensor.call('hfs.addBatch', batch([id, flat([0, 1])], [eventId, flat([0, 1])])),
        { status, error: { id: error, data: error === 'forbidden' ? undefined : { eventId } } },
        error
      )
    t.same(await rows(alice, id), [])
    t.match(await sensor.call('hfs.addBatch', batch([id, flat([0, 1])])), { status: 'ok' })
    t.same(await rows(alice, id), [[0, 1]])
  })
})
