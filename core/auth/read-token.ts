/** Read tokens, each of which gives access to a single file without an access token. (docs/spec/attachments.md) */
import { createHmac, timingSafeEqual } from 'node:crypto'
import type { Access } from '../../schemas/access.js'
import type { Attachment } from '../../schemas/event.js'
import type { Services } from '../call/services.js'
import { getSecret } from './secrets.js'
import type { Account } from '../../storage/platform/account.js'

/**
 * Returns the token that lets its holder read one file as `access` may: `{accessId}-{mac}`. It becomes invalid when the
 * access ends or gets a new token. (docs/spec/attachments.md#read-tokens)
 */
export function createReadToken(
  services: Services,
  account: Account,
  eventId: string,
  fileId: string,
  access: Access
): string {
  return `${access.id}-${computeMac(services, account, eventId, fileId, access)}`
}

/** The id of the access that a read token names. */
export function getAccessId(token: string): string {
  return token.split('-', 1)[0] ?? ''
}

/** Whether a read token is valid for this file and access, compared in constant time. */
export function isValidReadToken(
  services: Services,
  account: Account,
  eventId: string,
  fileId: string,
  access: Access,
  token: string
): boolean {
  const [expected, given] = [createReadToken(services, account, eventId, fileId, access), token].map(text =>
    Buffer.from(text)
  )
  return expected!.length === given!.length && timingSafeEqual(expected!, given!)
}

/** The files of an event as `access` sees them: each with a read token. */
export function addReadTokens(
  services: Services,
  account: Account,
  access: Access,
  eventId: string,
  files: readonly Attachment[]
): Attachment[] {
  return files.map(file => ({
    ...file,
    createReadToken: createReadToken(services, account, eventId, file.id, access)
  }))
}

function computeMac(
  services: Services,
  account: Account,
  eventId: string,
  fileId: string,
  access: Access
): string {
  const subject = JSON.stringify([account.id, eventId, fileId, access.id, access.token])
  return createHmac('sha256', getSecret(services, 'readToken')).update(subject).digest('base64url')
}
