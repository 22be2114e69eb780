/** Finds out whether the data directory can be written to, by doing so. */
import { rm, writeFile } from 'node:fs/promises'
import type { Layout } from './layout.js'

/** Whether a file can be written and removed again. */
export async function canWrite({ probeFile }: Layout): Promise<boolean> {
  try {
    await writeFile(probeFile, 'coffer\n')
    // Several threads may look at the same time.
    await rm(probeFile, { force: true })
    return true
  } catch {
    // A disk that is full may have taken the name and not the bytes.
    await rm(probeFile, { force: true }).catch(() => undefined)
    return false
  }
}
