/** `coffer demo`: a generated year, the same for the same seed, created by the calls that apps would make. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import t from 'tap'
import { findMeasure } from '../../schemas/measures/catalogue.js'
import { createBodyEvents } from '../../scripts/demo/person/body.js'
import { createDays, type Day, type Plan } from '../../scripts/demo/person/days.js'
import { createHeartRates } from '../../scripts/demo/person/heart-rates.js'
import { recordRun } from '../../scripts/demo/person/runs.js'
import { checkDirectory } from '../../scripts/maintenance/check.js'
import { startServer } from '../../server/server.js'
import { Layout } from '../../storage/files/layout.js'
import { coffer, testSettings, type Answer } from '../support/coffer.js'
import { command } from '../support/command.js'
import { rotate } from '../support/rotation.js'

t.setTimeout(900_000)

/** A day soon after clocks went forward, and a number of days until then that include this and one on which the doctor looks. */
const until = '2023-04-04'
const fewDays = 14
const input = 'a long password\n'

type Get = (path: string) => Promise<Answer>

/** Starts a service on a filled directory, signs in, does the work, and closes it. */
async function signedIn<T>(dataDir: string, password: string, work: (get: Get) => Promise<T>): Promise<T> {
  const server = await startServer(testSettings(dataDir, { audit: { retention: 0 } }))
  try {
    const { token } = await login(server.url, password)
    return await work(async path => {
      const response = await fetch(`${server.url}/daisy/${path}`, { headers: { authorization: token } })
      return (await response.json()) as Answer
    })
  } finally {
    await server.close()
  }
}

