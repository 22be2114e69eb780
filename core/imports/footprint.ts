/** What the records of a file were compared with, and whether all of it is still as it was. (docs/decisions/0019-imports.md) */
import { createHash, type Hash } from 'node:crypto'
import { Type, type Static } from 'typebox'
import { Identifier } from '../../schemas/scalars.js'
import type { Party } from '../../storage/scheduler.js'
import type { UserStore } from '../../storage/user/user-store.js'
import { nextTurn } from '../../storage/steps.js'

/** Series of one file that are noted at most. */
const mostSpans = 2000
/** Events that are looked up at once: some milliseconds. */
const eventsAtOnce = 2000
/** Seconds: half of what deltaTimes are apart at least. */
const justAfter = 5e-7
/** Milliseconds without returning to the event loop. */
const turnMs = 8

/** A part of a series: the id of the event that holds it, and deltaTimes, both inclusive. */
const Span = Type.Tuple([Identifier, Type.Number(), Type.Number()])
type Span = Static<typeof Span>

/** Where the records of a file are, with a digest of how all that was. */
export const KeptFootprint = Type.Object({
  /** The highest number of an import whose events count: what was found may be of later ones than the one that looked. */
  import: Type.Integer({ minimum: 0 }),
  spans: Type.Array(Span, { maxItems: mostSpans }),
  state: Type.String({ pattern: '^[0-9a-f]{64}$' })
})
export type KeptFootprint = Static<typeof KeptFootprint>

/** How an import reads its account. */
export interface ImportView {
  /** Whose turns it takes. */
  readonly party: Party
  /** Returns the store of the account, which may be another one after waiting. */
  readonly open: () => UserStore
  /** Whether who asks may read what is in all of these streams. */
  readonly mayRead: (streams: readonly number[]) => boolean
}

/** Gathers what the writing of one file has to do with. */
export class Footprint {
  readonly #spans = new Map<string, Span>()
  readonly #series: UserStore['series']
  readonly #lastDeleted: number | undefined
  #revision: number
  #isWhole = true

  constructor(private readonly view: ImportView) {
    const { history, series } = view.open()
    this.#series = series
    this.#revision = series.revision
    this.#lastDeleted = history.getLastDeleted()
  }

  /** Notes a part of a series, in deltaTimes, whose points were compared. */
  add(holder: string, from: number, to: number): void {
    const [, first, last] = this.#spans.get(holder) ?? [holder, from, to]
    if (this.#spans.size >= mostSpans && !this.#spans.has(holder)) this.#isWhole = false
    else this.#spans.set(holder, [holder, Math.min(first, from), Math.max(last, to)])
  }

  /** Something was found that the footprint does not hold. */
  spoil(): void {
    this.#isWhole = false
  }

  /** Runs a part of the writing itself, whose points are not somebody else's. */
  own<T>({ series }: UserStore, work: () => T): T {
    const before = series.revision
    const value = work()
    this.#revision += series.revision - before
    return value
  }

  /** What is to be kept; `undefined` if there was too much, or somebody else has changed something in the meantime. */
  async kept(): Promise<KeptFootprint | undefined> {
    if (!this.#isStill) return undefined
    const where = { import: this.view.open().imports.getLatestNumber(), spans: [...this.#spans.values()] }
    const state = await stateOf(this.view, where)
    return state !== undefined && this.#isStill ? { ...where, state } : undefined
  }

  /** Whether no event was deleted, and no point written or removed by others, since it was begun. */
  get #isStill(): boolean {
    const { history, series } = this.view.open()
    return (
      this.#isWhole &&
      series === this.#series &&
      series.revision === this.#revision &&
      history.getLastDeleted() === this.#lastDeleted
    )
  }
}

/** Whether everything is as it was, and in sight. */
export async function isUnchanged(view: ImportView, { state, ...where }: KeptFootprint): Promise<boolean> {
  return (await stateOf(view, where)) === state
}

/** A digest of events and points; `undefined` if a series is gone, in the trash or out of sight. Others have their turns in between. */
async function stateOf(
  view: ImportView,
  { import: number, spans }: Omit<KeptFootprint, 'state'>
): Promise<string | undefined> {
  const hash = createHash('sha256')
  const turn = turns(view.party)
  for (let after: string | undefined = ''; after !== undefined; await turn())
    after = addEvents(view.open(), number, after, hash)
  for (const [id, first, last] of spans) {
    if (!addHolder(view, id, hash)) return undefined
    const to = last + justAfter
    for (let from: number | undefined = first; from !== undefined; await turn())
      from = addPoints(view.open(), id, { from, to }, hash)
  }
  return hash.digest('hex')
}

/** Returns the last id, if there may be more. */
function addEvents({ imports }: UserStore, number: number, after: string, hash: Hash): string | undefined {
  const page = imports.listItemStates(number, after, eventsAtOnce)
  for (const { id, isDeleted, isHere } of page) hash.update(`${id}${isHere}${isDeleted}\n`)
  return page.length < eventsAtOnce ? undefined : page.at(-1)!.id
}

function addHolder({ mayRead, open }: ImportView, id: string, hash: Hash): boolean {
  const { series } = open()
  const holder = series.findHolder(id)
  if (!holder || holder.isTrashed || !mayRead(holder.streams)) return false
  hash.update(JSON.stringify([id, holder.type, holder.time, series.getColumns(holder.number) ?? []]))
  return true
}

/** Returns where the next points begin, if there may be more. */
function addPoints(
  { series }: UserStore,
  id: string,
  range: { readonly from: number; readonly to: number },
  hash: Hash
): number | undefined {
  const holder = series.findHolder(id)
  // It has gone in the meantime, and its points with it.
  if (!holder) return undefined
  const width = (series.getColumns(holder.number) ?? []).length + 1
  const { rest, text } = series.next(holder.number, range, { width, isFine: true })
  // Chunks may be put together in other ways later: the text of all is the same.
  if (text !== '') hash.update(`${text},`)
  return rest?.from
}

/** Returns to the event loop every few milliseconds. */
function turns(party: Party): () => Promise<void> | undefined {
  let beganMs = performance.now()
  return () => {
    if (performance.now() - beganMs < turnMs) return undefined
    return nextTurn(party).then(() => void (beganMs = performance.now()))
  }
}
