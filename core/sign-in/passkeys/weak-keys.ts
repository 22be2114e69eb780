/** Public keys for which signatures can be made without the private one. */
import type { decodeCredentialPublicKey } from '@simplewebauthn/server/helpers'

type CoseKey = ReturnType<typeof decodeCredentialPublicKey>

/** Labels of COSE: the kind of a key, and the coordinate of one for EdDSA. (RFC 9053, 7.2) */
const [kindLabel, coordinateLabel] = [1, -2]
/** The kind of keys for EdDSA. */
const octetKeyPair = 1

/**
 * The points of Ed25519 whose order is at most 8, without the sign bit: a signature of zeros is valid for many
 * messages. RFC 8032 and OpenSSL accept them. (https://eprint.iacr.org/2020/1244, table 6.1)
 */
const smallPoints: ReadonlySet<string> = new Set([
  '00'.repeat(32),
  `01${'00'.repeat(31)}`,
  '26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05',
  'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a',
  ...['ec', 'ed', 'ee'].map(first => `${first}${'ff'.repeat(30)}7f`)
])

/** Returns whether a key is one for which anyone could sign; authenticators create none of these. */
export function isWeakKey(key: CoseKey): boolean {
  // The library has a type for each kind only.
  const members = key as unknown as ReadonlyMap<number, unknown>
  if (members.get(kindLabel) !== octetKeyPair) return false
  const coordinate = members.get(coordinateLabel)
  if (!(coordinate instanceof Uint8Array) || coordinate.length !== 32) return true
  const point = Buffer.from(coordinate)
  point[31]! &= 0x7f
  return smallPoints.has(point.toString('hex'))
}
