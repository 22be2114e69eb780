/** Who else can look into a data directory: a folder that was there before, or files of an earlier version, may be open. */
import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { Layout } from './layout.js'

/** Rights of the group and of everybody. */
const ofOthers = 0o077

/** Names of those things directly in a data directory that others have rights to; empty if they cannot even get at it. */
export function exposed({ root }: Layout): string[] {
  return isOpen(root) ? ['.', ...readdirSync(root).filter(name => isOpen(join(root, name)))] : []
}

function isOpen(path: string): boolean {
  // Something that has just gone is nobody's to read.
  return ((statSync(path, { throwIfNoEntry: false })?.mode ?? 0) & ofOthers) !== 0
}
