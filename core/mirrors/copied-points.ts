/**
 * The points of a copied series. Nothing tells which of them have changed, so the copy is compared with the original: the first page point
 * by point, the rest by the summaries of buckets, of which those that differ are read. (docs/api/mirrors.md#points-and-files)
 */
import type { Holder, Points } from '../../storage/repositories/series.js'
import type { Range } from '../../storage/series/page.js'
import type { Row } from '../../storage/series/rows.js'
import { nextTurn, runSteps } from '../../storage/steps.js'
import type { UserStore } from '../../storage/user/user-store.js'
import { writeAsService } from '../cmc/service-calls.js'
import { planColumns, listSummaryFields, selectNumericColumns } from '../series/column-plan.js'
import { getStore, writeCopy, type CopyContext } from './copy-context.js'
import { OutOfTurn, type PartBudget } from './part-budget.js'
import { PageTooLong } from './peer-answers.js'
import { countBuckets, cutRange, groupDifferences, minBuckets } from './point-differences.js'
import {
  parseSummaries,
  PointsUnavailable,
  readPeerPoints,
  readPeerSummaries,
  type BucketSummary,
  type PointsPage
} from './peer-points.js'
import { maxTime } from './progress.js'

/** Maximum number of points of a page, each of which is written in one transaction. */
const pageLimit = 4000
/** Buckets with more points are divided again, so often at most. */
const dividedPoints = 50_000
const maxDepth = 12
/** Length in seconds of the shortest bucket. */
const minBucket = 1e-6
/** Number of ranges that summaries may call different although all their points are the same. */
const maxFalseGroups = 3
/** Seconds, after the last point, to which another server's buckets extend. */
const endMargin = 1e-3
/** Who writes the points of copies. */
const writer = 'system'

const everything: Range = { from: 0, to: maxTime }

/** The points of one event of a copy, and those of its original. */
export class CopiedPoints {
  /** Maximum number of points of the next page, and its length in seconds: smaller after an answer that was too long. */
  #limit = pageLimit
  #seconds = maxTime
  /** Number of writes, and of ranges that summaries have called different although they were not. */
  #writes = 0
  #falseGroups = 0

  constructor(
    private readonly context: CopyContext,
    private readonly holder: Pick<Holder, 'id' | 'number' | 'time' | 'type'>,
    private readonly remoteId: string,
    private readonly budget: PartBudget
  ) {}

  /**
   * Makes the points those of the original, as far as can be found out without reading all of them. Returns whether they are certainly
   * the same: small series are read as a whole. Rejects with `OutOfTurn`, and as `readPeerPoints` does.
   */
  async compare(): Promise<boolean> {
    const { isFresh } = this.budget
    const at = await this.#copyNext(everything)
    if (at === undefined) return true
    const last = await this.#findLast(at)
    // What is new comes first: summaries may call so much different that a turn ends with them, again and again.
    if (last === 0 || last >= this.#getEnd())
      await this.#copyRange({ from: Math.max(at, this.#getEnd()), to: maxTime })
    if (last <= at) return false
    const end = last + endMargin
    try {
      // What is later has been deleted there; what has been added since then is read next time.
      if (await this.#compareRest({ from: at, to: end }))
        await this.#replace({ from: end, to: maxTime }, { columns: [], rows: [] })
    } catch (error) {
      // If a whole turn has found nothing, the next one would not either.
      const isInVain = isFresh && this.#writes === 0 && !this.context.isStopped()
      if (!(error instanceof OutOfTurn && isInVain)) throw error
    }
    return false
  }

  /** Reads points again from a deltaTime on, and calls `save` with that up to which it has. Rejects as {@link compare} does. */
  async reread(from: number, save: (at: number) => void): Promise<void> {
    for (
      let at: number | undefined = from;
      at !== undefined;
      at = await this.#copyNext({ from: at, to: maxTime })
    )
      save(at)
  }

  /** Returns the deltaTime of the last point at the other server; 0 if it does not tell. */
  async #findLast(from: number): Promise<number> {
    try {
      const { points } = await this.#read({ from, to: maxTime }, { limit: 1, sortAscending: false })
      return points.rows.length === 1 ? points.rows[0]![0] : 0
    } catch (error) {
      if (error instanceof PageTooLong) return 0
      throw error
    }
  }

  async #compareRest(range: Range): Promise<boolean> {
    // As dense as the first page.
    const estimate = (pageLimit * range.to) / range.from
    return await this.#compareRange(range, countBuckets(estimate), 0)
  }

