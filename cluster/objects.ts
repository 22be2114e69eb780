/**
 * Storage for what is too large for a log: attachments and snapshots. An object is written completely or not at all,
 * and replicated before the write is acknowledged.
 */
export interface Objects {
  /** Stores the file at a path under a key, replacing an existing object. Rejects with `EngineUnavailable`. */
  put(key: string, path: string): Promise<void>
  /**
   * Writes an object to a new file at a path, synced. Resolves with `false`, and writes nothing, if the object does not
   * exist. Rejects with `EngineUnavailable`.
   */
  get(key: string, path: string): Promise<boolean>
  /** Removes an object, if it exists. Rejects with `EngineUnavailable`. */
  remove(key: string): Promise<void>
  /** Lists the keys with a prefix, sorted. Rejects with `EngineUnavailable`. */
  list(prefix: string): Promise<string[]>
  /**
   * Removes remains of interrupted writes that belong to no object, once they have been seen by these calls for a
   * number of seconds. Absent if an implementation leaves no such remains. Rejects with `EngineUnavailable`.
   */
  sweep?(seconds: number): Promise<void>
}
