/** Bundles: the results of searches, with links to the pages that follow. */
import { measureJson } from '../../core/json/writer.js'
import { nextTurn, runInTurns } from '../../storage/steps.js'
import { listBeginning } from '../event-positions.js'
import { formatCursor, parseCursor, type Cursor } from './cursor.js'
import type { Patient } from './patient.js'
import type { Search } from './search-params.js'

/** Result of a search. */
export interface Bundle {
  readonly resourceType: 'Bundle'
  readonly type: 'searchset'
}

/** A page of resources. */
export interface Page {
  /** The type of the resources. */
  readonly type: string
  readonly search: Search
  readonly resources: readonly object[]
  /** Where the next page begins, if there is one. */
  readonly next?: string | undefined
}

/** Returns the bundle of a page. Only a search whose results are all on one page has a total. */
export function buildBundle(patient: Patient, found: Page): Bundle {
  const { baseUrl } = patient
  const { next, resources, search, type } = found
  const isComplete = search.page === undefined && next === undefined
  // Clients that send the token in the address send no header either: without it, the link would lead nowhere.
  const more = next !== undefined && buildLink(patient, found, 'next', { page: next, auth: search.token })
  return {
    resourceType: 'Bundle',
    type: 'searchset',
    ...(isComplete && { total: resources.length }),
    link: [buildLink(patient, found, 'self', { page: search.page }), ...(more ? [more] : [])],
    // FHIR does not allow empty lists.
    ...(resources.length > 0 && {
      entry: resources.map(resource => ({
        fullUrl: `${baseUrl}${type}/${(resource as { id: string }).id}`,
        resource,
        search: { mode: 'match' }
      }))
    })
  } as Bundle
}

/** Returns a bundle that tells how many resources were found. */
export function buildCount(patient: Patient, found: Pick<Page, 'search' | 'type'>, total: number): Bundle {
  return {
    resourceType: 'Bundle',
    type: 'searchset',
    total,
    link: [buildLink(patient, found, 'self')]
  } as Bundle
}

function buildLink(
  { baseUrl }: Patient,
  { search, type }: Pick<Page, 'search' | 'type'>,
  relation: string,
  more: Readonly<Record<string, string | undefined>> = {}
): object {
  const query = new URLSearchParams(search.used.map(([name, value]): [string, string] => [name, value]))
  for (const [name, value] of Object.entries(more)) if (value !== undefined) query.set(name, value)
  return { relation, url: `${baseUrl}${type}${query.size > 0 ? `?${String(query)}` : ''}` }
}

/** A page ends once its resources have this number of characters. */
export const maxPageLength = 4 * 1024 * 1024

/**
 * Takes a page of a list that is read as a whole, and converts its items to resources; others have their turn in between, as items
 * may be large. `convert` returns `undefined` for an item that has gone since it was listed. `keyOf`: the place of an item in the order of the list, which is the order of keys. The page begins after the item
 * with the key at which the page before ended, even if that item has gone.
 */
export async function takePage<T>(
  items: readonly T[],
  search: Search,
  keyOf: (item: T) => ListKey,
  convert: (item: T) => object | undefined | Promise<object | undefined>
): Promise<{ readonly resources: readonly object[]; readonly next: string | undefined }> {
  const { last } = search.page === undefined ? listBeginning : parseCursor(search.page)
  const rest = last ? items.filter(item => compareKeys(keyOf(item), last) > 0) : items
  const resources: object[] = []
  let at = 0
  for (let length = 0; at < rest.length && resources.length < search.count && length < maxPageLength; at++) {
    const resource = await convert(rest[at]!)
    await nextTurn()
    if (!resource) continue
    resources.push(resource)
    length += await runInTurns(measureJson(resource, new Map()))
  }
  const next = at < rest.length ? { ...listBeginning, last: keyOf(rest[at - 1]!) } : undefined
  return { resources, next: next && formatCursor(next) }
}

/** The place of an item in a list: by its time, and for equal times by its id. */
export type ListKey = NonNullable<Cursor['last']>

/** Compares two places. */
export function compareKeys(a: ListKey, b: ListKey): number {
  return a.time - b.time || (a.id < b.id ? -1 : Number(a.id > b.id))
}
