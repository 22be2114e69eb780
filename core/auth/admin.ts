/**
 * The operator's key, which authorises calls of the system and admin routes.
 * (docs/spec/administration.md#the-operators-key)
 */
import { createHash, createHmac, timingSafeEqual } from 'node:crypto'
import type { TSchema } from 'typebox'
import type { Config } from '../settings/config.js'
import { fail } from '../errors.js'
import type { Log } from '../log.js'
import {
  serviceMethod,
  type AccessRule,
  type ServiceDescription,
  type ServiceMethod
} from '../call/method.js'
import { maxCredentialsLength } from './presented-token.js'
import type { Credentials } from '../call/credentials.js'
import type { Services } from '../call/services.js'

/**
 * Returns whether the credentials are exactly the operator's key, or that of commands on this machine. After
 * wrong keys from the same address, throws `too-many-requests` for the right one. Wrong keys are counted by
 * {@link refuseUnknownPath}.
 */
function verifyAdminKey(services: Services, credentials: Credentials): boolean {
  const isRight = matchesAdminKey(services, credentials)
  if (isRight) services.throttle.operator(credentials.ip, true)
  return isRight
}

/**
 * Returns whether the caller is an operator: either a verified operator session or the admin key (see
 * {@link verifyAdminKey}).
 */
export function verifyOperator(services: Services, credentials: Credentials): boolean {
  return credentials.operator !== undefined || verifyAdminKey(services, credentials)
}

/** Does the same as {@link verifyAdminKey} without throttling, for a call that has been admitted already. */
export function matchesAdminKey(
  { config }: Pick<Services, 'config'>,
  { authorization }: Credentials
): boolean {
  return isKey(config.adminKey, authorization) || isKey(config.commandKey, authorization)
}

/**
 * Returns the key with which commands on this machine authorise calls of the running service, which writes it to its data
 * directory. Nodes of a cluster that share an admin key accept each other's.
 */
export function deriveCommandKey(adminKey: string): string {
  return createHmac('sha256', adminKey).update('coffer command').digest('base64url')
}

function isKey(key: string, authorization: string | undefined): boolean {
  if (key === '' || authorization === undefined) return false
  if (authorization.length > Math.max(maxCredentialsLength, key.length)) return false
  // Digests have a fixed length, and comparing them does not reveal how much of the key was right.
  return timingSafeEqual(hashText(authorization), hashText(key))
}

/** Logs a warning about a short key: a guessed key gives control of all accounts. */
export function warnAboutShortKey({ adminKey }: Pick<Config, 'adminKey'>, log: Log): void {
  if (adminKey !== '' && adminKey.length < minKeyLength)
    log.warn(
      `the adminKey has fewer than ${minKeyLength} characters. Create a longer one with "openssl rand -hex 32"`
    )
}

const minKeyLength = 16

/** Allows operators only. For other callers the route does not seem to exist. */
export const adminOnly: AccessRule = {
  needsAccess: false,
  needsOnlyCredentials: true,
  isForOperators: true,
  check: ({ services, credentials }) => {
    if (!verifyOperator(services, credentials)) refuseUnknownPath(services, credentials)
  }
}

/** Defines a method of the service for operators only, who are recorded as `admin`. */
export function operatorMethod<P extends TSchema>(description: ServiceDescription<P>): ServiceMethod<P> {
  return serviceMethod({ ...description, allow: adminOnly, auditActor: 'admin' })
}

/** Allows only commands on this machine. For other callers, also operators, the route does not seem to exist. */
export const commandsOnly: AccessRule = {
  needsAccess: false,
  needsOnlyCredentials: true,
  check: ({ services, credentials }) => {
    const isRight = isKey(services.config.commandKey, credentials.authorization)
    if (!isRight) refuseUnknownPath(services, credentials)
    services.throttle.operator(credentials.ip, true)
  }
}

/**
 * Refuses a request with `unknown-resource`, as if no route had this path, and logs a warning. After repeated
 * guesses from an address, the error is `too-many-requests`.
 */
export function refuseUnknownPath(
  { config, log, throttle }: Services,
  { authorization, ip }: Credentials
): never {
  if (config.adminKey !== '' && authorization) throttle.operator(ip, false)
  log.warn('an admin route was called with a wrong or missing key')
  return fail('unknown-resource', 'Nothing found at this path')
}

function hashText(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}
