/** Remembers the files that records name, until their bytes are read. */
import type { Datum, FileName } from '../record.js'

/** Limit of files whose bytes have not been read yet. */
const maxPendingFiles = 50_000

/** Type under which files of events are counted. */
export const fileType = 'attachment'
/** Reason to skip a file whose event is not imported, or that occurs twice. */
export const unnamed = 'a file of nothing that is brought in'

/** Files by key, each with the value that it belongs to. */
export class NamedFiles<T> {
  readonly #files = new Map<string, { readonly name: FileName; readonly owner: T }>()

  add({ files, isEvent }: Datum, owner: T): void {
    if (!files || !isEvent) return
    for (const name of files)
      if (this.#files.size < maxPendingFiles && !this.#files.has(name.key))
        this.#files.set(name.key, { name, owner })
  }

  /** Returns a named file and removes it; `undefined` if there is none. */
  take(key: string): { readonly name: FileName; readonly owner: T } | undefined {
    const found = this.#files.get(key)
    this.#files.delete(key)
    return found
  }
}
