/** Those who are told of changes at this moment. */
import type { Access } from '../../schemas/access.js'
import type { Scopes } from '../../schemas/scope.js'
import type { Admission, Subscription } from '../call/dispatcher.js'

/** Somebody whose token has been found valid. */
export interface AdmittedAccess extends Admission {
  readonly access: Access
}

/** Somebody who listens. */
export interface SubscribedAccess extends AdmittedAccess, Subscription {
  /** Without any it hears the API's own messages; with some only of what falls into them. */
  scopes: Scopes | undefined
}
