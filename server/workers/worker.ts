/** A worker thread that owns the files of some users: a runtime that serves requests of the main thread. */
import '../tick-shape.js'
import { parentPort, workerData, type MessagePort } from 'node:worker_threads'
import { fail } from '../../core/errors.js'
import type { Log } from '../../core/log.js'
import { createFixedShards, type Peers } from '../../core/call/shard.js'
import { ManualClock, systemClock } from '../../core/time.js'
import { Runtime } from '../runtime.js'
import { answerRequest, createOperations, type EmitEvent } from './operations.js'
import {
  fromSentOutcome,
  type WorkerRequest,
  type WorkerMessage,
  type SentFailure,
  type SentSuccess,
  type WorkerStart
} from './protocol.js'

const port = parentPort as MessagePort
const start = workerData as WorkerStart
const clock = start.frozenAt === undefined ? systemClock : new ManualClock(start.frozenAt)

function post(message: WorkerMessage): void {
  port.postMessage(message)
}

/** Emits an event to the main thread. */
const emit: EmitEvent = (name, ...args) => post([name, args])

const log: Log = {
  info: createLogFunction('info'),
  warn: createLogFunction('warn'),
  error: createLogFunction('error')
}

/** Returns a function that sends lines to the main thread, without their cause if it cannot be sent. */
function createLogFunction(level: keyof Log): Log['error'] {
  return (message, fields) => {
    try {
      emit('log', level, message, fields)
    } catch {
      emit('log', level, message, { ...fields, cause: 'an error that cannot be described' })
    }
  }
}

/** Calls that other workers make for this one, by number. */
const pendingForwards = new Map<number, (outcome: SentSuccess | SentFailure) => void>()
let lastForwardId = 0

const peers: Peers = {
  async forward(username, request) {
    const id = ++lastForwardId
    const outcome = new Promise<SentSuccess | SentFailure>(resolve => pendingForwards.set(id, resolve))
    emit('forward', id, username, request)
    return fromSentOutcome(await outcome, () => fail('unexpected-error'))
  },
  note: note => emit('throttled', note)
}

function onForwarded(id: number, outcome: SentSuccess | SentFailure): void {
  pendingForwards.get(id)?.(outcome)
  pendingForwards.delete(id)
}

const { config, count, index, methodModules } = start
const runtime = await Runtime.start(config, {
  clock,
  log,
  shard: { index, map: createFixedShards(count), peers },
  isGuest: true,
  methodModules
})
runtime.services.bus.subscribe(({ username }, { kind }) => {
  if (kind === 'account') emit('forget', username)
})
const operations = createOperations(runtime, emit, onForwarded, () => setImmediate(() => port.close()))
port.on('message', (request: WorkerRequest) => void answerRequest(log, operations, request, post))
emit('ready')
