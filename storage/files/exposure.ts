/**
 * Finds what other users of the machine can access in a data directory that was not created by this version of the
 * software.
 */
import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { Layout } from './layout.js'

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
