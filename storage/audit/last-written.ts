/** The last written item, by the key that names its version in the audit. (docs/spec/audit.md#record-content) */
export class LastWritten {
  #key: string | undefined
  #integrity: string | undefined

  /** Notes an event or an access. `time` is when it was modified or deleted, in seconds. */
  record(kind: 'EVENT' | 'ACCESS', id: string, time: number, integrity: string | undefined): void {
    this.#key = `${kind}:0:${id}:${time}`
    this.#integrity = integrity
  }

  get key(): string | undefined {
    return this.#key
  }

  get integrity(): string | undefined {
    return this.#integrity
  }

  clear(): void {
    this.#key = this.#integrity = undefined
  }
}
