/** The secret of the set-up link. Only its digest is stored, in a file of the data directory, while the link is valid. */
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
  writeFileAtomically(setupFile, `${digest(secret).toString('hex')}\n`)
  return secret
}

/** Returns whether a text is the current secret. Takes the same time for every text that is not. */
export function isSetupSecret(layout: Layout, text: string): boolean {
  const expected = readDigest(layout)
  return expected !== undefined && timingSafeEqual(digest(text), expected)
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

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}
