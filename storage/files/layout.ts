/** Where everything lies in the data directory. Paths are built from server-made ids only, each checked first. */
import { createHash } from 'node:crypto'
import { join, resolve } from 'node:path'

const accountId = /^c[a-z0-9]{24}$/
const fileId = /^c[a-z0-9]{24}$/

/** Whether a text may name the folder of an account. */
export function isAccountId(text: string): boolean {
  return accountId.test(text)
}

/** Whether a text may name the file of an attachment. */
export function isFileId(text: string): boolean {
  return fileId.test(text)
}

/** The paths below one data directory. */
export class Layout {
  readonly root: string

  constructor(root: string) {
    // Who walks up to it compares paths.
    this.root = resolve(root)
  }

  /** Held locked by the process that owns the directory. */
  get lockFile(): string {
    return join(this.root, 'coffer.lock')
  }

  /** Written and removed to see whether that can be done. */
  get probeFile(): string {
    return join(this.root, '.probe')
  }

  get platformFile(): string {
    return join(this.root, 'platform.sqlite')
  }

  get usersDirectory(): string {
    return join(this.root, 'users')
  }

  /** Copied to make a new account. */
  templateFile(version: number): string {
    return join(this.root, `template-${version}.sqlite`)
  }

  /** The folder of everything of one account, sharded so that no folder grows beyond some thousands of entries. */
  userDirectory(id: string): string {
    return join(this.usersDirectory, ...partsOf(id))
  }

  /** Files that have been received and wait for their place: on the same file system, so that a rename will do. */
  get draftsDirectory(): string {
    return join(this.root, 'drafts')
  }

  /** Where folders of accounts are moved that are on their way out. */
  get leavingDirectory(): string {
    return join(this.root, 'leaving')
  }

  /** Where folders of accounts wait while others take their place. */
  get replacedDirectory(): string {
    return join(this.root, 'replaced')
  }

  attachmentsDirectory(id: string): string {
    return join(this.userDirectory(id), 'attachments')
  }

  /** The bytes of one attachment. */
  attachmentFile(id: string, attachment: string): string {
    return join(this.attachmentsDirectory(id), shardOf(attachment), attachment)
  }

  /** Previews of pictures: they can be made again at any time. */
  previewsDirectory(id: string): string {
    return join(this.userDirectory(id), 'previews')
  }

  userFile(id: string): string {
    return join(this.userDirectory(id), 'user.sqlite')
  }
}

/** The folders of an account below that of all users: its shard and itself. Throws for what is not an id. */
export function partsOf(id: string): [shard: string, id: string] {
  if (!isAccountId(id)) throw new Error('Not an account id')
  return [createHash('sha256').update(id).digest('hex').slice(0, 3), id]
}

/** The folder of an attachment below that of all of its account. Throws for what is not an id. */
export function shardOf(attachment: string): string {
  if (!isFileId(attachment)) throw new Error('Not an attachment id')
  // The end of an id is random: its beginning is the time.
  return attachment.slice(-2)
}
