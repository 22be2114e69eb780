/** Changes of the platform that wait for the log: collected in records, and resolved once they are applied. */
import { randomBytes } from 'node:crypto'
import { StoreUnavailable, Unconfirmed } from '../../storage/errors.js'
import type { Arguments, Command, CommandName, Result } from '../../storage/platform/commands.js'
import type { CommandOutcome } from '../../storage/platform/outcomes.js'

/** Maximum number of commands of a record, all of which are applied in one turn of the event loop. */
const maxCommands = 100

interface PendingChange {
  readonly command: Command
  readonly bytes: number
  readonly resolve: (result: unknown) => void
  readonly reject: (error: unknown) => void
}

/** The content of one record. */
export interface Batch {
  readonly id: string
  readonly commands: readonly Command[]
}

export class ChangeQueue {
  readonly #waiting: PendingChange[] = []
  /** The record being appended, whose outcome is not known yet. */
  #current: (Batch & { readonly changes: readonly PendingChange[] }) | undefined

  /** `timeoutMs`: time after which a change is rejected. `maxBytes`: maximum size of the commands of a record. */
  constructor(
    private readonly timeoutMs: number,
    private readonly maxBytes: number
  ) {}

  /** True if no change waits or is being appended. */
  get isEmpty(): boolean {
    return this.#waiting.length === 0 && !this.#current
  }

  /**
   * Adds a change. Resolves with the result of applying it. Rejects with what applying it throws; with
   * `StoreUnavailable` if it has not been sent in time, and with `Unconfirmed` if its outcome is unknown.
   */
  add<N extends CommandName>(name: N, args: Arguments<N>): Promise<Result<N>> {
    const command = [name, ...args] as unknown as Command
    return new Promise<Result<N>>((resolve, reject) => {
      const timer = setTimeout(() => this.#timeOut(change), this.timeoutMs)
      const change: PendingChange = {
        command,
        bytes: JSON.stringify(command).length * 3,
        resolve(result) {
          clearTimeout(timer)
          resolve(result as Result<N>)
        },
        reject(error) {
          clearTimeout(timer)
          reject(error)
        }
      }
      this.#waiting.push(change)
    })
  }

  /**
   * Returns the content of the record being appended, or else of a new record of waiting changes; `undefined`
   * if no changes wait. A new record stays the current one until it is resolved or rejected.
   */
  getNextBatch(): Batch | undefined {
    if (this.#current || this.#waiting.length === 0) return this.#current
    let bytes = 0
    let count = 0
    for (const change of this.#waiting) {
      bytes += change.bytes
      if (count === maxCommands || (count > 0 && bytes > this.maxBytes)) break
      count++
    }
    const changes = this.#waiting.splice(0, count)
    const commands = changes.map(({ command }) => command)
    this.#current = { id: randomBytes(12).toString('base64url'), commands, changes }
    return this.#current
  }

  /** Resolves the changes of a record that has been applied, if it is the record being appended. */
  resolveBatch(id: string, outcomes: readonly CommandOutcome[]): void {
    if (this.#current?.id !== id) return
    const { changes } = this.#current
    this.#current = undefined
    changes.forEach(({ reject, resolve }, index) => {
      const outcome = outcomes[index]!
      if (outcome.isDone) resolve(outcome.result)
      else reject(outcome.error)
    })
  }

  /** Rejects the changes of the current record, which is too long for the log. */
  rejectBatch(id: string): void {
    if (this.#current?.id !== id) return
    for (const { reject } of this.#current.changes)
      reject(new StoreUnavailable('The change is too long for the log of the platform'))
    this.#current = undefined
  }

  /**
   * Rejects all changes. Those of the record being appended are rejected with `Unconfirmed`, as it may still
   * arrive.
   */
  rejectAll(error: StoreUnavailable): void {
    for (const { reject } of this.#waiting.splice(0)) reject(error)
    for (const { reject } of this.#current?.changes ?? []) reject(new Unconfirmed(error))
    this.#current = undefined
  }

  #timeOut(change: PendingChange): void {
    const at = this.#waiting.indexOf(change)
    const error = new StoreUnavailable('The log of the platform is not responding')
    if (at < 0) return change.reject(new Unconfirmed(error))
    this.#waiting.splice(at, 1)
    change.reject(error)
  }
}
