/** Which accounts have anything in a data directory, whatever the platform file says. */
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { isAccountId, type Layout } from './layout.js'

/** The ids of accounts that have a folder, or files that were set aside. */
export async function listAccountsWithFiles({
  asideDirectory,
  usersDirectory
}: Layout): Promise<Set<string>> {
  const shards = await readNames(usersDirectory)
  const ids = new Set<string>()
  for (const folder of [...shards.map(shard => join(usersDirectory, shard)), asideDirectory])
    for (const name of await readNames(folder)) if (isAccountId(name)) ids.add(name)
  return ids
}

/** What is in a folder; nothing if there is no such folder. */
async function readNames(folder: string): Promise<string[]> {
  try {
    return await readdir(folder)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT' || code === 'ENOTDIR') return []
    throw error
  }
}
