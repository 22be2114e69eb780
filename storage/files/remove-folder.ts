/** Removes a folder that others may still be writing to. */
import { mkdir, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { removeInParts, syncPath } from './durable.js'
import type { Layout } from './layout.js'

/** Moves the folder of an account away, so that calls in flight cannot add to it, and then removes its content. */
export async function removeFolder(layout: Layout, directory: string, id: string): Promise<void> {
  const leaving = join(layout.leavingDirectory, id)
  await mkdir(layout.leavingDirectory, { recursive: true })
  await rm(leaving, { recursive: true, force: true })
  await rename(directory, leaving)
  await syncPath(dirname(directory))
  await removeInParts(leaving)
  await syncPath(layout.leavingDirectory)
}
