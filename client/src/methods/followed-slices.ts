/** Params and results of methods: followedSlices. */
// Generated from the definitions of the methods: do not edit. `npm run document` writes it.
import type { ItemDeletion } from './nouns.js'

export interface FollowedSlicesMethods {
  /** Follow a part of somebody’s data. */
  'followedSlices.create': {
    params: { readonly name: string; readonly url: string; readonly accessToken: string }
    result: { followedSlice: { id: string; name: string; url: string; accessToken: string } }
  }
  /** Follow a part no longer. */
  'followedSlices.delete': {
    params: { readonly id: string }
    result: { followedSliceDeletion: ItemDeletion }
  }
  /** List the parts of others’ data that are followed. */
  'followedSlices.get': {
    params: Record<string, never>
    result: { followedSlices: { id: string; name: string; url: string; accessToken: string }[] }
  }
  /** Change what is followed. */
  'followedSlices.update': {
    params: { readonly id: string; readonly update: { readonly name?: string | undefined } }
    result: { followedSlice: { id: string; name: string; url: string; accessToken: string } }
  }
}
