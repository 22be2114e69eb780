/** Reads files of a backup up to a size limit, and validates JSON against a schema. */
import type { Static, TSchema } from 'typebox'
import { Compile } from 'typebox/compile'
import { BackupError } from './backup-error.js'

/** Reads a whole file. Throws {@link BackupError} if it is larger than `maxSize` bytes. */
export async function readBytes(
  name: string,
  source: AsyncIterable<Buffer>,
  size: number,
  maxSize: number
): Promise<Buffer> {
  if (size > maxSize) throw new BackupError(`${name} is too large. The backup is damaged`)
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of source) {
    length += chunk.length
    if (length > maxSize) throw new BackupError(`${name} is too large. The backup is damaged`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

/** Parses a JSON text and validates it against a schema. Throws {@link BackupError}. */
export function parseJson<S extends TSchema>(name: string, text: string, schema: S): Static<S> {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    throw new BackupError(`Can't read ${name}. It is damaged or not part of a backup`)
  }
  const validator = Compile(schema)
  if (validator.Check(value)) return value
  const [error] = validator.Errors(value)
  const where = error?.instancePath ? ` at ${error.instancePath.slice(0, 100)}` : ''
  throw new BackupError(
    `${name} is not in the format of a backup${where}. It is damaged or has been tampered with`
  )
}
