/** The operator's key, whose holder may call the system and admin routes. (docs/spec/administration.md#the-operators-key) */
import { createHash, timingSafeEqual } from 'node:crypto'
import type { Config } from '../settings/config.js'
import { fail } from '../errors.js'
import type { Log } from '../log.js'
import type { Allow } from '../call/method.js'
import { longestCredentials } from './presented.js'
import type { Credentials } from '../call/credentials.js'
import type { Services } from '../call/services.js'

/**
 * Whether the credentials are exactly the operator's key; never if none is configured. Throws `too-many-requests` after
 * wrong keys from the same address. Wrong keys are counted by {@link refuseStranger}.
 */
export function isAdmin(services: Services, credentials: Credentials): boolean {
  const isRight = hasAdminKey(services, credentials)
  if (isRight) services.throttle.operator(credentials.ip, true)
  return isRight
}

/** Whether the caller is an operator: by a session that has been proven, or by the key, as {@link isAdmin}. */
export function isOperator(services: Services, credentials: Credentials): boolean {
  return credentials.operator !== undefined || isAdmin(services, credentials)
}

/** As {@link isAdmin}, without throttling, for a call that has been admitted already. */
export function hasAdminKey({ config }: Pick<Services, 'config'>, { authorization }: Credentials): boolean {
  if (config.adminKey === '' || authorization === undefined) return false
  if (authorization.length > Math.max(longestCredentials, config.adminKey.length)) return false
  // Digests have a fixed length, and comparing them does not reveal how much of the key was right.
  return timingSafeEqual(digest(authorization), digest(config.adminKey))
}

/** Logs a warning about a short key: whoever guesses it controls all accounts. */
export function warnOfShortKey({ adminKey }: Pick<Config, 'adminKey'>, log: Log): void {
  if (adminKey !== '' && adminKey.length < shortestKey)
    log.warn(`the adminKey has fewer than ${shortestKey} characters: "openssl rand -hex 32" makes a good one`)
}

const shortestKey = 16

/** Only operators. To anybody else the route does not seem to exist. */
export const adminOnly: Allow = {
  needsAccess: false,
  isByCredentials: true,
  isForOperators: true,
  check: ({ services, credentials }) => {
    if (!isOperator(services, credentials)) refuseStranger(services, credentials)
  }
}

/** Refuses as if there were nothing at this path, and logs a warning; repeated guesses are throttled. */
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
