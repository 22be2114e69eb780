/** The item that was written last, by the key under which the audit names that version of it. (docs/spec/audit.md#record-content) */
export class LastWritten {
  #key: string | undefined
  #integrity: string | undefined

  /** Notes an event or an access; `time` is that of its modification or deletion. */
  note(kind: 'EVENT' | 'ACCESS', id: string, time: number, integrity: string | undefined): void {
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