async function login(url: string, password: string, username = 'daisy'): Promise<Answer> {
  const response = await fetch(`${url}/${username}/auth/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin: url },
    body: JSON.stringify({ username, password, appId: 'demo-test' })
  })
  return (await response.json()) as Answer
}

/** Returns events without the fields that the service generates: the same for the same seed. */
async function dataOf(get: Get): Promise<{ events: Answer[]; points: Answer[][] }> {
  const { events } = await get('events?limit=100000&sortAscending=true')
  // Events with the same time are in insertion order.
  const own = (events as Answer[])
    .filter(({ streamIds }) => !streamIds[0].startsWith(':'))
    .toSorted((a, b) => a.time - b.time || (a.id < b.id ? -1 : 1))
  const points: Answer[][] = []
  for (const { id, type } of own)
    if (type.startsWith('series:'))
      points.push((await get(`events/${id}/series?sample=50&summary=true&toDeltaTime=9000000`)).points)
  return {
    points,
    events: own.map(event => {
      const files = event.attachments?.map(({ fileName, integrity, size }: Answer) => [
        fileName,
        integrity,
        size
      ])
      const { clientData, content, description, duration, id, streamIds, time, type } = event
      return { id, time, type, duration, streamIds, content, description, clientData, files }
    })
  }
}

/** Returns the calls of an access, by method and status. */
async function callsOf(get: Get, accessId: string): Promise<string[]> {
  const { events } = await get(`events?streams=:_audit:access-${accessId}&limit=10000`)
  return (events as Answer[]).map(({ content }) => `${content.action} ${content.status}`)
}

/** Returns the measures with which streams are marked, by id of the stream. */
function listMarks(streams: readonly Answer[]): Map<string, string> {
  const marks = streams.flatMap(({ children, clientData, id }): [string, string][] => [
    ...(clientData ? [[id, clientData['coffer:measure']] as [string, string]] : []),
    ...listMarks(children)
  ])
  return new Map(marks)
}

t.test('coffer demo', async t => {
  t.test('creates valid data, the same for the same seed', async t => {
    const directory = t.testdir()
    const filled = async (name: string, seed: number, days: number): Promise<Answer> => {
      const dataDir = join(directory, name)
      const options = ['--days', String(days), '--until', until, '--seed', String(seed), '--json']
      const { code, errors, output } = await command(['demo', ...options, `--dataDir=${dataDir}`])
      t.equal(code, 0, errors)
      const report: Answer = JSON.parse(output)
      const { counts, problems } = await checkDirectory(new Layout(dataDir))
      t.same(problems, [], 'as coffer check sees it')
      return await signedIn(dataDir, report.password, async get => {
        const { accesses } = await get('accesses')
        const calls: Record<string, string[]> = {}
        for (const { id, name: who } of accesses as Answer[]) calls[who] = await callsOf(get, id)
        const { profile } = await get('profile/private')
        const { streams } = await get('streams')
        return { report, counts, accesses, calls, profile, streams, ...(await dataOf(get)) }
      })
    }
    const first = await filled('first', 7, 1)
    const [again, other] = [await filled('again', 7, 1), await filled('other', 8, 1)]
    t.ok(first.points.flat().length > 0)
    t.same(first.events, again.events)
    t.same(first.points, again.points)
    t.not(first.report.password, again.report.password)
    t.notOk(isDeepStrictEqual(first.points, other.points), 'another seed, other points')
    const one = await filled('one', 7, fewDays)

    const { accesses, calls, counts, events, profile, report, streams } = one
    const counted: Record<string, number> = {}
    for (const { streamIds } of events) counted[streamIds[0]] = (counted[streamIds[0]] ?? 0) + 1
    t.same(counted, report.events, 'the report tells what is there')
    t.equal(counts.attachments, report.files)
    t.ok(report.files > 0)
    t.equal(
      one.points.flat().reduce((sum: number, [, count]: number[]) => sum + count!, 0),
      report.points['heart-rate'] + report.points.runs
    )
    t.ok(report.points['heart-rate'] > 50_000 * fewDays, report.points)
    t.equal(
      report.until,
      Date.parse('2023-04-04T21:59:59Z') / 1000,
      'the end of the day where the person lives'
    )
    t.ok(events.every(({ duration = 0, time }: Answer) => time + duration <= report.until))
    t.match(profile['coffer:zones'], [{ zone: 'Europe/Zurich' }])
    const marks = listMarks(streams)
    t.equal(marks.size, 12)
    for (const [id, mark] of marks) {
      const types = new Set(findMeasure(mark)?.types)
      const own = (events as Answer[]).filter(({ streamIds }) => streamIds[0] === id)
      // Some are not measured within the few days of this test.
      if (own.length === 0) continue
      t.ok(
        own.some(({ type }) => types.has(type.replace('series:', ''))),
        `${id} has events of ${mark}`
      )
    }

    const shared = accesses.find(({ type }: Answer) => type === 'shared')
    t.match(new Date(shared.expires * 1000).toISOString(), /^20\d\d-03-01T00:00:00/, 'until March')
    t.ok(calls[shared.name]!.includes('hfs.get 200') && calls[shared.name]!.includes('events.get 200'))
    t.ok(calls[shared.name]!.includes('events.get 403'), 'the diary is none of the doctor’s business')
    t.equal(
      calls['demo-trainer']!.filter((made: string) => made === 'hfs.add 200').length,
      report.events.runs / 2
    )
    t.ok(calls['demo-trainer']!.includes('events.get 403'))
    t.equal(
      calls['demo-room-sensor']!.filter((made: string) => made === 'events.create 201').length,
      2 * report.events['room-humidity']
    )
    t.equal(report.refusals, 2)
  })

  t.test('fills only an empty account', async t => {
    const dataDir = join(t.testdir(), 'data')
    const at = [`--dataDir=${dataDir}`, '--days', '2']
    await command(['user', 'create', 'daisy', '--email=d@example.org', at[0]!], { input })
    const kept = await command(['demo', ...at, '--password', 'another password'])
    t.match([kept.code, kept.errors], [1, /^The account daisy already exists and keeps its password/])
    const filled = await command(['demo', ...at])
    t.match(filled, { code: 0, errors: '' })
    t.match(filled.output, /^daisy: 2 days until .* s \(seed 1\)\n/)
    t.match(filled.output, /\n  Heart rate +\d, with [\d ]+ data points\n/)
    t.match(
      filled.output,
      /Start the service with "coffer serve"\nSign in at http:.*\/app\/ as daisy with the password of the account\n$/
    )
    const before = (await checkDirectory(new Layout(dataDir))).counts
    const again = await command(['demo', '--user', 'daisy', ...at])
    t.match([again.code, again.errors], [1, /^The account daisy already has data\. Choose another name/])
    const { counts, problems } = await checkDirectory(new Layout(dataDir))
    t.same([counts, problems], [before, []], 'nothing is added')
    await signedIn(dataDir, input.trim(), async get => {
      const { events } = await get('events?streams=heart-rate')
      t.ok(events[0].created > Date.now() / 1000 - 600, 'what an account that was there records is of today')
    })
  })

  t.test('accepts a given password that satisfies the rules', async t => {
    const dataDir = join(t.testdir(), 'data')
    const args = ['demo', 'daisy', '--days=1', `--dataDir=${dataDir}`, '--password']
    t.match(await command([...args, 'short']), { code: 1, errors: 'at least 6 characters' })
    const rules = [
      '--auth.passwordComplexityMinLength=30',
      '--auth.passwordComplexityMinCharCategories=4',
      '--limits.callsPerToken.app=2'
    ]
    t.match(await command([...args, 'a long password', ...rules]), {
      code: 1,
      errors: 'at least 30 characters'
    })
    const { output } = await command([
      'demo',
      'rosemary',
      '--days=1',
      `--dataDir=${dataDir}`,
      '--json',
      ...rules
    ])
    t.ok(JSON.parse(output).password.length >= 30, 'one that is made does, too')
    t.match(await command([...args, 'a long password']), {
      code: 0,
      output: 'with the password a long password\n'
    })
    await signedIn(dataDir, 'a long password', async get =>
      t.match(await get('access-info'), { type: 'personal' })
    )
  })

  t.test('reports invalid options', async t => {
    const dataDir = join(t.testdir(), 'data')
    for (const [args, words] of [
      [['--days', '-3'], '--days must be a number from 1 to 3660, not "-3"'],
      [['--days', '0'], '--days must be'],
      [['--days', 'many'], '--days must be'],
      [['--until', '2024-02-30'], '--until must be a date such as'],
      [['--until', 'yesterday'], '--until must be a date such as'],
      [['--until', '1890-01-01'], '--until must be a date such as'],
      [['--until', '2999-01-01'], `can't be in the future`],
      [['--seed', 'x'], '--seed must be a number'],
      [['D'], '"D" is not a valid username'],
      [['daisy', 'rose'], 'at most one argument: [name]'],
      [['daisy', '--user', 'rose'], 'Two usernames are given: daisy and rose'],
      [['--url', 'nowhere'], '--url must be a URL'],
      [['--url', 'http://127.0.0.1:9', '--password', 'a password'], 'http://127.0.0.1:9 is not responding']
    ] as const) {
      const { code, errors, output } = await command(['demo', ...args, `--dataDir=${dataDir}`])
      t.match([code, errors, output], [1, words, ''], args.join(' '))
      t.notMatch(errors, '    at ')
    }
    t.notOk(existsSync(dataDir), 'nothing is made')
  })

  for (const workers of rotate(t, [0, 2]))
    t.test(`fills an account of a running service with ${workers} threads over its API`, async t => {
      const service = await coffer(t, { workers })
      const { directory, server } = service
      const at = ['--days', '2', '--until', until]
      const own = await command(['demo', 'robin', ...at, '--json', `--dataDir=${directory}`])
      t.equal(own.code, 0, own.errors)
      const robin: Answer = JSON.parse(own.output)
      t.match(robin, { username: 'robin', url: `${server.url}/app/`, days: 2, password: String })
      const there = { headers: { authorization: (await login(server.url, robin.password, 'robin')).token } }
      const { events } = (await (await fetch(`${server.url}/robin/events?limit=1e4`, there)).json()) as Answer
      t.ok(events.length > 50)
      for (const more of [[], ['--password', 'another password']]) {
        const again = await command(['demo', 'robin', ...at, ...more, `--dataDir=${directory}`])
        t.match([again.code, again.errors], [1, /already (?:has data|exists and keeps its password)/])
      }
      const register = {
        appId: 'demo-test',
        username: 'daisy',
        password: input.trim(),
        email: 'd@example.org'
      }
      t.match(await service.call(undefined, 'auth.register', register), { username: 'daisy' })
      const over = ['demo', ...at, '--url', server.url, '--password']
      t.match(await command([...over, 'a wrong password']), {
        code: 1,
        errors: /refused the call: .*password/
      })
      const stranger = await command([...over, input.trim(), '--user', 'nobody'])
      t.match([stranger.code, stranger.errors], [1, /refused the call: .*password/])
      const filled = await command([...over, input.trim(), '--json'])
      t.equal(filled.code, 0, filled.errors)
      const report: Answer = JSON.parse(filled.output)
      t.match(report, { username: 'daisy', url: `${server.url}/app/`, days: 2 })
      t.notOk('password' in report)
      const { token } = await login(server.url, input.trim())
      const headers = { authorization: token }
      for (const [id, count] of Object.entries(report.events)) {
        const found = await fetch(`${server.url}/daisy/events?streams=${id}&limit=1000`, { headers })
        t.equal(((await found.json()) as Answer).events.length, count, id)
      }
      const sessions = await fetch(`${server.url}/daisy/sessions`, { headers })
      t.match(await sessions.json(), { sessions: [{ appId: 'demo-test' }] }, 'the command has signed out')
      t.match(await command([...over, input.trim()]), { code: 1, errors: /daisy already has data/ })
    })
})

