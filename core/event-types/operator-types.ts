/** Reads an operator's own event types from a file or a server, and warns about slow patterns in them. (docs/spec/event-types.md#the-directory) */
import { open } from 'node:fs/promises'
import type { EventTypeDirectory } from '../../schemas/event-types/directory.js'
import { getMaxTextLength } from './content-check.js'
import type { Log } from '../log.js'
import { isObject } from '../validation/is-object.js'

/** Largest file of types, in bytes: many times the size of the standard one. */
const maxSize = 16 * 1024 * 1024
const timeoutMs = 5000

/** Reads JSON from an `http:`, `https:` or `file:` URL. Rejects if it cannot be read, is too large, or takes too long. */
export async function readTypes(location: string, apiVersion: string): Promise<unknown> {
  const url = new URL(location)
  if (url.protocol === 'file:') return JSON.parse(await readFromFile(url))
  if (url.protocol === 'http:' || url.protocol === 'https:')
    return JSON.parse(await readFromServer(url, apiVersion))
  throw new Error(`Event types can't be read from ${url.protocol}`)
}

async function readFromFile(url: URL): Promise<string> {
  const file = await open(url)
  try {
    return await readText(file.createReadStream())
  } finally {
    await file.close()
  }
}

async function readFromServer(url: URL, apiVersion: string): Promise<string> {
  const response = await fetch(url, {
    headers: { accept: 'application/json', 'user-agent': `Coffer/${apiVersion}` },
    signal: AbortSignal.timeout(timeoutMs)
  })
  if (!response.ok || !response.body)
    throw new Error(`The server of the event types responded with ${response.status}`)
  return await readText(response.body)
}

async function readText(source: AsyncIterable<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of source) {
    size += chunk.length
    if (size > maxSize) throw new Error('The event types file is too large')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

/** Logs a warning about patterns that are very slow on some texts: only short texts are tested against them. */
export function warnAboutSlowPatterns(extension: Partial<EventTypeDirectory>, log: Log): void {
  for (const [type, schema] of Object.entries(extension.types ?? {}))
    for (const pattern of listPatterns(schema)) {
      const longest = getMaxTextLength(pattern)
      if (longest < Infinity)
        log.warn(
          `event type "${type}": the pattern ${pattern} is slow for certain strings, so strings longer than ${longest} characters are refused`
        )
    }
}

/** Yields all valid regular expressions in a schema. */
function* listPatterns(schema: unknown): Generator<string> {
  if (typeof schema !== 'object' || schema === null) return
  for (const [key, value] of Object.entries(schema)) {
    const patterns =
      key === 'pattern' ? [value] : key === 'patternProperties' && isObject(value) ? Object.keys(value) : []
    for (const pattern of patterns) if (typeof pattern === 'string' && isValidPattern(pattern)) yield pattern
    yield* listPatterns(value)
  }
}

function isValidPattern(text: string): boolean {
  try {
    return new RegExp(text) instanceof RegExp
  } catch {
    return false
  }
}
