/** Opens the encrypted payloads of OwnTracks. (https://owntracks.org/booklet/features/encrypt/) */
import nacl from 'tweetnacl'

/** Sizes of keys, nonces and authentication tags, in bytes. */
const keySize = 32
const nonceSize = 24
const tagSize = 16

/** Returns the message in a payload: a nonce and a secret box, in Base64; `undefined` if it cannot be opened. */
export function decrypt(data: string, passphrase: string | undefined): unknown {
  const bytes = Buffer.from(data, 'base64')
  if (passphrase === undefined || bytes.length < nonceSize + tagSize) return undefined
  const key = new Uint8Array(keySize)
  key.set(Buffer.from(passphrase).subarray(0, keySize))
  const opened = nacl.secretbox.open(bytes.subarray(nonceSize), bytes.subarray(0, nonceSize), key)
  if (!opened) return undefined
  try {
    return JSON.parse(Buffer.from(opened).toString())
  } catch {
    return undefined
  }
}
