/** How accounts come to be. (docs/spec/registration.md#creating-an-account) */
import type { PasswordRecord } from '../../storage/repositories/account.js'
import type { UserStore } from '../../storage/user/user-store.js'
import { checkRegistration, keepValues, uniqueOf, valuesOf } from './fields.js'
import { apiEndpoint } from '../service-info.js'
import { ApiError, fail } from '../errors.js'
import { newId } from '../ids.js'
import type { ServiceCall } from '../call/method.js'
import { mustBeComplex } from '../sign-in/password-rules.js'
import { openSession } from '../auth/personal-access.js'
import { welcome } from './welcome-mail.js'
import { isReservedUsername } from './usernames.js'
import type { Credentials } from '../call/credentials.js'
import type { Services } from '../call/services.js'
import type { Claim } from '../../storage/platform/account.js'

/** What a new account is told. */
export interface Registered {
  readonly username: string
  readonly apiEndpoint: string
}

/** Names that fields had in older versions. */
const olderNames = new Map([
  ['appid', 'appId'],
  ['languageCode', 'language'],
  ['invitationtoken', 'invitationToken']
])

/**
 * Registers an account and signs its app in. Everything is looked at before the password is hashed, and claimed after:
 * of two that want the same name at the same instant one gets it.
 */
export async function register(call: ServiceCall, body: object): Promise<Registered> {
  const { core, credentials, now } = call
  const fields = withCurrentNames(body)
  checkRegistration(core, fields)
  const { appId, username, password, email, language, invitationToken } = fields
  const values = valuesOf(core, fields)
  mustBeComplex(core.config, password, 'password')
  const admitted = admission(core, credentials, invitationToken ?? undefined) ?? refuseInvitation()
  const claim = {
    id: newId(),
    username,
    created: now,
    unique: uniqueOf(core, values),
    ...(admitted === 'once' && invitationToken ? { invitationToken } : {})
  }
  refuseTaken(unavailable(core, claim), { username, ...claim.unique })

  const takeBack = core.throttle.register(credentials.ip)
  try {
    const hash = await core.passwords.hash(password)
    let token = ''
    const lost = await core.accounts.create({
      ...claim,
      fill(store) {
        const access = openSession(core.config, store, appId, now)
        token = access.token
        fillAccount(core, store, values, { hash, created: now }, access.id)
      }
    })
    refuseTaken(lost, { username, ...claim.unique })
    welcome(core, { accountId: claim.id, username, email, language: language ?? 'en' })
    return { username, apiEndpoint: apiEndpoint(core.config, username, token) }
  } catch (error) {
    takeBack()
    throw error
  }
}

/** Puts a new account's password and the values of its fields into its file. */
export function fillAccount(
  core: Services,
  store: UserStore,
  values: ReadonlyMap<string, unknown>,
  password: PasswordRecord,
  by: string
): void {
  store.account.insertPassword(password)
  keepValues(core, store, values, password.created, by)
}

/**
 * Whether this invitation, or its absence, lets somebody register: `free` for as many as like, `once` for an invitation
 * that is used up by it. Guesses are counted; right ones never wash them off.
 */
export function admission(
  { config, platform, throttle }: Services,
  { ip }: Credentials,
  token: string | undefined
): 'free' | 'once' | undefined {
  const { invitationTokens } = config.registration
  if (invitationTokens === null) return 'free'
  if (invitationTokens.length === 0 || token === undefined) return undefined
  const guess = { subject: 'invitation', ip }
  throttle.check(guess)
  if (invitationTokens.includes(token)) return 'free'
  if (platform.isInvited(token)) return 'once'
  throttle.failed(guess)
  return undefined
}

function refuseInvitation(): never {
  const message = 'Registration needs a valid invitation'
  fail('invalid-parameters-format', `${message}.`, [
    { code: 'invitationToken-invalid', message, path: '#/invitationToken', param: 'invitationToken' }
  ])
}

/** What of an account cannot be had: it is taken, or the name is reserved. */
export function unavailable({ config, platform }: Services, claim: Claim): string[] {
  const taken = platform.taken(claim)
  if (isReservedUsername(claim.username, config) && !taken.includes('username')) taken.unshift('username')
  return taken
}

/** Raises `item-already-exists` with the values that are taken, as they were given. */
export function refuseTaken(taken: readonly string[], given: Readonly<Record<string, unknown>>): void {
  if (taken.includes('invitationToken')) refuseInvitation()
  if (taken.length === 0) return
  throw new ApiError('item-already-exists', `The ${taken.join(' and the ')} cannot be had any more`, {
    data: Object.fromEntries(taken.map(field => [field, given[field]]))
  })
}

/** The body with today's names of its fields; where both are given, today's count. */
function withCurrentNames(body: object): object {
  const entries = Object.entries(body)
  return Object.fromEntries([
    ...entries.filter(([name]) => olderNames.has(name)).map(([name, value]) => [olderNames.get(name), value]),
    ...entries.filter(([name]) => !olderNames.has(name))
  ])
}
