/** Bundles: the results of searches, with links to the pages that follow. */
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
export function buildBundle({ baseUrl }: Patient, { next, resources, search, type }: Page): Bundle {
  const link = (relation: string, page: string | undefined): object => {
    const query = new URLSearchParams(search.used.map(([name, value]): [string, string] => [name, value]))
    if (page !== undefined) query.set('page', page)
    return { relation, url: `${baseUrl}${type}${query.size > 0 ? `?${String(query)}` : ''}` }
  }
  const isComplete = search.page === undefined && next === undefined
  return {
    resourceType: 'Bundle',
    type: 'searchset',
    ...(isComplete && { total: resources.length }),
    link: [link('self', search.page), ...(next === undefined ? [] : [link('next', next)])],
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
