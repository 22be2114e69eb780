/** Signs users in from the command line, without their passwords. */
import type { Operator } from './operator.js'

/** A session of a user, for an app. */
export interface UserSession {
  readonly username: string
  /** Id of the session's access. */
  readonly id: string
  readonly token: string
  /** URL of the account, with the token. */
  readonly apiEndpoint: string
}

/** Opens a session, or prolongs the open one of the same app. Throws `OperatorError` for unknown users. */
export async function openSession(operator: Operator, username: string, appId: string): Promise<UserSession> {
  return (await operator.call('system.openSession', { username, appId })) as unknown as UserSession
}
