/** Facts under way: what each stream holds of each type, as far as the caller may read it. It goes on in steps. */
import type { Database } from 'better-sqlite3'
import type { Event } from '../../schemas/event.js'
import { isBefore, type Key } from '../event-query/position.js'
import type { StreamsCriteria } from '../event-query/query.js'
import { column, raw } from '../sqlite/statements.js'
import { LaneFacts } from './lane-facts.js'
import { Membership, type StreamWalk } from './membership.js'
import type { Present } from './sample-run.js'
import type { StreamFacts } from './stream-facts.js'

/** What a stream holds of a type. */
export interface Fact {
  /** Number of the stream. */
  readonly stream: number
  readonly type: string
  readonly count: number
  /** Times of the first and the last event, seconds. */
  readonly first: number
  readonly last: number
  /** JSON of the last one's content, if it is short. */
  readonly latest: string | undefined
}

/** Milliseconds that a step takes, about. */
const stepMs = 8
/** Facts of a step. */
const factsAtOnce = 300
/** Characters of a content that is told, and bytes of an event that is looked into. */
const longestContent = 256
const largestBody = 32 * 1024

/** A fact whose last event has not been looked into. */
interface Found {
  readonly stream: number
  readonly type: string
  count: number
  first: Key
  last: Key
}

export class FactsRun {
  #membership: Membership
  #streams: StreamWalk
  /** Streams that are done with. */
  readonly #told = new Set<number>()
  /** The stream that is being read. */
  #stream: number | undefined
  /** What is known of it, where nobody else is to know that. */
  #own: LaneFacts | undefined
  #isDone = false

  /** `streams` as in a query of events. */
  constructor(streams: readonly StreamsCriteria[] | undefined) {
    this.#membership = new Membership(streams)
    this.#streams = this.#membership.streams()
  }

  /** Goes on with other streams than before. */
  follow(streams: readonly StreamsCriteria[] | undefined): void {
    this.#membership = new Membership(streams)
    this.#streams = this.#membership.streams()
    this.#stream = undefined
    this.#own = undefined
  }

  get isDone(): boolean {
    return this.#isDone
  }

  /** The facts of the next streams; maybe none yet. */
  next(db: Database, facts: StreamFacts, present: Present): Fact[] {
    const end = performance.now() + stepMs
    const found: Found[] = []
    while (!this.#isDone && found.length < factsAtOnce && performance.now() < end)
      if (this.#stream === undefined) this.#begin(db)
      else this.#step(db, facts, this.#stream, found)
    return told(db, found, present)
  }

  #begin(db: Database): void {
    const stream = this.#streams.next(db)
    if (stream === undefined) this.#isDone = true
    else if (this.#membership.has(stream) && !this.#told.has(stream)) this.#stream = stream
  }

  #step(db: Database, facts: StreamFacts, stream: number, found: Found[]): void {
    const lane = this.#own ?? facts.of(stream)
    if (!lane.isWhole) return lane.step(db)
    if (lane.isMixed) {
      this.#own = new LaneFacts(stream, this.#membership)
      return
    }
    // It is read again.
    if (!lane.mend(db)) return facts.drop(stream)
    found.push(...this.#allowed(db, lane))
    this.#told.add(stream)
    this.#stream = undefined
    this.#own = undefined
  }

  /** The groups of a stream that may be read, those of a type as one, by the names of types. */
  #allowed(db: Database, { groups, stream }: LaneFacts): Found[] {
    const byType = new Map<number, Found>()
    for (const { count, first, last, others, stream: home, type } of groups.values()) {
      if (!first || !last || !(this.#own || this.#membership.meets(home, others))) continue
      const known = byType.get(type)
      if (!known) {
        byType.set(type, { stream, type: typeName(db, type), count, first, last })
        continue
      }
      known.count += count
      if (isBefore(first, known.first, 'ASC')) known.first = first
      if (isBefore(known.last, last, 'ASC')) known.last = last
    }
    return [...byType.values()].toSorted((a, b) => (a.type < b.type ? -1 : 1))
  }
}

function told(db: Database, found: readonly Found[], present: Present): Fact[] {
  if (found.length === 0) return []
  const latest = contents(db, found, present)
  return found.map(({ count, first, last, stream, type }, index) => ({
    stream,
    type,
    count,
    first: first.time,
    last: last.time,
    latest: latest[index]
  }))
}

/** The contents of the last events, where they are short. */
function contents(db: Database, found: readonly Found[], present: Present): (string | undefined)[] {
  const sql = `SELECT CASE WHEN octet_length(e.body) <= ${largestBody} THEN e.body -> '$.content' END
    FROM (SELECT value FROM json_each(?)) j CROSS JOIN event e ON e.number = j.value`
  const rows = raw(db, sql).all(JSON.stringify(found.map(({ last }) => last.number))) as [string | null][]
  return found.map(({ last, stream }, index) => {
    const text = stream < 0 ? live(db, last.number, present) : (rows[index]![0] ?? undefined)
    return text !== undefined && text.length <= longestContent ? text : undefined
  })
}

/** The content of a value of the account, some of which are worked out when they are read. */
function live(db: Database, number: number, present: Present): string | undefined {
  const body = column(db, 'SELECT body FROM event WHERE number = ?').get(number) as string
  return JSON.stringify((JSON.parse(present(body)) as Event).content)
}

function typeName(db: Database, number: number): string {
  return column(db, 'SELECT name FROM event_type WHERE number = ?').get(number) as string
}
