/** Helpers that import files as the app does, and check the results. */
import { createWriteStream } from 'node:fs'
import { once } from 'node:events'
import { ZipFile } from 'yazl'
import type { Answer, Client } from './coffer.js'

/** Sends a file; returns the import once it has been examined, or has failed to be. */
export async function sent(
  client: Client,
  name: string,
  content: string | Buffer,
  params: object = {}
): Promise<Answer> {
  const form = new FormData()
  if (Object.keys(params).length > 0) form.append('params', JSON.stringify(params))
  form.append('file', new Blob([content]), name)
  const { body, status } = await client.http('POST', '/imports', form)
  if (status !== 201) return body
  return await rested(client, body.import.id)
}

/** Returns the import once it is idle; `undefined` if it was deleted. */
export async function rested(client: Client, id: string): Promise<Answer> {
  for (let pauseMs = 5; ; pauseMs = Math.min(30, pauseMs * 1.3)) {
    const { error, import: found } = await client.call('imports.getOne', { id })
    if (error) return undefined
    if (!['looking', 'writing', 'removing'].includes(found.state)) return found
    await new Promise(resolve => setTimeout(resolve, pauseMs))
  }
}

/** Starts writing, and returns the finished import. */
export async function written(client: Client, id: string, params: object = {}): Promise<Answer> {
  await client.do('imports.run', { id, ...params })
  return await rested(client, id)
}

/** Sends a file and imports it. */
export async function broughtIn(
  client: Client,
  name: string,
  content: string | Buffer,
  params: object = {}
): Promise<Answer> {
  const { id } = await sent(client, name, content, params)
  return await written(client, id)
}

/** Undoes an import. */
export async function takenOut(client: Client, id: string): Promise<void> {
  await client.do('imports.delete', { id })
  await rested(client, id)
}

/** Returns the sum of counts. */
export function total(counts: Readonly<Record<string, number>>): number {
  return Object.values(counts).reduce((sum, count) => sum + count, 0)
}

/** Returns a ZIP of texts by name. Compression levels: 1 is fast, 9 compresses most. */
export async function zipOf(
  files: Readonly<Record<string, string | Buffer>>,
  compressionLevel = 6
): Promise<Buffer> {
  const zip = new ZipFile()
  for (const [name, content] of Object.entries(files))
    zip.addBuffer(Buffer.from(content), name, { compressionLevel })
  zip.end()
  const chunks: Buffer[] = []
  for await (const chunk of zip.outputStream as AsyncIterable<Buffer>) chunks.push(chunk)
  return Buffer.concat(chunks)
}

/** Returns a tar archive; names that exceed a header are stored in pax records. */
export function tarOf(files: Readonly<Record<string, string | Buffer>>, ending = Buffer.alloc(1024)): Buffer {
  const parts: Buffer[] = []
  const add = (name: string, content: Buffer, type = '0'): void => {
    const header = Buffer.alloc(512)
    header.write(name.slice(0, 100), 0, 'utf8')
    header.write('0000644\0', 100)
    header.write(`${content.length.toString(8).padStart(11, '0')}\0`, 124)
    header.write('        ', 148)
    header.write(type, 156)
    header.write('ustar\x0000', 257, 'latin1')
    const sum = header.reduce((all, byte) => all + byte, 0)
    header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148)
    parts.push(header, content, Buffer.alloc((512 - (content.length % 512)) % 512))
  }
  for (const [name, content] of Object.entries(files)) {
    if (name.length > 100) {
      const record = `path=${name}\n`
      const length = record.length + 4
      add('pax', Buffer.from(`${length} ${record}`), 'x')
    }
    add(name, Buffer.from(content), name.endsWith('/') ? '5' : '0')
  }
  return Buffer.concat([...parts, ending])
}

/** Writes a large file in chunks. */
export async function writePieces(file: string, pieces: Iterable<string>): Promise<void> {
  const target = createWriteStream(file)
  for (const piece of pieces) if (!target.write(piece)) await once(target, 'drain')
  target.end()
  await once(target, 'finish')
}
