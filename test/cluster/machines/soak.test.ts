/**
 * Three machines under a light load, with random faults: nothing is lost or stale, and memory, descriptors, disk and logs
 * stay within limits. In the long form only, for twenty minutes, or for COFFER_TEST_MINUTES, which also runs it otherwise.
 */
import { setTimeout as wait } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { until } from '../engine-servers.js'
import type { Person } from '../load.js'
import { faults } from './faults.js'
import { inWords, longestMs, Machines } from './machines.js'
import { halves, takeSample, valuesOf, type Sample } from './samples.js'
import { Visitors } from './visitors.js'

const wanted = process.env['COFFER_TEST_MINUTES']
const isLeftOut = wanted === undefined && process.env['COFFER_TEST_LONG'] !== '1' && 'only in the long form'
const minutes = Number(wanted ?? 20)
const minuteMs = 60_000
/** Memory limit of a server, which it collects garbage to stay below. Servers inherit it. */
process.env['GOMEMLIMIT'] = '1GiB'

t.setTimeout((minutes + 60) * minuteMs)

/** This machine is never killed, so that growth of its processes is visible. */
const steady = 0
/** Time between recovery and the next fault, in milliseconds. */
const calmMs = 45_000
const sampleMs = 10_000
/** Time until the baseline is sampled, in milliseconds. */
const warmMs = 5 * minuteMs
/** Pause between calls of a client, so that the load uses part of one processor. */
const pauseMs = 1000

const settings = [
  // Audit records are kept for a year, and would hide other growth.
  '--audit.active=false',
  '--access.maxRequests=500',
  '--cluster.cacheBytes=20000000'
]

/** Limits that are never exceeded, by prefix of the name. */
const limits: Readonly<Record<string, number>> = {
  // The engine's memory limit does not cover its whole process.
  'most memory of server': 1.1 * 1024 ** 3 * 1e-6,
  'most memory of node': 450,
  'disk of node': 200,
  'disk of server': 1000,
  'largest log of a shard': 12,
  'log of the platform, records': 20_000,
  registers: 1
}
/** Largest permitted ratio of the second half's median to the first's. */
const mayGrow = 1.25
/** Additional permitted growth in that time: records of deletions are kept for a year. */
const besides = { memory: 20, descriptors: 20, disk: 30, logs: 10, objects: 20 }

t.test('machines run on', { skip: isLeftOut }, async t => {
  const machines = await Machines.start(t, { flags: settings, load: { pauseMs } })
  const { nodes, random } = machines
  const samples = new Samples(t, machines)
  const visitors = new Visitors(machines)
  t.teardown(() => Promise.all([samples.end(), visitors.end()]))
  const endMs = performance.now() + minutes * minuteMs
  let people = machines.people
  let [acknowledged, reads, rounds] = [0, 0, 0]
  await machines.load.stop()
  while (performance.now() < endMs) {
    rounds++
    people = await anew(machines, people, rounds)
    visitors.people = people
    machines.loadAnew(people)
    await wait(calmMs)
    const fault = random.pick(faults)
    const index = fault.isDeadly ? steady + 1 + random.below(nodes.length - 1) : machines.pick()
    await fault.begin(machines, index)
    // Logs may wait for the frozen server: users recover only after it resumes.
    const times = fault.isDeadly ? await machines.recovered('the others to serve everybody') : []
    await fault.end(machines, index)
    await machines.isWhole('all to be as before')
    const { load } = machines
    await load.stop()
    t.comment(`${rounds}: n${index + 1}: ${fault.what}${times.length > 0 ? `: ${inWords(times)}` : ''}`)
    t.same([...load.faults, ...load.odd], [], `round ${rounds}`)
    acknowledged += load.acknowledged
    reads += load.reads
  }
  await Promise.all([samples.end(), visitors.end()])
  t.comment(`${rounds} rounds, ${acknowledged} acknowledged, ${reads} reads`)
  t.same(Array.from(visitors.odd), [], 'visitors')
  t.ok(acknowledged > 0 && visitors.asked > 0 && visitors.files > 0)
  samples.judge(t)
})

