/** The filters of the table: parsed from the URL, converted to params. */
import { convertUnit } from '../../../schemas/units.js'
import { isGlucose } from '../data/event-types.js'
import type { Fact } from '../data/model.js'
import type { Tree } from '../data/tree.js'
import { getDisplayType, getUnit, isRating } from '../data/units.js'

export interface Filters {
  readonly streams?: string
  readonly type?: string
  readonly text?: string
  /** Local dates, such as `2026-11-22`. */
  readonly from?: string
  readonly to?: string
  /** Bounds of the value, as entered: in the unit in which it is shown. */
  readonly least?: string
  readonly most?: string
  /** `trashed` shows the trash. */
  readonly state?: string
  /** `up`: earliest first. */
  readonly sort?: string
}

/** Filters to change; undefined removes one. */
export type Changes = { readonly [Name in keyof Filters]?: string | undefined }

const filterNames = ['streams', 'type', 'text', 'from', 'to', 'least', 'most', 'state', 'sort'] as const

/** Parses the filters in a query. Empty and unknown ones are skipped. */
export function parseFilters(query: URLSearchParams): Filters {
  return Object.fromEntries(
    filterNames.flatMap(name => {
      const value = query.get(name)
      return value === null || value === '' ? [] : [[name, value]]
    })
  )
}

/** The number by whose value events are filtered. */
interface Bound {
  /** JSON path of the number in the content. */
  readonly path: string
  /** Symbol of the unit in which it is shown and entered; empty if there is none. */
  readonly unit: string
  /** Converts a number as entered to the unit in which it is stored. */
  readonly toStored: (value: number) => number
}

/**
 * Returns how values are filtered: as they are shown. `field`: the first field of contents that are objects,
 * which is compared as it is stored.
 */
export function getBound(
  { streams, type }: Filters,
  facts: readonly Fact[],
  tree: Tree | undefined,
  field: string | undefined
): Bound {
  if (type === undefined || field !== undefined)
    return { path: field ?? '$', unit: '', toStored: value => value }
  if (isRating(type)) return { path: '$', unit: '/10', toStored: value => value / 10 }
  const ids = streams === undefined ? undefined : new Set(tree?.listSubtreeIds(streams))
  const held = facts.filter(fact => fact.type === type && (ids?.has(fact.streamId) ?? true))
  // The concentration of other substances is converted otherwise, so it is shown as stored.
  const areGlucose = held.length > 0 && held.every(({ streamId }) => isGlucose(tree?.getPath(streamId) ?? []))
  const displayType = getDisplayType(type, { isGlucose: areGlucose })
  return {
    path: '$',
    unit: getUnit(displayType)?.symbol ?? '',
    toStored: value => convertUnit(value, displayType, type, areGlucose) ?? value
  }
}

/**
 * Returns the params of `events.get` for these filters. `roots`: ids of all top-level streams. Dates and
 * numbers that are not valid are ignored.
 */
export function toParams(
  { streams, type, text, from, to, least, most, state, sort }: Filters,
  roots: readonly string[],
  { path, toStored }: Bound
): object {
  const [begin, end] = [parseDayStart(from), parseDayStart(to)]
  const [low, high] = [parseNumber(least), parseNumber(most)]
  const content = [
    ...(low === undefined ? [] : [{ path, gte: toStored(low) }]),
    ...(high === undefined ? [] : [{ path, lte: toStored(high) }])
  ]
  return {
    // All streams except account fields, which have a page of their own.
    streams: streams === undefined ? roots : [streams],
    ...(type === undefined ? {} : { types: [type] }),
    ...(text === undefined ? {} : { text }),
    ...(content.length === 0 ? {} : { content }),
    ...(begin === undefined ? {} : { fromTime: begin, ...(end === undefined ? { toTime: maxTime } : {}) }),
    // The last day is included.
    ...(end === undefined
      ? {}
      : { toTime: end + daySeconds - 0.001, ...(begin === undefined ? { fromTime: -maxTime } : {}) }),
    ...(state === 'trashed' ? { state } : {}),
    sortAscending: sort === 'up'
  }
}

const daySeconds = 86_400
/** Maximum time, in seconds. */
const maxTime = 8.64e12

/** Returns the start of a date in seconds; undefined for anything else. */
export function parseDayStart(text: string | undefined): number | undefined {
  if (text === undefined || !/^\d{4,6}-\d\d-\d\d$/.test(text)) return undefined
  const time = new Date(`${text}T00:00:00`).getTime() / 1000
  return Number.isFinite(time) ? time : undefined
}

function parseNumber(text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  const value = Number(text.trim().replace(',', '.'))
  return text.trim() !== '' && Number.isFinite(value) ? value : undefined
}
