/**
 * Whose folder it is: a small file in the folder of each account. The platform file says so too; should that be lost, names
 * are found here.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { syncPathNow } from './files.js'
import type { Layout } from './layout.js'
import type { Account } from './platform-store.js'

export type Owner = Pick<Account, 'username' | 'created'>

/** Writes down whose folder it is, making the folder if need be. The file is on disk then, the folder's entry too. */
export function writeOwner(layout: Layout, { created, id, username }: Owner & Pick<Account, 'id'>): void {
  const folder = layout.userDirectory(id)
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'owner.json'), `${JSON.stringify({ username, created })}\n`, { flush: true })
  syncPathNow(folder)
}

/** Whose folder it is; nothing if that has not been written down. */
export function readOwner(layout: Layout, id: string): Owner | undefined {
  try {
    const owner = JSON.parse(readFileSync(join(layout.userDirectory(id), 'owner.json'), 'utf8')) as Owner
    return typeof owner.username === 'string' && Number.isFinite(owner.created) ? owner : undefined
  } catch {
    return undefined
  }
}
