/** The tokens by which single files are read without any other. (docs/spec/attachments.md) */
import { createHmac, timingSafeEqual } from 'node:crypto'
import type { Access } from '../../schemas/access.js'
import type { Event } from '../../schemas/event.js'
import type { Services } from '../call/services.js'
import type { Account } from '../../storage/platform/account.js'

/**
 * The token that lets its holder read one file as `access` may: `{accessId}-{mac}`. It dies with the access, and with the
 * access's token. (docs/spec/attachments.md#read-tokens)
 */
export function readToken(
  core: Services,
  account: Account,
  eventId: string,
  fileId: string,
  access: Access
): string {
  return `${access.id}-${mac(core, account, eventId, fileId, access)}`
}

/** The id of the access that a read token names. */
export function accessIdOf(token: string): string {
  return token.split('-', 1)[0] ?? ''
}

/** Whether a read token is the one of this file and access. */
export function isReadToken(
  core: Services,
  account: Account,
  eventId: string,
  fileId: string,
  access: Access,
  token: string
): boolean {
  const [expected, given] = [readToken(core, account, eventId, fileId, access), token].map(text =>
    Buffer.from(text)
  )
  return expected!.length === given!.length && timingSafeEqual(expected!, given!)
}

/** An event as `access` sees it: each of its files with a read token. */
export function withReadTokens(core: Services, account: Account, access: Access, event: Event): Event {
  if (!event.attachments) return event
  const attachments = event.attachments.map(attachment => ({
    ...attachment,
    readToken: readToken(core, account, event.id, attachment.id, access)
  }))
  return { ...event, attachments }
}

function mac(core: Services, account: Account, eventId: string, fileId: string, access: Access): string {
  const subject = JSON.stringify([account.id, eventId, fileId, access.id, access.token])
  return createHmac('sha256', core.platform.secret('readToken')).update(subject).digest('base64url')
}
