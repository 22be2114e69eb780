/**
 * A small file in each account's folder that names its owner. The platform file can be rebuilt from these if it is
 * lost.
 */
import { readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Layout } from '../files/layout.js'
import type { Account } from './account.js'
import type { PlatformStore } from './platform-store.js'

/** The form of user names, including older ones of lengths that are no longer allowed. */
const namePattern = /^[a-z0-9][a-z0-9-]{0,59}$/

export interface Owner extends Pick<Account, 'username' | 'created'> {
  /** The former names of the account, oldest first; absent if there are none. */
  readonly formerUsernames?: readonly string[]
}

/** Returns what the owner file of an account says; `undefined` if the account is unknown. */
export function findOwner(
  platform: Pick<PlatformStore, 'findById' | 'usernames'>,
  id: string
): Owner | undefined {
  const account = platform.findById(id)
  if (!account) return undefined
  const { created, username } = account
  const formerUsernames = platform.usernames.listFormer(id)
  return { username, created, ...(formerUsernames.length > 0 && { formerUsernames }) }
}

/**
 * Writes the owner file. Syncs the file, but not the folders above it. Rejects with `ENOENT` if the account has no
 * folder: then it may have been deleted.
 */
export async function writeOwner(
  layout: Layout,
  { created, formerUsernames, id, username }: Owner & Pick<Account, 'id'>
): Promise<void> {
  const text = `${JSON.stringify({ username, created, formerUsernames })}\n`
  await writeFile(join(layout.userDirectory(id), 'owner.json'), text, { flush: true, mode: 0o600 })
}

/** Reads the owner file; `undefined` if it is missing or invalid. */
export function readOwner(layout: Layout, id: string): Owner | undefined {
  try {
    const owner = JSON.parse(readFileSync(join(layout.userDirectory(id), 'owner.json'), 'utf8')) as Owner
    const names = [owner.username, ...(owner.formerUsernames ?? [])]
    return names.every(name => namePattern.test(name)) && Number.isFinite(owner.created) ? owner : undefined
  } catch {
    return undefined
  }
}
