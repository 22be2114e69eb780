/**
 * Joins the small chunks of a body. Node passes each on as a buffer of its own, which takes hundreds of bytes besides what it
 * holds: as many as 64 KB of input contain would take 4 MB.
 */
import type { IncomingMessage } from 'node:http'

/** Chunks of fewer bytes are joined. */
export const smallBytes = 1024

/** Passes on, in one piece, the small chunks of a body that Node parses in one turn. */
export function joinChunks(request: IncomingMessage): void {
  const push = request.push.bind(request)
  let small: Buffer[] = []
  let size = 0
  const flush = (): void => {
    if (small.length === 0) return
    const joined = small.length === 1 ? small[0]! : Buffer.concat(small, size)
    small = []
    size = 0
    push(joined)
  }
  request.push = (chunk: Buffer | null) => {
    if (chunk === null || chunk.length >= smallBytes) {
      flush()
      return push(chunk)
    }
    // Node runs ticks and microtasks after each chunk.
    if (small.length === 0) setImmediate(flush)
    small.push(chunk)
    size += chunk.length
    // Node stops reading if the answer is no.
    return request.readableLength + size < request.readableHighWaterMark
  }
}
