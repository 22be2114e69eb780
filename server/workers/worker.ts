/** A worker thread that owns the files of some users: a runtime that serves requests of the main thread. */
import '../tick-shape.js'
import { parentPort, workerData, type MessagePort } from 'node:worker_threads'
import { fail } from '../../core/errors.js'
import type { Log } from '../../core/log.js'
import type { Peers } from '../../core/call/shard.js'
import { SharedThrottle } from '../../core/security/shared-throttle.js'
import { ManualClock, systemClock } from '../../core/time.js'
import { Runtime } from '../runtime.js'
import {
  receivedOutcome,
  sentError,
  sentFailure,
  sentOutcome,
  type Operations,
  type WorkerRequest,
  type WorkerMessage,
  type SentFailure,
  type SentSuccess,
  type WorkerEvents,
  type WorkerStart
} from './protocol.js'
import type { AdmittedAccess, SubscribedAccess } from '../../core/notifications/subscribed-access.js'

const port = parentPort as MessagePort
const start = workerData as WorkerStart
const clock = start.frozenAt === undefined ? systemClock : new ManualClock(start.frozenAt)

function post(message: WorkerMessage): void {
  port.postMessage(message)
}

/** Emits an event to the main thread. */
function emit<N extends keyof WorkerEvents>(name: N, ...args: Parameters<WorkerEvents[N]>): void {
  post([name, args])
}

const log: Log = {
  info: (message, fields) => emit('log', 'info', message, fields),
  warn: (message, fields) => emit('log', 'warn', message, fields),
  error: (message, fields) => emit('log', 'error', message, fields)
}

/** Calls that other workers make for this one, by number. */
const forwarding = new Map<number, (outcome: SentSuccess | SentFailure) => void>()
let lastForwarded = 0

const peers: Peers = {
  async forward(username, request) {
    const id = ++lastForwarded
    const outcome = new Promise<SentSuccess | SentFailure>(resolve => forwarding.set(id, resolve))
    emit('forward', id, username, request)
    return receivedOutcome(await outcome, () => fail('unexpected-error'))
  },
  note: note => emit('throttled', note)
}

function operationsOf(runtime: Runtime): Operations {
  const { services, feed, registry } = runtime
  const remainders = new Map<number, AsyncGenerator<string, void, undefined>>()
  const subscriptions = new Map<number, SubscribedAccess>()
  let last = 0
  const keep = (remainder: AsyncGenerator<string, void, undefined>): number => {
    remainders.set(++last, remainder)
    return last
  }
  return {
    async call(request, isWhole) {
      return sentOutcome(isWhole ? await registry.callWhole(request) : await registry.call(request), keep)
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
    precheck(request) {
      const refusal = registry.precheck(request)
      return refusal && sentFailure(refusal)
    },
    recheck(request) {
      const refusal = registry.recheck(request)
      return refusal && sentFailure(refusal)
    },
    admitUpload(request) {
      const admitted = registry.admitUpload(request)
      return admitted.ok ? admitted : sentFailure(admitted)
    },
    async admit(username, credentials) {
      return (await feed.admit(username, credentials)).account
    },
    join(username, credentials, subscriberId) {
      const admission: AdmittedAccess = feed.lookUp(username, credentials)
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
      return subscriptions.get(subscriberId)?.subscribing(method, params) ?? {}
    },
    leave(subscriberId) {
      subscriptions.get(subscriberId)?.leave()
      subscriptions.delete(subscriberId)
    },
    forwarded(id, outcome) {
      forwarding.get(id)?.(outcome)
      forwarding.delete(id)
    },
    throttled(note) {
      if (services.throttle instanceof SharedThrottle) services.throttle.hear(note)
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
      setImmediate(() => port.close())
    }
  }
}

async function answer(operations: Operations, [id, operation, args]: WorkerRequest): Promise<void> {
  try {
    const value: unknown = await (operations[operation] as (...args: readonly unknown[]) => unknown)(...args)
    if (id > 0) post([id, value])
  } catch (error) {
    const refusal = runtime.registry.failure(error, operation).error
    if (id > 0) post([id, undefined, sentError(refusal)])
  }
}

const { config, count, index, methodModules } = start
const runtime = await Runtime.start(config, {
  clock,
  log,
  shard: { index, count, peers: peers },
  isGuest: true,
  methodModules
})
runtime.services.bus.subscribe((username, { kind }) => {
  if (kind === 'account') emit('forget', username)
})
const operations = operationsOf(runtime)
port.on('message', (request: WorkerRequest) => void answer(operations, request))
emit('ready')
