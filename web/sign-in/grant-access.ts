/**
 * Turns an app's request into an access: finds existing accesses, determines what to ask the user, and grants.
 * (docs/spec/app-authorization.md#the-page)
 */
import { callAs, Refusal, type Session } from '../api.js'
import type { AuthRequest, Decision, Level, Permission } from './auth-request.js'
import { readStreamNames, type StreamNames } from './compare-grants.js'

/** The members of an access that are used here. */
export interface Access {
  readonly id: string
  readonly token: string
  readonly apiEndpoint?: string
  /** The name under which the app knows the account, in place of the username. */
  readonly alias?: string
  readonly permissions?: readonly Permission[]
  readonly expires?: number
}

/** Who receives an access. */
export interface Destination {
  /** Origin, or scheme, of the URL that the user returns to; absent if there is none. */
  readonly returnTo?: string
  /** Origin of the page that asks; absent if a program asks. */
  readonly origin?: string
  readonly network: string
}

export interface Consent {
  /** Whether to ask even if the app already has a matching access. */
  readonly isNeeded: boolean
  readonly asked: Destination & { readonly isNear: boolean }
  readonly agreed: readonly Destination[]
}

export interface AccessDescription {
  readonly type: string
  readonly name: string
  readonly deviceName?: string
}

/** Where a stream is, who created it, and who else can see it. */
export interface Audience {
  readonly streamId: string
  readonly path: readonly { readonly id: string; readonly name: string }[]
  readonly isOfAccount: boolean
  readonly creator?: AccessDescription
  readonly accesses: readonly (AccessDescription & { readonly level: Level })[]
  readonly more: number
}

interface CheckResult {
  readonly checkedPermissions?: readonly Permission[]
  readonly matchingAccess?: Access
  readonly mismatchingAccess?: Access
  readonly consent: Consent
  readonly streams: readonly Audience[]
}

/** What to ask the user. */
export interface Question {
  readonly checked: readonly Permission[]
  /** Names of existing streams. */
  readonly names: StreamNames
  /** The existing access that the app requests again. */
  readonly same: Access | undefined
  /** The access that would be replaced. */
  readonly older: Access | undefined
  /** Number of accesses that end with the older one. */
  readonly shares: number
  readonly consent: Consent
  readonly streams: readonly Audience[]
}

/**
 * Returns the matching access if consent covers its destination and the app may have it without asking;
 * otherwise the question to ask the user. Rejects with a `Refusal`.
 */
export async function checkRequest(request: AuthRequest, session: Session): Promise<Access | Question> {
  const { requestingAppId, requestedPermissions, deviceName, clientData, key, oauth } = request
  const params = {
    requestingAppId,
    requestedPermissions,
    ...(deviceName ? { deviceName } : {}),
    ...(clientData ? { clientData } : {}),
    requestKey: key
  }
  const result = await callAs<CheckResult>(session, 'POST', 'accesses/check-app', params)
  const { consent, matchingAccess, mismatchingAccess, streams } = result
  if (matchingAccess && !consent.isNeeded && !oauth?.isAsked) return matchingAccess
  return {
    checked: result.checkedPermissions ?? matchingAccess?.permissions ?? [],
    names: await readStreamNames(session),
    same: matchingAccess,
    older: mismatchingAccess,
    shares: mismatchingAccess ? await countShares(session, mismatchingAccess.id) : 0,
    consent,
    streams
  }
}

/** Returns the number of accesses that the app has shared, which end when its own is replaced. */
async function countShares(session: Session, id: string): Promise<number> {
  const { accesses } = await callAs<{ accesses: readonly { type: string; createdBy: string }[] }>(
    session,
    'GET',
    'accesses'
  )
  return accesses.filter(each => each.type === 'shared' && getBase(each.createdBy) === getBase(id)).length
}

/** Returns the id that an access keeps, whatever its version. */
function getBase(id: string): string {
  return id.split(/[ :]/, 1)[0]!
}

/**
 * Returns the access after the user has agreed: the existing one, or a new one; an older one is deleted
 * before. Rejects with a `Refusal`.
 */
export async function grantAccess(
  request: AuthRequest,
  session: Session,
  { checked, older, same }: Question
): Promise<Access> {
  if (same) return same
  if (older) await deleteAccess(session, older.id)
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

/** Deletes an access, which may have been deleted by an earlier attempt. */
async function deleteAccess(session: Session, id: string): Promise<void> {
  try {
    await callAs(session, 'DELETE', `accesses/${id}`)
  } catch (error) {
    if (!(error instanceof Refusal) || error.id !== 'unknown-resource') throw error
  }
}

/** Creates the decision to accept. */
export function createAcceptance({ username }: Session, { alias, token, apiEndpoint }: Access): Decision {
  return { status: 'ACCEPTED', username: alias ?? username, token, ...(apiEndpoint ? { apiEndpoint } : {}) }
}
