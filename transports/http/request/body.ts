/**
 * Request bodies: read completely, up to a limit that applies after decompression, then parsed.
 * (docs/spec/conventions.md#request-bodies)
 */
import type { IncomingMessage } from 'node:http'
import { isUtf8 } from 'node:buffer'
import type { Readable } from 'node:stream'
import { createGunzip, createInflate } from 'node:zlib'
import { ApiError, fail } from '../../../core/errors.js'
import type { Party } from '../../../storage/scheduler.js'
import { runInTurns } from '../../../storage/steps.js'
import type { SharedServices } from '../../../core/call/dispatcher.js'
import { createBusyError } from '../../../core/security/upload-buffer.js'
import type { BodyReservation } from '../../../core/security/body-reservation.js'
import { isLargeJson, readJson, type JsonLimits } from '../../../core/json/reader.js'
import { ChunkList } from './small-chunks.js'

/** Largest body, in bytes, that is read without reserving memory. */
export const maxUnreservedBytes = 16 * 1024

/** The services that reading a body needs. */
type BodyServices = Pick<SharedServices, 'config'>

/** Decoders by encoding. Not Brotli: a few bytes make its decoder take 16 MB, for as long as the connection is open. */
const inflaters = new Map<string, () => ReturnType<typeof createGunzip>>([
  ['gzip', createGunzip],
  ['x-gzip', createGunzip],
  ['deflate', createInflate]
])
/** Bytes reserved for a decoder: its window of 32 KB, its tables and a chunk of output. */
const inflaterBytes = 64 * 1024

/** Reads the text of a body. Errors: `invalid-request-structure` if it is too large, too slow, cut off or not UTF-8. */
export async function readText(
  request: IncomingMessage,
  services: BodyServices,
  reservation?: BodyReservation
): Promise<string> {
  // After this, Node has parsed what arrived together with the headers.
  await Promise.resolve()
  const { bodyBytes } = services.config.limits
  const bytes =
    readArrived(request, bodyBytes, reservation) ??
    (await readBytes(request, services, bodyBytes, reservation))
  if (!isUtf8(bytes)) fail('invalid-request-structure', 'The body is not UTF-8')
  return bytes.toString()
}

/** Reads a body of any kind, decompressed, of `maxBytes` at most. Errors: as for {@link readText}. */
export async function readBinary(
  request: IncomingMessage,
  services: BodyServices,
  maxBytes: number,
  reservation?: BodyReservation
): Promise<Buffer> {
  await Promise.resolve()
  return (
    readArrived(request, maxBytes, reservation) ?? (await readBytes(request, services, maxBytes, reservation))
  )
}

/** Returns whether memory must be reserved before a body is read: it is large, or its decoded size is unknown. */
export function needsReservation({ headers }: IncomingMessage): boolean {
  const length = headers['content-length']
  return (
    length === undefined || Number(length) > maxUnreservedBytes || headers['content-encoding'] !== undefined
  )
}

/** White space in JSON. */
const whiteSpace = /^[ \t\r\n]*$/

/** Parses JSON text; returns an empty object for empty or blank text. */
function parseJson(text: string, what = 'The body'): unknown {
  if (whiteSpace.test(text)) return {}
  try {
    return JSON.parse(text)
  } catch {
    return fail('invalid-request-structure', `${what} is not valid JSON`)
  }
}

/** Like {@link parseJson}, but in slices if the text is long. */
export async function readJsonText(
  text: string,
  limits: JsonLimits,
  what = 'The body',
  party?: Party
): Promise<unknown> {
  if (!isLargeJson(text) || whiteSpace.test(text)) return parseJson(text, what)
  try {
    return await runInTurns(readJson(text, limits), party)
  } catch (error) {
    if (error instanceof SyntaxError) fail('invalid-request-structure', `${what} is not valid JSON`)
    throw error
  }
}

/**
 * Reads a body as JSON. Errors: the errors of {@link readText}, and `invalid-request-structure` if the body is not
 * JSON.
 */
export async function readJsonBody(
  request: IncomingMessage,
  services: BodyServices,
  reservation?: BodyReservation
): Promise<unknown> {
  const text = await readText(request, services, reservation)
  return isLargeJson(text)
    ? await readJsonText(text, services.config.limits, 'The body', reservation?.party)
    : parseJson(text)
}

