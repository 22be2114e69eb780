/**
 * A small file in each account's folder that names its owner. The platform file holds the same; it can be rebuilt from
 * these if it is lost.
 */
import { readFileSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Layout } from '../files/layout.js'
import type { Account } from './account.js'

/** The form of user names, including older ones of lengths that are no longer allowed. */
const namePattern = /^[a-z0-9][a-z0-9-]{0,59}$/

export type Owner = Pick<Account, 'username' | 'created'>

/** Writes the owner file, making the folder if needed. Syncs the file, but not the folders above it. */
export async function writeOwner(
  layout: Layout,
  { created, id, username }: Owner & Pick<Account, 'id'>
): Promise<void> {
  const folder = layout.userDirectory(id)
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const text = `${JSON.stringify({ username, created })}\n`
  await writeFile(join(folder, 'owner.json'), text, { flush: true, mode: 0o600 })
}

/** Reads the owner file; `undefined` if it is missing or invalid. */
export function readOwner(layout: Layout, id: string): Owner | undefined {
  try {
    const owner = JSON.parse(readFileSync(join(layout.userDirectory(id), 'owner.json'), 'utf8')) as Owner
    return namePattern.test(owner.username) && Number.isFinite(owner.created) ? owner : undefined
  } catch {
    return undefined
  }
}
