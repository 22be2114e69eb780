/** An authenticator for tests: it creates passkeys and signs with them, correctly or as an attacker might. */
import { createHash, generateKeyPairSync, randomBytes, sign, type KeyObject } from 'node:crypto'
import type { Assertion, Attestation, CreationOptions, RequestOptions } from '../../schemas/passkey.js'

/** What the authenticator pretends. */
export interface Lies {
  readonly origin?: string
  readonly rpId?: string
  readonly challenge?: string
  readonly type?: string
  /** Whether the authenticator has verified the user. */
  readonly isVerified?: boolean
  readonly isPresent?: boolean
  readonly counter?: number
  readonly userHandle?: string
  /** Replaces the credential's id. */
  readonly id?: string
  /** Format of the attestation, and its statement in CBOR. */
  readonly format?: string
  readonly statement?: Buffer
  /** The page in whose frame the page is. */
  readonly topOrigin?: string
  /** Whether the page is in a frame, for browsers that do not report of which page. */
  readonly isFramed?: boolean
  /** A COSE key that replaces the passkey's own. */
  readonly key?: Buffer
}

/** A passkey with its private key. */
export class Authenticator {
  readonly id = randomBytes(32).toString('base64url')
  readonly #key: KeyObject
  readonly #coseKey: Buffer
  #counter: number
  #userHandle = ''

  /** `counts`: whether it counts its signatures; most synchronised passkeys do not. */
  constructor(
    private readonly origin: string,
    private readonly counts = false
  ) {
    const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
    const { x = '', y = '' } = publicKey.export({ format: 'jwk' })
    this.#key = privateKey
    this.#counter = 0
    this.#coseKey = Buffer.concat([
      Buffer.from('a5010203262001215820', 'hex'),
      Buffer.from(x, 'base64url'),
      Buffer.from('225820', 'hex'),
      Buffer.from(y, 'base64url')
    ])
  }

  /** Creates the passkey that a page requests. */
  create({ challenge, rp, user }: CreationOptions, lies: Lies = {}): Attestation {
    this.#userHandle = user.id
    const id = lies.id ?? this.id
    const rawId = Buffer.from(id, 'base64url')
    const length = Buffer.alloc(2)
    length.writeUInt16BE(rawId.length)
    const credential = Buffer.concat([Buffer.alloc(16), length, rawId, lies.key ?? this.#coseKey])
    const authData = Buffer.concat([this.#head(rp.id, 0x40, lies), credential])
    const attestationObject = Buffer.concat([
      Buffer.from([0xa3]),
      cborText('fmt'),
      cborText(lies.format ?? 'none'),
      cborText('attStmt'),
      lies.statement ?? Buffer.from([0xa0]),
      cborText('authData'),
      cborBytes(authData)
    ])
    return {
      id,
      rawId: id,
      type: 'public-key',
      authenticatorAttachment: 'platform',
      clientExtensionResults: { credProps: { rk: true } },
      response: {
        clientDataJSON: this.#clientData('webauthn.create', challenge, lies).toString('base64url'),
        attestationObject: attestationObject.toString('base64url'),
        transports: ['internal']
      }
    }
  }

  /** Signs what a page requests. */
  get({ challenge, rpId }: RequestOptions, lies: Lies = {}): Assertion {
    if (this.counts) this.#counter++
    const authData = this.#head(rpId, 0, lies)
    const clientData = this.#clientData('webauthn.get', challenge, lies)
    const signed = Buffer.concat([authData, createHash('sha256').update(clientData).digest()])
    return {
      id: lies.id ?? this.id,
      rawId: lies.id ?? this.id,
      type: 'public-key',
      response: {
        clientDataJSON: clientData.toString('base64url'),
        authenticatorData: authData.toString('base64url'),
        signature: sign('sha256', signed, this.#key).toString('base64url'),
        userHandle: lies.userHandle ?? this.#userHandle
      }
    }
  }

  /** Returns the relying party, the flags and the signature counter. */
  #head(
    rpId: string,
    flags: number,
    { counter, isPresent = true, isVerified = true, rpId: other }: Lies
  ): Buffer {
    const rest = Buffer.alloc(5)
    rest[0] = flags | (isPresent ? 1 : 0) | (isVerified ? 4 : 0)
    rest.writeUInt32BE(counter ?? this.#counter, 1)
    return Buffer.concat([
      createHash('sha256')
        .update(other ?? rpId)
        .digest(),
      rest
    ])
  }

  #clientData(kind: string, challenge: string, lies: Lies): Buffer {
    const { challenge: other, isFramed = false, origin, topOrigin, type } = lies
    return Buffer.from(
      JSON.stringify({
        type: type ?? kind,
        challenge: other ?? challenge,
        origin: origin ?? this.origin,
        crossOrigin: isFramed || topOrigin !== undefined,
        ...(topOrigin !== undefined && { topOrigin })
      })
    )
  }
}

function cborText(text: string): Buffer {
  return Buffer.concat([Buffer.from([0x60 + text.length]), Buffer.from(text)])
}

function cborBytes(bytes: Buffer): Buffer {
  const head = Buffer.from([0x59, 0, 0])
  head.writeUInt16BE(bytes.length, 1)
  return Buffer.concat([head, bytes])
}
