/**
 * What a query may be driven by: all events in order of time, or only those of some streams or types. Reading in order of
 * time is best where many events match; where few do, the narrowest group is.
 */
import type { Database } from 'better-sqlite3'
import type { EventFile } from './file.js'
import { countTogether, type Lane } from './lanes.js'
import { comesBefore, type Order, type Stretch } from './position.js'
import type { EventQuery, StreamsCriteria } from './query.js'

/** Lanes by stream or type, or without account fields. `isExact`: whoever is in them meets all that is asked of streams and types. */
export interface Driver {
  readonly kind: 'stream' | 'type' | 'own'
  readonly values: readonly number[]
  readonly isExact: boolean
}

/** Lanes that are merged at most. */
const mostLanes = 2000
/** Streams or types that are merged without looking for something better first. */
const fewLanes = 16
/** Rows in all their lanes from which on drivers are not short. */
const fewRows = 100

/** The drivers that a query has beside time. */
export function driversOf({ streams, types }: EventQuery): Driver[] {
  if (streams?.length === 1 && isAllOwn(streams[0]!) && !types)
    return [{ kind: 'own', values: [0], isExact: true }]
  const drivers: Driver[] = []
  if (streams) {
    const isExact = streams.length === 1 && isPlain(streams[0]!) && !types
    for (const values of groups(streams)) drivers.push({ kind: 'stream', values: [...values], isExact })
  }
  if (types) drivers.push({ kind: 'type', values: [...types], isExact: !streams })
  return drivers.filter(({ values }) => values.length <= mostLanes)
}

function isAllOwn({ any, all, isOwn, not }: StreamsCriteria): boolean {
  return isOwn === true && !any && all.length === 0 && not.size === 0
}

function isPlain({ any, all, not }: StreamsCriteria): boolean {
  return any !== undefined && all.length === 0 && not.size === 0
}

/** Sets of streams, each of which holds a stream of every matching event. */
function groups(criteria: readonly StreamsCriteria[]): ReadonlySet<number>[] {
  const [first, ...others] = criteria.map(({ any, all }) => (any ? [any, ...all] : all))
  if (!first || others.length === 0) return [...(first ?? [])]
  const union = new Set<number>()
  for (const sets of [first, ...others]) {
    const smallest = sets.reduce((a, b) => (b.size < a.size ? b : a), sets[0]!)
    if (!smallest) return []
    for (const number of smallest) union.add(number)
  }
  return [union]
}

/** The lanes of a driver. */
export function lanesOf(driver: Driver | undefined, trashed: readonly number[]): Lane[] {
  if (!driver) return trashed.map(state => ({ kind: 'time', values: [state] }))
  const { kind, values } = driver
  if (kind === 'own') return trashed.map(state => ({ kind, values: [state] }))
  return trashed.flatMap(state => values.map(value => ({ kind, values: [value, state] })))
}

/** The driver to take without looking at rows, if one is clearly good; `stretch`: where reading begins. */
export function clearDriver(
  db: Database,
  drivers: readonly Driver[],
  { trashed, order }: Pick<EventQuery, 'trashed' | 'order'>,
  stretch: Stretch | undefined
): Driver | undefined {
  const [driver, ...others] = drivers
  if (driver && others.length === 0 && driver.values.length <= fewLanes) return driver
  return stretch && others.length > 0 ? shortest(db, drivers, trashed, order, stretch) : undefined
}

/** A driver that is read to its end at once, if there is one: nothing better need be looked for. */
function shortest(
  db: Database,
  drivers: readonly Driver[],
  trashed: readonly number[],
  order: Order,
  stretch: Stretch
): Driver | undefined {
  for (const driver of drivers) {
    const { kind, values } = driver
    if (kind === 'own' || values.length > fewLanes) continue
    let rows = 0
    for (const state of trashed) rows += countTogether(db, kind, values, state, order, stretch, fewRows)
    if (rows < fewRows) return driver
  }
  return undefined
}

/**
 * The narrowest of the drivers: the one with the fewest rows in the stretch `seen`, of which `examined` rows have been
 * read in order of time; `undefined` if none is clearly narrower than time itself. `all` decides between equals.
 */
export function narrowest(
  file: EventFile,
  drivers: readonly Driver[],
  trashed: readonly number[],
  order: Order,
  { seen, all, examined }: { seen: Stretch; all: Stretch; examined: number }
): Driver | undefined {
  const total = ({ kind, values }: Driver, stretch: Stretch, limit: number): number => {
    if (kind === 'own') return Infinity
    return trashed.reduce((sum, state) => {
      const some = kind === 'stream' ? reaching(file, values, state, order, stretch) : values
      return sum + countTogether(file.db, kind, some, state, order, stretch, limit)
    }, 0)
  }
  const inAll = (driver: Driver): number => total(driver, all, Math.ceil(1000 / driver.values.length))
  let best: { driver: Driver; rows: number } | undefined
  for (const driver of drivers) {
    const rows = total(driver, seen, examined)
    if (rows > examined / 2 || (best && rows > best.rows)) continue
    if (!best || rows < best.rows || inAll(driver) < inAll(best.driver)) best = { driver, rows }
  }
  return best?.driver
}

/** The streams that hold something as early as the end of a stretch: it need not be within. */
function reaching(
  { ends }: EventFile,
  streams: readonly number[],
  trashed: number,
  order: Order,
  { end }: Stretch
): number[] {
  const times = ends.list(streams, trashed, order)
  return streams.filter((_, index) => !comesBefore(end, times[index]!, order))
}
