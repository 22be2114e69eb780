/** The last written item, by the key that names its version in the audit. (docs/spec/audit.md#record-content) */
export class LastWritten {
  #key: string | undefined
  #integrity: string | undefined

  /** Records an event or an access. `time` is when it was modified or deleted, in seconds. */
  record(kind: 'EVENT' | 'ACCESS', id: string, time: number, integrity: string | undefined): void {
    this.#key = `${kind}:0:${id}:${time}`
    this.#integrity = integrity
  }

  /** The key of the item that was written last; `undefined` if there is none since {@link clear}. */
  get key(): string | undefined {
    return this.#key
  }

  /** Its integrity value; `undefined` if such values are off. */
  get integrity(): string | undefined {
    return this.#integrity
  }

  /** Forgets the item. */
  clear(): void {
    this.#key = this.#integrity = undefined
  }
}
