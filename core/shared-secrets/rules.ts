/** What is not allowed with shared secrets, and where they are switched off. (docs/spec/shared-secrets.md) */
import { anyAccess, anyone } from '../auth/allow.js'
import type { AccessRule, Call } from '../call/method.js'
import { fail } from '../errors.js'
import { isSecretsStreamId } from '../system-ids.js'
import { maySeeSecret, secretEventType } from './state.js'

/** Rule of methods on secrets for any access. Error: `unavailable-method` where secrets are switched off. */
export const anyAccessIfEnabled = requireEnabled(anyAccess)
/** Rule of methods on secrets without an access. Error: `unavailable-method` where secrets are switched off. */
export const anyoneIfEnabled = requireEnabled(anyone)

function requireEnabled(allow: AccessRule): AccessRule {
  return {
    ...allow,
    check(asking) {
      if (!asking.services.config.sharedSecrets.enabled)
        fail('unavailable-method', 'Shared secrets are turned off on this service')
      allow.check?.(asking)
    }
  }
}

/** Refuses streams that belong to the service. Error: `forbidden`. */
export function assertNotSecretsStream(...ids: readonly (string | null | undefined)[]): void {
  if (ids.some(id => typeof id === 'string' && isSecretsStreamId(id)))
    refuse('reserved-stream', 'The streams of shared secrets belong to the service')
}

/** Refuses the type of events that stand for secrets. Error: `forbidden`. */
export function assertNotSecretType(type: string | undefined): void {
  if (type === secretEventType)
    refuse('reserved-type', 'Secrets are shared with sharedSecrets.create, not by creating events')
}

/** Refuses to change a secret that the caller sees; for others it counts as unknown. Error: `forbidden`. */
export function assertNotSecret({ caller, store }: Call, id: string): void {
  const secret = store.sharedSecrets.find(id)
  if (secret && maySeeSecret(caller, secret)) refuse('immutable', 'A shared secret can only be deleted')
}

/** Requires that the caller may share secrets. Error: `forbidden`. */
export function requireSecretSharing({ caller }: Call): void {
  if (caller.isForbidden('secretSharing')) refuse('forbidden', 'This access may not share secrets')
}

function refuse(name: string, message: string): never {
  fail('forbidden', message, { id: `shared-secret-${name}` })
}
