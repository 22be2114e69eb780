/** The digest stored instead of a token that only has to be recognised. */
import { createHash } from 'node:crypto'
import type { Access } from '../../schemas/access.js'

/** Returns the digest by which an accepted authorisation request recognises its token. */
export function digestToken({ id, token }: Access): string {
  return createHash('sha256').update(`${id} ${token}`).digest('base64url')
}
