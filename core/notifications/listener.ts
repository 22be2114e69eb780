/** Those who are told of changes at this moment. */
import type { Access } from '../../schemas/access.js'
import type { Scopes } from '../../schemas/scope.js'
import type { Admitted, Listening } from '../call/gateway.js'

/** Somebody whose token has been found valid. */
export interface Admission extends Admitted {
  readonly access: Access
}

/** Somebody who listens. */
export interface Listener extends Admission, Listening {
  /** Without any it hears the API's own messages; with some only of what falls into them. */
  scopes: Scopes | undefined
}
