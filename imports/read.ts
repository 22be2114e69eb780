/** Reads a file: detects its format, and opens it if it is an archive. */
import { basename } from 'node:path'
import { ArchiveReader } from './archive.js'
import { containerOf } from './container.js'
import { readDatabase } from './databases.js'
import { formatOf } from './formats/index.js'
import { kindOf, type Description } from './kinds.js'
import { piecesOf } from './pieces.js'
import { Unreadable, type Context, type FormatSink, type Head, type Source } from './record.js'
import { headOf } from './text/decode.js'

/**
 * Reads all records of a file. `spool` is the path for spooling nested files. Throws {@link Unreadable} if nothing in it can be
 * read.
 */
export async function readFile(
  file: string,
  { name, size, spool }: { readonly name: string; readonly size: number; readonly spool: string },
  sink: FormatSink,
  context: Context,
  progress: (bytes: number) => void
): Promise<void> {
  const source = { name: basename(name), size, path: file, bytes: () => piecesOf(file, progress) }
  const head = await headOf({ ...source, bytes: () => piecesOf(file) })
  const container = containerOf(head.bytes)
  if (container === undefined) await readSingleFile(source, head, sink, context)
  else if (container === 'database') assertSupported(await readDatabase(file, sink, context, progress))
  else await new ArchiveReader(sink, context, progress, spool, size).readAll(source)
}

async function readSingleFile(source: Source, head: Head, sink: FormatSink, context: Context): Promise<void> {
  if (source.size === 0) throw new Unreadable('The file is empty')
  const format = formatOf(head)
  if (!format) {
    assertSupported(kindOf(head))
    throw new Unreadable('The file is of no format that is known')
  }
  sink.begin(format)
  await format.read(source, head, sink, context)
}

/** Throws {@link Unreadable} if a file is known to have no supported format. */
function assertSupported(kind: Description | undefined): void {
  if (kind) throw new Unreadable('The file is {is}: {advice}', { ...kind })
}
