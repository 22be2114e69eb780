/** Stores the files of imported events. (docs/api/imports.md#running-an-import) */
import type { Readable } from 'node:stream'
import type { FileDraft } from '../../imports/protocol.js'
import type { Attachment, Event } from '../../schemas/event.js'
import type { Steps } from '../../storage/steps.js'
import type { Call } from '../call/method.js'
import { ApiError } from '../errors.js'
import { createQuotaError, getQuota, getBytesLeft } from '../dispatch/quota.js'
import { storeAgain } from '../events/attachment-sweep.js'
import { dropFiles, isBeyond } from '../events/attachments.js'
import { toFileName } from '../events/file-name.js'
import { requireWritable } from '../events/writable-event.js'
import type { ImportCaller } from './import-caller.js'
import type { RecordResult } from './tally.js'
import type { ImportWriter } from './writer.js'

/** Stands for files in the counts, in place of a type. */
const fileType = 'attachment'

/** Adds the files of an import to its events. */
export class FileWriter {
  /** `bytes`: opens the content of the file that was wanted last. */
  constructor(
    private readonly writer: ImportWriter,
    private readonly presence: ImportCaller,
    private readonly bytes: () => Readable
  ) {}

  /**
   * Returns true if the content of a file is needed; otherwise counts the file. Throws what ends the import:
   * also `user-intervention-required` for a file that exceeds the quota.
   */
  needsContent(file: FileDraft): boolean {
    const call = this.presence.createCall()
    const result = this.#findResult(call, file)
    if (!result && !this.writer.isDry) {
      const { account, services } = call
      if (getBytesLeft(services, account.username) < file.size)
        throw createQuotaError(getQuota(services.config, account))
      return true
    }
    this.writer.tally.count(fileType, result ?? 'broughtIn', 1)
    return false
  }

  /** Adds a file to its event, and counts it. Throws what ends the import. */
  async store(file: FileDraft): Promise<void> {
    const { account, services } = this.presence.createCall()
    const { algorithm, isActive } = services.config.integrity
    const received = await services.attachments.receive(this.bytes(), algorithm, this.presence.party)
    const { id, type } = file
    const fileName = toFileName(file.fileName)
    const integrity = isActive.attachments ? { integrity: `${algorithm}-${received.digest}` } : {}
    const attachment: Attachment = { id, fileName, type, size: received.size, ...integrity }
    let result: RecordResult | undefined
    try {
      result = await storeAgain(account, id, async () => {
        await services.attachments.put(account.id, id, received)
        return await this.writer.runTransaction(call => this.#addToEvent(call, file, attachment))
      })
    } finally {
      await services.attachments.discard(received)
      if (result !== 'broughtIn') await dropFiles(services, account, [attachment])
    }
    this.writer.tally.count(fileType, result, 1)
  }

  /** Attaches a file to its event, unless that has it already. Returns what became of the record. */
  // oxlint-disable-next-line require-yield -- it is one step
  *#addToEvent(call: Call, file: FileDraft, attachment: Attachment): Steps<RecordResult> {
    const result = this.#findResult(call, file)
    if (result) return result
    const { caller, changes, now, store } = call
    const previous = store.events.find(file.eventId)!
    const event: Event = {
      ...previous,
      attachments: [...(previous.attachments ?? []), attachment],
      modified: store.stamp(now),
      modifiedBy: caller.signature
    }
    changes.addEvent(event)
    // An event of the same import is amended, without a version in its history.
    if (store.imports.findAttempt(event.id)?.import === this.writer.attempt.import) store.events.amend(event)
    else store.events.update(event)
    store.imports.addEvent(file.id, this.writer.attempt)
    return 'broughtIn'
  }

  /** Returns the result for a file that can be decided without its content; `undefined` if it has to be added. */
  #findResult(call: Call, { eventId: event, id, size }: FileDraft): RecordResult | undefined {
    const { services, store } = call
    if (this.writer.exportedEvents.has(event)) return 'known'
    const attempt = store.imports.findAttempt(id)
    if (store.attachments.has(id)) {
      if (!attempt) this.writer.footprint?.markIncomplete()
      return attempt?.import === this.writer.attempt.import ? 'broughtIn' : 'known'
    }
    if (store.history.findDeletion(event) && store.imports.findAttempt(event)) return 'deleted'
    // The event exists, so the file was deleted from it.
    if (attempt) return 'deleted'
    const { maxFileBytes, maxFilesPerEvent } = services.config.uploads
    if (isBeyond(maxFileBytes, size)) return 'large'
    if (this.writer.refusedEvents.has(event)) return 'away'
    const found = store.events.find(event)
    if (!found) return this.writer.isDry ? undefined : 'away'
    if (!isWritable(call, found)) return 'away'
    if (found.trashed) return 'trashed'
    return isBeyond(maxFilesPerEvent, (found.attachments?.length ?? 0) + 1) ? 'many' : undefined
  }
}

function isWritable(call: Call, event: Event): boolean {
  try {
    requireWritable(call, event.id, event)
    return true
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    return false
  }
}
