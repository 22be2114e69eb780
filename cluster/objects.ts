/**
 * Where nodes keep what is too large for a log: attachments and snapshots. An object is written once under its key, whole or
 * not at all, and replicated before anybody is told.
 */
export interface Objects {
  /** Stores the file at a path. Under a key that is there already, the object is replaced. Rejects with `EngineUnavailable`. */
  put(key: string, path: string): Promise<void>
  /**
   * Writes an object to a new file at a path, synced. Resolves with `false`, and writes nothing, if there is none. Rejects
   * with `EngineUnavailable`.
   */
  get(key: string, path: string): Promise<boolean>
  /** Removes an object, if it is there. Rejects with `EngineUnavailable`. */
  remove(key: string): Promise<void>
  /** The keys that begin with a prefix, sorted. Rejects with `EngineUnavailable`. */
  list(prefix: string): Promise<string[]>
  /**
   * Where what a writer leaves that dies takes room: removes what is part of no object, and has been seen by these calls for so
   * many seconds. Rejects with `EngineUnavailable`.
   */
  sweep?(seconds: number): Promise<void>
}
