/** The paths in the data directory. They are built from ids that the server made, and each id is checked first. */
import { createHash } from 'node:crypto'
import { join, resolve } from 'node:path'
import { readdirSync, statSync } from 'node:fs'

const accountId = /^c[a-z0-9]{24}$/
const fileId = /^c[a-z0-9]{24}$/

/** Whether a text has the form of an account id. */
export function isAccountId(text: string): boolean {
  return accountId.test(text)
}

/** Whether a text has the form of an attachment id. */
export function isFileId(text: string): boolean {
  return fileId.test(text)
}

/** The paths below one data directory. */
export class Layout {
  readonly root: string

  constructor(root: string) {
    // Absolute, because callers that walk up to it compare paths.
    this.root = resolve(root)
  }

  /** Locked by the process that owns the directory. */
  get lockFile(): string {
    return join(this.root, 'coffer.lock')
  }

  /** Written and removed to test whether the directory is writable. */
  get probeFile(): string {
    return join(this.root, '.probe')
  }

  /** Disk space reserved for reads when the disk is full; empty while it is released. */
  get reserveFile(): string {
    return join(this.root, 'reserve')
  }

  /** The results of the service's automatic backups. */
  get backupStateFile(): string {
    return join(this.root, 'backup-state.json')
  }

  /** The digest of the secret in the set-up link, while that link is valid. */
  get setupFile(): string {
    return join(this.root, 'setup-link')
  }

  /** Where commands on this machine reach the running service, and the key that authorises them. */
  get serviceFile(): string {
    return join(this.root, 'service.json')
  }

  /** The file of all accounts' names and unique fields. */
  get platformFile(): string {
    return join(this.root, 'platform.sqlite')
  }

  /** The folders of all accounts, in shards. */
  get usersDirectory(): string {
    return join(this.root, 'users')
  }

  /** An empty user file of a schema version, copied for each new account. */
  templateFile(version: number): string {
    return join(this.root, `template-${version}.sqlite`)
  }

  /** The folder of one account, in a shard so that no folder grows beyond some thousands of entries. */
  userDirectory(id: string): string {
    return join(this.usersDirectory, ...toFolderParts(id))
  }

  /** Received files that are not in place yet: on the same file system, so that a rename moves them. */
  get draftsDirectory(): string {
    return join(this.root, 'drafts')
  }

  /** Folders of accounts that are being removed. */
  get leavingDirectory(): string {
    return join(this.root, 'leaving')
  }

  /** Folders of accounts that are being replaced, until the replacement is complete. */
  get replacedDirectory(): string {
    return join(this.root, 'replaced')
  }

  /** Files of accounts that differed from the files on other machines, kept in case something is missing. */
  get asideDirectory(): string {
    return join(this.root, 'aside')
  }

  /** Lists accounts with imports in progress. */
  get importingDirectory(): string {
    return join(this.root, 'importing')
  }

  /** Files to be imported. */
  importsDirectory(id: string): string {
    return join(this.userDirectory(id), 'imports')
  }

  /** The file of an import. Throws if the id cannot be that of an import. */
  importFile(id: string, importId: string): string {
    if (!isFileId(importId)) throw new Error('Not an import id')
    return join(this.importsDirectory(id), importId)
  }

  /** The attachments of one account, in shards. */
  attachmentsDirectory(id: string): string {
    return join(this.userDirectory(id), 'attachments')
  }

  /** The bytes of one attachment. */
  attachmentFile(id: string, attachment: string): string {
    return join(this.attachmentsDirectory(id), getShardFolder(attachment), attachment)
  }

  /** Previews of pictures: a cache, which can be rebuilt at any time. */
  previewsDirectory(id: string): string {
    return join(this.userDirectory(id), 'previews')
  }

  /** The SQLite file of one account. */
  userFile(id: string): string {
    return join(this.userDirectory(id), 'user.sqlite')
  }
}

/** Returns the path of an account's folder below the users directory: shard and id. Throws if `id` is not an account id. */
export function toFolderParts(id: string): [shard: string, id: string] {
  if (!isAccountId(id)) throw new Error('Not an account id')
  return [createHash('sha256').update(id).digest('hex').slice(0, 3), id]
}

/** Returns the shard folder of an attachment. Throws if it is not an attachment id. */
export function getShardFolder(attachment: string): string {
  if (!isFileId(attachment)) throw new Error('Not an attachment id')
  // The end of an id is random; its beginning is a time.
  return attachment.slice(-2)
}

/** Permission bits of the group and of others. */
const groupAndOtherBits = 0o077

/** Lists the direct entries of a data directory that other users can access; empty if the directory itself is private. */
export function listExposedEntries({ root }: Layout): string[] {
  return isExposed(root) ? ['.', ...readdirSync(root).filter(name => isExposed(join(root, name)))] : []
}

function isExposed(path: string): boolean {
  // An entry that has just been removed is not exposed.
  return ((statSync(path, { throwIfNoEntry: false })?.mode ?? 0) & groupAndOtherBits) !== 0
}
