/** Collects facts: how many events of each type each stream holds, as far as the caller may read them. Runs in steps. */
import type { Database } from 'better-sqlite3'
import type { Event } from '../../schemas/event.js'
import { isBefore, type Key } from '../event-query/position.js'
import type { StreamsCriteria } from '../event-query/query.js'
import { column, raw } from '../sqlite/statements.js'
import { LaneFacts } from './lane-facts.js'
import { Membership, type StreamWalk } from './membership.js'
import type { Present } from './sample-run.js'
import type { StreamFacts } from './stream-facts.js'

/** The events of one type in a stream. */
export interface Fact {
  /** Number of the stream. */
  readonly stream: number
  readonly type: string
  readonly count: number
  /** Times of the first and the last event, in seconds. */
  readonly first: number
  readonly last: number
  /** JSON of the last event's content, if it is short. */
  readonly latest: string | undefined
}

/** Approximate duration of a step, in milliseconds. */
const stepMs = 8
/** Maximum number of facts per step. */
const maxFactsPerStep = 300
/** Maximum length of a returned content, in characters, and maximum size of a body that is read for it, in bytes. */
const maxContentLength = 256
const maxBodyBytes = 32 * 1024

/** A fact whose last event has not been read yet. */
interface PendingFact {
  readonly stream: number
  readonly type: string
  count: number
  first: Key
  last: Key
}

/** The progress of reading the facts of streams. */
export class FactsRun {
  #membership: Membership
  #streams: StreamWalk
  /** Streams that are complete. */
  readonly #finished = new Set<number>()
  /** The stream being read. */
  #stream: number | undefined
  /** The facts of the current stream, if they depend on the caller's permissions and must not be shared. */
  #restricted: LaneFacts | undefined
  #isDone = false

  /** `streams` as in a query of events. */
  constructor(streams: readonly StreamsCriteria[] | undefined) {
    this.#membership = new Membership(streams)
    this.#streams = this.#membership.walkStreams()
  }

  /** Continues with other streams. */
  updateScope(streams: readonly StreamsCriteria[] | undefined): void {
    this.#membership = new Membership(streams)
    this.#streams = this.#membership.walkStreams()
    this.#stream = undefined
    this.#restricted = undefined
  }

  /** True once all streams have been read. */
  get isDone(): boolean {
    return this.#isDone
  }

  /** Returns the facts of the next streams; may be empty before the end. */
  next(db: Database, facts: StreamFacts, present: Present): Fact[] {
    const end = performance.now() + stepMs
    const found: PendingFact[] = []
    while (!this.#isDone && found.length < maxFactsPerStep && performance.now() < end)
      if (this.#stream === undefined) this.#startStream(db)
      else this.#step(db, facts, this.#stream, found)
    return toFacts(db, found, present)
  }

  #startStream(db: Database): void {
    const stream = this.#streams.next(db)
    if (stream === undefined) this.#isDone = true
    else if (this.#membership.has(stream) && !this.#finished.has(stream)) this.#stream = stream
  }

  /** Takes one step on a stream. Once all of it has been read, adds its facts to `found`. */
  #step(db: Database, facts: StreamFacts, stream: number, found: PendingFact[]): void {
    const lane = this.#restricted ?? facts.get(stream)
    if (!lane.isComplete) return lane.step(db)
    if (lane.hasTooManyGroups) {
      this.#restricted = new LaneFacts(stream, { groups: 0 }, this.#membership)
      return
    }
    found.push(...this.#listVisible(db, lane))
    this.#finished.add(stream)
    this.#stream = undefined
    this.#restricted = undefined
  }

  /** Returns the groups of a stream that the caller may read, merged by type and sorted by the name of the type. */
  #listVisible(db: Database, { groups, stream }: LaneFacts): PendingFact[] {
    const byType = new Map<number, PendingFact>()
    for (const { count, first, last, others, stream: home, type } of groups.values()) {
      if (!first || !last || !(this.#restricted || this.#membership.matches(home, others))) continue
      const known = byType.get(type)
      if (!known) {
        byType.set(type, { stream, type: readTypeName(db, type), count, first, last })
        continue
      }
      known.count += count
      if (isBefore(first, known.first, 'ASC')) known.first = first
      if (isBefore(known.last, last, 'ASC')) known.last = last
    }
    return [...byType.values()].toSorted((a, b) => (a.type < b.type ? -1 : 1))
  }
}

function toFacts(db: Database, found: readonly PendingFact[], present: Present): Fact[] {
  if (found.length === 0) return []
  const latest = readLatestContents(db, found, present)
  return found.map(({ count, first, last, stream, type }, index) => ({
    stream,
    type,
    count,
    first: first.time,
    last: last.time,
    latest: latest[index]
  }))
}

/** Reads the contents of the last events, if they are short. */
function readLatestContents(
  db: Database,
  found: readonly PendingFact[],
  present: Present
): (string | undefined)[] {
  const sql = `SELECT CASE WHEN octet_length(e.body) <= ${maxBodyBytes} THEN e.body -> '$.content' END
    FROM (SELECT value FROM json_each(?)) j CROSS JOIN event e ON e.number = j.value`
  const rows = raw(db, sql).all(JSON.stringify(found.map(({ last }) => last.number))) as [string | null][]
  return found.map(({ last, stream }, index) => {
    const text = stream < 0 ? computeContent(db, last.number, present) : (rows[index]![0] ?? undefined)
    return text !== undefined && text.length <= maxContentLength ? text : undefined
  })
}

/** Returns the content of an account field's event; some contents are computed when they are read. */
function computeContent(db: Database, number: number, present: Present): string | undefined {
  const body = column(db, 'SELECT body FROM event WHERE number = ?').get(number) as string
  return JSON.stringify((JSON.parse(present(body)) as Event).content)
}

function readTypeName(db: Database, number: number): string {
  return column(db, 'SELECT name FROM event_type WHERE number = ?').get(number) as string
}
