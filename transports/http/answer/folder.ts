/** Lists the files of an export as a folder, each made by calls on behalf of the caller. */
import type { ArchiveFile } from '../../../core/account/archive.js'
import type { Dispatcher } from '../../../core/call/dispatcher.js'
import type { Facts, Request, Success } from '../../../core/call/outcome.js'
import { listFolderFiles } from '../../../core/exports/folder.js'
import { isLargeJson, readJson, unlimited } from '../../../core/json/reader.js'
import { runInTurns } from '../../../storage/steps.js'

/**
 * Lists the files. Each is read as the client takes it; a call that fails ends the response. Errors are thrown
 * while reading, not by this call.
 */
export function listFolder(
  dispatcher: Dispatcher,
  { credentials, user }: Request,
  { id, username }: { readonly id: string; readonly username: string },
  folder: NonNullable<Facts['folder']>
): AsyncIterable<ArchiveFile> {
  const { attachments, clock } = dispatcher.services
  const call = async (request: Omit<Request, 'credentials' | 'user'>): Promise<Success> => {
    const outcome = await dispatcher.call({ ...request, credentials, user })
    if (!outcome.ok) throw outcome.error
    return outcome
  }
  const calls = {
    async read(method: string, params: object): Promise<unknown> {
      let text = ''
      for await (const part of readTexts(await call({ method, params }))) text += part
      text = `{${text}}`
      return isLargeJson(text) ? await runInTurns(readJson(text, unlimited)) : (JSON.parse(text) as unknown)
    },
    async *readDocument(params: object) {
      yield* readTexts(await call({ method: 'events.export', params, isDocument: true }))
    },
    async *readFile(fileId: string): AsyncGenerator<Buffer, void, undefined> {
      const source = await attachments.get(id, fileId)
      // Deleted since it was listed: exported as an empty file.
      if (source) yield* source as AsyncIterable<Buffer>
    }
  }
  return listFolderFiles(calls, { ...folder, username, now: clock.now() })
}

/** Yields the texts of a result. */
async function* readTexts({ members, remainder }: Success): AsyncGenerator<string, void, undefined> {
  try {
    if (members !== '') yield members
    if (remainder) yield* remainder
  } finally {
    await remainder?.return()
  }
}
