/** The filters of the table: parsed from the URL, converted to params. */

export interface Filters {
  readonly streams?: string
  readonly type?: string
  readonly text?: string
  /** Local dates, such as `2026-11-22`. */
  readonly from?: string
  readonly to?: string
  /** Bounds of the value, as entered. */
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

/** Parses the filters in a query. */
export function parseFilters(query: URLSearchParams): Filters {
  return Object.fromEntries(
    filterNames.flatMap(name => {
      const value = query.get(name)
      return value === null || value === '' ? [] : [[name, value]]
    })
  )
}

/**
 * Returns the params of `events.get` for these filters. `roots`: ids of all top-level streams; `path`: JSON path of the number in
 * contents that are objects.
 */
export function toParams(
  { streams, type, text, from, to, least, most, state, sort }: Filters,
  roots: readonly string[],
  path = '$'
): object {
  const [begin, end] = [parseDayStart(from), parseDayStart(to)]
  const [low, high] = [parseNumber(least), parseNumber(most)]
  const content = [
    ...(low === undefined ? [] : [{ path, gte: low }]),
    ...(high === undefined ? [] : [{ path, lte: high }])
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