  /**
   * Compares a range by buckets, and copies what differs. Returns false if the other server has no summaries, or others than this one of
   * the same points: reading those again and again would never reach what is new.
   */
  async #compareRange(range: Range, buckets: number, depth: number): Promise<boolean> {
    this.budget.spend()
    let theirs: ReadonlyMap<number, BucketSummary> | undefined
    try {
      theirs = await readPeerSummaries(this.context, this.#remote, range, buckets)
    } catch (error) {
      // Of points with many columns.
      if (!(error instanceof PageTooLong)) throw error
      if (buckets <= minBuckets) return false
      return await this.#compareRange(range, Math.ceil(buckets / 4), depth)
    }
    if (!theirs) return false
    const ours = await this.#summarize(range, buckets)
    for (const group of groupDifferences(theirs, ours, buckets)) {
      const part = cutRange(range, group, buckets)
      const isDivided =
        group.count > dividedPoints && depth < maxDepth && part.to - part.from > minBuckets * minBucket
      if (isDivided) {
        if (!(await this.#compareRange(part, countBuckets(group.count), depth + 1))) return false
      } else if (!(await this.#copyDifferent(part))) return false
    }
    return true
  }

  /** Copies a range that summaries call different. Returns false if that was wrong too often. */
  async #copyDifferent(range: Range): Promise<boolean> {
    const before = this.#writes
    await this.#copyRange(range)
    if (this.#writes === before) this.#falseGroups++
    return this.#falseGroups <= maxFalseGroups
  }

  async #copyRange({ from, to }: Range): Promise<void> {
    for (let at: number | undefined = from; at !== undefined && at < to;)
      at = await this.#copyNext({ from: at, to })
  }

  /** Copies the first points of a range. Returns where the rest begins; `undefined` if there is none. */
  async #copyNext({ from, to }: Range): Promise<number | undefined> {
    const end = Math.min(to, from + this.#seconds)
    let page: PointsPage
    try {
      page = await this.#read({ from, to: end }, { limit: this.#limit })
    } catch (error) {
      if (!(error instanceof PageTooLong)) throw error
      // One of these is what makes the answer shorter: not all servers know both.
      if (this.#limit <= 2 && this.#seconds <= minBucket) throw new PointsUnavailable('too long')
      this.#limit = Math.max(2, this.#limit >> 2)
      this.#seconds = Math.min(this.#seconds / 4, Math.max(4 * this.#getEnd(), 86_400))
      return from
    }
    const { columns, rows } = page.points
    const last = rows.at(-1)?.[0] ?? from
    // The last point comes again with the next page, unless all have one time.
    const place = page.isFull && last > from ? last : end
    const whole = place === end ? rows : rows.slice(0, -1)
    for (let at = 0; at === 0 || at < whole.length; at += pageLimit) {
      const part = whole.slice(at, at + pageLimit)
      await this.#replace(
        { from: at === 0 ? from : part[0]![0], to: whole[at + pageLimit]?.[0] ?? place },
        { columns, rows: part }
      )
    }
    this.#limit = Math.min(2 * this.#limit, pageLimit)
    this.#seconds *= 2
    return place < to ? place : undefined
  }

  async #read(
    range: Range,
    query: { readonly limit: number; readonly sortAscending?: false }
  ): Promise<PointsPage> {
    this.budget.spend()
    return await readPeerPoints(this.context, this.#remote, range, query)
  }

  get #remote() {
    const { time, type } = this.holder
    return { remoteId: this.remoteId, time, plan: planColumns(this.context.services.eventTypes, type) }
  }

  /** Returns the deltaTime of the last point; 0 if there is none. */
  #getEnd(): number {
    const { series } = getStore(this.context)
    return series.getBounds(this.holder.number)?.until ?? 0
  }

  /** Makes the points of a range these. Nothing is written if they are. */
  async #replace(range: Range, points: Points): Promise<void> {
    const { id, number } = this.holder
    const store = getStore(this.context)
    if (store.read(() => hasPoints(store, number, range, points))) return
    this.#writes++
    const step = async (): Promise<boolean | undefined> =>
      await writeCopy(this.context, ({ now, store: { series } }) => {
        if (series.findHolder(id)?.number !== number) throw new PointsUnavailable('the event is gone')
        const writing = { written: now, writer }
        // Where many points were deleted.
        const isLong = series.spansManyChunks(number, range)
        if (isLong) {
          series.remove(number, range, writing)
          return false
        }
        while (!series.remove(number, range, writing).isDone);
        runSteps(series.add(number, points, writing))
        series.removeIfEmpty(number)
        return true
      })
    while ((await step()) === false);
  }

