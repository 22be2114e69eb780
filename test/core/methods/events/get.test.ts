/** `events.get`: params, defaults, permissions and errors. `get-model.test.ts` tests which events match. */
import t from 'tap'
import type { Event } from '../../../../schemas/event.js'
import { coffer, type Answer, type Client } from '../../../support/coffer.js'

const now = 1_700_000_000

t.test('events.get', async t => {
  const { alice } = await coffer(t)
  for (const id of ['diary', 'work', 'secret', 'bin']) await alice.stream(id)
  await alice.stream('below', 'diary')
  await alice.stream('hidden', 'diary')
  await alice.stream('inBin', 'bin')
  const make = async (name: string, fields: Record<string, unknown>): Promise<void> => {
    await alice.event({ description: name, time: now, ...fields })
  }
  await make('old', { time: now - 200_000 })
  await make('day before', { time: now - 86_400 - 10 })
  await make('long', { time: now - 150_000, duration: 100_000 })
  await make('running', { time: now - 300_000, duration: null })
  await make('work', { time: now - 5, streamIds: ['work'] })
  await make('both', { time: now - 4, streamIds: ['work', 'secret'] })
  await make('below', { time: now - 3, streamIds: ['below'] })
  await make('hidden', { time: now - 2, streamIds: ['below', 'hidden'] })
  await make('trashed', { time: now - 1, trashed: true })
  await make('binned', { time: now, streamIds: ['bin'] })
  await make('also binned', { time: now, streamIds: ['inBin', 'work'] })
  await make('future', { time: now + 100, type: 'mass/kg', content: 1 })
  await alice.do('streams.update', { id: 'bin', update: { trashed: true } })
  const reader = await alice.grantAll([
    { streamId: 'diary', level: 'read' },
    { streamId: 'hidden', level: 'none' },
    { streamId: 'work', level: 'create-only' }
  ])

  const everything = 'future,also binned,hidden,below,both,work,day before,long,old,running'
  const lists: [what: string, params: Record<string, unknown>, names: string, client?: Client][] = [
    ['lists everything without parameters', {}, everything],
    [
      'takes a day before toTime when that is all there is',
      { toTime: now - 50_000 },
      'day before,long,running'
    ],
    ['ends now when only fromTime is given', { fromTime: now - 4 }, 'also binned,hidden,below,both,running'],
    ['honours a time of 0', { fromTime: 0, limit: 1 }, 'also binned'],
    ['ends at 0', { toTime: 0 }, ''],
    ['answers nothing for times in the wrong order', { fromTime: now, toTime: now - 1 }, ''],
    [
      'takes the greatest and least of numbers',
      { fromTime: -1.7976931348623157e308, toTime: 1.7976931348623157e308 },
      everything
    ],
    ['includes both ends', { fromTime: now - 50_000, toTime: now - 50_000 }, 'long,running'],
    ['has no bound with a limit alone', { limit: 2 }, 'future,also binned'],
    ['skips', { skip: 8, limit: 5 }, 'old,running'],
    ['answers nothing with a limit of 0', { limit: 0 }, ''],
    ['sorts ascending', { sortAscending: true, limit: 3 }, 'running,old,long'],
    ['lists running events alone, whatever fromTime says', { running: true, fromTime: now }, 'running'],
    ['takes running: false for no filter', { running: false, limit: 1 }, 'future'],
    ['lists the trash', { state: 'trashed' }, 'trashed'],
    ['lists both', { state: 'all', limit: 4 }, 'future,also binned,binned,trashed'],
    ['filters by type', { types: ['mass/kg', 'no/ne'] }, 'future'],
    ['filters by class', { types: ['mass/*'] }, 'future'],
    ['counts a class that is named often once', { types: Array(10_000).fill('mass/*') }, 'future'],
    ['returns nothing for unused types', { types: ['no/ne'] }, ''],
    ['takes no types for all', { types: [], limit: 1 }, 'future'],
    ['takes one id', { streams: 'below' }, 'hidden,below'],
    ['takes ids', { streams: ['below', 'work'] }, 'also binned,hidden,below,both,work'],
    ['takes an object', { streams: { any: ['below'], not: ['hidden'] } }, 'below'],
    ['takes JSON', { streams: '{"any":["work"],"all":["secret"]}' }, 'both'],
    ['takes JSON in an array', { streams: ['[{"any":["below"]},{"any":["secret"]}]'] }, 'hidden,below,both'],
    ['takes a stream without those below', { streams: ['diary!'], limit: 2 }, 'future,day before'],
    ['lists nothing of a trashed stream', { streams: ['bin', 'inBin'] }, ''],
    ['lists trashed streams in state all', { streams: ['bin'], state: 'all' }, 'also binned,binned'],
    ['answers nothing for no streams', { streams: [] }, ''],
    ['answers nothing for any of nothing', { streams: { any: [], all: ['diary'] } }, ''],
    ['answers nothing when not takes all of any', { streams: { any: ['below'], not: ['diary'] } }, ''],
    ['takes an unknown id in all for one that nothing is in', { streams: { any: ['work'], all: ['x'] } }, ''],
    ['ignores an unknown id in not', { streams: { any: ['secret'], not: ['x'] } }, 'both'],
    [
      'takes null for what is not given',
      Object.fromEntries(
        [
          'streams',
          'tags',
          'types',
          'fromTime',
          'toTime',
          'running',
          'sortAscending',
          'skip',
          'limit',
          'state'
        ]
          .concat('modifiedSince', 'includeDeletions', 'content', 'clientData')
          .map(name => [name, null])
      ),
      everything
    ],
    ['ignores the token as a parameter', { auth: 'x', limit: 1 }, 'future'],
    ['shows a restricted access what it may read', {}, 'future,below,day before,long,old,running', reader],
    ['shows it the same for a star', { streams: '*' }, 'future,below,day before,long,old,running', reader],
    ['does not let it probe with all', { streams: { any: ['diary'], all: ['hidden'] } }, '', reader],
    [
      'does not let it probe with not',
      { streams: { any: ['below'], not: ['hidden', 'secret'] } },
      'below',
      reader
    ],
    ['shows no more with running', { running: true }, 'running', reader]
  ]
  for (const [what, params, names, client] of lists)
    t.test(what, async t => {
      t.equal(namesOf(await (client ?? alice).do('events.get', params)), names)
    })

  const structure = { id: 'invalid-request-structure' }
  const format = { id: 'invalid-parameters-format' }
  const refusals: [what: string, params: Record<string, unknown>, error: object, client?: Client][] = [
    ['withDeletions', { withDeletions: true }, format],
    ['an unknown state', { state: 'gone' }, format],
    ['a negative limit', { limit: -1 }, format],
    ['half a skip', { skip: 0.5 }, format],
    ['a malformed type', { types: ['note'] }, format],
    ['a wildcard for a class', { types: ['*/txt'] }, format],
    ['very many types', { types: Array(10_001).fill('note/txt') }, format],
    ['a time that is not a number', { fromTime: 'now' }, format],
    ['a time beyond numbers', { toTime: Infinity }, format],
    ['an unknown key', { streams: { any: ['diary'], some: [] } }, structure],
    ['no any', { streams: { all: ['diary'] } }, structure],
    ['any that is not an array', { streams: { any: 'diary' } }, structure],
    ['an id that is not a string', { streams: [1] }, structure],
    ['ids mixed with objects', { streams: ['diary', { any: ['work'] }] }, structure],
    ['arrays in arrays', { streams: [['diary']] }, structure],
    ['malformed JSON', { streams: '{"any":' }, structure],
    ['an empty id', { streams: { any: ['diary', ''] } }, structure],
    ['a star beside ids', { streams: ['*', 'diary'] }, structure],
    ['a star with all', { streams: { any: ['*'], all: ['diary'] } }, structure],
    ['a star in not', { streams: { any: ['diary'], not: ['*'] } }, structure],
    ['#*', { streams: ['#*'] }, structure],
    ['quotes in an id', { streams: { any: ["di'ary"] } }, structure],
    ['two stores in one object', { streams: { any: ['diary', ':_audit:x'] } }, structure],
    ['too many ids', { streams: Array.from({ length: 1001 }, () => 'diary') }, structure],
    ['a number as streams', { streams: 5 }, structure],
    [
      'unknown streams',
      { streams: ['diary', 'x', ':other:y', 'x'] },
      { id: 'unknown-referenced-resource', data: { streams: ['x', ':other:y'] } }
    ],
    [
      'a long text as a stream, which the message does not repeat whole',
      { streams: ['x'.repeat(100_000)] },
      { id: 'unknown-referenced-resource', message: /^.{100,200}$/ }
    ],
    [
      'streams unknown to a restricted access',
      { streams: ['x'] },
      { id: 'unknown-referenced-resource' },
      reader
    ],
    ['hidden streams', { streams: ['hidden'] }, { id: 'forbidden' }, reader],
    ['streams to create in only', { streams: ['diary', 'work'] }, { id: 'forbidden' }, reader]
  ]
  for (const [what, params, error, client] of refusals)
    t.test(`refuses ${what}`, async t => {
      t.match(await (client ?? alice).call('events.get', params), { error })
    })

  t.test('limits the number of streams in a query, counting repeated ones once', async t => {
    const { alice } = await coffer(t)
    await alice.stream('root')
    const calls = Array.from({ length: 1100 }, (_, at) => ({
      method: 'streams.create',
      params: { id: `below-${at}`, name: `below ${at}`, parentId: 'root' }
    }))
    await alice.do('callBatch', calls)
    await alice.event({ streamIds: ['root'] })
    const often = Array(990).fill('root')
    for (const streams of [
      often,
      { any: ['root'], all: often },
      often.map(id => ({ any: [id], not: ['below-1'] })).slice(0, 400)
    ])
      t.equal((await alice.do('events.get', { streams })).events.length, 1)
    const each = Array.from({ length: 480 }, (_, at) => ({ any: ['root'], not: [`below-${at}`] }))
    t.match(await alice.call('events.get', { streams: each }), {
      status: 400,
      error: { id: 'invalid-request-structure' }
    })
  })

  t.test('reflects changes of a stream', async t => {
    const friend = await alice.grant('read', 'moved')
    t.equal(namesOf(await friend.do('events.get')), '')
    await alice.stream('moved')
    await alice.event({ streamIds: ['moved'], description: 'moved' })
    t.equal(namesOf(await friend.do('events.get')), 'moved')
    t.equal(namesOf(await friend.do('events.get', { streams: ['moved'] })), 'moved')
    await alice.do('streams.update', { id: 'moved', update: { trashed: true } })
    t.equal(namesOf(await friend.do('events.get', { streams: ['moved'] })), '')
    t.equal(namesOf(await friend.do('events.get', { streams: ['moved'], state: 'all' })), 'moved')
  })
})

