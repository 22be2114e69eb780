/** How secrets that somebody presents again are recognised, without being kept. */
import { createHash } from 'node:crypto'

/** The digest of a token, a ticket or another secret. A plain one suffices: secrets are random, so they cannot be guessed from it. */
export function digestSecret(secret: string): string {
  return createHash('sha256').update(secret).digest('base64url')
}
