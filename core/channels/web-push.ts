/** Web Push: the key pair by which push services know the service, and encrypted messages. (RFC 8030, 8291, 8292) */
import { createECDH, createHash } from 'node:crypto'
import type { TargetSecrets } from '../../schemas/channel.js'
import { getSecret } from '../auth/secrets.js'
import type { Services } from '../call/services.js'
import type { OutgoingFetch } from '../outgoing/http.js'

/** A key pair on the curve P-256, in base64url. */
interface PushKeys {
  readonly publicKey: string
  readonly privateKey: string
}

/** A message to encrypt. */
interface PushMessage {
  readonly payload: string
  readonly urgency: 'low' | 'normal' | 'high'
  /** Seconds for which push services keep it for devices that are offline. */
  readonly ttl: number
  /** A push service keeps only the last message of a topic: at most 32 characters of base64url. */
  readonly topic: string
}

/** The order of the curve's group. */
const order = BigInt('0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551')

/** Returns the service's key pair, which is the same on all nodes of a cluster. */
export function getPushKeys(services: Pick<Services, 'platform'>): PushKeys {
  const digest = createHash('sha256').update(getSecret(services, 'webPush')).digest('hex')
  const scalar = (BigInt(`0x${digest}`) % (order - 1n)) + 1n
  const privateKey = Buffer.from(scalar.toString(16).padStart(64, '0'), 'hex')
  const pair = createECDH('prime256v1')
  pair.setPrivateKey(privateKey)
  return { publicKey: pair.getPublicKey('base64url'), privateKey: privateKey.toString('base64url') }
}

/** Encrypts a message for a subscription. Returns the call to its endpoint. Throws for keys that are not on the curve. */
export async function createPushCall(
  { config, platform }: Pick<Services, 'config' | 'platform'>,
  { auth = '', endpoint = '', p256dh = '' }: TargetSecrets,
  { payload, topic, ttl, urgency }: PushMessage
): Promise<OutgoingFetch> {
  // The library is loaded with the first message, as it brings other libraries along.
  const { default: webPush } = await import('web-push')
  const { body, headers, method } = webPush.generateRequestDetails(
    { endpoint, keys: { p256dh, auth } },
    payload,
    {
      TTL: ttl,
      topic,
      urgency,
      contentEncoding: 'aes128gcm',
      vapidDetails: { subject: getSubject(config.publicUrl), ...getPushKeys({ platform }) }
    }
  )
  // The client sets the length.
  const { 'Content-Length': _length, ...others } = headers as Record<string, unknown>
  const texts = Object.entries(others).map(([name, value]) => [name, String(value)])
  return { method, headers: Object.fromEntries(texts) as Record<string, string>, body }
}

/** Returns whom push services can contact; they accept only https URLs, so a service without one names an address. */
function getSubject(publicUrl: string): string {
  return publicUrl.startsWith('https:') ? publicUrl : `mailto:no-reply@${new URL(publicUrl).hostname}`
}
