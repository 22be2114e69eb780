/**
 * Receives bytes into a new file, in a few large writes: each write is work for another thread, which costs more than
 * most chunks do.
 */
import { open, type FileHandle } from 'node:fs/promises'
import type { Readable } from 'node:stream'

/** Bytes buffered for one write. The write in progress may hold as many bytes again. */
const writeSize = 256 * 1024

/**
 * Writes everything from `source` to a new file that only its owner can read, and calls `onChunk` with each chunk.
 * Resolves when the bytes are on disk. If it rejects, the file is closed but may exist.
 */
export async function receiveInto(
  path: string,
  source: Readable,
  onChunk: (chunk: Buffer) => void
): Promise<void> {
  // The opening is not awaited here: an error of the source during the wait would be unhandled.
  const opening = open(path, 'wx', 0o600)
  let writing: Promise<unknown> = opening
  let chunks: Buffer[] = []
  let buffered = 0
  const flush = async (): Promise<void> => {
    const file = await opening
    await writing
    writing = writeAll(file, chunks, buffered)
    // Awaited by the next write, or at the end; until then, a rejection must not count as unhandled.
    writing.catch(() => undefined)
    chunks = []
    buffered = 0
  }
  opening.catch(() => undefined)
  try {
    for await (const chunk of source as AsyncIterable<Buffer>) {
      onChunk(chunk)
      chunks.push(chunk)
      buffered += chunk.length
      if (buffered >= writeSize) await flush()
    }
    if (buffered > 0) await flush()
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

async function writeAll(file: FileHandle, chunks: readonly Buffer[], length: number): Promise<void> {
  const { bytesWritten } = await file.writev(chunks)
  if (bytesWritten === length) return
  // The disk took only a part. Writing again throws the reason, or writes the rest.
  const bytes = Buffer.concat(chunks)
  for (let at = bytesWritten; at < length;) at += (await file.write(bytes, at)).bytesWritten
}
