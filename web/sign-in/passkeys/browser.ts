/** Creates passkeys and signs with them, using the browser's API. (docs/spec/passkeys.md) */
import { Refusal } from '../../api.js'

interface Descriptor {
  readonly id: string
  readonly type: 'public-key'
  readonly transports: readonly AuthenticatorTransport[]
}

/** Options of the service for signing; bytes are in base64url, the timeout in milliseconds. */
export interface RequestOptions {
  readonly challenge: string
  readonly rpId: string
  readonly timeout: number
  readonly userVerification: UserVerificationRequirement
  readonly allowCredentials: readonly Descriptor[]
}

/** Options of the service for a new passkey; bytes are in base64url, the timeout in milliseconds. */
export interface CreationOptions {
  readonly challenge: string
  readonly rp: { readonly id: string; readonly name: string }
  readonly user: { readonly id: string; readonly name: string; readonly displayName: string }
  readonly pubKeyCredParams: PublicKeyCredentialParameters[]
  readonly timeout: number
  readonly attestation: AttestationConveyancePreference
  readonly authenticatorSelection: AuthenticatorSelectionCriteria
  readonly excludeCredentials: readonly Descriptor[]
}

/** Returns whether the browser can offer passkeys in the username field. */
export async function canAutofill(): Promise<boolean> {
  return (await PublicKeyCredential.isConditionalMediationAvailable?.()) ?? false
}

/** Creates a passkey. Resolves with the credential for the service. Rejects with a {@link Refusal}. */
export async function createPasskey(options: CreationOptions): Promise<object> {
  const { challenge, excludeCredentials, user } = options
  const publicKey = {
    ...options,
    challenge: decodeBase64Url(challenge),
    user: { ...user, id: decodeBase64Url(user.id) },
    excludeCredentials: excludeCredentials.map(toDescriptor)
  }
  return toJson(await convertErrors(navigator.credentials.create({ publicKey })))
}

/**
 * Signs with a passkey. Resolves with the credential for the service. With `mediation: 'conditional'`, only once the user has
 * chosen a passkey in the username field. Rejects with a {@link Refusal}.
 */
export async function signWithPasskey(
  options: RequestOptions,
  more: { readonly mediation?: 'conditional'; readonly signal?: AbortSignal } = {}
): Promise<object> {
  const { allowCredentials, challenge } = options
  const publicKey = {
    ...options,
    challenge: decodeBase64Url(challenge),
    allowCredentials: allowCredentials.map(toDescriptor)
  }
  return toJson(await convertErrors(navigator.credentials.get({ publicKey, ...more })))
}

/**
 * Converts errors of the browser to a `Refusal`: `passkey-known` if the device has one already, otherwise
 * `passkey-cancelled`. Browsers give no details, so that sites cannot find out which passkeys exist.
 */
async function convertErrors(pending: Promise<Credential | null>): Promise<PublicKeyCredential> {
  try {
    const credential = await pending
    if (credential) return credential as PublicKeyCredential
  } catch (error) {
    if (error instanceof DOMException && error.name === 'InvalidStateError')
      throw new Refusal('passkey-known', error.message)
    if (!(error instanceof DOMException)) throw error
  }
  throw new Refusal('passkey-cancelled', '')
}

function toDescriptor({ id, transports, type }: Descriptor): PublicKeyCredentialDescriptor {
  return { id: decodeBase64Url(id), type, transports: [...transports] }
}

const responseMembers = [
  'clientDataJSON',
  'attestationObject',
  'authenticatorData',
  'signature',
  'userHandle'
] as const

/** Converts a credential to JSON. Not all browsers and extensions support `toJSON`. */
function toJson({ id, response, type }: PublicKeyCredential): object {
  const members = response as Partial<AuthenticatorAttestationResponse & AuthenticatorAssertionResponse>
  const texts = responseMembers.flatMap(name => {
    const part = members[name]
    return part instanceof ArrayBuffer && part.byteLength > 0 ? [[name, encodeBase64Url(part)] as const] : []
  })
  const transports = members.getTransports?.()
  return {
    id,
    rawId: id,
    type,
    response: { ...Object.fromEntries(texts), ...(transports && { transports }) }
  }
}

function decodeBase64Url(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), each => each.charCodeAt(0))
}

function encodeBase64Url(bytes: ArrayBuffer): string {
  return btoa(String.fromCharCode(...new Uint8Array(bytes)))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '')
}
