/**
 * The interface of the engine that nodes share: an ordered log for each subject, registers, and messages between nodes.
 * An implementation replicates all of it, and acknowledges a write only when a majority has it on disk.
 */

/** A record in the log of a subject. */
export interface Entry {
  readonly subject: string
  /** Increases along the log of a subject, not necessarily by one. 0 means "before the first". */
  readonly sequence: number
  readonly bytes: Uint8Array
}

/** The value of a register. */
export interface RegisterValue {
  readonly key: string
  /** Increases with each change of the key. 0 means "not set yet". */
  readonly revision: number
  readonly bytes: Uint8Array
}

/** Small values that change by compare-and-swap: leases, and the owners of shards. */
export interface Register {
  /** Reads a key; `undefined` if it was never set. Rejects with {@link EngineUnavailable}. */
  get(key: string): Promise<RegisterValue | undefined>
  /**
   * Sets a key if its revision is the expected one, and resolves with the new revision. Rejects with {@link Conflict}
   * if the key has another revision, with {@link EngineUnavailable} if the outcome is unknown.
   */
  cas(key: string, expected: number, bytes: Uint8Array): Promise<number>
  /** Reads all keys with a prefix. Rejects with {@link EngineUnavailable}. */
  list(prefix: string): Promise<RegisterValue[]>
}

/** Handles messages that are sent to a node. If it rejects, the sender receives no answer. */
export type MessageHandler = (message: Uint8Array) => Promise<Uint8Array>

export interface Engine {
  readonly register: Register
  /** Maximum size of a record, in bytes. */
  readonly maxBytes: number

  /**
   * Appends a record after the one with the expected sequence, and resolves with its own sequence once a
   * majority has it on disk. Rejects with {@link Conflict} if another record is the last one, with {@link
   * EngineUnavailable} if the outcome is unknown: the record may have arrived, never arrive, or arrive later.
   * {@link last} eventually shows which. Throws `RangeError` for more than {@link maxBytes}, as all functions
   * that send do.
   */
  append(subject: string, expected: number, bytes: Uint8Array): Promise<number>
  /**
   * Returns the last record of a subject; `undefined` if the subject never had a record. Rejects with
   * {@link EngineUnavailable}.
   */
  last(subject: string): Promise<Entry | undefined>
  /**
   * Returns the first records of a subject whose sequence is at least `from`, at most `limit`; empty at the end of the
   * log. Rejects with {@link EngineUnavailable}.
   */
  read(subject: string, from: number, limit: number): Promise<Entry[]>
  /**
   * Removes the records of a subject before a sequence, but never the last record, after which others append.
   * Rejects with {@link EngineUnavailable}.
   */
  trim(subject: string, before: number): Promise<void>

  /**
   * Sends a message to a node and resolves with its answer. Rejects with {@link EngineUnavailable} after `timeoutMs`
   * (milliseconds).
   */
  send(node: string, message: Uint8Array, timeoutMs: number): Promise<Uint8Array>
  /** Handles messages to a node. Returns a function that ends this. */
  handle(node: string, handler: MessageHandler): () => void

  /** Sends an announcement to every node, including this one. Nodes that are not connected miss it. */
  announce(topic: string, message: Uint8Array): void
  /**
   * Calls a listener on each announcement of a topic. Returns a function that stops it. Errors of the listener are
   * ignored.
   */
  subscribe(topic: string, listener: (message: Uint8Array) => void): () => void

  /** Disconnects. Pending requests reject. */
  close(): Promise<void>
}

/** The part of an engine with which a log of changes is written. */
export type Log = Pick<Engine, 'append' | 'last' | 'maxBytes' | 'read' | 'trim'>

/** The value is not the expected one: this process is no longer the writer. */
export class Conflict extends Error {
  constructor(what: string) {
    super(`Another process has changed ${what}`)
    this.name = 'Conflict'
  }
}

/** The engine does not answer. The request may have been carried out, or may still be. */
export class EngineUnavailable extends Error {
  constructor(cause?: unknown, message = 'The engine of the cluster is not responding') {
    super(message, { cause })
    this.name = 'EngineUnavailable'
  }
}
