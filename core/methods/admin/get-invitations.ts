/** `admin.getInvitations`: all invitations, and who used them. (docs/spec/administration.md#invitations) */
import { Type } from 'typebox'
import { closed } from '../../../schemas/scalars.js'
import { operatorMethod } from '../../auth/admin.js'
import { ListedInvitation, toListedInvitation } from '../../registration/listed-invitation.js'

/** `GET /reg/admin/invitations`, the latest first. */
export const getInvitations = operatorMethod({
  id: 'admin.getInvitations',
  summary: 'List invitations',
  params: Type.Object({}, closed),
  result: Type.Object({ invitations: Type.Array(ListedInvitation) }),
  run: ({ services }) => ({ invitations: services.platform.invitations.list().map(toListedInvitation) })
})
