/** From what an app asks for to an access: what there is already, what to ask the user, and granting it. (docs/spec/app-authorization.md#the-page) */
import { callAs, Refusal, type Session } from './api.js'
import type { AuthRequest, Decision, Level, Permission } from './auth-request.js'
import { readNames, type Names } from './grants.js'

/** An access as far as it matters here. */
export interface Access {
  readonly id: string
  readonly token: string
  readonly apiEndpoint?: string
  readonly permissions?: readonly Permission[]
  readonly expires?: number
}

/** Where an access goes. */
export interface Destination {
  /** Origin, or scheme, of where the person is led back to; absent where nobody is. */
  readonly returnTo?: string
  /** Origin of the page that asks; absent for a program. */
  readonly origin?: string
  readonly network: string
}

export interface Consent {
  /** Whether to ask also where the app has its access already. */
  readonly isNeeded: boolean
  readonly asked: Destination & { readonly isNear: boolean }
  readonly agreed: readonly Destination[]
}

export interface Holder {
  readonly type: string
  readonly name: string
  readonly deviceName?: string
}

/** Where a stream lies, who made it, and who else sees it. */
export interface Audience {
  readonly streamId: string
  readonly path: readonly { readonly id: string; readonly name: string }[]
  readonly isOfAccount: boolean
  readonly creator?: Holder
  readonly accesses: readonly (Holder & { readonly level: Level })[]
  readonly more: number
}

interface Checked {
  readonly checkedPermissions?: readonly Permission[]
  readonly matchingAccess?: Access
  readonly mismatchingAccess?: Access
  readonly consent: Consent
  readonly streams: readonly Audience[]
}

/** What to ask the user. */
export interface Question {
  readonly checked: readonly Permission[]
  /** Of the streams there are. */
  readonly names: Names
  /** The access that the app has already and wants again. */
  readonly same: Access | undefined
  /** The access that would be replaced. */
  readonly older: Access | undefined
  /** Accesses that end with the older one. */
  readonly shares: number
  readonly consent: Consent
  readonly streams: readonly Audience[]
}

/** The access that fits already and goes where it has gone before, or what to ask. */
export async function check(request: AuthRequest, session: Session): Promise<Access | Question> {
  const { requestingAppId, requestedPermissions, deviceName, clientData, key } = request
  const asked = {
    requestingAppId,
    requestedPermissions,
    ...(deviceName ? { deviceName } : {}),
    ...(clientData ? { clientData } : {}),
    requestKey: key
  }
  const answer = await callAs<Checked>(session, 'POST', 'accesses/check-app', asked)
  const { consent, matchingAccess: same, mismatchingAccess: older, streams } = answer
  if (same && !consent.isNeeded) return same
  return {
    checked: answer.checkedPermissions ?? same?.permissions ?? [],
    names: await readNames(session),
    same,
    older,
    shares: older ? await countShares(session, older.id) : 0,
    consent,
    streams
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

/** The access that was agreed to: the same one again, or a new one in the place of an older one. */
export async function grant(
  request: AuthRequest,
  session: Session,
  { checked, older, same }: Question
): Promise<Access> {
  if (same) return same
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
