/** What an access has read, for operators: over HTTP, by the command, across threads, and after the access was revoked. */
import t from 'tap'
import { coffer, type Answer } from '../../support/coffer.js'
import { command } from '../../support/command.js'

const adminKey = 'the key of the operator'
const key = { authorization: adminKey }

t.test('the scope of a breach', async t => {
  const service = await coffer(t, { adminKey, workers: 2 })
  const { alice, clock } = service
  const others = await Promise.all(Array.from({ length: 6 }, (_, index) => service.user(`user-${index}`)))
  await alice.stream('body')
  await alice.do('streams.create', { id: 'heart', name: '=cmd|"x"!A1', parentId: 'body' })
  await alice.stream('diary')
  for (const time of [100, 200, 300])
    await alice.event({ streamIds: ['heart'], type: 'count/generic', content: time, time })
  const doctor = await alice.grantAll([{ streamId: 'body', level: 'read' }], {
    name: 'doctor',
    clientData: { secret: 'of the app' }
  })
  const { id } = doctor.access
  const begin = clock.now()
  await doctor.http('GET', '/events?streams[]=heart&fromTime=150&toTime=250')
  clock.advance(3600)
  const middle = clock.now()
  await doctor.http('GET', '/events?streams[]=heart&fromTime=250&toTime=400')
  await doctor.call('events.get', { streams: ['diary'] })
  await doctor.http('POST', '/', [{ method: 'events.get', params: { limit: 2 } }])
  await alice.do('accesses.delete', { id })

  const get = async (path: string, headers: Record<string, string> = key) =>
    await service.http('GET', `/system/${path}`, undefined, headers)
  const scope = async (query = '', access = id): Promise<Answer> =>
    (await get(`users/alice/accesses/${access}/breach-scope${query}`)).body

  const counts = async (query: string): Promise<number[]> => {
    const { calls, recordCount } = (await scope(query)).breachScope
    return [calls, recordCount]
  }

  t.test('an access is found by its id alone, in any form, also revoked, without secrets', async t => {
    for (const form of [id, `${id}:1`, `${id}:27`]) {
      const { body, status } = await get(`accesses/${form}`)
      t.equal(status, 200)
      t.match(body, {
        access: { id, type: 'shared', name: 'doctor', permissions: [{ streamId: 'body', level: 'read' }] },
        owner: { username: 'alice', userId: /^c/ }
      })
      t.ok(body.access.deleted > begin)
      t.notMatch(JSON.stringify(body), new RegExp(`${doctor.token}|of the app`))
    }
    for (const other of others)
      t.match((await get(`accesses/${other.access.id}`)).body, { owner: { username: other.username } })
    for (const form of ['cunknown', `${id}:0`, `${id}:01`, `${id}:`, `${id}:1:2`, '%00'])
      t.match(
        await get(`accesses/${form}`),
        { status: 404, body: { error: { id: 'unknown-resource' } } },
        form
      )
  })

  t.test('also of a suspended account', async t => {
    const [other] = others as [(typeof others)[0]]
    const path = `/system/users/${other.username}/suspension`
    t.equal((await service.http('POST', path, {}, key)).status, 200)
    t.match(await get(`accesses/${other.access.id}`), {
      status: 200,
      body: { owner: { username: other.username } }
    })
    t.equal((await get(`users/${other.username}/accesses/${other.access.id}/breach-scope`)).status, 200)
    t.equal((await other.http('GET', '/events')).status, 403, 'the suspension still holds')
    t.equal((await service.http('DELETE', path, undefined, key)).status, 200)
  })

  t.test('nobody without the key can tell whether an access exists', async t => {
    for (const headers of [{}, { authorization: alice.token }, { authorization: 'wrong' }] as Record<
      string,
      string
    >[])
      for (const path of [`accesses/${id}`, 'accesses/cunknown', `users/alice/accesses/${id}/breach-scope`]) {
        const { body, status } = await get(path, headers)
        const { meta: _meta, ...rest } = body
        t.same(
          [status, rest],
          [404, { error: { id: 'unknown-resource', message: 'Nothing found at this path' } }]
        )
      }
  })

  t.test('lists streams by name, kinds, items, times and addresses', async t => {
    const { breachScope } = await scope()
    t.match(breachScope, { calls: 4, refused: 1, recordCount: 4, isIncomplete: false })
    t.match(breachScope.streams, [
      {
        id: 'heart',
        name: '=cmd|"x"!A1',
        kinds: ['events'],
        calls: 2,
        recordCount: 2,
        fromTime: 150,
        toTime: 400
      },
      { id: 'body', name: 'body', kinds: ['events'], calls: 1, recordCount: 2, fromTime: null, toTime: null }
    ])
    t.equal(breachScope.streams.length, 2, 'a refused call reads nothing')
    t.match(breachScope.addresses, [{ ip: '127.0.0.1', calls: 4, refused: 1 }])
    t.match(breachScope.methods, [{ method: 'events.get', calls: 4, refused: 1, recordCount: 4 }])
    t.same(
      [breachScope.first, breachScope.last, breachScope.addresses[0].last].map(time => Math.floor(time)),
      [begin, middle, middle].map(time => Math.floor(time))
    )
  })

  t.test('limits the calls by time', async t => {
    t.same(await counts(`?since=${middle}`), [3, 3])
    t.same(await counts(`?until=${middle - 1}`), [1, 1])
    t.same(await counts(`?since=${begin}&until=${middle - 1}`), [1, 1])
    for (const query of ['?since=1e300', '?until=-1e300', '?until=-5', '?since=5&until=4'])
      t.same(await counts(query), [0, 0], query)
    t.same(await counts('?since=-1e300&until=1e300'), [4, 4])
    for (const query of ['?since=NaN', '?until=soon', '?format=xml', '?unknown=1'])
      t.match(await scope(query), { error: { id: 'invalid-parameters-format' } }, query)
  })

  t.test('as CSV that no spreadsheet executes', async t => {
    const { csv } = await scope('?format=csv')
    const [head, line, ...rest] = csv.split('\r\n')
    t.match(head, /^\ufeffstream,name,kinds,calls,items,/)
    t.match(line, /^heart,"'=cmd\|""x""!A1",events,2,2,1970-01-01T00:02:30\.000Z,/)
    t.equal(rest.length, 2)
  })

  t.test(
    'is recorded in the activity log with the account, and changes nothing in the audit of the user',
    async t => {
      const { deeds } = (await get('deeds?limit=1')).body
      t.match(deeds, [
        { method: 'system.getBreachScope', username: 'alice', detail: { access: id }, error: null }
      ])
      const { events } = await alice.do('events.get', { streams: [`:_audit:access-${id}`] })
      t.equal(events.length, 5, 'four calls, one of them in a batch')
    }
  )

  t.test('by the command', async t => {
    const at = `--dataDir=${service.directory}`
    const day = new Date(middle * 1000).toISOString()
    const { code, output } = await command([
      'breach-scope',
      '--access',
      `${id}:1`,
      '--since',
      day,
      '--json',
      at
    ])
    t.equal(code, 0)
    t.match(JSON.parse(output), { owner: { username: 'alice' }, breachScope: { calls: 3 } })
    const table = await command(['breach-scope', '--access', id, '--user', 'alice', '--csv', at])
    t.match(table.output, /^\ufeffstream,name[^]*\r\nheart,/)
    const text = await command(['breach-scope', '--access', id, at])
    t.match(text.output, /of alice, revoked [^]*4 calls \(refused: 1\), 4 items read[^]*stream\theart\t/)
    for (const [args, problem] of [
      [[], /--access/],
      [['--access', 'cunknown'], /No access "cunknown"/],
      [['--access', id, '--since', 'soon'], /not a valid date/],
      [['--access', id, '--csv', '--json'], /can't be combined/]
    ] as const) {
      const refused = await command(['breach-scope', ...args, at])
      t.not(refused.code, 0)
      t.match(refused.errors, problem)
      t.notMatch(refused.errors, /\n\s+at /)
    }
  })

  t.end()
})

t.test('the audit names what was read as version 2 of the API does', async t => {
  const { alice } = await coffer(t)
  const ids = Array.from({ length: 30 }, (_, index) => `stream-${index}`)
  for (const id of ids) await alice.stream(id)
  for (const streamId of ids.slice(0, 2)) await alice.event({ streamIds: [streamId] })
  await alice.do('events.get', { streams: ids })
  await alice.do('events.get', { streams: ids.slice(0, 1) })
  const { events } = await alice.do('events.get', {
    streams: [':_audit:action-events.get'],
    sortAscending: true,
    limit: 2
  })
  t.match(
    events.map(({ content }: Answer) => content),
    [
      {
        recordCount: 2,
        scopedStreamIds: ids.slice(0, 20),
        scopedStreamCount: 30,
        read: { count: 2, isCut: true }
      },
      {
        recordCount: 1,
        scopedStreamIds: ['stream-0'],
        scopedStreamCount: 1,
        recordCountIncomplete: undefined
      }
    ]
  )
})

t.test('the accesses that a stolen app has shared count, too', async t => {
  const service = await coffer(t, { adminKey })
  const { alice } = service
  for (const id of ['body', 'diary']) await alice.stream(id)
  await alice.event({ streamIds: ['body'], type: 'count/generic', content: 1 })
  await alice.event({ streamIds: ['diary'], type: 'note/txt', content: 'hello' })
  const app = await alice.grantAll(
    [
      { streamId: 'body', level: 'read' },
      { streamId: 'diary', level: 'read' }
    ],
    { type: 'app', name: 'stolen-app' }
  )
  const share = async (stream: string) => await app.grant('read', stream, { name: `of ${stream}` })
  const [body, diary] = [await share('body'), await share('diary')]
  await alice.grant('read', 'diary', { name: 'of the user' })
  await app.do('events.get', { streams: ['body'] })
  await diary.do('events.get', {})
  await alice.do('accesses.delete', { id: diary.access.id })
  const path = `/system/users/alice/accesses/${app.access.id}/breach-scope`
  const { breachScope } = (await service.http('GET', path, undefined, key)).body
  t.same(breachScope.streams.map(({ id }: Answer) => id).toSorted(), ['body', 'diary'])
  t.match(breachScope, { recordCount: 2, isIncomplete: false })
  t.match(
    breachScope.shares.toSorted((a: Answer, b: Answer) => (a.name < b.name ? -1 : 1)),
    [
      { id: body.access.id, name: 'of body' },
      { id: diary.access.id, name: 'of diary', deleted: Number }
    ]
  )
  t.equal(breachScope.shares.length, 2)
})
