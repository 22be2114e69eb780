/**
 * A followed slice: a part of another account that the other account's owner has shared with this user.
 * (docs/spec/accounts.md#followed-slices)
 */
import { Type, type Static } from 'typebox'
import { Identifier, Name } from './scalars.js'

export const FollowedSlice = Type.Object({
  id: Identifier,
  /** Unique among the user's slices. */
  name: Name,
  /** Root of the other account; unique together with the token. */
  url: Type.String({ minLength: 1, maxLength: 2048 }),
  accessToken: Type.String({ minLength: 1, maxLength: 1024 })
})
export type FollowedSlice = Static<typeof FollowedSlice>
