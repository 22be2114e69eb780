/**
 * Engine servers that die, freeze and return under heavy writes: acknowledged records stay, and logs have no forks,
 * even with rival writers.
 */
import { setTimeout as wait } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { Conflict, EngineUnavailable } from '../../../cluster/engine.js'
import type { NatsEngine } from '../../../cluster/nats-engine.js'
import { rotate } from '../../support/rotation.js'
import { EngineServers, until } from '../engine-servers.js'
import { assignsNamesOnce } from '../platform/names.js'
import { losesNothing } from './takeover.js'

t.setTimeout(1_200_000)

const isLong = process.env['COFFER_TEST_LONG'] === '1'
const accounts = Array.from({ length: 16 }, (_, index) => `coffer.wal.00.faults${index}`)

/** The content of a record: its writer, a number unique to the writer, and the record it follows. */
interface Note {
  readonly writer: string
  readonly number: number
  readonly previous: number
}

/** Appends to a log until stopped, and remembers acknowledged records. */
class Writer {
  readonly acknowledged = new Map<number, Note>()
  /** Number of times that another writer was first. */
  conflicts = 0
  isOver = false
  #last = 0
  #number = 0

  constructor(
    readonly name: string,
    private readonly engine: NatsEngine,
    readonly subject: string
  ) {}

  async run(): Promise<void> {
    while (!this.isOver) await this.#write()
  }

  /** Appends the next note until it is acknowledged, or another writer's is found in its place. */
  async #write(): Promise<void> {
    const note = { writer: this.name, number: this.#number++, previous: this.#last }
    const bytes = Buffer.from(JSON.stringify(note))
    while (!this.isOver)
      try {
        return this.#acknowledge(note, await this.engine.append(this.subject, note.previous, bytes))
      } catch (error) {
        if (!(error instanceof Conflict || error instanceof EngineUnavailable)) throw error
        const last = await this.#lastKnown()
        if (last && bytes.equals(last.bytes)) return this.#acknowledge(note, last.sequence)
        if (last && last.sequence > note.previous) {
          this.conflicts++
          this.#last = last.sequence
          return undefined
        }
        await wait(20)
      }
    return undefined
  }

  #acknowledge(note: Note, sequence: number): void {
    this.acknowledged.set(sequence, note)
    this.#last = sequence
  }

  async #lastKnown(): ReturnType<NatsEngine['last']> {
    for (;;)
      try {
        return await this.engine.last(this.subject)
      } catch (error) {
        if (!(error instanceof EngineUnavailable) || this.isOver) throw error
        await wait(20)
      }
  }
}

/** Starts writers, which stop at the latest when the test ends. */
function startWriters(
  t: Test,
  writers: readonly Writer[]
): { progress: () => number; end: () => Promise<void> } {
  const runs = writers.map(writer => writer.run())
  const all = Promise.allSettled(runs)
  t.teardown(() => {
    for (const writer of writers) writer.isOver = true
  })
  return {
    progress: () => writers.reduce((sum, { acknowledged }) => sum + acknowledged.size, 0),
    async end() {
      for (const writer of writers) writer.isOver = true
      for (const run of await all)
        if (run.status === 'rejected' && !(run.reason instanceof EngineUnavailable)) throw run.reason as Error
    }
  }
}

/** Retries while the engine is unavailable: its servers may still be finding each other. */
async function answered<T>(ask: () => Promise<T>): Promise<T> {
  let answer: { readonly value: T } | undefined
  await until('the engine answers', async () => {
    try {
      answer = { value: await ask() }
    } catch (error) {
      if (!(error instanceof EngineUnavailable)) throw error
    }
    return answer !== undefined
  })
  return answer!.value
}

/** Reads the logs, and compares them with what was acknowledged to the writers. */
async function compare(t: Test, engine: NatsEngine, writers: readonly Writer[]): Promise<void> {
  let records = 0
  for (const subject of new Set(writers.map(writer => writer.subject))) {
    const log = new Map<number, Note>()
    let previous = 0
    for (let from = 0; ;) {
      const page = await answered(() => engine.read(subject, from, 500))
      if (page.length === 0) break
      for (const { bytes, sequence } of page) {
        const note = JSON.parse(Buffer.from(bytes).toString()) as Note
        if (note.previous !== previous)
          t.fail(`${subject}: ${sequence} follows ${previous}, not ${note.previous}`)
        log.set(sequence, note)
        previous = sequence
      }
      from = previous + 1
    }
    records += log.size
    for (const writer of writers.filter(one => one.subject === subject))
      for (const [sequence, note] of writer.acknowledged)
        if (JSON.stringify(log.get(sequence)) !== JSON.stringify(note))
          t.fail(`${subject}: ${sequence}, acknowledged to ${writer.name}, is not there`)
  }
  const acknowledged = writers.reduce((sum, writer) => sum + writer.acknowledged.size, 0)
  t.ok(acknowledged > 0)
  t.comment(`${acknowledged} acknowledged, ${records} in the logs`)
}

