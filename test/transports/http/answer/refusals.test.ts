/** Errors about params: always a list of problems, with paths as in the request. */
import t from 'tap'
import { coffer } from '../../../support/coffer.js'

t.test('an error about params lists the problems', async t => {
  const service = await coffer(t, {
    limits: { jsonDepth: 10, jsonKeys: 100, jsonContainers: 1000 }
  })
  const { alice } = service
  const deep = '['.repeat(20) + ']'.repeat(20)
  const long = `"${'x'.repeat(200_000)}"`
  const many = JSON.stringify(Object.fromEntries(Array.from({ length: 200 }, (_, at) => [`k${at}`, at])))
  for (const [name, verb, path, body, code] of [
    ['nesting', 'POST', '/alice/events', `{"content":${deep}}`, 'NESTING_MAXIMUM'],
    [
      'nesting of a long text',
      'POST',
      '/alice/events',
      `{"a":${long},"b":[${deep},${long}]}`,
      'NESTING_MAXIMUM'
    ],
    ['containers', 'POST', '/alice/events', `[${'[],'.repeat(1000)}[]]`, 'ARRAY_LENGTH_LONG'],
    [
      'keys',
      'POST',
      '/alice/events',
      `{"a":${long},"b":${many},${many.slice(1)}`,
      'OBJECT_PROPERTIES_MAXIMUM'
    ],
    ['a text as form', 'POST', '/alice/mfa/activate', `{"x":"${'x'.repeat(5000)}"}`, 'MAX_LENGTH'],
    ['no name', 'GET', '/reg/cores', undefined, 'ONE_OF_MISSING'],
    ['no object', 'POST', '/alice/webhooks/x/test', '[]', 'INVALID_TYPE']
  ] as const)
    t.test(`of ${name}`, async t => {
      const { body: answer, status } = await service.http(verb, path, body, { authorization: alice.token })
      t.equal(status, 400)
      t.match(answer.error, {
        id: 'invalid-parameters-format',
        data: [{ code, message: String, path: /^#/ }]
      })
    })

  t.test('in a batch', async t => {
    const { body } = await alice.http('POST', '/', [{ method: 'events.get' }])
    t.match(body.results[0].error, {
      data: [{ code: 'OBJECT_MISSING_REQUIRED_PROPERTY', params: ['params'] }]
    })
  })
})

t.test('paths refer to the body of a PUT', async t => {
  const { alice } = await coffer(t)
  await alice.stream('diary')
  const { id } = await alice.event()
  const refused = async (path: string, body: unknown): Promise<unknown> => {
    const answer = await alice.http('PUT', path, body)
    t.equal(answer.status, 400)
    return answer.body.error
  }
  t.match(await refused(`/events/${id}`, { time: 'x' }), {
    message: /: time must be/,
    data: [{ code: 'INVALID_TYPE', path: '#/time' }]
  })
  t.match(await refused('/streams/diary', { clientData: 5 }), { data: [{ path: '#/clientData' }] })
  t.match(await refused('/streams/diary', { unknown: 5 }), { data: [{ path: '#', params: ['unknown'] }] })
  t.match(await refused('/streams/diary', []), { data: [{ path: '#' }] })
  t.match(await refused('/profile/public', 5), { data: [{ path: '#' }] })
  const inBatch = await alice.http('POST', '/', [
    { method: 'streams.update', params: { id: 'diary', update: { clientData: 5 } } }
  ])
  t.match(inBatch.body.results[0].error, { data: [{ path: '#/update/clientData' }] })
})
