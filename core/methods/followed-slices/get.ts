/** Lists followed slices. (docs/spec/accounts.md#followed-slices) */
import { Type } from 'typebox'
import { FollowedSlice } from '../../../schemas/followed-slice.js'
import { closed } from '../../../schemas/scalars.js'
import { personalOnly } from '../../auth/allow.js'
import type { Reader } from '../../call/reader.js'
import type { Listing } from '../../json/json-text.js'
import { method } from '../../call/method.js'

/** Returns all followed slices, by name. */
export const get = method({
  id: 'followedSlices.get',
  summary: 'List followed slices',
  params: Type.Object({}, closed),
  result: Type.Object({ followedSlices: Type.Array(FollowedSlice) }),
  mode: 'read',
  allow: personalOnly,
  run: () => ({ followedSlices: createListing() })
})

function createListing(): Listing<Reader> {
  let last = ''
  return {
    next({ store }) {
      const texts = store.followedSlices.listTextsAfter(last)
      last = getName(texts.at(-1))
      return { text: texts.join(','), count: texts.length, done: texts.length === 0 }
    }
  }
}

function getName(text: string | undefined): string {
  return text === undefined ? '' : (JSON.parse(text) as FollowedSlice).name
}
