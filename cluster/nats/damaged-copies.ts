/**
 * Copies of streams that were seen to be damaged although they count as many messages as others: their servers led, and could
 * not read what they had.
 */
import type { Alarm } from '../alarm.js'
import { createLackingAlarms } from './replicas.js'

export interface DamagedCopy {
  readonly stream: string
  /** The name of the server that has it. */
  readonly server: string
}

export class DamagedCopies {
  /** By server, its streams, and the run of the server that they were first told of in. */
  readonly #found = new Map<string, { readonly streams: Set<string>; run?: string | undefined }>()

  record({ server, stream }: DamagedCopy): void {
    const found = this.#found.get(server) ?? { streams: new Set() }
    found.streams.add(stream)
    this.#found.set(server, found)
  }

  /**
   * What the operator has to know. `runs`: what tells the present run of each server that answers from others, by its name. Having
   * a copy made again takes a restart: after that it counts as sound, until somebody finds otherwise.
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
