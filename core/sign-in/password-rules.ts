/** What operators may want of passwords: complexity, change now and then, no return of old ones. (docs/spec/authentication.md#password-rules) */
import type { PasswordRecord } from '../../storage/repositories/account.js'
import type { UserStore } from '../../storage/user/user-store.js'
import type { Config } from '../settings/config.js'
import { ApiError, fail } from '../errors.js'
import type { Services } from '../call/services.js'

const day = 86_400

/** Times of the password in force, as far as rules are on: they go into the answers of login and access-info. */
export interface PasswordTimes {
  /** Seconds: when it ceases to open anything. */
  readonly passwordExpires?: number
  /** Seconds: from when on it may be replaced. */
  readonly passwordCanBeChanged?: number
}

/** Raises `invalid-parameters-format` for a password that is too short, or of too few kinds of characters. */
export function mustBeComplex({ auth }: Config, password: string, param: 'password' | 'newPassword'): void {
  const { passwordComplexityMinCharCategories: categories, passwordComplexityMinLength: length } = auth
  if (lengthOf(password) < length)
    refuse(`The password has to have ${length} characters at least`, {
      code: 'password-short',
      param,
      minimum: length
    })
  if (kindsOf(password) < categories)
    refuse(
      `The password has to have characters of ${categories} kinds at least, of lower case, upper case, digits and others`,
      { code: 'password-simple', param, minimum: categories }
    )
}

/** `data` is one text, as clients know it; what it says is also there for pages, in whatever language they speak. */
function refuse(what: string, rule: { code: string; param: string; minimum: number }): never {
  const message = `${what}.`
  throw new ApiError('invalid-parameters-format', message, {
    data: [what],
    subErrors: [new ApiError('invalid-parameters-format', message, { data: rule })]
  })
}

/** Characters as people count them, nearly. */
function lengthOf(password: string): number {
  return Array.from(password).length
}

const kinds = [/\p{Ll}/u, /\p{Lu}/u, /\p{Nd}/u, /[^\p{Ll}\p{Lu}\p{Nd}]/u]

function kindsOf(password: string): number {
  return kinds.filter(kind => kind.test(password)).length
}

/** Raises `invalid-operation` when the password in force is too young to be replaced. */
export function mustBeReplaceable(config: Config, password: PasswordRecord | undefined, now: number): void {
  const { passwordCanBeChanged = 0 } = passwordTimes(config, password)
  if (now < passwordCanBeChanged)
    fail('invalid-operation', 'The password was set too recently to be changed now', {
      passwordCanBeChanged
    })
}

/** Raises `invalid-operation` for one of the latest passwords, of which there are hashes. */
export async function mustBeNew(
  { config, passwords }: Services,
  latest: readonly PasswordRecord[],
  password: string
): Promise<void> {
  for (const { hash } of latest)
    if (await passwords.verify(hash, password))
      fail(
        'invalid-operation',
        `The password has to differ from the last ${config.auth.passwordPreventReuseHistoryLength} ones`,
        { param: 'newPassword', code: 'password-reused' }
      )
}

/**
 * Checks a new password against all rules and answers its hash. Only before a transaction; the transaction looks again
 * whether the password that it replaces is still the one in force.
 */
export async function hashOfNew(
  core: Services,
  store: UserStore,
  password: string,
  now: number
): Promise<string> {
  const { config, passwords } = core
  mustBeComplex(config, password, 'newPassword')
  mustBeReplaceable(config, store.account.password(), now)
  // Read at once: nothing of the file is touched once this has waited.
  await mustBeNew(core, store.account.passwords(config.auth.passwordPreventReuseHistoryLength), password)
  return await passwords.hash(password)
}

/** The times of a password under the rules that are on. */
export function passwordTimes({ auth }: Config, password: PasswordRecord | undefined): PasswordTimes {
  const { passwordAgeMaxDays, passwordAgeMinDays } = auth
  if (!password || (passwordAgeMaxDays === 0 && passwordAgeMinDays === 0)) return {}
  return {
    ...(passwordAgeMaxDays === 0 ? {} : { passwordExpires: password.created + passwordAgeMaxDays * day }),
    ...(passwordAgeMinDays === 0 ? {} : { passwordCanBeChanged: password.created + passwordAgeMinDays * day })
  }
}

/** Raises `invalid-credentials`, telling since when, for a password past its time. Only for those who know it. */
export function mustNotHaveExpired({ passwordExpires }: PasswordTimes, now: number): void {
  if (passwordExpires !== undefined && passwordExpires <= now)
    fail('invalid-credentials', 'The password has expired. Please set a new one by a link that you ask for', {
      expiredTime: passwordExpires
    })
}
