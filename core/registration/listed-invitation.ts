/** Invitations as the operator sees them. (docs/spec/administration.md#invitations) */
import { Type, type Static } from 'typebox'
import type { StoredInvitation } from '../../storage/platform/invitations.js'

/** Times in milliseconds. */
export const ListedInvitation = Type.Object({
  id: Type.String(),
  createdAt: Type.Number(),
  createdBy: Type.String(),
  description: Type.String(),
  consumedAt: Type.Optional(Type.Number()),
  consumedBy: Type.Optional(Type.String())
})

/** Converts an invitation to what methods return. Its times become whole milliseconds. */
export function toListedInvitation({
  consumed,
  consumedBy,
  created,
  createdBy,
  description,
  token
}: StoredInvitation): Static<typeof ListedInvitation> {
  return {
    id: token,
    createdAt: Math.round(created * 1000),
    createdBy,
    description,
    ...(consumed !== null && { consumedAt: Math.round(consumed * 1000) }),
    ...(consumedBy !== null && { consumedBy })
  }
}
