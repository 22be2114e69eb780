/** The operator's key: who holds it may call the system and admin routes. (supplement 22.1) */
import { createHash, timingSafeEqual } from 'node:crypto'
import type { Allow } from './allow.js'
import { fail } from './errors.js'
import type { Core, Credentials } from './method.js'

/** Whether the credentials are the operator's key, exactly. Without one configured nobody has it. */
export function isAdmin(
  { config }: Pick<Core, 'config'>,
  { authorization }: Pick<Credentials, 'authorization'>
): boolean {
  if (config.adminKey === '' || authorization === undefined) return false
  // Digests are of one length, and tell nothing of how much of the key was right.
  return timingSafeEqual(digest(authorization), digest(config.adminKey))
}

/** The operator alone. Anybody else finds nothing here. */
export const adminOnly: Allow = {
  needsAccess: false,
  isByCredentials: true,
  check: ({ core, credentials }) => {
    if (!isAdmin(core, credentials)) refuseStranger(core)
  }
}

/** Answers as if there were nothing at this path, and tells the operator. */
export function refuseStranger({ log }: Pick<Core, 'log'>): never {
  log.warn('a route of the operator was called without the right key')
  return fail('unknown-resource', 'There is nothing at this path.')
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}