/** Creates new streams and registers for all users in place of the previous ones: data of the last round is deleted. */
async function anew(machines: Machines, people: readonly Person[], round: number): Promise<Person[]> {
  const stream = `round-${round}`
  return await Promise.all(
    people.map(async person => {
      // Moved to the trash, then deleted with everything in it.
      if (person.stream !== undefined) {
        const former = `/streams/${person.stream}?mergeEventsWithParent=false`
        for (let times = 0; times < 2; times++) await surely(machines, person, 'DELETE', former)
      }
      await surely(machines, person, 'POST', '/streams', { id: stream, name: stream })
      const { body } = await surely(machines, person, 'POST', '/events', {
        streamIds: [stream],
        type: 'note/txt',
        content: '0'
      })
      return { ...person, stream, register: (body as { event: { id: string } }).event.id }
    })
  )
}

/** Retries until there is a response; one that shows that an earlier attempt had succeeded counts, too. */
async function surely(
  { nodes, random }: Machines,
  { token, username }: Person,
  method: string,
  path: string,
  body?: object
): Promise<{ body: unknown }> {
  let answered: unknown
  await until(
    `${method} ${username}${path}`,
    async () => {
      const response = await fetch(`${random.pick(nodes).url}/${username}${path}`, {
        method,
        headers: { authorization: token, 'content-type': 'application/json' },
        ...(body && { body: JSON.stringify(body) })
      }).catch(() => undefined)
      answered = await response?.json().catch(() => undefined)
      if (response === undefined || response.status === 503) return false
      if (response.ok || [404, 409].includes(response.status)) return true
      throw new Error(`${method} ${path}: ${response.status} ${JSON.stringify(answered)}`)
    },
    longestMs
  )
  return { body: answered }
}

/** Samples taken continuously, and their evaluation. */
class Samples {
  readonly #taken: Sample[] = []
  readonly #over = new AbortController()
  readonly #taking: Promise<void>
  readonly #fromMs = performance.now()

  constructor(
    private readonly t: Test,
    private readonly machines: Machines
  ) {
    this.#taking = this.#take()
  }

  async end(): Promise<void> {
    this.#over.abort()
    await this.#taking
  }

  async #take(): Promise<void> {
    const { signal } = this.#over
    for (let count = 0; !signal.aborted; count++) {
      const sample = await takeSample(this.machines)
      if (performance.now() - this.#fromMs > Math.min(warmMs, (minutes * minuteMs) / 4))
        this.#taken.push(sample)
      if (count % 6 === 0) this.t.comment(inLine(sample))
      await wait(sampleMs, undefined, { signal }).catch(() => undefined)
    }
  }

  /** Checks all samples. */
  judge(t: Test): void {
    const names = new Set(this.#taken.flatMap(sample => Object.keys(sample)))
    for (const name of names) {
      const most = Math.max(...valuesOf(this.#taken, name))
      for (const [what, limit] of Object.entries(limits))
        if (name.startsWith(what))
          t.ok(most <= limit, `${name}: ${most.toFixed(1)} of at most ${limit.toFixed(0)}`)
    }
    const which = `n${steady + 1}`
    this.#mayGrow(t, `memory of node ${which}`, besides.memory)
    this.#mayGrow(t, `memory of server ${which}`, besides.memory)
    this.#mayGrow(t, `descriptors of node ${which}, number`, besides.descriptors)
    this.#mayGrow(t, `descriptors of server ${which}, number`, besides.descriptors)
    for (const { name } of this.machines.nodes) {
      this.#mayGrow(t, `disk of node ${name}`, besides.disk)
      this.#mayGrow(t, `disk of server ${name}`, besides.disk)
    }
    this.#mayGrow(t, 'logs of accounts', besides.logs)
    this.#mayGrow(t, 'objects', besides.objects)
    const records = Math.max(...valuesOf(this.#taken, 'log of the platform, last record'))
    t.comment(`${records} records of the platform`)
  }

  #mayGrow(t: Test, name: string, more: number): void {
    const [first, second] = halves(valuesOf(this.#taken, name))
    t.ok(second <= first * mayGrow + more, `${name}: ${first.toFixed(1)}, then ${second.toFixed(1)}`)
  }
}

function inLine(sample: Sample): string {
  return JSON.stringify(sample, (_, value) =>
    typeof value === 'number' ? Math.round(value * 10) / 10 : value
  )
}
