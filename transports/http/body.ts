/** Request bodies: read whole up to a limit that holds after inflating, then parsed. (supplement 1.3, 26; security: bodies) */
import type { IncomingMessage } from 'node:http'
import { isUtf8 } from 'node:buffer'
import type { Readable } from 'node:stream'
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib'
import { ApiError, fail } from '../../core/errors.js'
import { inTurns } from '../../core/steps.js'
import { isLong, readJson, type JsonLimits } from '../../core/json-reader.js'

export interface BodyLimits {
  readonly bodyBytes: number
  /** Seconds. */
  readonly bodyTimeout: number
}

const inflaters = new Map<string, () => ReturnType<typeof createGunzip>>([
  ['gzip', createGunzip],
  ['x-gzip', createGunzip],
  ['deflate', createInflate],
  ['br', createBrotliDecompress]
])

/** A body's text. Errors: `invalid-request-structure` when it is too large, too slow, cut off or not UTF-8. */
export async function readText(request: IncomingMessage, limits: BodyLimits): Promise<string> {
  const bytes = await readBytes(request, limits)
  if (!isUtf8(bytes)) fail('invalid-request-structure', 'The body is not UTF-8.')
  return bytes.toString()
}

/** The value of a JSON text; an empty one stands for an empty object. */
function parseJson(text: string, what = 'The body'): unknown {
  if (text === '') return {}
  try {
    return JSON.parse(text)
  } catch {
    return fail('invalid-request-structure', `${what} is not valid JSON.`)
  }
}

/** As {@link parseJson}, in turns with others if the text is long. */
export async function readJsonText(text: string, limits: JsonLimits, what = 'The body'): Promise<unknown> {
  if (!isLong(text)) return parseJson(text, what)
  try {
    return await inTurns(readJson(text, limits))
  } catch (error) {
    if (error instanceof SyntaxError) fail('invalid-request-structure', `${what} is not valid JSON.`)
    throw error
  }
}

/** The media type of a body, lower case, without parameters; empty if none is given. */
export function mediaType(request: IncomingMessage): string {
  const header = request.headers['content-type'] ?? ''
  const end = header.indexOf(';')
  return (end < 0 ? header : header.slice(0, end)).trim().toLowerCase()
}

function readBytes(request: IncomingMessage, { bodyBytes, bodyTimeout }: BodyLimits): Promise<Buffer> {
  const encoding = (request.headers['content-encoding'] ?? 'identity').trim().toLowerCase()
  const inflate = inflaters.get(encoding)
  if (!inflate && encoding !== 'identity') {
    return Promise.reject(structureError(`The content encoding "${encoding.slice(0, 40)}" is not supported.`))
  }
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let size = 0
    const source: Readable = inflate ? request.pipe(inflate()) : request
    const timer = setTimeout(
      () => refuse(`The body has not arrived within ${bodyTimeout} seconds.`),
      bodyTimeout * 1000
    )
    const settle = (): void => {
      clearTimeout(timer)
      source.off('data', take).off('end', finish).off('error', fault)
      request.off('aborted', cutOff).off('error', cutOff)
    }
    const refuse = (message: string): void => {
      settle()
      if (source !== request) {
        request.unpipe()
        source.on('error', ignore).destroy()
      }
      reject(structureError(message))
    }
    const take = (chunk: Buffer): void => {
      size += chunk.length
      if (size > bodyBytes) refuse(`The body is larger than the limit of ${bodyBytes} bytes.`)
      else chunks.push(chunk)
    }
    const finish = (): void => {
      settle()
      resolve(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks, size))
    }
    const fault = (): void => refuse('The body cannot be inflated.')
    const cutOff = (): void => refuse('The body was cut off.')
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
