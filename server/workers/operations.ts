/** The operations of a runtime that another thread or node requests. */
import type { Dispatcher, AdmittedAccess, SubscribedAccess } from '../../core/call/dispatcher.js'
import { toFailure } from '../../core/call/outcome.js'
import type { Log } from '../../core/log.js'
import type { LiveNotifier } from '../../core/notifications/live-notifier.js'
import { SharedThrottle } from '../../core/security/shared-throttle.js'
import { ManualClock } from '../../core/time.js'
import { readJson, unlimited } from '../../core/json/reader.js'
import { runInTurns } from '../../storage/steps.js'
import type { Runtime } from '../runtime.js'
import { toAccountParty } from './called-user.js'
import {
  toSentError,
  toSentFailure,
  toSentOutcome,
  type Operation,
  type Operations,
  type Requests,
  type WorkerEvents,
  type WorkerMessage,
  type WorkerRequest
} from './protocol.js'

/** The runtime that operations act on, or a replacement. */
type OperationTarget = Pick<Runtime, 'drain' | 'gauges' | 'readiness' | 'services' | 'settle'> & {
  readonly registry: Pick<Dispatcher, 'call' | 'precheck' | 'recheck'>
  readonly feed: Pick<LiveNotifier, 'admit' | 'join' | 'findAdmission'>
  close(): Promise<void>
}

/** Emits an event. */
export type EmitEvent = <N extends keyof WorkerEvents>(name: N, ...args: Parameters<WorkerEvents[N]>) => void

/**
 * Returns the operations of a runtime. `emit` sends an event to the other side; `forwarded` receives the outcome of a call that
 * was forwarded for this side; `end` is called once everything is closed.
 */
export function createOperations(
  runtime: OperationTarget,
  emit: EmitEvent,
  forwarded: Operations['forwarded'],
  end: () => void
): Operations {
  const { services, feed, registry } = runtime
  const { clock } = services
  const remainders = new Map<number, AsyncGenerator<string, void, undefined>>()
  const subscriptions = new Map<number, SubscribedAccess>()
  let lastNumber = 0
  const storeRemainder = (remainder: AsyncGenerator<string, void, undefined>): number => {
    remainders.set(++lastNumber, remainder)
    return lastNumber
  }
  return {
    async call(request) {
      return toSentOutcome(await registry.call(request), storeRemainder)
    },
    async pull(number) {
      try {
        const { done = true, value } = (await remainders.get(number)?.next()) ?? {}
        if (done) remainders.delete(number)
        return [value ?? '', done]
      } catch (error) {
        remainders.delete(number)
        throw error
      }
    },
    drop(number) {
      void remainders.get(number)?.return()
      remainders.delete(number)
    },
    async precheck(request) {
      const checked = await registry.precheck(request)
      return checked.ok ? checked : toSentFailure(checked)
    },
    async recheck(request) {
      const refusal = await registry.recheck(request)
      return refusal && toSentFailure(refusal)
    },
    async admit(username, credentials) {
      return (await feed.admit(username, credentials)).account
    },
    join(username, credentials, subscriberId) {
      const admission: AdmittedAccess = feed.findAdmission(username, credentials)
      const subscription = feed.join(admission, {
        notify: (message, payload) => emit('notify', subscriberId, message, payload),
        close() {
          subscriptions.delete(subscriberId)
          emit('unsubscribed', subscriberId)
        }
      })
      if (subscription) subscriptions.set(subscriberId, subscription)
      return subscription !== undefined
    },
    subscribing(subscriberId, method, params) {
      // The main thread may not know yet that the subscription has ended.
      return subscriptions.get(subscriberId)?.runMethod(method, params) ?? {}
    },
    leave(subscriberId) {
      subscriptions.get(subscriberId)?.unsubscribe()
      subscriptions.delete(subscriberId)
    },
    forwarded,
    throttled(note) {
      if (services.throttle instanceof SharedThrottle) services.throttle.receive(note)
    },
    advance(seconds) {
      if (clock instanceof ManualClock) clock.advance(seconds)
    },
    gauges: () => runtime.gauges(),
    readiness: () => runtime.readiness(),
    previewBytes: (account, preview) => services.previews.bytes(account, preview),
    settle: () => runtime.settle(),
    drain: () => runtime.drain(),
    async close() {
      await runtime.close()
      end()
    }
  }
}

/** Runs the operation of a request, and posts the response if one is expected. Never rejects. */
export async function answerRequest(
  log: Log,
  operations: Operations,
  [id, operation, args]: WorkerRequest,
  post: (message: WorkerMessage) => void
): Promise<void> {
  try {
    const value = await runOperation(operations, operation, args)
    if (id > 0) post([id, value])
  } catch (error) {
    const refusal = toFailure(log, error, operation).error
    if (id > 0) post([id, undefined, toSentError(refusal)])
  }
}

/** Runs an operation. Params that were sent as text are read in steps, when it is their account's turn. */
async function runOperation(
  operations: Operations,
  operation: Operation,
  args: readonly unknown[]
): Promise<unknown> {
  if (operation !== 'callWithText')
    return await (operations[operation] as (...args: readonly unknown[]) => unknown)(...args)
  const [request, text] = args as Parameters<Requests['callWithText']>
  const params = await runInTurns(readJson(text, unlimited), toAccountParty(request))
  return await operations.call({ ...request, params })
}
