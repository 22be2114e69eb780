/** The identities of an account: listed, linked and unlinked. (docs/spec/identities.md) */
import { Type, type Static } from 'typebox'
import { identityField, toIdentityKey } from '../../schemas/identity.js'
import { Identifier, Timestamp } from '../../schemas/scalars.js'
import type { IdentityProof } from '../../storage/identities/identity-proofs.js'
import type { Identity } from '../../storage/identities/identity-repository.js'
import type { Call } from '../call/method.js'
import { fail } from '../errors.js'
import { createId } from '../ids.js'
import type { Config } from '../settings/config.js'
import { notifyUser } from '../sign-in/notices/notices.js'
import { assertSignInPossible } from '../sign-in/sign-in-methods.js'
import { findProviderByIssuer, PublicProvider, toPublicProvider } from './provider.js'

/** An identity as its owner sees it. Times in seconds. */
export const PublicIdentity = Type.Object({
  id: Identifier,
  provider: PublicProvider,
  issuer: Type.String(),
  /** The email address that the provider stated when the identity was linked. */
  email: Type.Optional(Type.String()),
  /** Whether the user can sign in with the identity: its provider is in the settings. */
  isUsable: Type.Boolean(),
  created: Timestamp,
  /** The time of the last sign-in with the identity. */
  lastUsed: Type.Optional(Timestamp)
})

/** Maximum number of identities of an account. */
const maxIdentities = 20

/** Converts an identity to what methods return. `isUsable` is false if its provider is no longer configured. */
export function toPublicIdentity(
  config: Config,
  { created, email, id, issuer, provider, used }: Identity
): Static<typeof PublicIdentity> {
  const known = findProviderByIssuer(config, issuer)
  return {
    id,
    provider: known ? toPublicProvider(known) : { name: provider, label: provider },
    issuer,
    ...(email !== null && { email }),
    isUsable: known !== undefined,
    created,
    ...(used !== null && { lastUsed: used })
  }
}

/** Creates an identity from a proof. */
export function createIdentity({ email, issuer, provider, subject }: IdentityProof, now: number): Identity {
  return {
    id: createId(),
    issuer,
    subject,
    provider,
    email: email?.address ?? null,
    created: now,
    used: null
  }
}

/** Throws the errors of {@link linkIdentity}, without linking. */
export function assertLinkable({ account, services, store }: Call, proof: IdentityProof): void {
  if (store.identities.find(proof.issuer, proof.subject)) return
  assertIdentityCount(store)
  const holder = services.platform.findByUnique(identityField, toIdentityKey(proof))
  if (holder && holder.id !== account.id) refuseTaken()
}

/**
 * Links an identity with the account of a call, and notifies the user by mail. Returns an identity that is
 * linked already, without a notice. Throws `item-already-exists` if it is linked to another account,
 * `invalid-operation` if there are too many. Must run within a transaction.
 */
export function linkIdentity(call: Call, proof: IdentityProof): Identity {
  const { changes, now, services, store } = call
  const known = store.identities.find(proof.issuer, proof.subject)
  if (known) return known
  assertIdentityCount(store)
  if (!store.unique.claim(identityField, toIdentityKey(proof))) refuseTaken()
  const identity = createIdentity(proof, now)
  store.identities.insert(identity)
  changes.add('account')
  notifyUser(call, {
    kind: 'identityLinked',
    provider: toPublicIdentity(services.config, identity).provider.label
  })
  return identity
}

function assertIdentityCount({ identities }: Call['store']): void {
  if (identities.list().length >= maxIdentities)
    fail('invalid-operation', `An account can have at most ${maxIdentities} identities`)
}

/** Throws the error for an identity that opens another account. */
export function refuseTaken(): never {
  fail('item-already-exists', 'This identity is linked to another account', { code: 'identity-taken' })
}

/**
 * Unlinks an identity and notifies the user by mail. Pending second-factor sign-ins are cancelled, as this
 * identity may have started them. Throws `unknown-resource`, and `invalid-operation` for the last sign-in
 * method. Must run within a transaction.
 */
export function unlinkIdentity(call: Call, id: string): void {
  const { changes, services, store } = call
  const identity =
    store.identities.list().find(each => each.id === id) ?? fail('unknown-resource', `No identity "${id}"`)
  store.identities.remove(id)
  store.signIn.removeAll('mfa')
  assertSignInPossible(services.config, store)
  store.unique.release(identityField, toIdentityKey(identity))
  changes.add('account')
  notifyUser(call, {
    kind: 'identityUnlinked',
    provider: toPublicIdentity(services.config, identity).provider.label
  })
}
