/** Limits the mails that an account may cause in an hour, and those to an unproven address, so that no mailbox is flooded. */
import { domainToASCII } from 'node:url'
import { digestSecret } from '../../../schemas/secret-digest.js'
import type { UserStore } from '../../../storage/user/user-store.js'
import type { Services } from '../../call/services.js'
import type { Message } from '../../outgoing/mail/message.js'
import { limitWait } from '../../time.js'
import { normalizeAddress } from './address.js'

/**
 * Kinds that are counted: password reset links, links that confirm the primary address, links that verify further addresses,
 * and notices to the previous address:
 * that an app (`notice`) or the user (`change`) has set another address. An app cannot use up the limit of `change`.
 * Notices of sign-ins, and of changes to how a user signs in (`security`), have their own limits.
 */
type CountedMessage = 'reset' | 'confirmation' | 'verification' | 'notice' | 'change' | 'sign-in' | 'security'

interface MessageCount {
  readonly count: number
  /** Seconds. */
  readonly endsAt: number
}

const maxPerHour = 5
/** A user may add several addresses at once. */
const maxVerificationsPerHour = 10
const hour = 3600

/** Counts a mail that is about to be sent. Returns `false` if the limit is reached. Must run within a transaction. */
export function countMessage(store: UserStore, kind: CountedMessage, now: number): boolean {
  const { count, endsAt } = readCount(store, kind, now)
  if (count >= getLimit(kind)) return false
  store.signIn.setState(toStateName(kind), { count: count + 1, endsAt })
  return true
}

/** Returns the seconds until a mail of the kind may be sent again; 0 if it may be sent now. */
export function getMessageWait(store: UserStore, kind: CountedMessage, now: number): number {
  const { count, endsAt } = readCount(store, kind, now)
  return count < getLimit(kind) ? 0 : Math.ceil(endsAt - now)
}

/**
 * Resets the count of a kind, once one of its mails has been used. Not for mails that go to addresses of the caller's
 * choice: confirming one address would allow unlimited mails to other addresses. Must run within a transaction.
 */
export function resetMessageCount(store: UserStore, kind: CountedMessage): void {
  store.signIn.removeState(toStateName(kind))
}

/**
 * Counts a mail to an address that need not be the user's. Returns false if all accounts together have sent too many
 * of its kind there: links that confirm or verify the address, or welcomes. Only the log says so.
 */
export async function countMailTo(
  { clock, log, platform }: Pick<Services, 'clock' | 'log' | 'platform'>,
  kind: 'link' | 'welcome',
  { accountId, email }: Pick<Message, 'accountId' | 'email'>
): Promise<boolean> {
  // A digest: the platform's file need not know to whom mails are sent.
  const digest = digestSecret((kind === 'link' ? '' : `${kind}:`) + toMailbox(email))
  const isSent = await platform.change('countMail', digest, clock.now(), maxPerHour, hour)
  if (!isSent) log.warn('an email was not sent: its mailbox got too many within an hour', { accountId })
  return isSent
}

/**
 * Returns the mailbox that an address most likely means, in any of its forms: ASCII or Unicode domains, with or without a tag, dots,
 * quotes and a route.
 */
function toMailbox(address: string): string {
  const normalized = normalizeAddress(address)
  const at = normalized.lastIndexOf('@')
  const local = normalized.slice(0, at).replaceAll(/^.*:|["\\.\s]/gs, '')
  const domain = normalized
    .slice(at + 1)
    .replaceAll(/\s/g, '')
    .replace(/\.$/, '')
  return `${local.replace(/\+.*/s, '')}@${domainToASCII(domain) || domain}`
}

function getLimit(kind: CountedMessage): number {
  return kind === 'verification' ? maxVerificationsPerHour : maxPerHour
}

function readCount(store: UserStore, kind: CountedMessage, now: number): MessageCount {
  const known = store.signIn.getState(toStateName(kind)) as MessageCount | undefined
  return known && limitWait(known.endsAt, now, hour) > now ? known : { count: 0, endsAt: now + hour }
}

function toStateName(kind: CountedMessage): string {
  return `letters-${kind}`
}