/** Returns the media type of a body in lower case, without parameters; empty if the request names no type. */
export function getMediaType(request: IncomingMessage): string {
  const header = request.headers['content-type'] ?? ''
  const end = header.indexOf(';')
  return (end < 0 ? header : header.slice(0, end)).trim().toLowerCase()
}

/**
 * Returns a small body that has arrived completely, as most do together with their headers; `undefined` otherwise. Waiting as
 * {@link readBytes} does takes a tenth of the time of a small call.
 */
function readArrived(
  request: IncomingMessage,
  maxBytes: number,
  reservation?: BodyReservation
): Buffer | undefined {
  if (!request.complete || reservation || needsReservation(request)) return undefined
  if (request.readableLength > maxBytes) return undefined
  return (request.read() as Buffer | null) ?? Buffer.alloc(0)
}

/** Reads a body, decompressed if necessary. Rejects if it is too large, too slow or compressed by an unsupported method. */
function readBytes(
  request: IncomingMessage,
  services: BodyServices,
  maxBytes: number,
  reservation?: BodyReservation
): Promise<Buffer> {
  const { bodyTimeout } = services.config.limits
  const encoding = (request.headers['content-encoding'] ?? 'identity').trim().toLowerCase()
  const inflate = inflaters.get(encoding)
  if (!inflate && encoding !== 'identity') {
    const message = `The content encoding "${encoding.slice(0, 40)}" is not supported. Send gzip, deflate or none`
    return Promise.reject(createStructureError(message))
  }
  const tooLarge = `The body is larger than the limit of ${maxBytes} bytes`
  if (!inflate && Number(request.headers['content-length'] ?? 0) > maxBytes)
    return Promise.reject(createStructureError(tooLarge))
  return new Promise((resolve, reject) => {
    const chunks = new ChunkList()
    let source: Readable = request
    const timer = setTimeout(
      () =>
        reservation?.hasWaited
          ? rejectWith(createBusyError())
          : refuse(`The body did not arrive within ${bodyTimeout} seconds`),
      bodyTimeout * 1000
    )
    const settle = (): void => {
      clearTimeout(timer)
      reservation?.read()
      source.off('data', onData).off('end', onEnd).off('error', onDecodeError)
      request.off('aborted', onAborted).off('error', onAborted)
    }
    const refuse = (message: string): void => rejectWith(createStructureError(message))
    const rejectWith = (error: ApiError): void => {
      settle()
      if (source !== request) {
        request.unpipe()
        source.on('error', ignore).destroy()
      }
      reject(error)
    }
    const onData = (chunk: Buffer): void => {
      chunks.add(chunk)
      if (chunks.size > maxBytes) return refuse(tooLarge)
      reservation?.addArrived(chunk.length)
      if (reservation && !reservation.take(chunk.length, () => source.resume())) source.pause()
    }
    const onEnd = (): void => {
      settle()
      resolve(chunks.join())
    }
    const onDecodeError = (): void => refuse('The body cannot be decompressed')
    const onAborted = (): void => refuse('The body is incomplete')
    const begin = (): void => {
      if (inflate) {
        // Waits until there is memory for a decoder.
        if (reservation && !reservation.take(0, begin)) return
        source = request.pipe(inflate())
        if (reservation && !reservation.take(inflaterBytes, () => source.resume())) source.pause()
      }
      source.on('data', onData).on('end', onEnd).on('error', onDecodeError)
    }
    reservation?.onDrop(() => rejectWith(createBusyError()))
    request.on('aborted', onAborted).on('error', onAborted)
    begin()
  })
}

/**
 * Reads and discards the rest of a body: the client gets the response only if the connection stays open while it is sending.
 * If it sends for longer than `seconds`, it is disconnected.
 */
export function discardBody(request: IncomingMessage, seconds: number): void {
  request.on('error', ignore).resume()
  if (request.complete || request.destroyed) return
  const timer = setTimeout(() => request.destroy(), seconds * 1000)
  timer.unref()
  request.once('close', () => clearTimeout(timer))
}

function ignore(): void {
  // The request has been answered, so errors of its body do not matter.
}

function createStructureError(message: string): ApiError {
  return new ApiError('invalid-request-structure', message)
}
