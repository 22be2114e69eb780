/**
 * Backs up and restores the settings that were made in the service's own pages. Anyone who can write to an unencrypted
 * backup can change them, so only settings that the pages offer are restored from such a backup: other settings name
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
import { restorableKeys } from '../../server/setup/setup-choices.js'
import { assertFileOrAbsent } from '../../storage/files/durable.js'
import type { Layout } from '../../storage/files/layout.js'
import { writeFileAtomically } from '../../storage/files/private-files.js'
import { BackupError, isFatal } from './backup-error.js'
import type { Manifest } from './manifest.js'
import type { Stored } from './stored.js'
import { computeDigest, type Vault } from './vault.js'

/** Maximum size of the settings in bytes, far more than all of them take. */
const maxBytes = 1024 * 1024

/** The part of a backup's report that is updated here. */
interface Report {
  /** Bytes added to the backup. */
  bytes: number
  readonly problems: { readonly detail: string }[]
}

/**
 * Stores the settings file of a data directory as `name`, unless the previous backup contains the same. Returns the entry of
 * the stored file; `undefined` if there are no such settings. A file that cannot be read is reported, and does not prevent
 * the rest of the backup. If `isKnownDamaged`, the stored file is read first, and written again if it is damaged.
 */
export async function backUpPageSettings(options: {
  readonly source: Layout
  readonly vault: Vault
  readonly name: string
  readonly former: Stored | undefined
  readonly report: Report
  readonly isKnownDamaged: boolean
}): Promise<Stored | undefined> {
  const { former, report } = options
  try {
    const stored = await storeSettings(options)
    if (stored && stored !== former) report.bytes += stored.size
    return stored
  } catch (error) {
    if (!(error instanceof Error) || isFatal(error)) throw error
    const rest = former ? 'its earlier backup is kept' : 'it is not in the backup'
    report.problems.push({ detail: `${pageSettingsFile}: ${error.message}; ${rest}` })
    return former
  }
}

/** Stores the settings file in the vault, unless the former backup has the same. `undefined` if there is no file. */
async function storeSettings({
  former,
  isKnownDamaged,
  name,
  source,
  vault
}: Parameters<typeof backUpPageSettings>[0]): Promise<Stored | undefined> {
  const bytes = readSettingsFile(join(source.root, pageSettingsFile))
  if (!bytes) return undefined
  const { digest, size } = await computeDigest(Readable.from([bytes]))
  const isSame = former && former.digest === digest && former.size === size && (await vault.has(former))
  if (isSame && (!isKnownDamaged || (await vault.isIntact(former)))) return former
  // Files with the same content have the same name: earlier states of the backup refer to them as well.
  return await vault.put(isSame ? former.name : name, Readable.from([bytes]))
}

/**
 * Writes the settings of a backup below `target`. Returns notes for the operator about skipped settings:
 * settings that are not valid, and in an unencrypted backup all settings that the pages do not offer. Does
 * nothing if the backup has none. Throws {@link BackupError} if the file is damaged.
 */
export async function restorePageSettings(
  vault: Vault,
  target: Layout,
  { settings }: Manifest
): Promise<readonly string[]> {
  if (!settings) return []
  const text = (await vault.bytes(settings, maxBytes)).toString()
  const found = parseSettings(text)
  if (!found) return [`${pageSettingsFile} was skipped, because it contains no settings`]
  const { left, taken } = vault.isEncrypted ? { taken: found, left: [] } : selectTrusted(found)
  const { problems } = readSettings({ argv: [], env: {}, cwd: target.root, pageSettings: taken })
  if (problems.length > 0) return [`${pageSettingsFile} was skipped: ${problems.join('; ')}`]
  writeFileAtomically(
    join(target.root, pageSettingsFile),
    vault.isEncrypted ? text : formatPageSettings(taken)
  )
  if (left.length === 0) return []
  return [`${pageSettingsFile}: skipped, because the backup is not encrypted: ${left.join(', ')}`]
}

function readSettingsFile(file: string): Buffer | undefined {
  assertFileOrAbsent(file)
  try {
    const bytes = readFileSync(file)
    if (bytes.length <= maxBytes) return bytes
    throw new BackupError(`${pageSettingsFile} is too large`)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

function parseSettings(text: string): PageSettings | undefined {
  try {
    const read: unknown = parse(text)
    return isObject(read) ? read : undefined
  } catch {
    return undefined
  }
}

/**
 * Separates the settings that the pages offer from all other settings; of the other settings it returns only the names.
 */
function selectTrusted(found: PageSettings): {
  readonly taken: PageSettings
  readonly left: readonly string[]
} {
  const values = new Map<string, unknown>()
  const left: string[] = []
  const visit = (node: unknown, key: string): void => {
    if (restorableKeys.has(key)) values.set(key, node)
    else if (isObject(node))
      for (const [name, value] of Object.entries(node)) visit(value, key === '' ? name : `${key}.${name}`)
    else left.push(key.slice(0, 100))
  }
  visit(found, '')
  return { taken: mergePageSettings({}, values), left }
}
