/** What queries over very much data may take. */
import t from 'tap'
import { measures } from '../../../schemas/measures/catalogue.js'
import { silentLog } from '../../../core/log.js'
import { coffer, type Answer } from '../../support/coffer.js'
import { inRotation } from '../../support/rotation.js'

const minute = 60
/** Midnight of 5 January 2026 in UTC. */
const end = Date.UTC(2026, 0, 5) / 1000
/** More than half a million points altogether are in as many cells. */
const sources = 11
const points = 46_000

t.test('large queries', async t => {
  const errors: string[] = []
  const service = await coffer(t, {}, { ...silentLog, error: message => errors.push(message) })
  const { alice } = service
  for (let source = 0; source < sources; source++) {
    await alice.stream(`belt-${source}`)
    const { event } = await alice.do('events.create', {
      streamIds: [`belt-${source}`],
      type: 'series:frequency/bpm',
      time: end - points * minute
    })
    await alice.do('hfs.add', {
      id: event.id,
      format: 'flatJSON',
      fields: ['deltaTime', 'value'],
      points: Array.from({ length: points }, (_, at) => [at * minute + 30, 50 + (at % 90)])
    })
  }
  const reader = await alice.grant('read', '*', { type: 'app' })
  const ask = async (path: string, params: Record<string, string>): Promise<Answer> => {
    const { body, status } = await reader.http(
      'GET',
      `/prometheus/api/v1/${path}?${String(new URLSearchParams(params))}`
    )
    return { ...body, code: status }
  }
  const countLists = async (): Promise<number> => {
    const streams = [`:_audit:access-${reader.access.id}`]
    const { events } = await alice.do('events.get', { streams, limit: 10_000 })
    return events.filter(({ content }: Answer) => content.action === 'measures.facts').length
  }
  // The windows have no common divisor with the step but a minute.
  const askAll = async (selector: string): Promise<Answer> =>
    await ask('query_range', {
      query: `avg_over_time(${selector}[61m])`,
      start: String(end - 45_900 * minute),
      end: String(end),
      step: '275400'
    })
  /** Takes long enough for many other requests to arrive meanwhile. */
  const askMuch = async (): Promise<Answer> => await askAll('coffer_frequency_bpm')

  const test = inRotation(t, 2)
  t.test('read a limited number of cells', async t => {
    t.match(await askAll('coffer_frequency_bpm'), { code: 422, error: /reads more than 500000 steps/ })
    t.match(await askAll('coffer_measure_heart_rate'), { code: 200, status: 'success' })
  })

  test('of an access wait in a limited number, whatever form its token has, and leave room for others', async t => {
    const heavy = askMuch()
    const path = '/prometheus/api/v1/query?query=coffer_measure_heart_rate'
    const forms = Array.from({ length: 130 }, async (_, at) => {
      const authorization = `${reader.token} app-${at}`
      return await reader.http('GET', path, undefined, { authorization })
    })
    t.equal((await alice.http('GET', path)).status, 200)
    await heavy
    const refused = (await Promise.all(forms)).filter(({ status }) => status !== 200)
    t.ok(refused.length > 0 && refused.length <= 30, `${refused.length} refused`)
    for (const { body, headers, status } of refused) {
      t.match({ status, body }, { status: 429, body: { errorType: 'unavailable', error: /waiting/ } })
      t.equal(headers.get('retry-after'), '5')
    }
    t.equal((await reader.http('GET', path)).status, 200)
  })

  test('that nobody waits for any more make room', async t => {
    const url = `${service.server.url}/alice/prometheus/api/v1/query?query=coffer_measure_heart_rate`
    const heavy = askMuch()
    const gone = new AbortController()
    const request = { headers: { authorization: reader.token }, signal: gone.signal }
    const statuses = Array.from({ length: 120 }, async () => (await fetch(url, request)).status)
    const settled = Promise.allSettled(statuses)
    // Those that arrive before the heavy one are answered.
    const refusals = statuses.map(async status => {
      if ((await status) !== 429) throw new Error('answered')
    })
    await t.resolves(Promise.any(refusals), 'as many wait as may')
    gone.abort()
    t.ok((await settled).some(({ status }) => status === 'rejected'))
    // The service knows by then.
    t.equal((await ask('rules', {})).code, 200)
    t.equal((await ask('query', { query: 'coffer_measure_heart_rate' })).code, 200)
    await heavy
    t.same(errors, [], 'a client that goes away is no error')
  })

  t.test('of strangers are not even parsed', async t => {
    for (const path of ['series?match[]=1', 'query?query=)', 'query_range?query=)&start=0&end=1&step=1']) {
      const url = `${service.server.url}/alice/prometheus/api/v1/${path}`
      t.match(await fetch(url, { headers: { authorization: 'unknown' } }), { status: 401 }, path)
      t.match(await fetch(url, { headers: { authorization: alice.token } }), { status: 400 }, path)
    }
  })

  test('that wait have read nothing yet, and only those of accesses wait', async t => {
    const before = await countLists()
    const heavy = askMuch()
    const url = `${service.server.url}/alice/prometheus/api/v1/query?query=coffer_measure_heart_rate`
    const stranger = fetch(url, { headers: { authorization: 'unknown' } })
    const waiting = Array.from({ length: 40 }, async (_, at) =>
      at % 2 === 0 ? await ask('query', { query: 'coffer_measure_heart_rate' }) : await ask('series', {})
    )
    t.match(await Promise.race([stranger, heavy]), { status: 401 })
    await heavy
    const after = await countLists()
    t.ok(after - before < 20, `${after - before} lists for the one query that has ended`)
    for (const { code } of await Promise.all(waiting)) t.equal(code, 200)
    t.equal((await countLists()) - before, 41)
  })

  t.test('leave a limited number of records in the audit', async t => {
    const some = measures
      .filter(({ kind, types }) => kind === 'level' && types[0] === 'count/generic')
      .slice(0, 26)
    const calls = some.flatMap(({ id }) => [
      { method: 'streams.create', params: { id, name: id, clientData: { 'coffer:measure': id } } },
      {
        method: 'events.create',
        params: { streamIds: [id], type: 'count/generic', content: 1, time: end - minute }
      }
    ])
    await alice.do('callBatch', calls)
    const count = async (): Promise<number> => {
      const streams = [`:_audit:access-${reader.access.id}`]
      return (await alice.do('events.get', { streams, limit: 10_000 })).events.length
    }
    const before = await count()
    t.match(await askAll('{__name__=~"coffer_measure_.*"}'), { code: 422, error: /more than 300 reads/ })
    t.ok((await count()) - before <= 302, 'with those of the list of series')
    const daily = { query: '{__name__=~"coffer_(daily|measure)_.*"}', time: String(end - 1) }
    t.equal((await ask('query', daily)).data.result.length, 2 * (some.length + 1))
  })

  test('of an account have their turn one by one, also by the alias of an access', async t => {
    const { access } = await alice.grant('read', '*', { type: 'app', randomAlias: true })
    const order: string[] = []
    const heavy = askMuch().then(() => order.push('heavy'))
    t.equal((await ask('rules', {})).code, 200, 'it has arrived')
    const url = `${alice.service.server.url}/${access.alias}/prometheus/api/v1/query?query=coffer_measure_heart_rate`
    t.equal((await fetch(url, { headers: { authorization: access.token } })).status, 200)
    order.push('alias')
    await heavy
    t.same(order, ['heavy', 'alias'])
  })
})

