/** A thread that owns the files of some users: an engine, asked by the main thread. */
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
  type Question,
  type Saying,
  type SentFailure,
  type SentSuccess,
  type Tidings,
  type WorkerStart
} from './protocol.js'
import type { AdmittedAccess, SubscribedAccess } from '../../core/notifications/subscribed-access.js'

const port = parentPort as MessagePort
const start = workerData as WorkerStart
const clock = start.frozenAt === undefined ? systemClock : new ManualClock(start.frozenAt)

function say(saying: Saying): void {
  port.postMessage(saying)
}

/** Says something unasked. */
function tell<N extends keyof Tidings>(name: N, ...args: Parameters<Tidings[N]>): void {
  say([name, args])
}

const log: Log = {
  info: (message, fields) => tell('log', 'info', message, fields),
  warn: (message, fields) => tell('log', 'warn', message, fields),
  error: (message, fields) => tell('log', 'error', message, fields)
}

/** Calls that other workers make for this one, by number. */
const forwarding = new Map<number, (outcome: SentSuccess | SentFailure) => void>()
let lastForwarded = 0

const peers: Peers = {
  async forward(username, request) {
    const id = ++lastForwarded
    const outcome = new Promise<SentSuccess | SentFailure>(resolve => forwarding.set(id, resolve))
    tell('forward', id, username, request)
    return receivedOutcome(await outcome, () => fail('unexpected-error'))
  },
  note: note => tell('throttled', note)
}

function operationsOf(engine: Runtime): Operations {
  const { core, feed, registry } = engine
  const rests = new Map<number, AsyncGenerator<string, void, undefined>>()
  const listeners = new Map<number, SubscribedAccess>()
  let last = 0
  const keep = (rest: AsyncGenerator<string, void, undefined>): number => {
    rests.set(++last, rest)
    return last
  }
  return {
    async call(request, isWhole) {
      return sentOutcome(isWhole ? await registry.callWhole(request) : await registry.call(request), keep)
    },
    async pull(number) {
      try {
        const { done = true, value } = (await rests.get(number)?.next()) ?? {}
        if (done) rests.delete(number)
        return [value ?? '', done]
      } catch (error) {
        rests.delete(number)
        throw error
      }
    },
    drop(number) {
      void rests.get(number)?.return()
      rests.delete(number)
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
    join(username, credentials, ear) {
      const admission: AdmittedAccess = feed.lookUp(username, credentials)
      const listener = feed.join(admission, {
        notify: (message, payload) => tell('hear', ear, message, payload),
        close() {
          listeners.delete(ear)
          tell('cut', ear)
        }
      })
      if (listener) listeners.set(ear, listener)
      return listener !== undefined
    },
    subscribing(ear, method, params) {
      // One that has been cut may not have been told yet.
      return listeners.get(ear)?.subscribing(method, params) ?? {}
    },
    leave(ear) {
      listeners.get(ear)?.leave()
      listeners.delete(ear)
    },
    forwarded(id, outcome) {
      forwarding.get(id)?.(outcome)
      forwarding.delete(id)
    },
    throttled(note) {
      if (core.throttle instanceof SharedThrottle) core.throttle.hear(note)
    },
    advance(seconds) {
      if (clock instanceof ManualClock) clock.advance(seconds)
    },
    gauges: () => engine.gauges(),
    readiness: () => engine.readiness(),
    previewBytes: (account, preview) => core.previews.bytes(account, preview),
    settle: () => engine.settle(),
    quieten: () => engine.drain(),
    async close() {
      await engine.close()
      setImmediate(() => port.close())
    }
  }
}

async function answer(operations: Operations, [id, operation, args]: Question): Promise<void> {
  try {
    const value: unknown = await (operations[operation] as (...args: readonly unknown[]) => unknown)(...args)
    if (id > 0) say([id, value])
  } catch (error) {
    const refusal = engine.registry.failure(error, operation).error
    if (id > 0) say([id, undefined, sentError(refusal)])
  }
}

const { config, count, index, methodModules } = start
const engine = await Runtime.start(config, {
  clock,
  log,
  share: { index, count, peers: peers },
  isGuest: true,
  methodModules
})
engine.core.bus.subscribe((username, { kind }) => {
  if (kind === 'account') tell('forget', username)
})
const operations = operationsOf(engine)
port.on('message', (question: Question) => void answer(operations, question))
tell('ready')
