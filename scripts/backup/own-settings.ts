/**
 * The settings that were chosen in the service's own pages, in backups. Whoever can write to a backup that is not encrypted can
 * write anything into them, so of such a backup only those are believed that the pages let somebody choose: others name
 * programs and files.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { parse } from 'yaml'
import {
  pageSettingsFile,
  formatPageSettings,
  mergePageSettings,
  type PageSettings
} from '../../core/settings/page-settings.js'
import { readSettings } from '../../core/settings/load.js'
import { isObject } from '../../core/validation/is-object.js'
import { chosenKeys } from '../../server/setup/choices.js'
import { assertFileOrAbsent } from '../../storage/files/durable.js'
import type { Layout } from '../../storage/files/layout.js'
import { writeFileAtomically } from '../../storage/files/setup-link.js'
import { BackupError, isFatal } from './backup-error.js'
import type { Manifest } from './manifest.js'
import type { Stored } from './stored.js'
import { digestOf, type Vault } from './vault.js'

/** Far more than all settings take, in bytes. */
const largest = 1024 * 1024

/** What is told of a backup. */
interface Report {
  /** Bytes added to it. */
  bytes: number
  readonly problems: { readonly detail: string }[]
}

/**
 * Stores the file of a data directory as `name`, unless the `former` backup holds the same. Returns its entry, if there is such a
 * file. A file that cannot be read is reported, and does not keep the rest from being backed up. With `isDoubted` what the
 * former backup holds is read first, and written again if it is damaged.
 */
export async function putSettings(
  source: Layout,
  vault: Vault,
  name: string,
  former: Stored | undefined,
  report: Report,
  isDoubted: boolean
): Promise<Stored | undefined> {
  try {
    const stored = await put(source, vault, name, former, isDoubted)
    if (stored && stored !== former) report.bytes += stored.size
    return stored
  } catch (error) {
    if (!(error instanceof Error) || isFatal(error)) throw error
    const rest = former ? 'its earlier backup is kept' : 'it is not in the backup'
    report.problems.push({ detail: `${pageSettingsFile}: ${error.message}; ${rest}` })
    return former
  }
}

async function put(
  source: Layout,
  vault: Vault,
  name: string,
  former: Stored | undefined,
  isDoubted: boolean
): Promise<Stored | undefined> {
  const bytes = bytesAt(join(source.root, pageSettingsFile))
  if (!bytes) return undefined
  const { digest, size } = await digestOf(Readable.from([bytes]))
  const isSame = former && former.digest === digest && former.size === size && (await vault.has(former))
  if (isSame && (!isDoubted || (await vault.isWhole(former)))) return former
  // Under the same name where it is the same: earlier states have it, too.
  return await vault.put(isSame ? former.name : name, Readable.from([bytes]))
}

/**
 * Writes the settings of a backup below `target`. Returns what whoever restores has to know of them. Throws {@link BackupError}
 * if they are damaged.
 */
export async function bringSettings(
  vault: Vault,
  target: Layout,
  { settings }: Manifest
): Promise<readonly string[]> {
  if (!settings) return []
  const text = (await vault.bytes(settings, largest)).toString()
  const found = chosenIn(text)
  if (!found) return [`${pageSettingsFile} was skipped, because it contains no settings`]
  const { left, taken } = vault.isEncrypted ? { taken: found, left: [] } : believed(found)
  const { problems } = readSettings({ argv: [], env: {}, cwd: target.root, pageSettings: taken })
  if (problems.length > 0) return [`${pageSettingsFile} was skipped: ${problems.join('; ')}`]
  writeFileAtomically(
    join(target.root, pageSettingsFile),
    vault.isEncrypted ? text : formatPageSettings(taken)
  )
  if (left.length === 0) return []
  return [`${pageSettingsFile}: skipped, because the backup is not encrypted: ${left.join(', ')}`]
}

function bytesAt(file: string): Buffer | undefined {
  assertFileOrAbsent(file)
  try {
    const bytes = readFileSync(file)
    if (bytes.length <= largest) return bytes
    throw new BackupError(`${pageSettingsFile} is too large`)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

function chosenIn(text: string): PageSettings | undefined {
  try {
    const read: unknown = parse(text)
    return isObject(read) ? read : undefined
  } catch {
    return undefined
  }
}

/** The settings that the pages let somebody choose, and the names of all others. */
function believed(found: PageSettings): { readonly taken: PageSettings; readonly left: readonly string[] } {
  const values = new Map<string, unknown>()
  const left: string[] = []
  const walk = (node: unknown, key: string): void => {
    if (chosenKeys.has(key)) values.set(key, node)
    else if (isObject(node))
      for (const [name, value] of Object.entries(node)) walk(value, key === '' ? name : `${key}.${name}`)
    else left.push(key.slice(0, 100))
  }
  walk(found, '')
  return { taken: mergePageSettings({}, values), left }
}
