/** Params and results of methods: followedSlices. */
// Generated from the definitions of the methods: do not edit. `npm run document` writes it.
import type { ItemDeletion } from './nouns.js'

export interface FollowedSlicesMethods {
  /** Create a followed slice. */
  'followedSlices.create': {
    params: { readonly name: string; readonly url: string; readonly accessToken: string }
    result: { followedSlice: { id: string; name: string; url: string; accessToken: string } }
  }
  /** Delete a followed slice. */
  'followedSlices.delete': {
    params: { readonly id: string }
    result: { followedSliceDeletion: ItemDeletion }
  }
  /** List followed slices. */
  'followedSlices.get': {
    params: Record<string, never>
    result: { followedSlices: { id: string; name: string; url: string; accessToken: string }[] }
  }
  /** Update a followed slice. */
  'followedSlices.update': {
    params: { readonly id: string; readonly update: { readonly name?: string | undefined } }
    result: { followedSlice: { id: string; name: string; url: string; accessToken: string } }
  }
}
