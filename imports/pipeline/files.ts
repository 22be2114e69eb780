/** Files that belong to records: which have been named, until their bytes come. */
import type { Datum, FileName } from '../record.js'

/** Files that wait for their bytes at most. */
const mostFiles = 50_000

/** What the counts call a file of an event, in place of a type. */
export const fileType = 'attachment'
/** Why a file is left out whose event is not brought in, or that comes twice. */
export const unnamed = 'a file of nothing that is brought in'

/** Files by their keys, each with what it is for. */
export class NamedFiles<T> {
  readonly #files = new Map<string, { readonly name: FileName; readonly of: T }>()

  add({ files, isEvent }: Datum, of: T): void {
    if (!files || !isEvent) return
    for (const name of files)
      if (this.#files.size < mostFiles && !this.#files.has(name.key)) this.#files.set(name.key, { name, of })
  }

  /** A file that has been named, once. */
  take(key: string): { readonly name: FileName; readonly of: T } | undefined {
    const found = this.#files.get(key)
    this.#files.delete(key)
    return found
  }
}
