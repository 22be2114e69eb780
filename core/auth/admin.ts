/** The operator's key: who holds it may call the system and admin routes. (docs/spec/administration.md#the-operators-key) */
import { createHash, timingSafeEqual } from 'node:crypto'
import type { Config } from '../settings/config.js'
import { fail } from '../errors.js'
import type { Log } from '../log.js'
import type { Allow } from '../call/method.js'
import { longestCredentials } from './presented.js'
import type { Credentials } from '../call/credentials.js'
import type { Services } from '../call/services.js'

/**
 * Whether the credentials are the operator's key, exactly. Without one configured nobody has it. Raises
 * `too-many-requests` where wrong ones have come from the same address; who turns out to be wrong is told so by
 * {@link refuseStranger}, which counts.
 */
export function isAdmin(core: Services, credentials: Credentials): boolean {
  const isRight = hasAdminKey(core, credentials)
  if (isRight) core.throttle.operator(credentials.ip, true)
  return isRight
}

/** As {@link isAdmin}, for a call that has been let through already. */
export function hasAdminKey({ config }: Pick<Services, 'config'>, { authorization }: Credentials): boolean {
  if (config.adminKey === '' || authorization === undefined) return false
  if (authorization.length > Math.max(longestCredentials, config.adminKey.length)) return false
  // Digests are of one length, and tell nothing of how much of the key was right.
  return timingSafeEqual(digest(authorization), digest(config.adminKey))
}

/** Warns of a key that is short: whoever guesses it has all accounts. */
export function warnOfShortKey({ adminKey }: Pick<Config, 'adminKey'>, log: Log): void {
  if (adminKey !== '' && adminKey.length < shortestKey)
    log.warn(`the adminKey has fewer than ${shortestKey} characters: "openssl rand -hex 32" makes a good one`)
}

const shortestKey = 16

/** The operator alone. Anybody else finds nothing here. */
export const adminOnly: Allow = {
  needsAccess: false,
  isByCredentials: true,
  check: ({ core, credentials }) => {
    if (!isAdmin(core, credentials)) refuseStranger(core, credentials)
  }
}

/** Answers as if there were nothing at this path, and tells the operator; those who keep guessing have to wait. */
export function refuseStranger(
  { config, log, throttle }: Services,
  { authorization, ip }: Credentials
): never {
  if (config.adminKey !== '' && authorization) throttle.operator(ip, false)
  log.warn('a route of the operator was called without the right key')
  return fail('unknown-resource', 'There is nothing at this path')
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}
