/**
 * Small private files of the data directory: the digest of the secret of the set-up link, while the link is valid, and how
 * commands on this machine find the running service.
 */
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { makeFolderNow, assertFileOrAbsent, syncPathNow } from './durable.js'
import type { Layout } from './layout.js'

/**
 * Creates and returns a secret, and stores its digest in place of that of an earlier secret. Throws
 * `UnexpectedPath` if the file is a link or a folder. Blocking.
 */
export function createSetupSecret({ setupFile }: Layout): string {
  const secret = randomBytes(24).toString('base64url')
  makeFolderNow(dirname(setupFile))
  assertFileOrAbsent(setupFile)
  writeFileAtomically(setupFile, `${hashText(secret).toString('hex')}\n`)
  return secret
}

/** Returns whether a text is the current secret. Takes the same time for every text that is not. */
export function isSetupSecret(layout: Layout, text: string): boolean {
  const expected = readDigest(layout)
  return expected !== undefined && timingSafeEqual(hashText(text), expected)
}

/** Invalidates the link. Blocking. */
export function removeSetupLink({ setupFile }: Layout): void {
  rmSync(setupFile, { force: true })
  syncPathNow(dirname(setupFile))
}

/** Writes a private file atomically: a reader sees the old text or the new one, also after a crash. Blocking. */
export function writeFileAtomically(file: string, text: string): void {
  const draft = `${file}.new`
  rmSync(draft, { force: true })
  try {
    writeFileSync(draft, text, { flag: 'wx', mode: 0o600, flush: true })
    renameSync(draft, file)
  } catch (error) {
    rmSync(draft, { force: true })
    throw error
  }
  syncPathNow(dirname(file))
}

function readDigest({ setupFile }: Layout): Buffer | undefined {
  try {
    assertFileOrAbsent(setupFile)
    const text = readFileSync(setupFile, 'utf8').trim()
    return /^[0-9a-f]{64}$/.test(text) ? Buffer.from(text, 'hex') : undefined
  } catch {
    return undefined
  }
}

function hashText(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}

/** How commands on this machine find the running service: a file that exists while it runs. */
interface ServiceFile {
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
