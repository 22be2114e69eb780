/** Remembers the files that records name, until their bytes are read. */
import type { ImportedRecord, AttachedFile } from '../record.js'

/** Maximum number of files whose bytes have not been read yet. */
const maxPendingFiles = 50_000

/** Type under which files of events are counted. */
export const attachmentType = 'attachment'
/** Reason to skip a file whose event is not imported, or that occurs twice. */
export const unnamedFile = 'a file of nothing that is brought in'

/** Files by key, each with the value that it belongs to. */
export class PendingFiles<T> {
  readonly #files = new Map<string, { readonly name: AttachedFile; readonly owner: T }>()

  /**
   * Adds the files that a record names, with the owner of that record; ignored if it does not become an
   * event. Files beyond the maximum, and keys that are already there, are ignored.
   */
  add({ files, isEvent }: ImportedRecord, owner: T): void {
    if (!files || !isEvent) return
    for (const name of files)
      if (this.#files.size < maxPendingFiles && !this.#files.has(name.key))
        this.#files.set(name.key, { name, owner })
  }

  /** Returns a named file and removes it; `undefined` if there is none. */
  remove(key: string): { readonly name: AttachedFile; readonly owner: T } | undefined {
    const found = this.#files.get(key)
    this.#files.delete(key)
    return found
  }
}
