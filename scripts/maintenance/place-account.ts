/** Moves the prepared files of an account from a temporary directory into a data directory, atomically. */
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { existsWithin, makeFolderNow, assertFileOrAbsent, syncPathNow } from '../../storage/files/durable.js'
import type { Layout } from '../../storage/files/layout.js'
import { writeOwner } from '../../storage/platform/owner.js'
import { PlatformStore } from '../../storage/platform/platform-store.js'
import { replaceFolder } from '../../storage/files/replace-folder.js'
import { assertNotNewer, valuesOf } from './unique-index.js'
import { webhookIdsBeside, webhookIdsOf } from './webhook-ids.js'
import type { Account } from '../../storage/platform/account.js'

/** An account cannot be added, because another one has the same name or unique value. */
export class Taken extends Error {
  constructor(username: string, taken: readonly string[]) {
    super(`Can't add ${username}, because another account has the same ${taken.join(' and ')}`)
    this.name = 'Taken'
  }
}

/** An account is neither there nor gone. */
export class Unfinished extends Error {
  constructor(username: string) {
    super(
      `${username} is being added or removed, or this was interrupted. Try again, and restart the service if this persists`
    )
    this.name = 'Unfinished'
  }
}

/** An account of that name that a data directory has. Throws {@link Unfinished}. */
export function accountIn(target: Layout, username: string): Account | undefined {
  assertFileOrAbsent(target.platformFile)
  // Looking up an account must not create the platform file.
  if (!existsSync(target.platformFile) && !existsSync(target.usersDirectory)) return undefined
  const platform = new PlatformStore(target)
  try {
    const account = platform.find(username)
    if (account && account.state !== 'active') throw new Unfinished(username)
    return account
  } finally {
    platform.close()
  }
}

/**
 * Adds an account to a data directory. A running service finds it with the first request for it. Throws {@link Taken} and
 * changes nothing if something of it is taken.
 */
export async function bringIn(target: Layout, side: Layout, account: Omit<Account, 'state'>): Promise<void> {
  const { id, username } = account
  const place = target.userDirectory(id)
  const platform = new PlatformStore(target)
  try {
    // `isWithin` also throws if a symbolic link is in the way.
    if (existsWithin(target.root, place)) throw new Taken(username, ['id'])
    assertWebhookIdsFree(target, side, account)
    const held = valuesOf(side, id)
    await writeOwner(side, account)
    syncPathNow(side.userDirectory(id))
    const unique = Object.fromEntries(held.map(({ field, key }) => [field, key]))
    const taken = platform.changeNow('claim', { id, username, created: account.created, unique })
    if (taken.length > 0) throw new Taken(username, taken)
    try {
      // What is broken off after the claim goes at the next start of the service. An account without files is never found.
      makeFolderNow(dirname(place))
      renameSync(side.userDirectory(id), place)
      syncPathNow(dirname(place))
      if (!platform.changeNow('complete', account)) throw new Unfinished(username)
    } catch (error) {
      rmSync(place, { recursive: true, force: true })
      platform.changeNow('remove', id)
      throw error
    }
  } finally {
    platform.close()
  }
}

/**
 * Replaces the account with the same id, which must not be open. Throws {@link Taken}, or `StoreTooNew` for a file of a newer
 * version of the software, before changing anything; any other failure leaves the former account as it was.
 */
export async function replace(
  target: Layout,
  side: Layout,
  { id, username }: Pick<Account, 'id' | 'username'>
): Promise<void> {
  const place = target.userDirectory(id)
  const platform = new PlatformStore(target)
  try {
    existsWithin(target.root, place)
    assertNotNewer(target, id)
    assertWebhookIdsFree(target, side, { id, username })
    const held = valuesOf(side, id)
    const known = platform.find(username)
    if (known) await writeOwner(side, known)
    syncPathNow(side.userDirectory(id))
    const taken = held.filter(({ field, key }) => (platform.findByUnique(field, key)?.id ?? id) !== id)
    if (taken.length > 0)
      throw new Taken(
        username,
        taken.map(({ field }) => field)
      )
    keepFolders(target.attachmentsDirectory(id), side.attachmentsDirectory(id))
    replaceFolder(target, id, {
      newFolder: side.userDirectory(id),
      formerTarget: join(side.root, 'former'),
      complete: () => platform.changeNow('replaceUnique', id, held)
    })
  } finally {
    platform.close()
  }
}

/** Throws {@link Taken} if another account has a webhook with the same id. */
function assertWebhookIdsFree(
  target: Layout,
  side: Layout,
  { id, username }: Pick<Account, 'id' | 'username'>
): void {
  const own = webhookIdsOf(side, id)
  const others = own.length === 0 ? new Set() : webhookIdsBeside(target, id)
  if (own.some(each => others.has(each))) throw new Taken(username, ['webhook'])
}

/** Makes the same attachment folders: a running service does not check again for folders it has seen. */
function keepFolders(present: string, coming: string): void {
  if (!existsSync(present)) return
  for (const shard of readdirSync(present)) mkdirSync(join(coming, shard), { recursive: true, mode: 0o700 })
}
