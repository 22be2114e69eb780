/** What a backup says of itself, read within bounds and held against a schema before anything is made of it. */
import type { Static, TSchema } from 'typebox'
import { Compile } from 'typebox/compile'
import { BackupError } from './backup-error.js'

/** All bytes of a file that is not larger than `most`. */
export async function bytesOf(
  name: string,
  source: AsyncIterable<Buffer>,
  size: number,
  most: number
): Promise<Buffer> {
  if (size > most) throw new BackupError(`${name} is larger than it can be: the backup is damaged`)
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of source) {
    length += chunk.length
    if (length > most) throw new BackupError(`${name} is larger than it can be: the backup is damaged`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

/** The value of a JSON text that fits a schema. */
export function parsed<S extends TSchema>(name: string, text: string, schema: S): Static<S> {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    throw new BackupError(`${name} cannot be read: it is not a part of a backup, or damaged`)
  }
  const validator = Compile(schema)
  if (validator.Check(value)) return value
  const [error] = validator.Errors(value)
  const where = error?.instancePath ? ` at ${error.instancePath.slice(0, 100)}` : ''
  throw new BackupError(
    `${name} is not as a backup has it${where}: it is damaged, or somebody has changed it`
  )
}
