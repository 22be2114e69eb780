/** Writes a ZIP as it is read: file after file, none of them held in memory. */
import { Readable } from 'node:stream'
import type { ArchiveFile } from '../../../core/account/archive.js'

/** The bytes of a ZIP of these files. Whoever stops reading destroys it. */
export async function zipped(files: Iterable<ArchiveFile>): Promise<Readable> {
  const { ZipFile } = await import('yazl')
  const zip = new ZipFile()
  const output = zip.outputStream as Readable
  zip.on('error', (error: Error) => void output.destroy(error))
  let current: Readable | undefined
  for (const file of files)
    zip.addReadStreamLazy(file.name, { compress: file.isText, mode: 0o100_600 }, done => {
      current = Readable.from(file.bytes())
      // The library looks at no errors of what it reads: unheard, one of them would end the process.
      current.on('error', error => void output.destroy(error))
      done(undefined, current)
    })
  output.once('close', () => void current?.destroy())
  zip.end()
  return output
}
