/** Unpacks and repacks account archives, as an attacker does. */
import { createHash } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { buffer } from 'node:stream/consumers'
import { openPromise } from 'yauzl'
import { ZipFile } from 'yazl'
import type { Answer } from './coffer.js'

/** The files of an archive by name. */
export type Files = Map<string, Buffer>

/** Reads the files of a ZIP. */
export async function unzipped(file: string): Promise<Files> {
  const zip = await openPromise(file)
  const files: Files = new Map()
  for await (const entry of zip.eachEntry())
    files.set(entry.fileName, await buffer(await zip.openReadStreamPromise(entry)))
  return files
}

/** Writes a ZIP of these files; updates their digests unless stated otherwise. */
export async function zipOf(
  file: string,
  files: ReadonlyMap<string, Buffer>,
  keepsDigests = false,
  modes: ReadonlyMap<string, number> = new Map()
): Promise<void> {
  const zip = new ZipFile()
  const digests = Object.fromEntries(
    [...files]
      .filter(([name]) => name !== 'digests.json')
      .map(([name, bytes]) => [
        name,
        { size: bytes.length, sha256: createHash('sha256').update(bytes).digest('hex') }
      ])
  )
  for (const [name, bytes] of files) {
    const own = name === 'digests.json' && !keepsDigests ? Buffer.from(JSON.stringify(digests)) : bytes
    const mode = modes.get(name)
    zip.addBuffer(own, name, mode === undefined ? {} : { mode })
  }
  zip.end()
  writeFileSync(file, await buffer(zip.outputStream))
}

/** Reads the rows of a table of an archive. */
export function rowsOf(files: Files, table: string): Answer[] {
  const lines = files.get(`tables/${table}.jsonl`)!.toString().split('\n')
  return lines.filter(line => line !== '').map(line => JSON.parse(line))
}

/** Replaces the rows of a table of an archive. Drops the integrity values of bodies. */
export function changeRows(files: Files, table: string, change: (rows: Answer[]) => Answer[] | void): void {
  const rows = rowsOf(files, table)
  for (const { body } of rows) if (typeof body === 'object' && body !== null) delete body.integrity
  const changed = change(rows) ?? rows
  files.set(`tables/${table}.jsonl`, Buffer.from(changed.map(row => `${JSON.stringify(row)}\n`).join('')))
}
