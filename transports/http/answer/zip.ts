/** Builds a ZIP while it is being read, file by file, without holding whole files in memory. */
import { Readable } from 'node:stream'
import type { ArchiveFile } from '../../../core/account/archive.js'

/** Returns a stream of a ZIP of these files. A reader that stops early must destroy it. */
export async function createZip(
  files: Iterable<ArchiveFile> | AsyncIterable<ArchiveFile>
): Promise<Readable> {
  const { ZipFile } = await import('yazl')
  const zip = new ZipFile()
  const output = zip.outputStream as Readable
  zip.on('error', (error: Error) => void output.destroy(error))
  // A file may fail before a reader listens, or after it has stopped. A reader that continues gets the error.
  output.on('error', () => undefined)
  let current: Readable | undefined
  const add = (file: ArchiveFile): void =>
    zip.addReadStreamLazy(file.name, { compress: file.isText, mode: 0o100_600 }, done => {
      if (output.destroyed) return
      current = Readable.from(file.bytes())
      // The library does not handle errors of its inputs: an unhandled one would end the process.
      current.on('error', error => void output.destroy(error))
      done(undefined, current)
    })
  output.once('close', () => void current?.destroy())
  if (Symbol.asyncIterator in files) {
    // The first files are sent while others are being listed.
    addAll(files).catch((error: unknown) => void output.destroy(error as Error))
  } else {
    for (const file of files) add(file)
    zip.end()
  }
  return output

  async function addAll(listed: AsyncIterable<ArchiveFile>): Promise<void> {
    for await (const file of listed) {
      if (output.destroyed) return
      add(file)
    }
    zip.end()
  }
}
