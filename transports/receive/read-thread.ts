/** Reads large bodies in a worker thread: those of the maximum size take seconds. */
import { once } from 'node:events'
import { MessageChannel, receiveMessageOnPort, Worker, type MessagePort } from 'node:worker_threads'
import { ApiError, fail } from '../../core/errors.js'
import type { Party } from '../../storage/scheduler.js'
import { runInTurns, type Steps } from '../../storage/steps.js'
import type { ReceivedRecord, ReceivedRequest } from './dialect.js'
import type { ReadRequest } from './read-request.js'
import type { ReadAnswer, ReadTask } from './read-worker.js'

/** Heap of the thread, in MB. */
const resourceLimits = { maxOldGenerationSizeMb: 1024 }
/** Longest time for one body, in milliseconds. */
const defaultTimeoutMs = 60_000
/** Time without work after which the thread ends, in milliseconds, since it takes memory. */
const idleMs = 10_000

export class ReadThread {
  #worker: Worker | undefined
  #last: Promise<unknown> = Promise.resolve()
  #waiting = 0
  #idle: NodeJS.Timeout | undefined

  constructor(private readonly timeoutMs = defaultTimeoutMs) {}

  /**
   * Reads a request, whose body is moved to the thread. `party`: on whose behalf. Error:
   * `invalid-request-structure`. The same error is thrown if that takes too much time or memory.
   */
  async read(dialect: string, request: ReceivedRequest, party: Party): Promise<ReadRequest> {
    clearTimeout(this.#idle)
    this.#waiting++
    const done = this.#last.then(async () => await this.#run(dialect, request, party))
    this.#last = done.catch(() => undefined)
    try {
      return await done
    } finally {
      if (--this.#waiting === 0) this.#idle = setTimeout(() => this.#end(), idleMs).unref()
    }
  }

  /**
   * Reads one request in the thread, which is started if needed. `party` is charged for collecting the records.
   * Errors are those of {@link read}.
   */
  async #run(dialect: string, { body, ...request }: ReceivedRequest, party: Party): Promise<ReadRequest> {
    const worker = (this.#worker ??= new Worker(new URL('./read-worker.js', import.meta.url), {
      resourceLimits
    }))
    const { port1: records, port2 } = new MessageChannel()
    let isLate = false
    let answer: ReadAnswer | undefined
    const timer = setTimeout(() => {
      isLate = true
      void worker.terminate()
    }, this.timeoutMs)
    try {
      worker.ref()
      const task: ReadTask = { dialect, request, body, records: port2 }
      // Buffers of a pool are shared, and copied.
      const isOwn = body.byteLength === body.buffer.byteLength
      worker.postMessage(task, isOwn ? [port2, body.buffer as ArrayBuffer] : [port2])
      answer = await waitForAnswer(worker)
      if (!answer) return fail('invalid-request-structure', isLate ? tooSlow : tooLarge)
      if ('refusal' in answer) {
        const { details, id, message } = answer.refusal
        throw new ApiError(id, message, details)
      }
      if ('fault' in answer) throw answer.fault
      const all = await runInTurns(collect(records), party)
      return { answer: answer.answer, reading: { ...answer.reading, records: all } }
    } finally {
      clearTimeout(timer)
      records.close()
      worker.unref()
      if (!answer) this.#worker = undefined
    }
  }

  #end(): void {
    void this.#worker?.terminate()
    this.#worker = undefined
  }
}

const tooSlow = 'The body takes too long to read. Send it in parts'
const tooLarge = 'The body takes too much memory to read. Send it in parts'

/** Resolves with the answer; with `undefined` if the thread has ended: the time or the memory for a body was exceeded. */
async function waitForAnswer(worker: Worker): Promise<ReadAnswer | undefined> {
  const ended = new AbortController()
  const { signal } = ended
  try {
    const answer = once(worker, 'message', { signal }) as Promise<[ReadAnswer]>
    const exit = once(worker, 'exit', { signal }).then(() => undefined)
    return (await Promise.race([answer, exit]))?.[0]
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_WORKER_OUT_OF_MEMORY') return undefined
    throw error
  } finally {
    ended.abort()
  }
}

/** Returns all records that have been sent to a port. */
function* collect(port: MessagePort): Steps<ReceivedRecord[]> {
  const all: ReceivedRecord[] = []
  for (;;) {
    const received = receiveMessageOnPort(port)
    if (!received) return all
    for (const record of received.message as readonly ReceivedRecord[]) all.push(restoreBuffers(record))
    yield
  }
}

/** Threads receive buffers as arrays of bytes. */
function restoreBuffers(record: ReceivedRecord): ReceivedRecord {
  if (!record.fileBytes) return record
  const files = Array.from(record.fileBytes, ([key, { buffer, byteLength, byteOffset }]) => {
    return [key, Buffer.from(buffer as ArrayBuffer, byteOffset, byteLength)] as const
  })
  return { ...record, fileBytes: new Map(files) }
}
