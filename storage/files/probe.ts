/** Tests whether the data directory is writable. */
import { rm, writeFile } from 'node:fs/promises'
import type { Layout } from './layout.js'

/** Whether a file can be written and removed again. */
export async function canWrite({ probeFile }: Layout): Promise<boolean> {
  try {
    await writeFile(probeFile, 'coffer\n')
    // `force`, because another thread may have just removed it: several may probe at once.
    await rm(probeFile, { force: true })
    return true
  } catch {
    // On a full disk the file may have been created without its bytes.
    await rm(probeFile, { force: true }).catch(() => undefined)
    return false
  }
}
