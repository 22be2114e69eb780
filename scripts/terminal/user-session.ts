/** Signs users in from the command line, without their passwords. */
import type { Operator, UserSession } from './operator.js'

/**
 * Opens a session without a password, or prolongs the open one of the same app. Throws `OperatorError` for
 * unknown users.
 */
export async function openSession(operator: Operator, username: string, appId: string): Promise<UserSession> {
  return (await operator.call('system.openSession', { username, appId })) as unknown as UserSession
}
