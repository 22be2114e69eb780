/** Digests secrets, so that they are recognised without being stored. */
import { createHash } from 'node:crypto'

/**
 * Returns the digest of a token, a ticket or another secret. A plain hash suffices: secrets are random, so they cannot
 * be guessed from the hash.
 */
export function digestSecret(secret: string): string {
  return createHash('sha256').update(secret).digest('base64url')
}
