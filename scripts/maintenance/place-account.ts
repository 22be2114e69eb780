/** Moves the prepared files of an account from a temporary directory into a data directory, atomically. */
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { translateError } from '../../storage/errors.js'
import { existsWithin, makeFolderNow, assertFileOrAbsent, syncPathNow } from '../../storage/files/durable.js'
import type { Layout } from '../../storage/files/layout.js'
import { PlatformInspection } from '../../storage/inspection/platform-inspection.js'
import { findOwner, writeOwner } from '../../storage/platform/owner.js'
import { PlatformStore } from '../../storage/platform/platform-store.js'
import { replaceFolder } from '../../storage/files/replace-folder.js'
import { assertNotNewer, readUniqueValues } from './unique-index.js'
import { listOtherWebhookIds, readWebhookIds } from './webhook-ids.js'
import type { Account } from '../../storage/platform/account.js'

/** An account cannot be added, because another one has the same name or unique value. */
export class Taken extends Error {
  constructor(username: string, taken: readonly string[]) {
    super(`Can't add ${username}, because another account has the same ${taken.join(' and ')}`)
    this.name = 'Taken'
  }
}

/** An account is being added or removed. */
export class Unfinished extends Error {
  constructor(username: string) {
    super(
      `${username} is being added or removed, or this was interrupted. Try again, and restart the service if this persists`
    )
    this.name = 'Unfinished'
  }
}

/**
 * Returns the account with a username; `undefined` if there is none. Changes nothing: a service of an earlier version may be
 * running, and a backup made before an upgrade must be of its version. Throws {@link Unfinished} if the account is being added
 * or removed.
 */
export function findAccount(target: Layout, username: string): Account | undefined {
  assertFileOrAbsent(target.platformFile)
  if (isEmpty(target)) return undefined
  const platform = new PlatformInspection(target)
  try {
    const account = platform.find(username)
    if (account && account.state !== 'active') throw new Unfinished(username)
    return account
  } catch (error) {
    throw translateError(error, target.platformFile)
  } finally {
    platform.close()
  }
}

/** Returns true if there are no accounts and there is no platform file. */
function isEmpty({ platformFile, usersDirectory }: Layout): boolean {
  return (
    !existsSync(platformFile) && (!existsSync(usersDirectory) || readdirSync(usersDirectory).length === 0)
  )
}

/** Returns true if a name cannot be given to an account or an access: it is in use, or was in use. */
export function isNameTaken(target: Layout, name: string): boolean {
  assertFileOrAbsent(target.platformFile)
  if (isEmpty(target)) return false
  const platform = new PlatformStore(target)
  try {
    return platform.usernames.isTaken(name)
  } finally {
    platform.close()
  }
}

/**
 * Adds an account to a data directory. A running service finds the account with the first request for it.
 * Throws {@link Taken}, with nothing changed, if the account's name or a unique value of it is in use. Throws
 * {@link Unfinished} if it was removed meanwhile.
 */
export async function addAccount(
  target: Layout,
  side: Layout,
  account: Omit<Account, 'state'>
): Promise<void> {
  const { formerUsernames, id, username } = account
  const place = target.userDirectory(id)
  const platform = new PlatformStore(target)
  try {
    // `existsWithin` also throws if a symbolic link is in the path.
    if (existsWithin(target.root, place)) throw new Taken(username, ['id'])
    assertWebhookIdsFree(target, side, account)
    const held = readUniqueValues(side, id)
    const unique = Object.fromEntries(held.map(({ field, key }) => [field, key]))
    const taken = platform.changeNow('claim', {
      id,
      username,
      created: account.created,
      unique,
      ...(formerUsernames && { formerUsernames })
    })
    if (taken.length > 0) throw new Taken(username, taken)
    try {
      // Reads the account again: only the former names that were free were added.
      await writeOwner(side, { ...findOwner(platform, id)!, id })
      syncPathNow(side.userDirectory(id))
      // Some fields have several values.
      const others = platform.changeNow('replaceUnique', id, held)
      if (others.length > 0)
        throw new Taken(
          username,
          others.map(({ field }) => field)
        )
      // The next start of the service removes an interrupted claim. An account without files is never found.
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
 * Replaces the account with the same id, which must not be open. Keeps its owner file and updates its unique
 * values. Throws {@link Taken}, or `StoreTooNew` for a file of a newer version of the software, with nothing
 * changed. After any other failure the previous account remains.
 */
export async function replaceAccount(
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
    const held = readUniqueValues(side, id)
    const known = platform.find(username)
    if (known) await writeOwner(side, { ...known, ...findOwner(platform, known.id) })
    syncPathNow(side.userDirectory(id))
    const taken = held.filter(({ field, key }) => (platform.findByUnique(field, key)?.id ?? id) !== id)
    if (taken.length > 0)
      throw new Taken(
        username,
        taken.map(({ field }) => field)
      )
    createSameFolders(target.attachmentsDirectory(id), side.attachmentsDirectory(id))
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
  const own = readWebhookIds(side, id)
  const others = own.length === 0 ? new Set() : listOtherWebhookIds(target, id)
  if (own.some(each => others.has(each))) throw new Taken(username, ['webhook'])
}

/** Creates the same attachment folders: a running service does not check again that a folder exists. */
function createSameFolders(present: string, coming: string): void {
  if (!existsSync(present)) return
  for (const shard of readdirSync(present)) mkdirSync(join(coming, shard), { recursive: true, mode: 0o700 })
}