t.test('events.get, deletions', async t => {
  const { alice, clock } = await coffer(t)
  await alice.stream('diary')
  await alice.stream('work')
  const gone: string[] = []
  for (const streamIds of [['diary'], ['work'], ['diary', 'work']]) {
    clock.advance(10)
    const { id } = await alice.event({ streamIds })
    await alice.do('events.delete', { id })
    await alice.do('events.delete', { id })
    gone.push(id)
  }
  const list = async (params: Record<string, unknown>, client = alice): Promise<Answer> =>
    await client.do('events.get', { modifiedSince: 0, includeDeletions: true, ...params })

  t.test('are sorted by deletion time, in the requested order', async t => {
    const answer = await list({ sortAscending: true })
    t.same(ids(answer), gone)
    t.same(Object.keys(answer.eventDeletions[0]), ['id', 'deleted', 'integrity'])
    t.same(ids(await list({})), gone.toReversed())
  })

  t.test('are strictly later than modifiedSince', async t => {
    const { eventDeletions } = await list({ sortAscending: true })
    t.same(ids(await list({ modifiedSince: eventDeletions[1].deleted })), [gone[2]])
    t.same(ids(await list({ modifiedSince: eventDeletions[2].deleted })), [])
  })

  t.test('respect skip and limit', async t => {
    t.same(ids(await list({ skip: 1, limit: 1 })), [gone[1]])
    t.same(ids(await list({ limit: 0 })), [])
  })

  t.test('are omitted unless requested with modifiedSince', async t => {
    t.notOk('eventDeletions' in (await alice.do('events.get', { modifiedSince: 0 })))
    t.notOk('eventDeletions' in (await alice.do('events.get', { includeDeletions: true })))
  })

  t.test('include only what a restricted access could have read', async t => {
    t.same(ids(await list({}, await alice.grant('read', 'diary'))), [gone[2], gone[0]])
    t.same(ids(await list({}, await alice.grant('create-only', 'diary'))), [])
    const noWork = await alice.grantAll([
      { streamId: '*', level: 'read' },
      { streamId: 'work', level: 'none' }
    ])
    t.same(ids(await list({}, noWork)), [gone[0]])
    t.same(ids(await list({ skip: 1 }, await alice.grant('read', 'diary'))), [gone[0]])
  })
})

function ids({ eventDeletions }: Answer): string[] {
  return eventDeletions.map(({ id }: Event) => id)
}

function namesOf({ events }: Answer): string {
  return events.map(({ description }: Event) => description).join()
}
