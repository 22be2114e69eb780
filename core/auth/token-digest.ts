/** What is kept in place of a token that need only be known again. */
import { createHash } from 'node:crypto'
import type { Access } from '../../schemas/access.js'

/** The digest by which an acceptance knows the token again. */
export function tokenDigest({ id, token }: Access): string {
  return createHash('sha256').update(`${id} ${token}`).digest('base64url')
}
