/**
 * Whose folder it is: a small file in the folder of each account. The platform file says so too; should that be lost, names
 * are found here.
 */
import { readFileSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Layout } from '../files/layout.js'
import type { Account } from './account.js'

/** As names are, also those that are longer or shorter than they could be today. */
const isName = /^[a-z0-9][a-z0-9-]{0,59}$/

export type Owner = Pick<Account, 'username' | 'created'>

/** Writes down whose folder it is, making the folder if need be. The bytes are on disk then, not yet what names them. */
export async function writeOwner(
  layout: Layout,
  { created, id, username }: Owner & Pick<Account, 'id'>
): Promise<void> {
  const folder = layout.userDirectory(id)
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const text = `${JSON.stringify({ username, created })}\n`
  await writeFile(join(folder, 'owner.json'), text, { flush: true, mode: 0o600 })
}

/** Whose folder it is; nothing if that has not been written down. */
export function readOwner(layout: Layout, id: string): Owner | undefined {
  try {
    const owner = JSON.parse(readFileSync(join(layout.userDirectory(id), 'owner.json'), 'utf8')) as Owner
    return isName.test(owner.username) && Number.isFinite(owner.created) ? owner : undefined
  } catch {
    return undefined
  }
}
