/** Decompresses gzip files chunk by chunk. */
import { Readable } from 'node:stream'
import { constants, createGunzip } from 'node:zlib'
import type { Sink, SourceFile } from './record.js'
import { formatFileName, tooTightlyPacked, type ReadBudget } from './zip.js'

/** Returns true if the bytes begin with a gzip header. */
export function isGzip(bytes: Buffer): boolean {
  return bytes.length >= 3 && bytes[0] === 0x1f && bytes[1] === 0x8b && bytes[2] === 8
}

/**
 * Opens a compressed file; returns `undefined`, after reporting it to the sink, if it exceeds the limits. The
 * file is decompressed once to learn its size. Of a damaged file only the bytes before the damage are
 * returned. Adds its size to the budget.
 */
export async function openGzipFile(
  compressed: SourceFile,
  sink: Pick<Sink, 'skip' | 'warn'>,
  budget: ReadBudget
): Promise<SourceFile | undefined> {
  const limit = budget.getRemaining(compressed.size)
  let size = 0
  let isComplete = true
  try {
    // The last chunk shows whether the file is complete.
    for await (const chunk of decompress(compressed, constants.Z_FINISH))
      if ((size += chunk.length) > limit) break
  } catch {
    isComplete = false
  }
  if (size > limit) {
    sink.skip('file', tooTightlyPacked)
    sink.warn('{name} is {reason}', { name: formatFileName(compressed.name), reason: tooTightlyPacked })
    return undefined
  }
  if (!isComplete && size === 0) {
    sink.skip('file', 'damaged')
    sink.warn('{name} is packed by gzip, and damaged', { name: formatFileName(compressed.name) })
    return undefined
  }
  if (!isComplete)
    sink.warn('{name} is damaged after {count} bytes, or cut off', {
      name: formatFileName(compressed.name),
      count: size
    })
  budget.bytes += size
  return {
    name: getInnerName(compressed.name),
    size,
    bytes: () => stopAtDamage(decompress(compressed, constants.Z_SYNC_FLUSH))
  }
}

function getInnerName(name: string): string {
  return name.replace(/\.tgz$/i, '.tar').replace(/\.gz$/i, '')
}

/** Yields the chunks of a compressed file. Throws if it is damaged, and with `Z_FINISH` if it is cut off. */
async function* decompress(
  compressed: SourceFile,
  finishFlush: number
): AsyncGenerator<Buffer, void, undefined> {
  const source = Readable.from(compressed.bytes())
  const gunzip = createGunzip({ finishFlush })
  source.once('error', error => gunzip.destroy(error))
  source.pipe(gunzip)
  try {
    yield* gunzip as AsyncIterable<Buffer>
  } finally {
    source.destroy()
    gunzip.destroy()
  }
}

/** Passes chunks on up to the first damaged one, and ends there without an error. */
async function* stopAtDamage(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer, void, undefined> {
  try {
    yield* chunks
  } catch (error) {
    // Reported already when its size was determined.
    if (!(error instanceof Error && 'code' in error && String(error.code).startsWith('Z_'))) throw error
  }
}
