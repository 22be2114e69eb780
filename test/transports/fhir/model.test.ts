/** Searches compared with a plain computation: each resource once, in order, over all pages. */
import t, { type Test } from 'tap'
import { coffer, type Answer, type Client } from '../../support/coffer.js'
import { day, monday } from '../../support/fhir.js'
import { sendRequest } from '../../support/request.js'
import { seeded, type Random } from '../../support/random.js'

/** A resource that searches may find. */
interface Known {
  readonly id: string
  readonly start: number
  /** Infinite while it runs. */
  readonly end: number
  readonly code: string
  readonly category: string
  /** Whether it is a data point, which is found only by code. */
  readonly isPoint: boolean
}

/** What `date` requires. Times in seconds; `until` is the first after the date. */
interface DateCondition {
  readonly prefix: string
  readonly from: number
  readonly until: number
  readonly text: string
}

/** The prefixes, as the specification of FHIR explains them for periods. */
const meets: Record<string, (known: Known, from: number, until: number) => boolean> = {
  eq: ({ end, start }, from, until) => from <= start && end < until,
  ne: ({ end, start }, from, until) => start < from || end >= until,
  gt: ({ end }, _from, until) => end >= until,
  lt: ({ start }, from) => start < from,
  ge: ({ end }, from) => end >= from,
  le: ({ start }, _from, until) => start < until,
  sa: ({ start }, _from, until) => start >= until,
  eb: ({ end }, from) => end < from,
  ap: ({ end, start }, from, until) => start < until && end >= from
}

/** Types with the streams in which they have a code. */
const kinds = [
  { stream: 'heart', type: 'frequency/bpm', code: '8867-4', category: 'vital-signs' },
  { stream: 'weight', type: 'mass/kg', code: '29463-7', category: 'vital-signs' },
  { stream: 'glucose', type: 'density/mg-dl', code: '2339-0', category: 'laboratory' }
]
const span = 40 * day

/** Creates events, half of which overlap in some worlds, and series. Returns what can be found. */
async function createWorld(alice: Client, random: Random): Promise<Known[]> {
  const known: Known[] = []
  for (const { stream } of kinds) await alice.stream(stream)
  await alice.stream('luggage')
  const hasLong = random.chance(0.5)
  for (let count = 0; count < 200; count++) {
    const { category, code, stream, type } = random.pick(kinds)
    const time = monday + Math.floor(random.next() * 80) * (span / 80)
    const duration = random.pick([
      undefined,
      undefined,
      0,
      3600.5,
      day,
      hasLong ? 25 * day : 60,
      hasLong ? null : 1
    ])
    const isCoded = random.chance(0.9)
    const { id } = await alice.event({
      streamIds: [isCoded || stream !== 'weight' ? stream : 'luggage'],
      type,
      content: 60,
      time,
      ...(duration !== undefined && { duration })
    })
    if (!isCoded && stream === 'weight') continue
    const end = duration === null ? Infinity : time + (duration ?? 0)
    known.push({ id, start: time, end, code, category, isPoint: false })
  }
  for (let series = 0; series < 4; series++) {
    const { category, code, stream, type } = random.pick(kinds)
    const time = monday + Math.floor(random.next() * 40) * (span / 80)
    const { id } = await alice.event({ streamIds: [stream], type: `series:${type}`, content: null, time })
    const times = Array.from({ length: 30 }, () => Math.floor(random.next() * 40) * (span / 80))
    const deltas = [...new Set([...times, 0.000_001_3, 0.000_001_4])]
    await alice.do('hfs.add', {
      id,
      format: 'flatJSON',
      fields: ['deltaTime', 'value'],
      points: deltas.map(delta => [delta, 60])
    })
    for (const delta of deltas) {
      const nanoseconds = Math.round(delta * 1e9)
      const rest = nanoseconds % 1000
      const point = `${id}.p${Math.floor(nanoseconds / 1000)}${rest === 0 ? '' : `.${String(rest).padStart(3, '0')}`}`
      const start = Math.round((time + delta) * 1e6) / 1e6
      known.push({ id: point, start, end: start, code, category, isPoint: true })
    }
  }
  await alice.service.server.settle()
  return known
}

