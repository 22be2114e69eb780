/** Detects files that are opened before they are read, by their first bytes. */
import { isGzip } from './gzip.js'
import { isDatabase } from './sqlite/database-pages.js'
import { isTar } from './tar.js'
import { isZip } from './zip.js'

type Container = 'zip' | 'gzip' | 'tar' | 'database'

/** Returns the kind of container that a file is; `undefined` for a file that is read as it is. */
export function detectContainer(bytes: Buffer): Container | undefined {
  if (isZip(bytes)) return 'zip'
  if (isGzip(bytes)) return 'gzip'
  if (isTar(bytes)) return 'tar'
  return isDatabase(bytes) ? 'database' : undefined
}
