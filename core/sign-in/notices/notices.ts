/**
 * Notices to a user of sign-ins from new devices, and of changes to how they sign in: mailed to the address that counts.
 * (docs/spec/notices.md)
 *
 * A notice is stored in the transaction of what it tells of, and mailed after it: what is undone is never announced.
 */
import type { UserStore } from '../../../storage/user/user-store.js'
import { confirmedAddress } from '../../account/email/address.js'
import { takeMessage } from '../../account/email/message-count.js'
import type { Call } from '../../call/method.js'
import type { Services } from '../../call/services.js'
import type { Message, NoticeKind } from '../../outgoing/mail/message.js'
import { accountPage } from '../../service-info.js'
import { agentWords, nothing } from './agent.js'
import { isNewDevice } from './devices.js'

/** Something to tell. */
export interface Notice {
  readonly kind: NoticeKind
  /** The name of the passkey concerned. */
  readonly passkey?: string
  /** The label of the provider concerned. */
  readonly provider?: string
  /** When the account will be deleted, in seconds. */
  readonly deletion?: number
}

/** A notice that has not been mailed yet. */
interface Pending extends Notice {
  /** The address that counted then. */
  readonly to: string
  /** Seconds. */
  readonly time: number
  readonly agent: string
  readonly address: string
}

/** What is needed of a call. Without credentials, the operator has done it. */
export type Teller = Pick<Call, 'account' | 'now' | 'services' | 'store'> & Partial<Pick<Call, 'credentials'>>

/** Names of states: what waits, and whether the user wants none. */
const pendingState = 'notices'
const offState = 'notices-off'

/** Whether the user wants notices. */
export function wantsNotices(store: UserStore): boolean {
  return store.signIn.getState(offState) !== true
}

/** Switches notices on or off. Must run within a write. */
export function setWantsNotices(store: UserStore, isOn: boolean): void {
  if (isOn) store.signIn.removeState(offState)
  else store.signIn.setState(offState, true)
}

/** Tells of a sign-in if it is from a device not seen before. Must run within a write. */
export function noteDevice(call: Teller & Pick<Call, 'credentials'>): void {
  if (isNewDevice(call.store, call.credentials)) tell(call, { kind: 'signedIn' })
}

/**
 * Tells the user, unless they or the operator do not want it, no address counts, or too many have been sent within the hour.
 * Sign-ins do not use up the number of the others. Must run within a write.
 */
export function tell(call: Teller, notice: Notice): void {
  const { account, credentials, now, services, store } = call
  if (!services.mailer.sends(notice.kind)) return
  // The end of an account is told in any case.
  if (!wantsNotices(store) && notice.kind !== 'deletionScheduled') return
  const to = confirmedAddress(store)
  const counted = notice.kind === 'signedIn' ? 'sign-in' : 'security'
  if (to === undefined || !takeMessage(store, counted, now)) return
  const agent = agentWords(credentials?.headers?.['user-agent'])
  const pending: Pending = { ...notice, to, time: now, agent, address: credentials?.ip || nothing }
  store.signIn.setState(pendingState, [...pendingIn(store), pending])
  send(services, account.username)
}

/** Mails the first notice that waits; the others follow. Returns at once and never throws. */
function send(services: Services, username: string): void {
  services.mailer.send(() => letter(services, username))
}

async function letter(services: Services, username: string): Promise<Message | undefined> {
  const account = services.accounts.findServed(username)
  if (!account) return undefined
  const store = services.accounts.store(account)
  // After the transaction that tells of it: writes of an account wait for each other.
  const taken = await store.write(() => {
    const [first, ...rest] = pendingIn(store)
    if (rest.length === 0) store.signIn.removeState(pendingState)
    else store.signIn.setState(pendingState, rest)
    const language = store.account.field('language')
    return first && { ...first, hasMore: rest.length > 0, language, names: namesIn(store) }
  })
  if (!taken) return undefined
  if (taken.hasMore) send(services, username)
  const { kind, language, to } = taken
  return {
    kind,
    accountId: account.id,
    username,
    email: to,
    language: typeof language === 'string' ? language : '',
    substitutions: wordsOf(services, username, taken)
  }
}

function wordsOf(
  { config }: Services,
  username: string,
  {
    address,
    agent,
    deletion,
    names,
    passkey,
    provider,
    time
  }: Pending & { readonly names: readonly string[] }
): Message['substitutions'] {
  return {
    USERNAME: username,
    TIME: formatTime(time),
    DELETION: deletion === undefined ? nothing : formatTime(deletion),
    BROWSER: agent,
    ADDRESS: address,
    PASSKEY: harmless(passkey ?? ''),
    PROVIDER: harmless(provider ?? ''),
    PASSKEYS: names.length === 0 ? nothing : names.join(', '),
    ACCOUNT_LINK: accountPage(config, username)
  }
}

function formatTime(seconds: number): string {
  return `${new Date(seconds * 1000).toISOString().slice(0, 16).replace('T', ' ')} UTC`
}

/** The names of the passkeys that there are. */
function namesIn(store: UserStore): string[] {
  return store.passkeys.list().map(({ name }) => harmless(name))
}

/** A name without characters that could form a link in a mail: whoever has got in may have chosen it. */
function harmless(text: string): string {
  const bare = text.replaceAll(/[^\p{L}\p{M}\p{N}'’,_-]+/gu, ' ').trim()
  return Array.from(bare).slice(0, 80).join('') || nothing
}

function pendingIn(store: UserStore): readonly Pending[] {
  return (store.signIn.getState(pendingState) as readonly Pending[] | undefined) ?? []
}