function pickDate(random: Random, now: number, prefixes: readonly string[]): DateCondition {
  const prefix = random.pick(prefixes)
  const start = monday - 5 * day + Math.floor(random.next() * 100) * (span / 80)
  const date = new Date(start * 1000).toISOString()
  const [given, length] = random.pick([
    [date.slice(0, 10), day],
    [`${date.slice(0, 16)}Z`, 60]
  ] as const)
  const from = Date.parse(given) / 1000
  const margin = prefix === 'ap' ? Math.abs(now - from) / 10 : 0
  const text = prefix === 'eq' && random.chance(0.5) ? given : prefix + given
  return { prefix, from: from - margin, until: from + length + margin, text }
}

interface Search {
  readonly query: string
  readonly expected: readonly Known[]
  readonly isAscending: boolean
}

function pickSearch(random: Random, all: readonly Known[], now: number): Search {
  const prefixes = random.pick([
    [],
    ...Object.keys(meets).map(one => [[one]]),
    [['ge'], ['lt', 'le']],
    [['gt'], ['le']],
    [Object.keys(meets), Object.keys(meets)]
  ])
  const dates = prefixes.map(some => pickDate(random, now, some))
  const code = random.chance(0.7) ? random.pick(kinds).code : undefined
  const category = random.chance(0.2) ? random.pick(kinds).category : undefined
  const ids = random.chance(0.1) ? Array.from({ length: 15 }, () => random.pick(all).id) : undefined
  const order = random.pick(['date', '-date', undefined])
  const params: [string, string][] = dates.map(({ text }) => ['date', text])
  if (code !== undefined) params.push(['code', code])
  if (category !== undefined) params.push(['category', category])
  if (ids) params.push(['_id', ids.join()])
  if (order !== undefined) params.push(['_sort', order])
  const count = random.pick([1, 3, 7, 17, 40, 60, 500])
  params.push(['_count', String(count)])
  const hasPoints = ids !== undefined || code !== undefined
  const expected = all.filter(
    known =>
      (hasPoints || !known.isPoint) &&
      (code === undefined || known.code === code) &&
      (category === undefined || known.category === category) &&
      (ids === undefined || ids.includes(known.id)) &&
      dates.every(({ from, prefix, until }) => meets[prefix]!(known, from, until))
  )
  const query = `Observation?${params.map(([name, value]) => `${name}=${value}`).join('&')}`
  return { query, expected, isAscending: order === 'date' }
}

/** Walks the pages of a search. */
async function walk(t: Test, client: Client, query: string): Promise<Answer[]> {
  const found: Answer[] = []
  let next: string | undefined = query
  for (let pages = 0; next !== undefined; pages++) {
    const url = `${client.service.server.url}/${client.username}/fhir/${next}`
    const { status, text } = await sendRequest(url, { headers: { authorization: client.token } })
    const body: Answer = JSON.parse(text)
    if (status !== 200 || pages > 400) {
      t.fail(`${query}: page ${pages} is ${JSON.stringify(body).slice(0, 500)}`)
      break
    }
    const resources = (body.entry ?? []).map(({ resource }: Answer) => resource)
    if (body.total !== undefined && body.total !== resources.length) t.equal(body.total, resources.length)
    found.push(...resources)
    next = body.link.find(({ relation }: Answer) => relation === 'next')?.url.split('/fhir/')[1]
  }
  return found
}

const worlds = process.env['COFFER_TEST_LONG'] === '1' ? 10 : 2

t.test('searches find what a plain computation finds', async t => {
  const random = seeded(t)
  const service = await coffer(t)
  const { alice } = service
  for (let world = 0; world < worlds; world++) {
    const client = world === 0 ? alice : await service.user(`user-${world}`)
    const all = await createWorld(client, random)
    for (let searches = 0; searches < 40; searches++) {
      const { expected, isAscending, query } = pickSearch(random, all, service.clock.now())
      const found = await walk(t, client, query)
      const names = found.map(({ id }) => id)
      t.same(names.toSorted(), expected.map(({ id }) => id).toSorted(), `world ${world}: ${query}`)
      if (query.includes('_id=')) continue
      const starts = names.map(id => all.find(known => known.id === id)?.start ?? Number.NaN)
      const sorted = starts.toSorted((a, b) => (isAscending ? a - b : b - a))
      t.same(starts, sorted, `world ${world}: ${query} is in order`)
    }
  }
})
