/** `admin.createInvitations`: creates invitations, each valid for one registration. (docs/spec/administration.md#invitations) */
import { randomInt } from 'node:crypto'
import { Type } from 'typebox'
import { closed } from '../../../schemas/scalars.js'
import type { Invitation, StoredInvitation } from '../../../storage/platform/invitations.js'
import { operatorMethod } from '../../auth/admin.js'
import { ListedInvitation, toListedInvitation } from '../../registration/listed-invitation.js'
import { type ServiceCall } from '../../call/method.js'

const tokenLength = 5

/**
 * `GET /reg/admin/invitations/post?count=&message=`: a GET, as existing operator tools expect. Creates one
 * invitation unless `count` is given, and returns those created.
 */
export const createInvitations = operatorMethod({
  id: 'admin.createInvitations',
  summary: 'Create invitations',
  params: Type.Object(
    {
      count: Type.Optional(Type.Integer({ minimum: 1, maximum: 1000 })),
      message: Type.Optional(Type.String({ maxLength: 1000 }))
    },
    closed
  ),
  result: Type.Object({ data: Type.Array(ListedInvitation) }),
  describeAction: ({ count = 1 }) => ({ count }),
  async run(call, { count = 1, message = '' }) {
    return { data: (await createInvitationTokens(call, count, message)).map(toListedInvitation) }
  }
})

/** Creates invitations. Five-letter tokens may collide: other tokens are then chosen. */
async function createInvitationTokens(
  { now, services }: ServiceCall,
  count: number,
  description: string
): Promise<StoredInvitation[]> {
  const invitations = new Map<string, Invitation>()
  while (invitations.size < count) {
    const candidates = new Map<string, Invitation>()
    while (invitations.size + candidates.size < count) {
      const token = createRandomToken()
      if (!invitations.has(token))
        candidates.set(token, { token, created: now, createdBy: 'admin', description })
    }
    const taken = new Set(await services.platform.change('invite', Array.from(candidates.values())))
    for (const [token, invitation] of candidates) if (!taken.has(token)) invitations.set(token, invitation)
  }
  return Array.from(invitations.values(), invitation => ({ ...invitation, consumed: null, consumedBy: null }))
}

function createRandomToken(): string {
  return Array.from({ length: tokenLength }, () => String.fromCharCode(97 + randomInt(26))).join('')
}
