/** From what an app asks for to an access: what there is already, what to ask the user, and granting it. (supplement 5.4) */
import { callAs, Refusal, type Session } from './api.js'
import type { AuthRequest, Decision, Permission } from './auth-request.js'
import { readNames, type Names } from './grants.js'

/** An access as far as it matters here. */
export interface Access {
  readonly id: string
  readonly token: string
  readonly apiEndpoint?: string
  readonly permissions?: readonly Permission[]
  readonly expires?: number
}

interface Checked {
  readonly checkedPermissions?: readonly Permission[]
  readonly matchingAccess?: Access
  readonly mismatchingAccess?: Access
}

/** What to ask the user. */
export interface Question {
  readonly checked: readonly Permission[]
  /** Of the streams there are. */
  readonly names: Names
  readonly older: Access | undefined
  /** Accesses that end with the older one. */
  readonly shares: number
}

/** The access that fits already, or what to ask. */
export async function check(request: AuthRequest, session: Session): Promise<Access | Question> {
  const { requestingAppId, requestedPermissions, deviceName, clientData } = request
  const asked = {
    requestingAppId,
    requestedPermissions,
    ...(deviceName ? { deviceName } : {}),
    ...(clientData ? { clientData } : {})
  }
  const answer = await callAs<Checked>(session, 'POST', 'accesses/check-app', asked)
  if (answer.matchingAccess) return answer.matchingAccess
  const checked = answer.checkedPermissions ?? []
  const older = answer.mismatchingAccess
  return {
    checked,
    names: await readNames(session),
    older,
    shares: older ? await countShares(session, older.id) : 0
  }
}

/** How many accesses an app has given to others: they end when it is replaced. */
async function countShares(session: Session, id: string): Promise<number> {
  const { accesses } = await callAs<{ accesses: readonly { type: string; createdBy: string }[] }>(
    session,
    'GET',
    'accesses'
  )
  return accesses.filter(each => each.type === 'shared' && each.createdBy.split(' ')[0] === id).length
}

/** Creates the access, in the place of an older one. */
export async function grant(
  request: AuthRequest,
  session: Session,
  { checked, older }: Question
): Promise<Access> {
  if (older) await remove(session, older.id)
  const { requestingAppId, deviceName, expireAfter, clientData } = request
  const { access } = await callAs<{ access: Access }>(session, 'POST', 'accesses', {
    type: 'app',
    name: requestingAppId,
    permissions: checked,
    ...(deviceName ? { deviceName } : {}),
    ...(expireAfter === undefined || expireAfter === null ? {} : { expireAfter }),
    ...(clientData ? { clientData } : {})
  })
  return access
}

/** Deletes an access that may be gone: an attempt may have come as far as this before. */
async function remove(session: Session, id: string): Promise<void> {
  try {
    await callAs(session, 'DELETE', `accesses/${id}`)
  } catch (error) {
    if (!(error instanceof Refusal) || error.id !== 'unknown-resource') throw error
  }
}

/** The decision that says yes. */
export function accepted({ username }: Session, { token, apiEndpoint }: Access): Decision {
  return { status: 'ACCEPTED', username, token, ...(apiEndpoint ? { apiEndpoint } : {}) }
}
