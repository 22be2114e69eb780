/** Fills an account in a data directory that no service has open, with the same calls as in a service. */
import { Readable } from 'node:stream'
import { openSession } from '../../core/auth/personal-access.js'
import type { Credentials } from '../../core/call/credentials.js'
import type { Outcome } from '../../core/call/outcome.js'
import { systemClock, type Clock } from '../../core/time.js'
import type { Runtime } from '../../server/runtime.js'
import type { EventParams, EventWithFile } from './person/event-params.js'
import { DemoError, type CallResult, type Call, type Target } from './target.js'

/** Id of the app with which the person signed in. */
export const appId = 'coffer-demo'

/** A clock set to the time of the data, so that calls are dated accordingly. */
export class PastClock implements Clock {
  #at: number | undefined

  now(): number {
    return this.#at ?? systemClock.now()
  }

  after(seconds: number, run: () => void): () => void {
    return systemClock.after(seconds, run)
  }

  onSetBack(run: () => void): () => void {
    return systemClock.onSetBack(run)
  }

  /** Moves the clock on to a time (seconds); never back. */
  moveTo(time: number): void {
    this.#at = Math.max(this.#at ?? 0, time)
  }
}

/** An account in this process. `clock`: the clock of the runtime, if calls can be dated in the past. */
export class LocalTarget implements Target {
  constructor(
    private readonly runtime: Runtime,
    readonly username: string,
    private readonly clock: PastClock | undefined
  ) {}

  now(): number {
    return this.runtime.services.clock.now()
  }

  moveTo(time: number): void {
    this.clock?.moveTo(time)
  }

  async batch(token: string, calls: readonly Call[]): Promise<readonly CallResult[]> {
    const { registry } = this.runtime
    const request = {
      user: this.username,
      method: 'callBatch',
      params: calls,
      credentials: createCredentials(token)
    }
    return (
      requireResult(this.username, await registry.call({ ...request, isWhole: true })) as {
        results: CallResult[]
      }
    ).results
  }

  /** Creates an event with a file. Rejects if the call is refused. */
  async upload(
    token: string,
    event: EventParams,
    { bytes, name, type }: EventWithFile['file']
  ): Promise<void> {
    const { registry, services } = this.runtime
    const received = await services.attachments.receive(
      Readable.from([bytes]),
      services.config.integrity.algorithm
    )
    const files = [{ fileName: name, type, received }]
    const request = {
      user: this.username,
      method: 'events.create',
      params: event,
      credentials: createCredentials(token),
      files
    }
    try {
      requireResult(this.username, await registry.call({ ...request, isWhole: true }))
    } finally {
      // Does nothing if the file has been stored with its event.
      await services.attachments.discard(received)
    }
  }
}

/** Opens a session without a password. Returns its token. */
export async function openLocalSession({ services }: Runtime, username: string): Promise<string> {
  const store = services.accounts.openStore(services.accounts.find(username)!)
  const { token } = await store.write(() => openSession(services.config, store, appId, services.clock.now()))
  return token
}

function createCredentials(token: string): Credentials {
  return { authorization: token, ip: '127.0.0.1', via: 'http' }
}

function requireResult(username: string, outcome: Outcome): unknown {
  if (!outcome.ok) throw new DemoError(`${username}: a call was refused: ${outcome.error.message}`)
  return JSON.parse(`{${outcome.members}}`)
}
