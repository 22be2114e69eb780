/** The bytes of a file, piece by piece. */
import { closeSync, openSync, readSync } from 'node:fs'

/** Bytes that are read at once: texts of that size are freed early. */
const pieceSize = 64 * 1024

/** Reads a file in the thread that calls it, which has nothing else to do: that takes half of what streams take. */
export async function* piecesOf(
  file: string,
  progress?: (bytes: number) => void
): AsyncGenerator<Buffer, void, undefined> {
  const descriptor = openSync(file, 'r')
  try {
    for (;;) {
      const piece = Buffer.allocUnsafeSlow(pieceSize)
      const size = readSync(descriptor, piece)
      if (size === 0) return
      progress?.(size)
      yield size === pieceSize ? piece : piece.subarray(0, size)
    }
  } finally {
    closeSync(descriptor)
  }
}

/** Tells with each piece that reading goes on. */
export async function* ticking(
  pieces: AsyncIterable<Buffer>,
  progress: (bytes: number) => void
): AsyncGenerator<Buffer, void, undefined> {
  for await (const piece of pieces) {
    progress(0)
    yield piece
  }
}
