/**
 * Sends an attachment: the whole file, a range, or 304 if the client has the file already.
 * (docs/spec/attachments.md#reading)
 */
import { ApiError } from '../../../core/errors.js'
import type { SharedServices } from '../../../core/call/dispatcher.js'
import type { ReleasePlace } from '../../../core/security/long-responses.js'
import type { Failure } from '../../../core/call/outcome.js'
import type { Attachment } from '../../../schemas/event.js'
import type { Exchange } from '../exchange.js'
import { matchesETag, setMissingHeaders } from './headers.js'
import { ResponseWriter } from './response-writer.js'
import { reserveSlot, replyNothing, replyText, maxShortLength } from './reply.js'

/** A file to be sent. */
interface FileResponse {
  readonly accountId: string
  readonly attachment: Attachment
  /** Id of the access with which the file is read. */
  readonly accessId: string | undefined
  /** Returns an error as soon as the access may no longer read the file. */
  readonly recheck: () => Promise<Failure | undefined> | Failure | undefined
}

/**
 * Sends a file. Errors: `unknown-resource` if its content is missing, `corrupted-data` if it has another size. Sends only the
 * range that was asked for, or 304 if the client has the file. Once the response has begun, an error resets the connection.
 */
export async function sendFile(
  exchange: Exchange,
  services: SharedServices,
  { accessId, accountId, attachment, recheck }: FileResponse
): Promise<void> {
  const { req, res } = exchange
  const tag = `"${attachment.id}"`
  setFileHeaders(exchange, attachment, tag)
  if (matchesETag(req.headers['if-none-match'], tag)) {
    res.removeHeader('Content-Type')
    return replyNothing(exchange, 304)
  }
  const range = parseRange(req.headers.range, req.headers['if-range'], tag, attachment.size)
  if (range === 'unsatisfiable') return refuseRange(exchange, attachment.size)
  const status = range ? 206 : 200
  const size = range ? range.end - range.start + 1 : attachment.size
  if (range) res.setHeader('Content-Range', `bytes ${range.start}-${range.end}/${attachment.size}`)
  res.setHeader('Content-Length', size)
  if (exchange.method === 'HEAD' || attachment.size === 0) return replyNothing(exchange, status)
  let leave: ReleasePlace | undefined
  try {
    if (size > maxShortLength) leave = await reserveSlot(exchange, services, { accessId })
    const source = await services.attachments.get(accountId, attachment.id, range)
    if (!source)
      throw new ApiError('unknown-resource', `The bytes of attachment "${attachment.id}" are missing`)
    setMissingHeaders(res, exchange.state.headers)
    res.writeHead(status)
    const outgoing = new ResponseWriter(exchange, services)
    const chunks = checkLength(source as AsyncIterable<Uint8Array>, size, attachment.id)
    await outgoing.sendChunks(chunks, recheck)
    await outgoing.waitUntilTaken()
  } catch (error) {
    for (const name of res.headersSent ? [] : res.getHeaderNames())
      if (fileHeaders.has(name)) res.removeHeader(name)
    throw error
  } finally {
    leave?.()
  }
}

/**
 * Passes chunks on. Throws `corrupted-data` for a damaged file of another size: clients would wait for bytes that do not come, or
 * read those that are too many as the next response.
 */
async function* checkLength(
  chunks: AsyncIterable<Uint8Array>,
  size: number,
  attachmentId: string
): AsyncGenerator<Uint8Array, void, undefined> {
  let read = 0
  for await (const chunk of chunks) {
    read += chunk.length
    if (read > size) break
    yield chunk
  }
  if (read !== size)
    throw new ApiError('corrupted-data', `Attachment "${attachmentId}" has another size than its event says`)
}

/** A range of a file: from `start` to `end`, both inclusive. */
interface ByteRange {
  readonly start: number
  readonly end: number
}

const digestNames: Readonly<Record<string, string>> = {
  sha256: 'SHA-256',
  sha512: 'SHA-512',
  sha1: 'SHA',
  md5: 'MD5'
}
const fileHeaders = new Set([
  'content-length',
  'content-range',
  'content-disposition',
  'digest',
  'etag',
  'accept-ranges',
  'cache-control'
])

/** Sets the headers of a file's response. `tag`: its ETag. */
function setFileHeaders({ res }: Exchange, { fileName, integrity, type }: Attachment, tag: string): void {
  res.setHeader('Content-Type', isHeaderValue(type) ? type : 'application/octet-stream')
  res.setHeader('Content-Disposition', `attachment; filename*=UTF-8''${encodeFileName(fileName)}`)
  // Uploaded content must never run as script of this origin.
  res.setHeader('Content-Security-Policy', "sandbox; default-src 'none'")
  res.setHeader('X-Content-Type-Options', 'nosniff')
  res.setHeader('Accept-Ranges', 'bytes')
  res.setHeader('ETag', tag)
  // Attachments never change, but permissions do: caches must revalidate.
  res.setHeader('Cache-Control', 'private, no-cache')
  const [algorithm = '', digest] = integrity?.split(/-(.*)/s) ?? []
  const name = digestNames[algorithm]
  if (name && digest) res.setHeader('Digest', `${name}=${digest}`)
}

function refuseRange(exchange: Exchange, size: number): void {
  exchange.res.setHeader('Content-Range', `bytes */${size}`)
  replyText(exchange, 416)
}

/**
 * Parses a single byte range. Returns `undefined` for the whole file, and for forms of the header that a server may
 * ignore.
 */
function parseRange(
  header: string | undefined,
  condition: string | string[] | undefined,
  tag: string,
  size: number
): ByteRange | 'unsatisfiable' | undefined {
  if (condition !== undefined && condition !== tag) return undefined
  const [, first = '', last = ''] = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(header ?? '') ?? []
  if (first === '' && last === '') return undefined
  const start = first === '' ? Math.max(0, size - Number(last)) : Number(first)
  const end = first === '' || last === '' ? size - 1 : Math.min(Number(last), size - 1)
  if (first !== '' && last !== '' && Number(last) < start) return undefined
  return start > end ? 'unsatisfiable' : { start, end }
}

/** Percent-encodes a file name for a header (RFC 5987). */
function encodeFileName(name: string): string {
  return encodeURIComponent(Buffer.from(name).toString()).replace(
    /['()*]/g,
    char => `%${char.charCodeAt(0).toString(16).toUpperCase()}`
  )
}

function isHeaderValue(type: string): boolean {
  return /^[\x20-\x7e]{1,255}$/.test(type)
}
