/** Stores and removes the files of events. (docs/spec/attachments.md) */
import type { Attachment } from '../../schemas/event.js'
import { fail } from '../errors.js'
import { createId } from '../ids.js'
import { assertName } from '../validation/params.js'
import type { UploadedFile } from '../call/outcome.js'
import type { Services } from '../call/services.js'
import type { Account } from '../../storage/platform/account.js'
import type { Steps } from '../../storage/steps.js'
import type { UserStore } from '../../storage/user/user-store.js'
import type { Call } from '../call/method.js'
import type { JsonText } from '../json/json-text.js'
import { largeSize } from '../json/writer.js'
import { toPublicEvent } from './public-event.js'
import { findWritableEvent, prepareBody } from './writable-event.js'
import { toFileName } from './file-name.js'

/**
 * Stores uploaded files before any row names them. If storing a file fails, all files are removed. Throws
 * `invalid-parameters-format` for a file name that is too long.
 */
export async function keepFiles(
  services: Services,
  account: Account,
  files: readonly UploadedFile[]
): Promise<Attachment[]> {
  const { isActive, algorithm } = services.config.integrity
  for (const [index, { fileName }] of files.entries()) assertName(fileName, `#/attachments/${index}/fileName`)
  const kept: Attachment[] = []
  try {
    for (const { fileName, type, received } of files) {
      const id = createId()
      await services.attachments.put(account.id, id, received)
      const integrity = isActive.attachments ? { integrity: `${algorithm}-${received.digest}` } : {}
      kept.push({ id, fileName: toFileName(fileName), type, size: received.size, ...integrity })
    }
    return kept
  } catch (error) {
    await dropFiles(services, account, kept)
    // Throws the right error if the account was deleted in the meantime.
    services.accounts.openStore(account)
    throw error
  }
}

/** Throws `invalid-operation` if an event would have more files than events may have. (docs/spec/limits.md#uploads) */
export function assertFileCount({ config }: Pick<Services, 'config'>, count: number): void {
  const { maxFilesPerEvent } = config.uploads
  if (isBeyond(maxFilesPerEvent, count))
    fail(
      'invalid-operation',
      `An event can have at most ${maxFilesPerEvent} files, but this would make ${count}`
    )
}

/** Returns whether a number is above a limit; a limit of 0 means that there is no limit. */
export function isBeyond(limit: number, count: number): boolean {
  return limit > 0 && count > limit
}

/** Removes those of the files that no event names. Files that cannot be removed now are swept later. */
export async function dropFiles(
  services: Services,
  account: Account,
  attachments: readonly Pick<Attachment, 'id'>[]
): Promise<void> {
  for (const { id } of attachments)
    try {
      // The call may have failed after its commit: files that a row names stay.
      if (services.accounts.openStore(account).attachments.has(id)) continue
      await services.accounts.openStore(account).waitUntilReadable()
      await services.attachments.remove(account.id, id)
    } catch (cause) {
      services.log.warn('an attachment could not be removed', { accountId: account.id, cause })
    }
}

/** Computes the new files of an event from its previous files. */
type Change = (before: readonly Attachment[]) => Attachment[]

interface EventResult {
  readonly event: JsonText
}

/**
 * Returns the `run` and `steps` of a method that changes an event's files and returns the event.
 * `createChange` is called before the event is looked up. Errors: those of {@link findWritableEvent}.
 */
export function updateFiles<P extends { readonly id: string }>(
  createChange: (call: Call, params: P) => Change
) {
  return {
    isLong: ({ events }: UserStore, { id }: P): boolean => events.isLarger(id, largeSize),
    *run(call: Call, params: P): Steps<EventResult> {
      const { caller, now, store } = call
      const change = createChange(call, params)
      const before = yield* findWritableEvent(call, params.id)
      const attachments = change(before.attachments ?? [])
      const event = { ...before, attachments, modified: store.stamp(now), modifiedBy: caller.signature }
      call.changes.addEvent(event)
      return { event: toPublicEvent(call, store.events.update(event, yield* prepareBody(call, event))) }
    }
  }
}
