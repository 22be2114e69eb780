/** Params and results of methods: hfs. */
// Generated from the definitions of the methods: do not edit. `npm run document` writes it.
import type { Event } from './nouns.js'
import type { FlatPoints } from '../flat-points.js'

export interface SeriesMethods {
  /** Add points to a series. */
  'hfs.add': { params: { readonly id: string } & FlatPoints; result: { status: 'ok' } }
  /** Add points to several series. */
  'hfs.addBatch': {
    params: {
      readonly format: 'seriesBatch'
      readonly data: readonly { readonly eventId: string; readonly data: FlatPoints }[]
    }
    result: { status: 'ok' }
  }
  /** Delete points of a series. */
  'hfs.deletePoints': {
    params: {
      readonly id: string
      readonly fromDeltaTime?: number | null | undefined
      readonly toDeltaTime?: number | null | undefined
    }
    result: { status: 'ok'; removed: number; event: Event }
  }
  /** Get points of a series. */
  'hfs.get': {
    params: {
      readonly id: string
      readonly fromDeltaTime?: number | null | undefined
      readonly toDeltaTime?: number | null | undefined
      readonly limit?: number | null | undefined
      readonly sortAscending?: boolean | null | undefined
      readonly sample?: number | null | undefined
      readonly summary?: boolean | null | undefined
      readonly resolution?: ('ms' | 'ns') | null | undefined
    }
    result: { format: 'flatJSON'; fields: string[]; points: unknown[][] }
  }
}