  /** Summarizes the points of the copy as the other server does its own. */
  async #summarize(range: Range, buckets: number): Promise<ReadonlyMap<number, BucketSummary>> {
    const { number, type } = this.holder
    const columns = getStore(this.context).series.getColumns(number)
    if (!columns) return new Map()
    const plan = planColumns(this.context.services.eventTypes, type)
    const summed = selectNumericColumns(plan, columns)
    const form = { event: number, width: columns.length + 1, isFine: true, range, buckets }
    const { series } = getStore(this.context)
    const sampler = series.createSampler({ ...form, summedCells: summed.map(({ place }) => place) })
    const rows: unknown[] = []
    for (let isDone = false; !isDone;) {
      const store = getStore(this.context)
      const { done, text } = store.read(() => store.series.sample(sampler))
      rows.push(...(JSON.parse(`[${text}]`) as unknown[]))
      isDone = done
      await nextTurn()
    }
    return parseSummaries(listSummaryFields(summed), rows, range, buckets)
  }
}

/** Returns whether the points of a range are these. */
function hasPoints({ series }: UserStore, number: number, range: Range, { columns, rows }: Points): boolean {
  const own = series.getColumns(number)
  if (!own) return rows.length === 0
  if (columns.some(name => !own.includes(name))) return false
  const places = own.map(name => columns.indexOf(name) + 1)
  const form = { width: own.length + 1, isFine: true }
  let at = 0
  for (let rest: Range | undefined = range; rest;) {
    const page = series.next(number, rest, form, rows.length - at + 1)
    for (const row of JSON.parse(`[${page.text}]`) as Row[])
      if (!isSameRow(row, rows[at++], places)) return false
    rest = page.rest
  }
  return at === rows.length
}

/** Returns whether rows have the same time and cells. `places[n]`: index in `other` of cell n; 0 for none, which is null. */
function isSameRow([time, ...cells]: Row, other: Row | undefined, places: readonly number[]): boolean {
  if (other?.[0] !== time) return false
  return cells.every((cell, at) => {
    const place = places[at]!
    const value = place === 0 ? null : (other[place] ?? null)
    return cell === value || JSON.stringify(cell) === JSON.stringify(value)
  })
}

/** Removes the points of events that are to be erased, in bounded writes: with its event, a series goes at once. */
export async function emptySeries(
  { account, id: mirror, services }: Pick<CopyContext, 'account' | 'id' | 'services'>,
  ids: readonly string[]
): Promise<void> {
  for (const id of ids) {
    const store = services.accounts.openStore(account)
    if (!store.read(() => store.series.getEnd(id))) continue
    const step = async (): Promise<boolean> =>
      await writeAsService(services, account, ({ now, store: { mirrors, series } }) => {
        const holder = series.findHolder(id)
        if (!holder || !mirrors.findEvent(mirror, id)) return true
        // If the event stays after all, because this is interrupted, its points are read again.
        mirrors.putPart(mirror, { id, kind: 'points', isDoubtful: 0, at: 0, next: now, failures: 0 })
        return mirrors.overwriteDeleted(
          () => series.remove(holder.number, everything, { written: now, writer }).isDone
        )
      })
    while (!(await step()));
  }
}
