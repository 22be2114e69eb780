/** Creates accounts, and welcomes their users. (docs/spec/registration.md#creating-an-account) */
import type { PasswordRecord } from '../../storage/repositories/account.js'
import type { UserStore } from '../../storage/user/user-store.js'
import { checkRegistration, storeValues, selectUniqueValues, selectFieldValues } from './fields.js'
import { apiEndpoint } from '../service-info.js'
import { ApiError, fail } from '../errors.js'
import { sendConfirmation } from '../account/email/messages.js'
import { requestVerification, sendVerifications } from '../account/email/verification.js'
import { identityField, toIdentityKey } from '../../schemas/identity.js'
import { refuseTaken as refuseIdentity, createIdentity } from '../identities/identities.js'
import { verifyProof } from '../identities/proofs.js'
import { assertPasswordsEnabled } from '../sign-in/passwords.js'
import { createId } from '../ids.js'
import type { ServiceCall } from '../call/method.js'
import { assertPasswordComplexity } from '../sign-in/password-rules.js'
import { recordSignIn, openPageSession, openSession } from '../auth/personal-access.js'
import { isOwnApp } from '../auth/trusted-apps.js'
import { describeBrowser, recordDevice } from '../sign-in/notices/devices.js'
import { isRefusedUsername } from './usernames.js'
import type { Credentials } from '../call/credentials.js'
import type { Services } from '../call/services.js'
import type { Claim } from '../../storage/platform/account.js'
import type { IdentityProof } from '../../storage/identities/identity-proofs.js'
import { countMailTo } from '../account/email/message-count.js'
import { getCurrentAddress, isSameAddress } from '../account/email/address.js'
import type { Message } from '../outgoing/mail/message.js'

/** The result of a registration. */
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
 * Registers an account and signs its app in; queues a welcome mail, and one that verifies the address if the
 * settings say so. Everything is checked before the password is hashed, and claimed after it: of two
 * concurrent registrations of a name, only one succeeds. Throws `invalid-parameters-format`, also without a
 * valid invitation where one is needed, `item-already-exists`, `unavailable-method` for a password while
 * passwords are switched off, `too-many-requests` from the throttle of registrations, and the errors of {@link
 * verifyProof}.
 */
export async function registerAccount(call: ServiceCall, body: object): Promise<Registered> {
  const { services, credentials, now } = call
  const fields = renameOlderFields(body)
  checkRegistration(services, fields)
  const { appId, username, password, email, language, invitationToken } = fields
  if (password !== undefined || !('identity' in fields)) assertPasswordsEnabled(services.config)
  const verified = 'identity' in fields ? verifyProof(call, fields.identity) : undefined
  const values = selectFieldValues(services, fields)
  if (password !== undefined) assertPasswordComplexity(services.config, password, 'password')
  const admission = verified?.provider.autoRegister
    ? 'free'
    : (getAdmission(services, credentials, invitationToken ?? undefined) ?? refuseInvitation())
  const claim = {
    id: createId(),
    username,
    created: now,
    unique: { ...selectUniqueValues(services, values), ...(verified && toUniqueValues(verified.proof)) },
    ...(admission === 'once' && invitationToken ? { invitationToken } : {})
  }
  assertNotTaken(listUnavailable(services, claim), { username, ...claim.unique })

  const undo = services.throttle.register(credentials.ip)
  try {
    const hash = password === undefined ? undefined : await services.passwords.hash(password)
    let token = ''
    const taken = await services.accounts.create({
      ...claim,
      fill(store) {
        const { access } = isOwnApp(appId)
          ? openPageSession(services.config, store, { appId, browser: describeBrowser(credentials), now })
          : { access: openSession(services.config, store, appId, now) }
        recordSignIn(store, access.id, call, verified?.provider.name)
        recordDevice(store, credentials)
        token = access.token
        if (hash !== undefined) store.account.insertPassword({ hash, created: now })
        storeValues(services, store, values, { now, by: access.id })
        if (verified) storeIdentity(store, verified.proof, now)
        if (services.mailer.verifiesNewAccounts) requestVerification(store, now)
      }
    })
    assertNotTaken(taken, { username, ...claim.unique })
    sendWelcomeMail(services, { accountId: claim.id, username, email, language: language ?? 'en' }, true)
    if (services.mailer.verifiesNewAccounts) sendVerifications(services, username)
    if (verified) sendConfirmation(services, username)
    return { username, apiEndpoint: apiEndpoint(services.config, username, token) }
  } catch (error) {
    undo()
    throw error
  }
}