/** Waits until the writers make progress. */
async function goesOn(what: string, progress: () => number): Promise<void> {
  const before = progress()
  await until(what, () => progress() > before + 50)
}

/** Faults of the server that leads the logs, and of others. */
const faults: Readonly<Record<string, (servers: EngineServers, progress: () => number) => Promise<void>>> = {
  async 'the leader is killed, and returns'(servers, progress) {
    const leader = await servers.leaderOf('COFFER_WAL_00')
    await servers.kill(leader)
    await goesOn('the others go on', progress)
    await servers.restart(leader)
    await goesOn('they go on with it', progress)
  },
  async 'the leader freezes, and wakes up'(servers, progress) {
    const leader = await servers.leaderOf('COFFER_WAL_00')
    servers.freeze(leader)
    await until('another one leads', async () => (await servers.leaderOf('COFFER_WAL_00')) !== leader)
    await goesOn('the others go on', progress)
    servers.thaw(leader)
    await goesOn('they go on with it', progress)
  },
  async 'two are killed at once, and return'(servers, progress) {
    await Promise.all([servers.kill(0), servers.kill(1)])
    // Records that two servers had on disk are found a little later; nothing comes after that.
    let last = { count: progress(), since: performance.now() }
    await until('one alone acknowledges nothing', () => {
      if (progress() !== last.count) last = { count: progress(), since: performance.now() }
      return performance.now() - last.since > 3000
    })
    await Promise.all([servers.restart(0), servers.restart(1)])
    await goesOn('they go on', progress)
  }
}

async function writesAlone(t: Test, servers: EngineServers): Promise<void> {
  const engine = await servers.connect(t)
  const writers = accounts.map(subject => new Writer('one', engine, subject))
  const { end, progress } = startWriters(t, writers)
  await goesOn('they write', progress)
  for (let round = 0; round < (isLong ? 6 : 1); round++)
    for (const [fault, make] of Object.entries(faults)) {
      const begun = performance.now()
      await make(servers, progress)
      t.pass(fault)
      t.comment(`${fault}: ${Math.round(performance.now() - begun)} ms`)
    }
  await end()
  await compare(t, engine, writers)
  t.equal(
    writers.reduce((sum, { conflicts }) => sum + conflicts, 0),
    0,
    'nobody else has written'
  )
}

async function competes(t: Test, servers: EngineServers): Promise<void> {
  const engines = [await servers.connect(t), await servers.connect(t)]
  const writers = accounts
    .slice(0, 8)
    .flatMap(subject =>
      engines.map((engine, index) => new Writer(`rival ${index}`, engine, `${subject}rivals`))
    )
  const { end, progress } = startWriters(t, writers)
  await goesOn('they write', progress)
  for (let round = 0; round < (isLong ? 6 : 1); round++)
    await faults['the leader is killed, and returns']!(servers, progress)
  await end()
  await compare(t, engines[0]!, writers)
  t.not(
    writers.reduce((sum, { conflicts }) => sum + conflicts, 0),
    0,
    "they were in each other's way"
  )
}

t.test('servers that die', async t => {
  const servers = await EngineServers.start(t)
  await servers.makeStreams(await servers.connect(t))
  const stories: [string, (t: Test, servers: EngineServers) => Promise<void>][] = [
    ['lose nothing of nodes that take accounts over from each other', losesNothing],
    ['assign names once', assignsNamesOnce],
    ['keep what one writer has written to each log', writesAlone],
    ['keep one log of rival writers', competes]
  ]
  for (const [what, test] of rotate(t, stories, 2))
    await t.test(what, async t => {
      for (const [index, { shell }] of servers.members.entries()) if (!shell) await servers.restart(index)
      for (const stream of ['COFFER_PLATFORM', 'COFFER_WAL_00', 'COFFER_OBJECTS'] as const)
        await servers.leaderOf(stream)
      await test(t, servers)
    })
})
