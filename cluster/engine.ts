/**
 * The port to the engine that nodes share: an ordered log for each subject, registers, and messages between nodes. An
 * implementation replicates all of it, and says "done" only when a majority has it on disk.
 */

/** A record in the log of a subject. */
export interface Entry {
  readonly subject: string
  /** Grows along the log of a subject, not necessarily by one. 0 stands for "before the first". */
  readonly sequence: number
  readonly bytes: Uint8Array
}

/** The value of a register. */
export interface RegisterValue {
  readonly key: string
  /** Grows with each change of the key. 0 stands for "not there yet". */
  readonly revision: number
  readonly bytes: Uint8Array
}

/** Small values that change by compare-and-swap: leases, and who serves which shard. */
export interface Register {
  /** Reads a key; `undefined` if it was never set. Rejects with {@link EngineUnavailable}. */
  get(key: string): Promise<RegisterValue | undefined>
  /**
   * Sets a key whose revision is still the expected one, and resolves with the new revision. Rejects with {@link Conflict}
   * if it is not, with {@link EngineUnavailable} if it is not known what has become of it.
   */
  cas(key: string, expected: number, bytes: Uint8Array): Promise<number>
  /** Reads all keys that begin with a prefix. Rejects with {@link EngineUnavailable}. */
  list(prefix: string): Promise<RegisterValue[]>
}

/** Answers messages that are sent to a node. What it rejects with does not reach the sender, whose message is not answered. */
export type MessageHandler = (message: Uint8Array) => Promise<Uint8Array>

export interface Engine {
  readonly register: Register
  /** Most bytes of a record. */
  readonly maxBytes: number

  /**
   * Appends a record behind the one with the expected sequence, and resolves with its own once a majority has it on disk.
   * Rejects with {@link Conflict} if another one is the last, with {@link EngineUnavailable} if it is not known what has
   * become of the record: it may be there, never arrive, or arrive later. {@link last} tells, sooner or later.
   */
  append(subject: string, expected: number, bytes: Uint8Array): Promise<number>
  /** The last record of a subject; `undefined` if there never was one. Rejects with {@link EngineUnavailable}. */
  last(subject: string): Promise<Entry | undefined>
  /**
   * The first records of a subject whose sequence is at least `from`, at most `limit`; none at the end of the log. Rejects
   * with {@link EngineUnavailable}.
   */
  read(subject: string, from: number, limit: number): Promise<Entry[]>
  /** Removes the records of a subject before a sequence. The last one stays in any case: it is what others append behind. */
  trim(subject: string, before: number): Promise<void>

  /** Sends a message to a node and resolves with its answer. Rejects with {@link EngineUnavailable} after `timeoutMs`. */
  send(node: string, message: Uint8Array, timeoutMs: number): Promise<Uint8Array>
  /** Answers what is sent to a node, until the function it returns is called. */
  handle(node: string, handler: MessageHandler): () => void

  /** Tells every node, the teller's own too, of something. Whoever is not connected just then does not hear of it. */
  announce(topic: string, message: Uint8Array): void
  /** Calls back whenever something is announced, until the function it returns is called. What it throws is dropped. */
  subscribe(topic: string, listener: (message: Uint8Array) => void): () => void

  /** Disconnects. What is under way rejects. */
  close(): Promise<void>
}

/** The part of an engine that a log of changes is written with. */
export type Log = Pick<Engine, 'append' | 'last' | 'maxBytes' | 'read' | 'trim'>

/** Something else is there than was expected: whoever expected it is no longer the one who writes. */
export class Conflict extends Error {
  constructor(what: string) {
    super(`Another process has changed ${what}`)
    this.name = 'Conflict'
  }
}

/** The engine does not answer. What was asked for may have happened, or may still happen. */
export class EngineUnavailable extends Error {
  constructor(cause?: unknown, message = 'The engine of the cluster is not responding') {
    super(message, { cause })
    this.name = 'EngineUnavailable'
  }
}
