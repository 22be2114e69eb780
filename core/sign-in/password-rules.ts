/** Configurable password rules: complexity, maximum and minimum age, no reuse. (docs/spec/authentication.md#password-rules) */
import type { PasswordRecord } from '../../storage/repositories/account.js'
import type { UserStore } from '../../storage/user/user-store.js'
import type { Config } from '../settings/config.js'
import { ApiError, fail } from '../errors.js'
import type { Services } from '../call/services.js'
import { limitWait } from '../time.js'

const day = 86_400

/** Times of the current password, as far as rules are configured: part of the results of login and access-info. */
export interface PasswordTimes {
  /** Time at which the password expires, in seconds. */
  readonly passwordExpires?: number
  /** Time from which the password may be changed, in seconds. */
  readonly passwordCanBeChanged?: number
}

/** Throws `invalid-parameters-format` for a password that is too short, or has too few kinds of characters. */
export function assertPasswordComplexity(
  { auth }: Config,
  password: string,
  param: 'password' | 'newPassword'
): void {
  const { passwordComplexityMinCharCategories: categories, passwordComplexityMinLength: length } = auth
  if (countCharacters(password) < length)
    refusePassword(`The password must have at least ${length} characters`, {
      code: 'password-short',
      param,
      minimum: length
    })
  if (countKinds(password) < categories)
    refusePassword(
      `The password must have at least ${categories} of these character types: lowercase, uppercase, digits, others`,
      { code: 'password-simple', param, minimum: categories }
    )
}

/**
 * Throws `invalid-parameters-format`. `data` holds one text, as clients expect; the sub-error has the same information
 * in structured form, which pages can translate.
 */
function refusePassword(what: string, rule: { code: string; param: string; minimum: number }): never {
  const message = `${what}.`
  throw new ApiError('invalid-parameters-format', message, {
    data: [what],
    subErrors: [new ApiError('invalid-parameters-format', message, { data: rule })]
  })
}

/** Counts characters roughly as users do: code points. */
function countCharacters(password: string): number {
  return Array.from(password).length
}

const characterKinds = [/\p{Ll}/u, /\p{Lu}/u, /\p{Nd}/u, /[^\p{Ll}\p{Lu}\p{Nd}]/u]

function countKinds(password: string): number {
  return characterKinds.filter(kind => kind.test(password)).length
}

/** Throws `invalid-operation` if the current password is too recent to be changed. */
function assertPasswordReplaceable(config: Config, password: PasswordRecord | undefined, now: number): void {
  const { passwordCanBeChanged = 0 } = getPasswordTimes(config, password)
  if (now < limitWait(passwordCanBeChanged, now, config.auth.passwordAgeMinDays * day))
    fail('invalid-operation', 'The password was changed too recently to be changed again', {
      passwordCanBeChanged
    })
}

/** Throws `invalid-operation` if the new password is one of the latest passwords, whose hashes are kept. */
async function assertPasswordNew(
  { config, passwords }: Services,
  latest: readonly PasswordRecord[],
  password: string
): Promise<void> {
  for (const { hash } of latest)
    if (await passwords.verify(hash, password))
      fail(
        'invalid-operation',
        `The password must differ from the last ${config.auth.passwordPreventReuseHistoryLength} passwords`,
        { param: 'newPassword', code: 'password-reused' }
      )
}

/**
 * Checks a new password against all rules and returns its hash. Must be called before a transaction, which
 * checks again that the password being replaced is still the current one. Errors:
 * `invalid-parameters-format`, `invalid-operation`.
 */
export async function hashNewPassword(
  services: Services,
  store: UserStore,
  password: string,
  now: number
): Promise<string> {
  const { config, passwords } = services
  assertPasswordComplexity(config, password, 'newPassword')
  assertPasswordReplaceable(config, store.account.password(), now)
  // The former passwords are read before the first await: the store must not be used after one.
  await assertPasswordNew(
    services,
    store.account.passwords(config.auth.passwordPreventReuseHistoryLength),
    password
  )
  return await passwords.hash(password)
}

/**
 * Returns when a password expires and when it may be changed, in seconds. Has only the times for which a rule is
 * configured; empty without a password.
 */
export function getPasswordTimes({ auth }: Config, password: PasswordRecord | undefined): PasswordTimes {
  const { passwordAgeMaxDays, passwordAgeMinDays } = auth
  if (!password || (passwordAgeMaxDays === 0 && passwordAgeMinDays === 0)) return {}
  return {
    ...(passwordAgeMaxDays === 0 ? {} : { passwordExpires: password.created + passwordAgeMaxDays * day }),
    ...(passwordAgeMinDays === 0 ? {} : { passwordCanBeChanged: password.created + passwordAgeMinDays * day })
  }
}

/** Throws `invalid-credentials`, with the time, for an expired password. Must be called after the password was verified. */
export function assertPasswordNotExpired({ passwordExpires }: PasswordTimes, now: number): void {
  if (passwordExpires !== undefined && passwordExpires <= now)
    fail('invalid-credentials', 'The password has expired. Request a reset link to set a new one', {
      expiredTime: passwordExpires
    })
}