function mean(list: readonly number[]): number {
  return list.reduce((sum, value) => sum + value, 0) / list.length
}

t.test('the demo person', async t => {
  const plan: Plan = { seed: 3, days: 365, until: Date.parse('2024-11-22T12:00:00Z') / 1000 }
  const days = createDays(plan)
  const lowest = (list: readonly Day[]): number[] =>
    list.flatMap(day => {
      const rates = createHeartRates(plan, day, day.from).map(([, bpm]) => bpm)
      return rates.length === 0 ? [] : [Uint16Array.from(rates).toSorted()[Math.floor(rates.length / 20)]!]
    })

  t.test('lives one day after another, and travels on some of them', async t => {
    t.equal(days.length, 365)
    for (const [index, day] of days.entries()) if (index > 0) t.equal(day.from, days[index - 1]!.to, day.date)
    t.equal(days.filter(({ isAway }) => isAway).length, 12)
    t.equal(days.filter(({ illness }) => illness > 0).length, 5)
    t.equal(days.at(-1)!.date, '2024-11-22')
  })

  t.test('has a cold: faster pulse, fever, no runs', async t => {
    const ill = days.filter(({ illness }) => illness > 0)
    t.ok(mean(lowest(ill)) > mean(lowest(days.slice(-60, -50))) + 4)
    t.ok(ill.every(({ run }) => !run))
    const degrees = ill.flatMap(day =>
      createBodyEvents(plan, day).flatMap(({ content, streamIds }) =>
        streamIds[0] === 'temperature' ? [Number(content)] : []
      )
    )
    t.ok(Math.max(...degrees) > 38 && degrees.length === 15, degrees.join(' '))
  })

  t.test('runs, with matching heart rates, and positions that form a route', async t => {
    const day = days.findLast(({ isUnworn, run }) => run && !isUnworn)!
    const during = createHeartRates(plan, day, 0).filter(
      ([time]) => time > day.run!.from + 900 && time < day.run!.to
    )
    t.ok(mean(during.map(([, bpm]) => bpm)) > 130)
    const { activity, track } = recordRun(plan, day)!
    t.equal(activity.duration, day.run!.to - day.run!.from)
    const steps = track.points.slice(1).map(([, latitude, longitude], index) => {
      const [, before, beside] = track.points[index]!
      return (
        111_320 *
        Math.hypot(latitude! - before!, (longitude! - beside!) * Math.cos((latitude! * Math.PI) / 180))
      )
    })
    const metres = steps.reduce((sum, step) => sum + step, 0)
    t.ok(Math.abs(metres / day.run!.metres - 1) < 0.12, `${metres} of ${day.run!.metres} m`)
    t.ok(Math.max(...steps) < 25)
  })

  t.test('does not wear the watch for two weeks', async t => {
    const gap = days.filter(({ ago }) => ago >= 207 && ago <= 220)
    t.equal(gap.length, 14)
    t.same(
      gap.flatMap(day => createHeartRates(plan, day, day.from)),
      []
    )
  })

  t.test('loses weight slowly', async t => {
    const weights = days.map(
      day => createBodyEvents(plan, day).find(({ streamIds }) => streamIds[0] === 'weight')?.content
    )
    const [first, last] = [weights.slice(0, 60), weights.slice(-60)].map(list =>
      mean(list.filter(value => typeof value === 'number'))
    )
    t.ok(first! - last! > 2.5 && first! - last! < 5, `${first} to ${last}`)
  })
})
