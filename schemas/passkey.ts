/**
 * Passkeys, and what browsers and the service exchange about them: the JSON forms of WebAuthn. (docs/spec/passkeys.md)
 */
import { Type, type Static } from 'typebox'
import { mailable } from './account.js'
import { closed, Identifier, orNull, Timestamp } from './scalars.js'

/** The name given by its owner. */
export const PasskeyName = Type.String({ minLength: 1, maxLength: 80, pattern: mailable })

/** A passkey as shown to its owner. Times in seconds. */
export const Passkey = Type.Object({
  id: Identifier,
  name: PasskeyName,
  created: Timestamp,
  /** The time of the last sign-in with the passkey. */
  lastUsed: Type.Optional(Timestamp),
  /** True if the passkey is synchronized between devices. */
  isSynced: Type.Boolean()
})
export type Passkey = Static<typeof Passkey>

/** Bytes in base64url without padding. `maxLength` in characters. */
const bytes = (maxLength: number) => Type.String({ minLength: 1, maxLength, pattern: '^[A-Za-z0-9_-]*$' })

/** At most 1023 bytes, as in WebAuthn. */
const CredentialId = bytes(1364)

const credential = { id: CredentialId, rawId: CredentialId, type: Type.Literal('public-key') }

/** Browsers add members over time, which are ignored. */
const ignoredMembers = {
  authenticatorAttachment: Type.Optional(Type.Unknown()),
  clientExtensionResults: Type.Optional(Type.Unknown())
}

/** A new passkey, as `PublicKeyCredential.toJSON()` returns it. */
export const Attestation = Type.Object({
  ...credential,
  ...ignoredMembers,
  response: Type.Object({
    clientDataJSON: bytes(8_000),
    attestationObject: bytes(40_000),
    transports: Type.Optional(
      Type.Array(Type.String({ maxLength: 40, pattern: '^[a-z-]*$' }), { maxItems: 10 })
    )
  })
})
export type Attestation = Static<typeof Attestation>

/** A signature by a passkey, as `PublicKeyCredential.toJSON()` returns it. */
export const Assertion = Type.Object({
  ...credential,
  ...ignoredMembers,
  response: Type.Object({
    clientDataJSON: bytes(8_000),
    authenticatorData: bytes(8_000),
    signature: bytes(8_000),
    userHandle: Type.Optional(Type.Union([bytes(88), Type.Null()]))
  })
})
export type Assertion = Static<typeof Assertion>

/** Proof of the caller's identity: the password, or a signature by a passkey. Neither is needed after a recent sign-in. */
export const proofParams = {
  password: orNull(Type.String({ minLength: 1, maxLength: 1000 })),
  credential: orNull(Assertion)
}

const Descriptor = Type.Object({
  id: Type.String(),
  type: Type.Literal('public-key'),
  transports: Type.Array(Type.String())
})

/** For `PublicKeyCredential.parseRequestOptionsFromJSON()`. `timeout` in milliseconds. */
export const RequestOptions = Type.Object(
  {
    challenge: Type.String(),
    rpId: Type.String(),
    timeout: Type.Number(),
    userVerification: Type.Literal('required'),
    allowCredentials: Type.Array(Descriptor)
  },
  closed
)
export type RequestOptions = Static<typeof RequestOptions>

/** For `PublicKeyCredential.parseCreationOptionsFromJSON()`. `timeout` in milliseconds. */
export const CreationOptions = Type.Object(
  {
    challenge: Type.String(),
    rp: Type.Object({ id: Type.String(), name: Type.String() }),
    user: Type.Object({ id: Type.String(), name: Type.String(), displayName: Type.String() }),
    pubKeyCredParams: Type.Array(Type.Object({ type: Type.Literal('public-key'), alg: Type.Integer() })),
    timeout: Type.Number(),
    attestation: Type.Literal('none'),
    authenticatorSelection: Type.Object({
      residentKey: Type.Literal('required'),
      requireResidentKey: Type.Literal(true),
      userVerification: Type.Literal('required')
    }),
    excludeCredentials: Type.Array(Descriptor)
  },
  closed
)
export type CreationOptions = Static<typeof CreationOptions>