t.test('series of many streams', async t => {
  const { alice } = await coffer(t)
  const { service, token, username } = alice
  // Each character takes six in JSON.
  await alice.do('streams.create', { id: 'top', name: '\u0001'.repeat(1024) })
  const calls = Array.from({ length: 3000 }, (_, at) => [
    { method: 'streams.create', params: { id: `s-${at}`, name: `S ${at}`, parentId: 'top' } },
    {
      method: 'events.create',
      params: { streamIds: [`s-${at}`], type: 'mass/kg', content: 70, time: end - minute }
    }
  ])
  await alice.do('callBatch', calls.flat())
  const ask = async (path: string, params: readonly (readonly [string, string])[]): Promise<Answer> => {
    const response = await fetch(`${service.server.url}/${username}/prometheus/api/v1/${path}`, {
      method: 'POST',
      headers: { authorization: token },
      body: new URLSearchParams(params.map(([name, value]): [string, string] => [name, value]))
    })
    return { code: response.status, ...((await response.json()) as Answer) }
  }

  t.test('have a limited number of characters in their labels', async t => {
    const refused = { code: 422, error: /labels of the series have more than \d+ characters/ }
    t.match(await ask('series', []), refused)
    t.match(await ask('series', [['match[]', 'coffer_mass_kg']]), refused)
    for (const query of ['coffer_mass_kg', 'count_over_time(coffer_mass_kg[1h])', 'sum(coffer_mass_kg)'])
      t.match(
        await ask('query', [
          ['query', query],
          ['time', String(end)]
        ]),
        refused,
        query
      )
    t.equal((await ask('series', [['limit', '5']])).data.length, 5)
    t.equal((await ask('label/stream/values', [])).data.length, 3000)
    t.equal((await ask('series', [['match[]', '{stream=~"s-1.*"}']])).data.length, 1111)
  })

  t.test('are compared with a limited number of matchers', async t => {
    const selector = `{stream!="",${'a="",'.repeat(10)}}`
    const many = Array.from({ length: 1000 }, () => ['match[]', selector] as const)
    t.match(await ask('labels', many), { code: 422, error: /matchers are too many/ })
    t.equal((await ask('labels', many.slice(0, 50))).code, 200)
  })
})
