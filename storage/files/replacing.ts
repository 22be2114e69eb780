/**
 * Puts a folder of an account in place of another one. The former waits aside until all is done: whatever breaks off before,
 * an error or a crash, leaves it whole, and it is put back.
 */
import { existsSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { makeFolderNow, syncPathNow } from './durable.js'
import { isAccountId, type Layout } from './layout.js'

/** Nobody may have the account open. `settle` does what belongs to it; afterwards the former folder is at `leaving`. */
export function replaceFolder(
  layout: Layout,
  id: string,
  { coming, leaving, settle }: { coming: string; leaving: string; settle: () => void }
): void {
  putBack(layout, id)
  const [place, former] = placesOf(layout, id)
  makeFolderNow(dirname(former))
  makeFolderNow(dirname(place))
  try {
    if (existsSync(place)) move(place, former)
    move(coming, place)
    settle()
    // From here on it counts.
    if (existsSync(former)) move(former, leaving)
  } catch (error) {
    putBack(layout, id)
    throw error
  }
}

/** Puts back what a crash has left aside; answers whose accounts these are. */
export function putAllBack(layout: Layout): string[] {
  if (!existsSync(layout.replacedDirectory)) return []
  const ids = readdirSync(layout.replacedDirectory).filter(isAccountId)
  for (const id of ids) putBack(layout, id)
  return ids
}

function putBack(layout: Layout, id: string): void {
  const [place, former] = placesOf(layout, id)
  if (!existsSync(former)) return
  rmSync(place, { recursive: true, force: true })
  move(former, place)
}

function placesOf(layout: Layout, id: string): [place: string, former: string] {
  return [layout.userDirectory(id), join(layout.replacedDirectory, id)]
}

function move(from: string, to: string): void {
  renameSync(from, to)
  syncPathNow(dirname(to))
  syncPathNow(dirname(from))
}
