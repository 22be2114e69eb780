/** The names of objects that hold snapshots of accounts' files. */

/** What the keys of all snapshots of an account begin with. */
export function snapshotPrefix(account: string): string {
  return `snap/${account}/`
}

/** The key of the snapshot as of a commit. There is one content for it only: that commit is in the log. */
export function snapshotKey(account: string, lsn: number): string {
  return `${snapshotPrefix(account)}${lsn}`
}

/** The number of the commit that a snapshot is of. */
export function parseLsn(key: string): number {
  return Number(key.slice(key.lastIndexOf('/') + 1))
}
