/**
 * Copies of streams that were found to be damaged although they count as many messages as others: as leaders, their
 * servers could not read them.
 */
import type { Alarm } from '../alarm.js'
import { createLackingAlarms } from './replicas.js'

export interface DamagedCopy {
  readonly stream: string
  /** The name of the server with the damaged copy. */
  readonly server: string
}

export class DamagedCopies {
  /** By server, its streams, and the run of the server in which the first was found. */
  readonly #found = new Map<string, { readonly streams: Set<string>; run?: string | undefined }>()

  /** Records that a server was found to have a damaged copy of a stream. */
  record({ server, stream }: DamagedCopy): void {
    const found = this.#found.get(server) ?? { streams: new Set() }
    found.streams.add(stream)
    this.#found.set(server, found)
  }

  /**
   * Creates alarms for the operator. `runs`: the current run of each server that answers, by its name.
   * Rebuilding a copy takes a restart: after that it counts as complete, until it is found damaged again.
   * Servers that have been restarted since are forgotten.
   */
  alarms(runs: ReadonlyMap<string, string>): Alarm[] {
    for (const [server, found] of this.#found) {
      const run = runs.get(server)
      found.run ??= run
      if (run !== undefined && run !== found.run) this.#found.delete(server)
    }
    return createLackingAlarms(
      new Map(Array.from(this.#found, ([server, { streams }]) => [server, [...streams]]))
    )
  }
}
