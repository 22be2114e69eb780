/** The names of objects that hold snapshots of accounts' files. */

/** Returns the prefix of the keys of all snapshots of an account. */
export function snapshotPrefix(account: string): string {
  return `snap/${account}/`
}

/** Returns the key of the snapshot of a commit. Its content is unique: that commit is in the log. */
export function snapshotKey(account: string, lsn: number): string {
  return `${snapshotPrefix(account)}${lsn}`
}

/** Parses the number of a snapshot's commit. */
export function parseLsn(key: string): number {
  return Number(key.slice(key.lastIndexOf('/') + 1))
}
