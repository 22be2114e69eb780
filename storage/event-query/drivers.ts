/**
 * What a query may be driven by: all events in order of time, or only the events of some streams or types. Time order
 * is best if many events match; if few events match, the narrowest group is best.
 */
import type { Database } from 'better-sqlite3'
import type { EventFile } from './event-file.js'
import { countRowsOfLanes, type Lane } from './lanes.js'
import { comesBefore, type Order, type KeyRange } from './position.js'
import type { EventQuery, StreamsCriteria } from './query.js'

/**
 * Lanes by stream or type, or without account fields. `isExact`: all their events meet the query's conditions on
 * streams and types.
 */
export interface Driver {
  readonly kind: 'stream' | 'type' | 'own'
  readonly values: readonly number[]
  readonly isExact: boolean
}

/** Maximum number of lanes that are merged. */
const maxLanes = 2000
/** Maximum number of streams or types that are merged without looking for a better driver first. */
const maxLanesUnchecked = 16
/** Maximum number of rows in all lanes of a driver that is considered short. */
const maxShortRows = 100

/** Lists the drivers of a query other than time, without those that have more than 2000 streams or types. */
export function listDrivers({ streams, types }: EventQuery): Driver[] {
  if (streams?.length === 1 && excludesOnlyAccountFields(streams[0]!) && !types)
    return [{ kind: 'own', values: [0], isExact: true }]
  const drivers: Driver[] = []
  if (streams) {
    const isExact = streams.length === 1 && hasOnlyAny(streams[0]!) && !types
    for (const values of listStreamGroups(streams))
      drivers.push({ kind: 'stream', values: [...values], isExact })
  }
  if (types) drivers.push({ kind: 'type', values: [...types], isExact: !streams })
  return drivers.filter(({ values }) => values.length <= maxLanes)
}

function excludesOnlyAccountFields({ any, all, excludesAccountFields, not }: StreamsCriteria): boolean {
  return excludesAccountFields === true && !any && all.length === 0 && not.size === 0
}

function hasOnlyAny({ any, all, not }: StreamsCriteria): boolean {
  return any !== undefined && all.length === 0 && not.size === 0
}

/**
 * Returns sets of streams; every matching event is in at least one stream of each set. Empty if the criteria do not limit matches to
 * certain streams.
 */
function listStreamGroups(criteria: readonly StreamsCriteria[]): ReadonlySet<number>[] {
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

/** Lists the lanes of a driver. */
export function listLanes(driver: Driver | undefined, trashed: readonly number[]): Lane[] {
  if (!driver) return trashed.map(state => ({ kind: 'time', values: [state] }))
  const { kind, values } = driver
  if (kind === 'own') return trashed.map(state => ({ kind, values: [state] }))
  return trashed.flatMap(state => values.map(value => ({ kind, values: [value, state] })))
}

/** Returns the driver to use without looking at rows, if some driver is clearly good. `range`: where reading begins. */
export function chooseObviousDriver(
  db: Database,
  drivers: readonly Driver[],
  { trashed, order }: Pick<EventQuery, 'trashed' | 'order'>,
  range: KeyRange | undefined
): Driver | undefined {
  const [driver, ...others] = drivers
  if (driver && others.length === 0 && driver.values.length <= maxLanesUnchecked) return driver
  return range && others.length > 0 ? findShortDriver(db, drivers, trashed, order, range) : undefined
}

/**
 * Returns a driver that can be read to its end at once, if there is such a driver: then there is no need to look for a
 * better one.
 */
function findShortDriver(
  db: Database,
  drivers: readonly Driver[],
  trashed: readonly number[],
  order: Order,
  range: KeyRange
): Driver | undefined {
  for (const driver of drivers) {
    const { kind, values } = driver
    if (kind === 'own' || values.length > maxLanesUnchecked) continue
    let rows = 0
    for (const state of trashed) rows += countRowsOfLanes(db, kind, values, state, order, range, maxShortRows)
    if (rows < maxShortRows) return driver
  }
  return undefined
}

/**
 * Returns the narrowest driver: the one with the fewest rows in the range `seen`, of which `examined` rows have been
 * read in order of time; `undefined` if no driver is clearly narrower than the order of time. `all` breaks ties.
 */
export function chooseNarrowestDriver(
  file: EventFile,
  drivers: readonly Driver[],
  trashed: readonly number[],
  order: Order,
  { seen, all, examined }: { seen: KeyRange; all: KeyRange; examined: number }
): Driver | undefined {
  const total = ({ kind, values }: Driver, range: KeyRange, limit: number): number => {
    if (kind === 'own') return Infinity
    return trashed.reduce((sum, state) => {
      const some = kind === 'stream' ? filterStreamsReaching(file, values, state, order, range) : values
      return sum + countRowsOfLanes(file.db, kind, some, state, order, range, limit)
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

/** Returns the streams that hold an event at or before the end of a range, not necessarily within it. */
function filterStreamsReaching(
  { ends }: EventFile,
  streams: readonly number[],
  trashed: number,
  order: Order,
  { end }: KeyRange
): number[] {
  const times = ends.list(streams, trashed, order)
  return streams.filter((_, index) => !comesBefore(end, times[index]!, order))
}
