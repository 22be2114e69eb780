/** The file by which commands on this machine find the running service. It exists while the service runs. */
import { readFileSync, rmSync } from 'node:fs'
import type { Layout } from './layout.js'
import { writeFileAtomically } from './setup-link.js'

export interface ServiceFile {
  /** Base URL on this machine, without a trailing slash. */
  readonly url: string
  /** Authorises operators' calls. */
  readonly key: string
}

/** Writes the file, private to the user of the process. Returns a function that removes it. Blocking. */
export function writeServiceFile({ serviceFile }: Layout, content: ServiceFile): () => void {
  writeFileAtomically(serviceFile, `${JSON.stringify(content)}\n`)
  return () => rmSync(serviceFile, { force: true })
}

/** Returns the content of the file; `undefined` if it is missing, unreadable to this process, or malformed. Blocking. */
export function readServiceFile({ serviceFile }: Layout): ServiceFile | undefined {
  try {
    const { key, url } = JSON.parse(readFileSync(serviceFile, 'utf8')) as Partial<ServiceFile>
    return typeof key === 'string' && typeof url === 'string' ? { key, url } : undefined
  } catch {
    return undefined
  }
}
