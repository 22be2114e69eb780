/** Reads files of a backup within bounds, and checks JSON against a schema, and XML, before it is used. */
import type { Static, TSchema } from 'typebox'
import { Compile } from 'typebox/compile'
import { BackupError } from './backup-error.js'

/** Elements within one another in an answer of storage. */
const deepest = 10
const tag = /<(\/?)([A-Za-z_][\w.:-]{0,100})((?:\s[^<>]*)?\/?)>/y

/** Reads all bytes of a file. Throws {@link BackupError} if it is larger than `maxSize`. */
export async function bytesOf(
  name: string,
  source: AsyncIterable<Buffer>,
  size: number,
  maxSize: number
): Promise<Buffer> {
  if (size > maxSize) throw new BackupError(`${name} is larger than it can be: the backup is damaged`)
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of source) {
    length += chunk.length
    if (length > maxSize) throw new BackupError(`${name} is larger than it can be: the backup is damaged`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

/** Parses a JSON text and checks it against a schema. Throws {@link BackupError}. */
export function parsed<S extends TSchema>(name: string, text: string, schema: S): Static<S> {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    throw new BackupError(`${name} cannot be read: it is not part of a backup, or damaged`)
  }
  const validator = Compile(schema)
  if (validator.Check(value)) return value
  const [error] = validator.Errors(value)
  const where = error?.instancePath ? ` at ${error.instancePath.slice(0, 100)}` : ''
  throw new BackupError(
    `${name} does not have the format of a backup${where}: it is damaged, or has been tampered with`
  )
}

/**
 * Whether a text is empty, or elements that are closed in their order, without comments, declarations and sections: parsers may
 * take the square of the time for anything else. Linear.
 */
export function isPlainXml(text: string): boolean {
  const open: string[] = []
  const start = /^\s*<\?xml [^<>?]{0,200}\?>/.exec(text)?.[0].length ?? 0
  for (let at = text.indexOf('<', start); at >= 0; at = text.indexOf('<', tag.lastIndex)) {
    tag.lastIndex = at
    const [, slash, name, rest = ''] = tag.exec(text) ?? []
    if (name === undefined) return false
    if (slash === '/') {
      if (open.pop() !== name) return false
    } else if (!rest.endsWith('/') && open.push(name) > deepest) return false
  }
  return open.length === 0
}
