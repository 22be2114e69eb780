/** `admin.createInvitations`: creates invitations, each valid for one registration. (docs/spec/administration.md#invitations) */
import { randomInt } from 'node:crypto'
import { Type } from 'typebox'
import { closed } from '../../../schemas/scalars.js'
import type { Invitation, StoredInvitation } from '../../../storage/platform/invitations.js'
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
  async run(call, { count = 1, message = '' }) {
    return { data: (await invite(call, count, message)).map(listedInvitation) }
  }
})

/** Creates invitations. Five-letter tokens may collide: then others are drawn. */
async function invite(
  { now, services }: ServiceCall,
  count: number,
  description: string
): Promise<StoredInvitation[]> {
  const made = new Map<string, Invitation>()
  while (made.size < count) {
    const drawn = new Map<string, Invitation>()
    while (made.size + drawn.size < count) {
      const token = randomToken()
      if (!made.has(token)) drawn.set(token, { token, created: now, createdBy: 'admin', description })
    }
    const taken = new Set(await services.platform.change('invite', Array.from(drawn.values())))
    for (const [token, invitation] of drawn) if (!taken.has(token)) made.set(token, invitation)
  }
  return Array.from(made.values(), invitation => ({ ...invitation, consumed: null, consumedBy: null }))
}

function randomToken(): string {
  return Array.from({ length: letters }, () => String.fromCharCode(97 + randomInt(26))).join('')
}
