/** Request bodies: read whole up to a limit that holds after inflating, then parsed. (docs/spec/conventions.md#request-bodies) */
import type { IncomingMessage } from 'node:http'
import { isUtf8 } from 'node:buffer'
import type { Readable } from 'node:stream'
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib'
import { ApiError, fail } from '../../../core/errors.js'
import { inTurns } from '../../../storage/steps.js'
import type { SharedServices } from '../../../core/call/dispatcher.js'
import { crowded, type Ticket } from '../../../core/security/intake.js'
import { isLong, readJson, type JsonLimits } from '../../../core/json/reader.js'

/** Bytes of a body that is read without asking for room. */
export const small = 16 * 1024

/** What the reading of bodies needs of the service. */
export type Surroundings = Pick<SharedServices, 'config'>

const inflaters = new Map<string, () => ReturnType<typeof createGunzip>>([
  ['gzip', createGunzip],
  ['x-gzip', createGunzip],
  ['deflate', createInflate],
  ['br', createBrotliDecompress]
])

/** A body's text. Errors: `invalid-request-structure` when it is too large, too slow, cut off or not UTF-8. */
export async function readText(
  request: IncomingMessage,
  core: Surroundings,
  ticket?: Ticket
): Promise<string> {
  const bytes = await readBytes(request, core, ticket)
  if (!isUtf8(bytes)) fail('invalid-request-structure', 'The body is not UTF-8')
  return bytes.toString()
}

/** Whether room has to be found for a body before it is read: it is large, or does not say how large it will be. */
export function needsRoom({ headers }: IncomingMessage): boolean {
  const length = headers['content-length']
  return length === undefined || Number(length) > small || headers['content-encoding'] !== undefined
}

/** The value of a JSON text; an empty one stands for an empty object. */
function parseJson(text: string, what = 'The body'): unknown {
  if (text === '') return {}
  try {
    return JSON.parse(text)
  } catch {
    return fail('invalid-request-structure', `${what} is not valid JSON`)
  }
}

/** As {@link parseJson}, in turns with others if the text is long. */
export async function readJsonText(text: string, limits: JsonLimits, what = 'The body'): Promise<unknown> {
  if (!isLong(text)) return parseJson(text, what)
  try {
    return await inTurns(readJson(text, limits))
  } catch (error) {
    if (error instanceof SyntaxError) fail('invalid-request-structure', `${what} is not valid JSON`)
    throw error
  }
}

/** The media type of a body, lower case, without parameters; empty if none is given. */
export function mediaType(request: IncomingMessage): string {
  const header = request.headers['content-type'] ?? ''
  const end = header.indexOf(';')
  return (end < 0 ? header : header.slice(0, end)).trim().toLowerCase()
}

function readBytes(request: IncomingMessage, core: Surroundings, ticket?: Ticket): Promise<Buffer> {
  const { bodyBytes, bodyTimeout } = core.config.limits
  const encoding = (request.headers['content-encoding'] ?? 'identity').trim().toLowerCase()
  const inflate = inflaters.get(encoding)
  if (!inflate && encoding !== 'identity') {
    return Promise.reject(structureError(`The content encoding "${encoding.slice(0, 40)}" is not supported`))
  }
  const tooLarge = `The body is larger than the limit of ${bodyBytes} bytes`
  if (!inflate && Number(request.headers['content-length'] ?? 0) > bodyBytes)
    return Promise.reject(structureError(tooLarge))
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let size = 0
    const source: Readable = inflate ? request.pipe(inflate()) : request
    const timer = setTimeout(
      () =>
        ticket?.hasWaited
          ? stop(crowded())
          : refuse(`The body has not arrived within ${bodyTimeout} seconds`),
      bodyTimeout * 1000
    )
    const settle = (): void => {
      clearTimeout(timer)
      ticket?.read()
      source.off('data', take).off('end', finish).off('error', fault)
      request.off('aborted', cutOff).off('error', cutOff)
    }
    const refuse = (message: string): void => stop(structureError(message))
    const stop = (error: ApiError): void => {
      settle()
      if (source !== request) {
        request.unpipe()
        source.on('error', ignore).destroy()
      }
      reject(error)
    }
    const take = (chunk: Buffer): void => {
      size += chunk.length
      if (size > bodyBytes) return refuse(tooLarge)
      chunks.push(chunk)
      ticket?.came(chunk.length)
      if (ticket && !ticket.take(chunk.length, () => source.resume())) source.pause()
    }
    const finish = (): void => {
      settle()
      resolve(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks, size))
    }
    const fault = (): void => refuse('The body cannot be inflated')
    const cutOff = (): void => refuse('The body was cut off')
    ticket?.onDrop(() => stop(crowded()))
    source.on('data', take).on('end', finish).on('error', fault)
    request.on('aborted', cutOff).on('error', cutOff)
  })
}

/**
 * Lets what is still coming run off unread: a client gets the answer only when nobody cuts the line while it sends. One
 * that goes on for too long is cut off.
 */
export function discard(request: IncomingMessage, seconds: number): void {
  request.on('error', ignore).resume()
  if (request.complete || request.destroyed) return
  const timer = setTimeout(() => request.destroy(), seconds * 1000)
  timer.unref()
  request.once('close', () => clearTimeout(timer))
}

function ignore(): void {
  // The request has been answered; what becomes of the rest of it does not matter.
}

function structureError(message: string): ApiError {
  return new ApiError('invalid-request-structure', message)
}
