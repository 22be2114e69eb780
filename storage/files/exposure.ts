/** Finds what other users of the machine can access in a data directory that existed before, or that an earlier version made. */
import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { Layout } from './layout.js'

/** Permission bits of the group and of others. */
const ofOthers = 0o077

/** Names of the direct entries of a data directory that others can access; empty if the directory itself is private. */
export function exposed({ root }: Layout): string[] {
  return isOpen(root) ? ['.', ...readdirSync(root).filter(name => isOpen(join(root, name)))] : []
}

function isOpen(path: string): boolean {
  // An entry that has just been removed is not exposed.
  return ((statSync(path, { throwIfNoEntry: false })?.mode ?? 0) & ofOthers) !== 0
}