/** Stores a new account's password and the values of its fields. */
export function fillAccount(
  services: Services,
  store: UserStore,
  values: ReadonlyMap<string, unknown>,
  { password, by }: { readonly password: PasswordRecord; readonly by: string }
): void {
  store.account.insertPassword(password)
  storeValues(services, store, values, { now: password.created, by })
}

/**
 * Returns how an invitation token, or a missing one, allows registration: `free` any number of times, `once`
 * with an invitation that the registration uses up; `undefined` if it does not. Wrong guesses are counted,
 * and a right guess does not reset the count; throws `too-many-requests` after too many.
 */
export function getAdmission(
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
  if (platform.invitations.isUnused(token)) return 'once'
  throttle.failed(guess)
  return undefined
}

function refuseInvitation(): never {
  const message = 'A valid invitation is required to register'
  fail('invalid-parameters-format', `${message}.`, [
    { code: 'invitationToken-invalid', message, path: '#/invitationToken', param: 'invitationToken' }
  ])
}

/** Returns the fields of a claim that are taken, or whose name is reserved. */
export function listUnavailable({ config, platform }: Services, claim: Claim): string[] {
  const taken = platform.listTaken(claim)
  if (isRefusedUsername(claim.username, config) && !taken.includes('username')) taken.unshift('username')
  return taken
}

/**
 * Throws `item-already-exists` with the taken values, as they were given. For a taken invitation or identity,
 * throws their own errors.
 */
export function assertNotTaken(taken: readonly string[], given: Readonly<Record<string, unknown>>): void {
  if (taken.includes('invitationToken')) refuseInvitation()
  if (taken.includes(identityField)) refuseIdentity()
  if (taken.length === 0) return
  throw new ApiError('item-already-exists', `The ${taken.join(' and the ')} is already taken`, {
    data: Object.fromEntries(taken.map(field => [field, given[field]]))
  })
}

/** Returns the body with the current names of its fields; if both are given, the current one counts. */
function renameOlderFields(body: object): object {
  const entries = Object.entries(body)
  return Object.fromEntries([
    ...entries.filter(([name]) => olderNames.has(name)).map(([name, value]) => [olderNames.get(name), value]),
    ...entries.filter(([name]) => !olderNames.has(name))
  ])
}

/** Returns the identity as a unique value of the account. */
function toUniqueValues(proof: IdentityProof): Readonly<Record<string, string>> {
  return { [identityField]: toIdentityKey(proof) }
}

/**
 * Stores the identity with which an account is created. (docs/spec/identities.md#registering) An address that the provider has not verified is not confirmed until the user confirms it. Must
 * run within the write that fills the account, after its values are stored.
 */
function storeIdentity(store: UserStore, proof: IdentityProof, now: number): void {
  store.identities.insert(createIdentity(proof, now))
  const { email } = proof
  if (email && !email.isVerified && isSameAddress(email.address, getCurrentAddress(store)))
    store.confirmed.remove('email')
}

/**
 * Queues a welcome mail to a new user, unless `mayBeStranger` and its mailbox got too many. Returns at once and never throws:
 * registration does not depend on it.
 */
export function sendWelcomeMail(
  services: Services,
  user: Pick<Message, 'accountId' | 'username' | 'email' | 'language'>,
  mayBeStranger: boolean
): void {
  if (!services.mailer.sends('welcome')) return
  const substitutions = { USERNAME: user.username, EMAIL: user.email }
  services.mailer.send(async () =>
    !mayBeStranger || (await countMailTo(services, 'welcome', user))
      ? { kind: 'welcome', ...user, substitutions }
      : undefined
  )
}
