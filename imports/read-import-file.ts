/** Reads a file: detects its format, and opens it if it is an archive. */
import { basename } from 'node:path'
import { ArchiveReader } from './archive-reader.js'
import { detectContainer } from './detect-container.js'
import { readDatabase } from './read-database.js'
import { findFormat } from './formats/index.js'
import { describeUnsupported, type FileDescription } from './unsupported-kinds.js'
import { readChunks } from './read-chunks.js'
import { Unreadable, type ReadContext, type FormatSink, type FileHead, type SourceFile } from './record.js'
import { readHead } from './text/decode.js'

/**
 * Reads all records of a file. `spool` is the path for spooling nested files. Throws {@link Unreadable} if nothing in it can be
 * read.
 */
export async function readImportFile(
  file: string,
  { name, size, spool }: { readonly name: string; readonly size: number; readonly spool: string },
  sink: FormatSink,
  context: ReadContext,
  progress: (bytes: number) => void
): Promise<void> {
  const source = { name: basename(name), size, path: file, bytes: () => readChunks(file, progress) }
  const head = await readHead({ ...source, bytes: () => readChunks(file) })
  const container = detectContainer(head.bytes)
  if (container === undefined) await readSingleFile(source, head, sink, context)
  else if (container === 'database') assertSupported(await readDatabase(file, sink, context, progress))
  else await new ArchiveReader(sink, context, progress, spool, size).readAll(source)
}

/** Reads a file that is no archive. Throws `Unreadable` if it is empty or of no known format. */
async function readSingleFile(
  source: SourceFile,
  head: FileHead,
  sink: FormatSink,
  context: ReadContext
): Promise<void> {
  if (source.size === 0) throw new Unreadable('The file is empty')
  const format = findFormat(head)
  if (!format) {
    assertSupported(describeUnsupported(head))
    throw new Unreadable('The file is of no format that is known')
  }
  sink.beginFormat(format)
  await format.read(source, head, sink, context)
}

/** Throws {@link Unreadable} if a file is known to have no supported format. */
function assertSupported(kind: FileDescription | undefined): void {
  if (kind) throw new Unreadable('The file is {is}: {advice}', { ...kind })
}
