/** Receives bytes into a new file, in a few large writes: each is work for another thread, which costs more than most pieces do. */
import { open, type FileHandle } from 'node:fs/promises'
import type { Readable } from 'node:stream'

/** Bytes that are gathered for one write. As many are in writing meanwhile. */
const writeSize = 256 * 1024

/**
 * Writes all that `source` brings to a new file, readable by its owner only, and calls `seen` with each piece. Resolves when the
 * bytes are on disk. If it rejects, the file is closed but may be there.
 */
export async function receiveInto(
  path: string,
  source: Readable,
  seen: (piece: Buffer) => void
): Promise<void> {
  // Not awaited here: nobody would hear of an error of the source meanwhile.
  const opening = open(path, 'wx', 0o600)
  let writing: Promise<unknown> = opening
  let pieces: Buffer[] = []
  let gathered = 0
  const writeOn = async (): Promise<void> => {
    const file = await opening
    await writing
    writing = writeAll(file, pieces, gathered)
    // Awaited by the next write, or at the end; until then, a rejection must not count as unhandled.
    writing.catch(() => undefined)
    pieces = []
    gathered = 0
  }
  opening.catch(() => undefined)
  try {
    for await (const piece of source as AsyncIterable<Buffer>) {
      seen(piece)
      pieces.push(piece)
      gathered += piece.length
      if (gathered >= writeSize) await writeOn()
    }
    if (gathered > 0) await writeOn()
    await writing
    await (await opening).sync()
  } finally {
    await writing.catch(() => undefined)
    await opening.then(
      file => file.close(),
      () => undefined
    )
  }
}

async function writeAll(file: FileHandle, pieces: readonly Buffer[], length: number): Promise<void> {
  const { bytesWritten } = await file.writev(pieces)
  if (bytesWritten === length) return
  // The disk took a part only. Trying on tells why, or takes the rest.
  const bytes = Buffer.concat(pieces)
  for (let at = bytesWritten; at < length;) at += (await file.write(bytes, at)).bytesWritten
}
