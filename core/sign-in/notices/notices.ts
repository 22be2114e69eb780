/**
 * Notices to a user of sign-ins from new devices, and of changes to how they sign in: mailed to the confirmed address.
 * (docs/spec/notices.md) A notice is stored in the transaction of the change, and mailed after it: a change that is
 * rolled back is never announced.
 */
import type { UserStore } from '../../../storage/user/user-store.js'
import { getConfirmedAddress } from '../../account/email/address.js'
import { countMessage } from '../../account/email/message-count.js'
import type { Call } from '../../call/method.js'
import type { Services } from '../../call/services.js'
import type { Message, NoticeKind } from '../../outgoing/mail/message.js'
import { getAccountPageUrl } from '../../service-info.js'
import { describeAgent, unknownLabel, recordDevice } from './devices.js'

/** A notice. */
interface Notice {
  readonly kind: NoticeKind
  /** The name of the passkey concerned. */
  readonly passkey?: string
  /** The label of the provider concerned. */
  readonly provider?: string
  /** When the account will be deleted, in seconds. */
  readonly deletion?: number
  /** The user name before a change. */
  readonly formerUsername?: string
}

/** A notice that has not been mailed yet. */
interface PendingNotice extends Notice {
  /** The address confirmed at that time. */
  readonly to: string
  /** Seconds. */
  readonly time: number
  readonly agent: string
  readonly address: string
}

/** The parts of a call that are needed here. Without credentials, the operator made the change. */
type NoticeContext = Pick<Call, 'account' | 'now' | 'services' | 'store'> & Partial<Pick<Call, 'credentials'>>

/** Notices that are mailed even if the user has switched notices off. */
const mandatoryKinds: ReadonlySet<NoticeKind> = new Set(['deletionScheduled', 'usernameChanged'])

/** Names of states: the pending notices, and whether the user has switched notices off. */
const pendingState = 'notices'
const offState = 'notices-off'

/** Returns whether the user wants notices. */
export function wantsNotices(store: UserStore): boolean {
  return store.signIn.getState(offState) !== true
}

/** Switches notices on or off. Must run within a transaction. */
export function setWantsNotices(store: UserStore, isOn: boolean): void {
  if (isOn) store.signIn.removeState(offState)
  else store.signIn.setState(offState, true)
}

/** Records the device of a sign-in, and notifies the user if it is new. Must run within a transaction. */
export function notifyNewDevice(call: NoticeContext & Pick<Call, 'credentials'>): void {
  if (recordDevice(call.store, call.credentials)) notifyUser(call, { kind: 'signedIn' })
}

/**
 * Notifies the user by mail, unless the user or the operator has switched notices off, no address is
 * confirmed, or too many were sent within the hour. The user cannot switch off notices of a deletion or a new
 * name. Sign-ins have a separate limit. Must run within a transaction.
 */
export function notifyUser(call: NoticeContext, notice: Notice): void {
  const { account, credentials, now, services, store } = call
  if (!services.mailer.sends(notice.kind)) return
  if (!wantsNotices(store) && !mandatoryKinds.has(notice.kind)) return
  const to = getConfirmedAddress(store)
  const countedKind = notice.kind === 'signedIn' ? 'sign-in' : 'security'
  if (to === undefined || !countMessage(store, countedKind, now)) return
  const agent = describeAgent(credentials?.headers?.['user-agent'])
  const pending: PendingNotice = { ...notice, to, time: now, agent, address: credentials?.ip || unknownLabel }
  store.signIn.setState(pendingState, [...listPending(store), pending])
  sendNext(services, account.username)
}

/** Mails the first pending notice, and then the others. Returns at once and never throws. */
function sendNext(services: Services, username: string): void {
  services.mailer.send(() => buildMessage(services, username))
}

/**
 * Takes the first pending notice, and builds its mail; `undefined` if no notice is pending. Queues the next
 * one if there are more.
 */
async function buildMessage(services: Services, name: string): Promise<Message | undefined> {
  const account = services.accounts.findServed(name)
  if (!account) return undefined
  const store = services.accounts.openStore(account)
  // After the transaction of the change: writes of an account run one after the other.
  const taken = await store.write(() => {
    const [first, ...rest] = listPending(store)
    if (rest.length === 0) store.signIn.removeState(pendingState)
    else store.signIn.setState(pendingState, rest)
    const language = store.account.field('language')
    return first && { ...first, hasMore: rest.length > 0, language, names: listPasskeyNames(store) }
  })
  if (!taken) return undefined
  if (taken.hasMore) sendNext(services, name)
  const { kind, language, to } = taken
  const { username } = services.accounts.toOwn(account)
  return {
    kind,
    accountId: account.id,
    username,
    email: to,
    language: typeof language === 'string' ? language : '',
    substitutions: buildSubstitutions(services, username, taken)
  }
}

/** Returns the values of a notice's placeholders. Names that users chose are sanitised. */
function buildSubstitutions(
  { config }: Services,
  username: string,
  {
    address,
    agent,
    deletion,
    formerUsername,
    names,
    passkey,
    provider,
    time
  }: PendingNotice & { readonly names: readonly string[] }
): Message['substitutions'] {
  return {
    USERNAME: username,
    FORMER_USERNAME: formerUsername ?? username,
    TIME: formatTime(time),
    DELETION: deletion === undefined ? unknownLabel : formatTime(deletion),
    BROWSER: agent,
    ADDRESS: address,
    PASSKEY: sanitizeName(passkey ?? ''),
    PROVIDER: sanitizeName(provider ?? ''),
    PASSKEYS: names.length === 0 ? unknownLabel : names.join(', '),
    ACCOUNT_LINK: getAccountPageUrl(config, username)
  }
}

function formatTime(seconds: number): string {
  return `${new Date(seconds * 1000).toISOString().slice(0, 16).replace('T', ' ')} UTC`
}

/** Returns the names of all passkeys. */
function listPasskeyNames(store: UserStore): string[] {
  return store.passkeys.list().map(({ name }) => sanitizeName(name))
}

/** Returns a name without characters that could form a link in a mail: an attacker may have chosen it. */
function sanitizeName(text: string): string {
  const bare = text.replaceAll(/[^\p{L}\p{M}\p{N}'’,_-]+/gu, ' ').trim()
  return Array.from(bare).slice(0, 80).join('') || unknownLabel
}

function listPending(store: UserStore): readonly PendingNotice[] {
  return (store.signIn.getState(pendingState) as readonly PendingNotice[] | undefined) ?? []
}
