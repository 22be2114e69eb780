/** Detects whether the data that the records of a file were compared with has changed. (docs/decisions/0019-imports.md) */
import { createHash, type Hash } from 'node:crypto'
import { Type, type Static } from 'typebox'
import { Identifier } from '../../schemas/scalars.js'
import type { Party } from '../../storage/scheduler.js'
import type { UserStore } from '../../storage/user/user-store.js'
import { nextTurn, type Steps } from '../../storage/steps.js'

/** Maximum number of series of one file. */
const maxRanges = 2000
/** Number of events per lookup, which takes a few milliseconds. */
const pageSize = 2000
/** Half of the smallest difference between deltaTimes, in seconds. */
const epsilon = 5e-7
/** Time after which it yields to the event loop, in milliseconds. */
const sliceMs = 8

/** A range of a series: the id of its holder event, and the first and last deltaTime, both inclusive. */
const SeriesRange = Type.Tuple([Identifier, Type.Number(), Type.Number()])
type SeriesRange = Static<typeof SeriesRange>

/** The series ranges of a file's records, with a digest of the data in them. */
export const StoredFingerprint = Type.Object({
  /** The highest number of an import whose events are included. It may be later than the import that was compared. */
  import: Type.Integer({ minimum: 0 }),
  spans: Type.Array(SeriesRange, { maxItems: maxRanges }),
  state: Type.String({ pattern: '^[0-9a-f]{64}$' })
})
export type StoredFingerprint = Static<typeof StoredFingerprint>

/** Access of an import to the data of its account. */
export interface ImportView {
  /** The party by which it is scheduled. */
  readonly party: Party
  /** Returns the store of the account, which may change after an await. */
  readonly open: () => UserStore
  /** Returns true if the caller may read events in all of these streams. */
  readonly mayRead: (streams: readonly number[]) => boolean
}

/** Collects the data that importing one file depends on. */
export class ImportFingerprint {
  readonly #ranges = new Map<string, SeriesRange>()
  readonly #series: UserStore['series']
  readonly #lastDeleted: number | undefined
  #revision: number
  #isComplete = true

  constructor(private readonly view: ImportView) {
    const { history, series } = view.open()
    this.#series = series
    this.#revision = series.revision
    this.#lastDeleted = history.getLastDeleted()
  }

  /**
   * Adds a range of a series, in deltaTimes, whose points were compared. Beyond a number of series, the
   * fingerprint is incomplete.
   */
  addRange(holder: string, from: number, to: number): void {
    const [, first, last] = this.#ranges.get(holder) ?? [holder, from, to]
    if (this.#ranges.size >= maxRanges && !this.#ranges.has(holder)) this.#isComplete = false
    else this.#ranges.set(holder, [holder, Math.min(first, from), Math.max(last, to)])
  }

  /** Marks the fingerprint as incomplete: the import depends on data that the fingerprint does not cover. */
  markIncomplete(): void {
    this.#isComplete = false
  }

  /** Runs a write of the import itself, whose points do not count as changes by others. */
  *runOwnWrite<T>({ isDraft, series }: UserStore, work: Steps<T>): Steps<T> {
    const before = series.revision
    const value = yield* work
    // A draft counts on its own.
    if (!isDraft) this.#revision += series.revision - before
    return value
  }

  /** Returns the fingerprint to store; `undefined` if it is incomplete, or if others have changed data in the meantime. */
  async toStored(): Promise<StoredFingerprint | undefined> {
    if (!this.#isUnchanged) return undefined
    const scope = { import: this.view.open().imports.getLatestNumber(), spans: [...this.#ranges.values()] }
    const state = await computeDigest(this.view, scope)
    return state !== undefined && this.#isUnchanged ? { ...scope, state } : undefined
  }

  /** True if no event was deleted, and no point written or removed by others, since it began. */
  get #isUnchanged(): boolean {
    const { history, series } = this.view.open()
    return (
      this.#isComplete &&
      series === this.#series &&
      series.revision === this.#revision &&
      history.getLastDeleted() === this.#lastDeleted
    )
  }
}

/** Returns true if the data is unchanged and still readable. */
export async function isUnchanged(
  view: ImportView,
  { state, ...scope }: StoredFingerprint
): Promise<boolean> {
  return (await computeDigest(view, scope)) === state
}

/** Computes a digest of events and points; `undefined` if a series is missing, in the trash or not readable. Yields to the event loop. */
async function computeDigest(
  view: ImportView,
  { import: number, spans }: Omit<StoredFingerprint, 'state'>
): Promise<string | undefined> {
  const hash = createHash('sha256')
  const yieldIfDue = createYield(view.party)
  for (let after: string | undefined = ''; after !== undefined; await yieldIfDue())
    after = addEvents(view.open(), number, after, hash)
  for (const [id, first, last] of spans) {
    if (!addHolder(view, id, hash)) return undefined
    const to = last + epsilon
    for (let from: number | undefined = first; from !== undefined; await yieldIfDue())
      from = addPoints(view.open(), id, { from, to }, hash)
  }
  return hash.digest('hex')
}

/** Adds a page of events. Returns the last id if there may be more. */
function addEvents({ imports }: UserStore, number: number, after: string, hash: Hash): string | undefined {
  const page = imports.listItemStates(number, after, pageSize)
  for (const { id, isDeleted, isHere } of page) hash.update(`${id}${isHere}${isDeleted}\n`)
  return page.length < pageSize ? undefined : page.at(-1)!.id
}

function addHolder({ mayRead, open }: ImportView, id: string, hash: Hash): boolean {
  const { series } = open()
  const holder = series.findHolder(id)
  if (!holder || holder.isTrashed || !mayRead(holder.streams)) return false
  hash.update(JSON.stringify([id, holder.type, holder.time, series.getColumns(holder.number) ?? []]))
  return true
}

/** Adds a page of points. Returns the deltaTime of the next one if there may be more. */
function addPoints(
  { series }: UserStore,
  id: string,
  range: { readonly from: number; readonly to: number },
  hash: Hash
): number | undefined {
  const holder = series.findHolder(id)
  // The event that holds the series was deleted in the meantime, with its points.
  if (!holder) return undefined
  const width = (series.getColumns(holder.number) ?? []).length + 1
  const { rest, text } = series.next(holder.number, range, { width, isFine: true })
  // The text does not depend on how points are divided into chunks.
  if (text !== '') hash.update(`${text},`)
  return rest?.from
}

/** Creates a function that yields to the event loop every few milliseconds. */
function createYield(party: Party): () => Promise<void> | undefined {
  let startMs = performance.now()
  return () => {
    if (performance.now() - startMs < sliceMs) return undefined
    return nextTurn(party).then(() => void (startMs = performance.now()))
  }
}
