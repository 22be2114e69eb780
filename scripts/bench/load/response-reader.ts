/** Finds the end of each HTTP/1.1 response in the data of a socket. It parses nothing else, to use little CPU time. */

/** The part being read: the head, a body with a content length, or a chunked body. */
type Stage = 'head' | 'counted' | 'chunk-size' | 'chunk'

export class ResponseReader {
  #stage: Stage = 'head'
  #status = 0
  #left = 0
  #isLastChunk = false
  /** The received part of a head or of a chunk's size line. */
  #text = ''

  /** Processes bytes. Returns the status once a response is complete. Only one response may be in flight. */
  feed(bytes: Buffer): number | undefined {
    let at = 0
    while (at < bytes.length) {
      if (this.#stage === 'head' || this.#stage === 'chunk-size') {
        at = this.#readText(bytes, at)
      } else {
        const taken = Math.min(this.#left, bytes.length - at)
        at += taken
        this.#left -= taken
      }
      if (this.#isComplete()) return this.#finish()
    }
    return undefined
  }

  /** Reads a head, or the size of a chunk. Returns the position after it; the end of the bytes if it is not complete. */
  #readText(bytes: Buffer, from: number): number {
    const mark = this.#stage === 'head' ? '\r\n\r\n' : '\r\n'
    const known = this.#text.length
    this.#text += bytes.toString('latin1', from)
    // The mark may begin in the bytes received before.
    const end = this.#text.indexOf(mark, Math.max(0, known - mark.length + 1))
    if (end < 0) return bytes.length
    const text = this.#text.slice(0, end)
    this.#text = ''
    if (mark === '\r\n') this.#startChunk(text)
    else this.#startBody(text.toLowerCase())
    return from + end + mark.length - known
  }

  #startBody(head: string): void {
    this.#status = Number(head.slice(9, 12))
    const isChunked = /\r\ntransfer-encoding: *chunked/.test(head)
    this.#stage = isChunked ? 'chunk-size' : 'counted'
    this.#left = isChunked ? 0 : Number(/\r\ncontent-length: *(\d+)/.exec(head)?.[1] ?? 0)
  }

  #startChunk(line: string): void {
    // Each chunk, including the last empty one, is followed by CRLF.
    const size = Number.parseInt(line, 16)
    this.#left = size + 2
    this.#isLastChunk = size === 0
    this.#stage = 'chunk'
  }

  #isComplete(): boolean {
    if (this.#left > 0) return false
    if (this.#stage === 'chunk' && !this.#isLastChunk) this.#stage = 'chunk-size'
    return this.#stage === 'counted' || this.#stage === 'chunk'
  }

  #finish(): number {
    this.#stage = 'head'
    this.#isLastChunk = false
    return this.#status
  }
}
