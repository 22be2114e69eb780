/** Reads an operator's own event types from a file or a server. (docs/spec/event-types.md#the-directory) */
import { open } from 'node:fs/promises'

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
