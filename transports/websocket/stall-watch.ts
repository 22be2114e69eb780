/** Closes connections whose clients read hardly anything, or do not finish a message. */
import type { Clock } from '../../core/time.js'
import type { Settings } from '../../core/settings/settings.js'
import type { Connection } from './connection.js'

/** Checks per timeout. */
const checksPerTimeout = 4

export class StallWatch {
  #cancel: (() => void) | undefined
  #isStopped = false

  constructor(
    private readonly clock: Clock,
    private readonly limits: Settings['limits'],
    private readonly connections: ReadonlyMap<string, Connection>
  ) {}

  /** Starts checking, because something is in progress. Connections are checked only as long as that is so. */
  start(): void {
    if (this.#cancel || this.#isStopped) return
    const { bodyTimeout, stalledSeconds } = this.limits
    this.#cancel = this.clock.after(Math.min(bodyTimeout, stalledSeconds) / checksPerTimeout, () =>
      this.#terminateStalled()
    )
  }

  /** Ends the periodic check. */
  stop(): void {
    this.#isStopped = true
    this.#cancel?.()
  }

  #terminateStalled(): void {
    this.#cancel = undefined
    const now = this.clock.now()
    for (const connection of this.connections.values()) {
      if (connection.hasStalled(now, this.limits)) connection.terminate()
      else if (connection.isBusy) this.start()
    }
  }
}
