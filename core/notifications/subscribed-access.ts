/** Accesses that are subscribed to changes. */
import type { Access } from '../../schemas/access.js'
import type { Scopes } from '../../schemas/scope.js'
import type { AuthenticatedUser, Subscription } from '../call/dispatcher.js'

/** An access whose token is valid. */
export interface AdmittedAccess extends AuthenticatedUser {
  readonly access: Access
}

/** An access that gets notifications. */
export interface SubscribedAccess extends AdmittedAccess, Subscription {
  /**
   * With scopes, the subscriber is notified of matching changes only; without scopes, it gets the API's own messages.
   */
  scopes: Scopes | undefined
}
