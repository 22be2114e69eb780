/** Reads files of a backup, and reports what is wrong with them. */
import type { Static, TSchema } from 'typebox'
import { parseChecked, readLimited } from '../checked-files.js'
import { BackupError } from './backup-error.js'

/** Reads a whole file. Throws {@link BackupError} if it is larger than `maxSize` bytes. */
export async function readBytes(
  name: string,
  source: AsyncIterable<Buffer>,
  size: number,
  maxSize: number
): Promise<Buffer> {
  const bytes = size > maxSize ? undefined : await readLimited(source, maxSize)
  if (!bytes) throw new BackupError(`${name} is too large. The backup is damaged`)
  return bytes
}

/** Parses a JSON text and validates it against a schema. Throws {@link BackupError}. */
export function parseJson<S extends TSchema>(name: string, text: string, schema: S): Static<S> {
  const checked = parseChecked(text, schema)
  if (checked.is === 'valid') return checked.value
  if (checked.is === 'malformed')
    throw new BackupError(`Can't read ${name}. It is damaged or not part of a backup`)
  throw new BackupError(
    `${name} is not in the format of a backup${checked.path && ` at ${checked.path}`}. It is damaged or has been tampered with`
  )
}
