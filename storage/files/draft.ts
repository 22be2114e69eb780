/**
 * Receives bytes into a new file, in a few large writes: each write is work for another thread, which costs more than
 * most chunks do.
 */
import { open, type FileHandle } from 'node:fs/promises'
import type { Readable } from 'node:stream'

/** Bytes buffered for one write. The write in progress may hold as many bytes again. */
const writeSize = 256 * 1024

interface DraftHandlers {
  readonly onChunk: (chunk: Buffer) => void
  /** Runs work that depends on the disk only. */
  readonly inTurn: (work: () => Promise<void>) => Promise<void>
}

/**
 * Writes everything from `source` to a new file that only its owner can read. Resolves when the bytes are on disk. If it rejects,
 * the file is closed but may exist. A small file is opened once it has arrived completely, in a turn of its own.
 */
export async function receiveInto(
  path: string,
  source: Readable,
  { inTurn, onChunk }: DraftHandlers
): Promise<void> {
  let file: FileHandle | undefined
  let writing: Promise<unknown> = Promise.resolve()
  let chunks: Buffer[] = []
  let buffered = 0
  const flush = async (): Promise<FileHandle> => {
    file ??= await open(path, 'wx', 0o600)
    await writing
    if (buffered === 0) return file
    writing = writeAll(file, chunks, buffered)
    // Awaited by the next write, or at the end; until then, a rejection must not count as unhandled.
    writing.catch(() => undefined)
    chunks = []
    buffered = 0
    return file
  }
  try {
    for await (const chunk of source as AsyncIterable<Buffer>) {
      onChunk(chunk)
      chunks.push(chunk)
      buffered += chunk.length
      if (buffered >= writeSize) await flush()
    }
    await inTurn(async () => {
      const whole = await flush()
      await writing
      await whole.sync()
    })
  } finally {
    await writing.catch(() => undefined)
    await file?.close()
  }
}

async function writeAll(file: FileHandle, chunks: readonly Buffer[], length: number): Promise<void> {
  const { bytesWritten } = await file.writev(chunks)
  if (bytesWritten === length) return
  // The disk took only a part. Writing again throws the reason, or writes the rest.
  const bytes = Buffer.concat(chunks)
  for (let at = bytesWritten; at < length;) at += (await file.write(bytes, at)).bytesWritten
}
