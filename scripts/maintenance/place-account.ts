/** Puts the files of an account that lie to the side into a data directory, in one step. */
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { isWithin, makeFolderNow, mustBeFileOrNothing, syncPathNow } from '../../storage/files/durable.js'
import type { Layout } from '../../storage/files/layout.js'
import { writeOwner } from '../../storage/platform/owner.js'
import { PlatformStore } from '../../storage/platform/platform-store.js'
import { replaceFolder } from '../../storage/files/replacing.js'
import { valuesOf } from './unique-index.js'
import { webhookIdsBeside, webhookIdsOf } from './webhook-ids.js'
import type { Account } from '../../storage/platform/account.js'

/** An account cannot have a name or a value, because another one has it. */
export class Taken extends Error {
  constructor(username: string, taken: readonly string[]) {
    super(`${username} cannot be brought in: another account has the same ${taken.join(' and ')}`)
    this.name = 'Taken'
  }
}

/** An account of that name that a data directory has. */
export function accountIn(target: Layout, username: string): Account | undefined {
  mustBeFileOrNothing(target.platformFile)
  // To ask makes no file where there are no accounts.
  if (!existsSync(target.platformFile) && !existsSync(target.usersDirectory)) return undefined
  const platform = new PlatformStore(target)
  try {
    return platform.find(username)
  } finally {
    platform.close()
  }
}

/**
 * Brings an account in that the data directory does not have. A running service finds it when it is first asked for it.
 * Raises {@link Taken}; then everything is as it was.
 */
export async function bringIn(target: Layout, side: Layout, account: Omit<Account, 'state'>): Promise<void> {
  const { id, username } = account
  const place = target.userDirectory(id)
  const platform = new PlatformStore(target)
  try {
    // Throws where it would lead elsewhere, too.
    if (isWithin(target.root, place)) throw new Taken(username, ['id'])
    mustHaveOwnWebhooks(target, side, account)
    const held = valuesOf(side, id)
    await writeOwner(side, account)
    syncPathNow(side.userDirectory(id))
    // The files come first: an account without files must never be found.
    makeFolderNow(dirname(place))
    renameSync(side.userDirectory(id), place)
    syncPathNow(dirname(place))
    const taken = platform.adopt(account, held)
    if (taken.length === 0) return
    rmSync(place, { recursive: true, force: true })
    throw new Taken(username, taken)
  } finally {
    platform.close()
  }
}

/**
 * Puts an account in place of the one of the same id. Nobody may have that open. Raises {@link Taken} before it begins;
 * whatever else goes wrong leaves the former as it was.
 */
export async function replace(
  target: Layout,
  side: Layout,
  { id, username }: Pick<Account, 'id' | 'username'>
): Promise<void> {
  const place = target.userDirectory(id)
  const platform = new PlatformStore(target)
  try {
    isWithin(target.root, place)
    mustHaveOwnWebhooks(target, side, { id, username })
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
      coming: side.userDirectory(id),
      leaving: join(side.root, 'former'),
      settle: () => platform.replaceUnique(id, held)
    })
  } finally {
    platform.close()
  }
}

/** Throws {@link Taken} where another account has a webhook of the same id. */
function mustHaveOwnWebhooks(
  target: Layout,
  side: Layout,
  { id, username }: Pick<Account, 'id' | 'username'>
): void {
  const own = webhookIdsOf(side, id)
  const others = own.length === 0 ? new Set() : webhookIdsBeside(target, id)
  if (own.some(each => others.has(each))) throw new Taken(username, ['webhook'])
}

/** A running service expects folders that it has made or seen once. */
function keepFolders(present: string, coming: string): void {
  if (!existsSync(present)) return
  for (const shard of readdirSync(present)) mkdirSync(join(coming, shard), { recursive: true, mode: 0o700 })
}
