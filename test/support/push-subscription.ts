/** A browser's side of Web Push: a subscription, and the decryption of what push services hand over (RFC 8188, 8291). */
import { createDecipheriv, createECDH, hkdfSync, randomBytes, type ECDH } from 'node:crypto'

export class PushSubscription {
  private constructor(
    private readonly pair: ECDH,
    private readonly auth: Buffer
  ) {}

  /** Creates a subscription with new keys. */
  static create(): PushSubscription {
    const pair = createECDH('prime256v1')
    pair.generateKeys()
    return new PushSubscription(pair, randomBytes(16))
  }

  /** Creates a subscription with known keys, in base64url. */
  static from(privateKey: string, auth: string): PushSubscription {
    const pair = createECDH('prime256v1')
    pair.setPrivateKey(Buffer.from(privateKey, 'base64url'))
    return new PushSubscription(pair, Buffer.from(auth, 'base64url'))
  }

  /** Returns what the browser gives to the page. */
  toJSON(endpoint: string): object {
    const p256dh = this.pair.getPublicKey('base64url')
    return { endpoint, expirationTime: null, keys: { p256dh, auth: this.auth.toString('base64url') } }
  }

  /** Decrypts a body with one record of `aes128gcm`. */
  decrypt(body: Buffer): string {
    const salt = body.subarray(0, 16)
    const keyLength = body[20]!
    const senderKey = body.subarray(21, 21 + keyLength)
    const record = body.subarray(21 + keyLength)
    const secret = this.pair.computeSecret(senderKey)
    const keyInfo = Buffer.concat([Buffer.from('WebPush: info\0'), this.pair.getPublicKey(), senderKey])
    const key = Buffer.from(hkdfSync('sha256', secret, this.auth, keyInfo, 32))
    const derive = (info: string, length: number): Buffer =>
      Buffer.from(hkdfSync('sha256', key, salt, `Content-Encoding: ${info}\0`, length))
    const decipher = createDecipheriv('aes-128-gcm', derive('aes128gcm', 16), derive('nonce', 12))
    decipher.setAuthTag(record.subarray(-16))
    const padded = Buffer.concat([decipher.update(record.subarray(0, -16)), decipher.final()])
    // The last record ends in the delimiter 2, and padding.
    return padded.subarray(0, padded.lastIndexOf(2)).toString()
  }
}
