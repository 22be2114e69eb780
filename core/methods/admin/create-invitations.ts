/** `admin.createInvitations`: creates invitations, each valid for one registration. (docs/spec/administration.md#invitations) */
import { randomInt } from 'node:crypto'
import { Type } from 'typebox'
import { closed } from '../../../schemas/scalars.js'
import { UniqueViolation } from '../../../storage/errors.js'
import type { Invitation } from '../../../storage/platform/invitations.js'
import { adminOnly } from '../../auth/admin.js'
import { ListedInvitation, listedInvitation } from '../../registration/invitation-view.js'
import { serviceMethod, type ServiceCall } from '../../call/method.js'

const letters = 5

/** `GET /reg/admin/invitations/post?count=&message=`: a GET, as existing operator tools expect. */
export const createInvitations = serviceMethod({
  id: 'admin.createInvitations',
  summary: 'Make invitations',
  params: Type.Object(
    {
      count: Type.Optional(Type.Integer({ minimum: 1, maximum: 1000 })),
      message: Type.Optional(Type.String({ maxLength: 1000 }))
    },
    closed
  ),
  result: Type.Object({ data: Type.Array(ListedInvitation) }),
  mode: 'service',
  allow: adminOnly,
  auditAs: 'admin',
  deed: ({ count = 1 }) => ({ count }),
  run(call, { count = 1, message = '' }) {
    const data = Array.from({ length: count }, () => listedInvitation(invite(call, message)))
    return { data }
  }
})

/** Creates an invitation. Five-letter tokens may collide: then another one is drawn. */
function invite(
  { services, now }: ServiceCall,
  description: string
): Invitation & { consumed: null; consumedBy: null } {
  for (;;) {
    const token = Array.from({ length: letters }, () => String.fromCharCode(97 + randomInt(26))).join('')
    const invitation = { token, created: now, createdBy: 'admin', description }
    try {
      services.platform.invite(invitation)
      return { ...invitation, consumed: null, consumedBy: null }
    } catch (error) {
      if (!(error instanceof UniqueViolation)) throw error
    }
  }
}
