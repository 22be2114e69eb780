/** Reads the bytes of a file in chunks. */
import { closeSync, openSync, readSync } from 'node:fs'

/** Size of a chunk in bytes. Texts of this size are freed early. */
const chunkSize = 64 * 1024

/**
 * Reads a file synchronously: the worker thread has nothing else to do, and this takes half the time of
 * streams. `progress` is called with the size of each chunk.
 */
export async function* readChunks(
  file: string,
  progress?: (bytes: number) => void
): AsyncGenerator<Buffer, void, undefined> {
  const descriptor = openSync(file, 'r')
  try {
    for (;;) {
      const chunk = Buffer.allocUnsafeSlow(chunkSize)
      const size = readSync(descriptor, chunk)
      if (size === 0) return
      progress?.(size)
      yield size === chunkSize ? chunk : chunk.subarray(0, size)
    }
  } finally {
    closeSync(descriptor)
  }
}

/** Calls `progress` with 0 for each chunk: no bytes are counted, but it is known that reading continues. */
export async function* withProgress(
  chunks: AsyncIterable<Buffer>,
  progress: (bytes: number) => void
): AsyncGenerator<Buffer, void, undefined> {
  for await (const chunk of chunks) {
    progress(0)
    yield chunk
  }
}
