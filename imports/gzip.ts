/** Files packed by gzip, unpacked piece by piece. */
import { Readable } from 'node:stream'
import { constants, createGunzip } from 'node:zlib'
import type { Sink, Source } from './record.js'
import { shown, tight, type Taken } from './zip.js'

/** Whether a file begins as one does that is packed by gzip. */
export function isGzip(bytes: Buffer): boolean {
  return bytes.length >= 3 && bytes[0] === 0x1f && bytes[1] === 0x8b && bytes[2] === 8
}

/**
 * What is in a packed file; `undefined`, with the sink told why, if that is more than it may be. It is unpacked once to tell its
 * size. Where it is damaged, what is before the damage is given out.
 */
export async function openGzip(
  packed: Source,
  sink: Pick<Sink, 'leftOut' | 'warn'>,
  taken: Taken
): Promise<Source | undefined> {
  const room = taken.roomFor(packed.size)
  let size = 0
  let isWhole = true
  try {
    // The last piece says whether all of it is there.
    for await (const piece of unpack(packed, constants.Z_FINISH)) if ((size += piece.length) > room) break
  } catch {
    isWhole = false
  }
  if (size > room) {
    sink.leftOut('file', tight)
    sink.warn('{name} is {reason}', { name: shown(packed.name), reason: tight })
    return undefined
  }
  if (!isWhole && size === 0) {
    sink.leftOut('file', 'damaged')
    sink.warn('{name} is packed by gzip, and damaged', { name: shown(packed.name) })
    return undefined
  }
  if (!isWhole)
    sink.warn('{name} is damaged after {count} bytes, or cut off', { name: shown(packed.name), count: size })
  taken.bytes += size
  return {
    name: innerName(packed.name),
    size,
    bytes: () => untilDamage(unpack(packed, constants.Z_SYNC_FLUSH))
  }
}

function innerName(name: string): string {
  return name.replace(/\.tgz$/i, '.tar').replace(/\.gz$/i, '')
}

/** The pieces of a packed file. Throws where it is damaged, and with `Z_FINISH` where it is cut off. */
async function* unpack(packed: Source, finishFlush: number): AsyncGenerator<Buffer, void, undefined> {
  const source = Readable.from(packed.bytes())
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

async function* untilDamage(pieces: AsyncIterable<Buffer>): AsyncGenerator<Buffer, void, undefined> {
  try {
    yield* pieces
  } catch (error) {
    // It was told when its size was.
    if (!(error instanceof Error && 'code' in error && String(error.code).startsWith('Z_'))) throw error
  }
}
