/** Files on their way into events, and the tokens by which they are read. (service.md, Event; supplement 10) */
import { createHmac, timingSafeEqual } from 'node:crypto'
import type { Access } from '../../schemas/access.js'
import type { Attachment, Event } from '../../schemas/event.js'
import type { ReceivedFile } from '../../storage/files/attachments.js'
import type { Account } from '../../storage/platform/platform-store.js'
import { newId } from '../ids.js'
import type { Core } from '../call/method.js'

/** A file that came with a call: its bytes wait in the attachment store. */
export interface UploadedFile {
  readonly fileName: string
  /** MIME type, as the sender names it. */
  readonly type: string
  readonly received: ReceivedFile
}

/** Puts uploaded files in their place, before any row names them. If one fails, none stays. */
export async function keepFiles(
  core: Core,
  account: Account,
  files: readonly UploadedFile[]
): Promise<Attachment[]> {
  const { isActive, algorithm } = core.config.integrity
  const kept: Attachment[] = []
  try {
    for (const { fileName, type, received } of files) {
      const id = newId()
      await core.attachments.put(account.id, id, received)
      const integrity = isActive.attachments ? { integrity: `${algorithm}-${received.digest}` } : {}
      kept.push({ id, fileName, type, size: received.size, ...integrity })
    }
    return kept
  } catch (error) {
    await dropFiles(core, account, kept)
    // An account that was deleted meanwhile says so itself.
    core.accounts.store(account)
    throw error
  }
}

/** Removes files that no event names, or none any longer. What cannot be removed now is swept later. */
export async function dropFiles(
  core: Core,
  account: Account,
  attachments: readonly Pick<Attachment, 'id'>[]
): Promise<void> {
  for (const { id } of attachments)
    try {
      // What failed may have failed after its commit: bytes that a row names stay.
      if (core.accounts.store(account).attachments.has(id)) continue
      await core.attachments.remove(account.id, id)
    } catch (cause) {
      core.log.warn('an attachment could not be removed', { accountId: account.id, cause })
    }
}

/**
 * The token that lets its holder read one file as `access` may: `{accessId}-{mac}`. It dies with the access, and with the
 * access's token. (supplement 10.3; security: read-token misuse)
 */
export function readToken(
  core: Core,
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
  core: Core,
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
export function withReadTokens(core: Core, account: Account, access: Access, event: Event): Event {
  if (!event.attachments) return event
  const attachments = event.attachments.map(attachment => ({
    ...attachment,
    readToken: readToken(core, account, event.id, attachment.id, access)
  }))
  return { ...event, attachments }
}

function mac(core: Core, account: Account, eventId: string, fileId: string, access: Access): string {
  const subject = JSON.stringify([account.id, eventId, fileId, access.id, access.token])
  return createHmac('sha256', core.platform.secret('readToken')).update(subject).digest('base64url')
}
