/** Read tokens, each of which gives access to a single file without an access token. (docs/spec/attachments.md) */
import { createHmac, timingSafeEqual } from 'node:crypto'
import type { Access } from '../../schemas/access.js'
import type { Attachment } from '../../schemas/event.js'
import type { Services } from '../call/services.js'
import { getSecret } from './secrets.js'
import type { Account } from '../../storage/platform/account.js'

/** A file of an event, and the access by which it is read. */
interface FileAccess {
  readonly services: Services
  readonly account: Account
  readonly access: Access
  readonly eventId: string
  readonly fileId: string
}

/**
 * Creates the token that lets its holder read one file as `access` may: `{accessId}-{mac}`. It becomes invalid when the
 * access ends or gets a new token. (docs/spec/attachments.md#read-tokens)
 */
function createReadToken(file: FileAccess): string {
  return `${file.access.id}-${computeMac(file)}`
}

/** Returns the id of the access that a read token names. */
export function getAccessId(token: string): string {
  return token.split('-', 1)[0] ?? ''
}

/** Returns whether a read token is valid for this file and access, compared in constant time. */
export function isValidReadToken(file: FileAccess, token: string): boolean {
  const [expected, given] = [createReadToken(file), token].map(text => Buffer.from(text))
  return expected!.length === given!.length && timingSafeEqual(expected!, given!)
}

/** Returns the files of an event with a read token for `access` in each. */
export function addReadTokens(event: Omit<FileAccess, 'fileId'>, files: readonly Attachment[]): Attachment[] {
  return files.map(file => ({ ...file, readToken: createReadToken({ ...event, fileId: file.id }) }))
}

function computeMac({ services, account, access, eventId, fileId }: FileAccess): string {
  const subject = JSON.stringify([account.id, eventId, fileId, access.id, access.token])
  return createHmac('sha256', getSecret(services, 'readToken')).update(subject).digest('base64url')
}
