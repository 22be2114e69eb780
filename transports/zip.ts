/** Writes a ZIP as it is read: file after file, none of them held in memory. */
import { Readable } from 'node:stream'
import type { ArchiveFile } from '../core/account-archive.js'

/** The bytes of a ZIP of these files. Whoever stops reading destroys it. */
export async function zipped(files: Iterable<ArchiveFile>): Promise<Readable> {
  const { ZipFile } = await import('yazl')
  const zip = new ZipFile()
  const output = zip.outputStream as Readable
  zip.on('error', (error: Error) => void output.destroy(error))
  let current: Readable | undefined
  for (const { bytes, isText, name } of files)
    zip.addReadStreamLazy(name, { compress: isText, mode: 0o100_600 }, done => {
      current = Readable.from(bytes())
      done(undefined, current)
    })
  output.once('close', () => void current?.destroy())
  zip.end()
  return output
}
