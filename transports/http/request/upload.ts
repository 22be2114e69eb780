/**
 * Multipart bodies: files are streamed to the attachment store and hashed on the way, so memory use is constant.
 * (docs/spec/attachments.md#uploading)
 */
import type { IncomingMessage } from 'node:http'
import { Transform, type Readable } from 'node:stream'
import busboy, { type Busboy } from 'busboy'
import { ApiError, fail, quoteText } from '../../../core/errors.js'
import type { SharedServices } from '../../../core/call/dispatcher.js'
import { type FormUsage, createBusyError } from '../../../core/security/upload-buffer.js'
import type { Party } from '../../../storage/scheduler.js'
import { nextTurn } from '../../../storage/steps.js'
import type { BodyReservation } from '../../../core/security/body-reservation.js'
import { createQuotaError } from '../../../core/dispatch/quota.js'
import { discardBody, readJsonText, maxUnreservedBytes } from './body.js'
import type { JsonLimits } from '../../../core/json/reader.js'
import type { UploadedFile } from '../../../core/call/outcome.js'
import { PendingFiles, maxPendingFiles } from './pending-files.js'
import { parseBoundary, PartCounter } from './part-counter.js'

/** The content of a form: the parts without a file name, and the files. */
interface Form {
  readonly texts: readonly string[]
  readonly files: readonly UploadedFile[]
}

/** Seconds between checks of the upload rate. */
const paceIntervalSeconds = 10

/** Maximum length of the content type of a form, including its boundary of at most 70 characters. */
const maxTypeLength = 500

/** Bytes passed on at a time if a chunk contains more files than may be pending. */
const sliceBytes = 4096

/** Bytes that a form may have in addition to its content: boundaries and headers of parts. */
const overheadBytes = 16 * 1024

/**
 * Receives a form. `room`: bytes available to it and all other uploads to the account, which `usage` counts. Text parts take
 * memory from `reservation`. Errors: `invalid-request-structure` for a malformed form, `user-intervention-required` as soon as
 * the form exceeds `room`. After an error, all received files are discarded.
 */
export async function receiveForm(
  request: IncomingMessage,
  services: SharedServices,
  room: number,
  {
    usage,
    quota,
    reservation
  }: { readonly usage: FormUsage; readonly quota: number; readonly reservation: BodyReservation }
): Promise<Form> {
  const texts: string[] = []
  const receiving: Promise<UploadedFile>[] = []
  try {
    await parseParts(
      request,
      services,
      { maxBytes: room + overheadBytes, usage, quota, reservation },
      {
        text: text => texts.push(text),
        file: (fileName, type, source) => {
          const file = receiveFile(services, { fileName, type, source, party: reservation.party })
          // Awaited below; until then, a rejection must not count as unhandled.
          file.catch(() => undefined)
          receiving.push(file)
          return file
        }
      }
    )
    return { texts, files: await Promise.all(receiving) }
  } catch (error) {
    await discardFiles(services, await collectFulfilled(receiving))
    discardBody(request, services.config.limits.bodyTimeout)
    throw error
  }
}

/** Discards received files, except those that have been moved into place. */
export async function discardFiles(services: SharedServices, files: readonly UploadedFile[]): Promise<void> {
  for (const { received } of files) await services.attachments.discard(received)
}

/**
 * Parses the only JSON part of a form. Throws `invalid-request-structure` if it has none or several, or it is
 * not JSON.
 */
export async function parseJsonPart({ texts }: Form, limits: JsonLimits, party: Party): Promise<unknown> {
  if (texts.length !== 1)
    fail(
      'invalid-request-structure',
      `The form must have one part without a file name, with the event as JSON, but has ${texts.length}`
    )
  return await readJsonText(texts[0]!, limits, 'The part without a file name', party)
}

/** Throws `invalid-request-structure` unless the form consists of files only; returns empty params. */
export function requireFilesOnly({ files, texts }: Form): object {
  if (texts.length > 0) fail('invalid-request-structure', 'Every part of this form must be a file')
  if (files.length === 0) fail('invalid-request-structure', 'The form contains no file')
  return {}
}

/** Writes a file to disk. Error: `invalid-request-structure` if it is too large; then it is discarded. */
async function receiveFile(
  services: SharedServices,
  {
    fileName,
    party,
    source,
    type
  }: { readonly fileName: string; readonly type: string; readonly source: Readable; readonly party: Party }
): Promise<UploadedFile> {
  const received = await services.attachments.receive(source, services.config.integrity.algorithm, party)
  // Busboy truncates a file that is too large, without an error.
  if ('truncated' in source && source.truncated === true) {
    await services.attachments.discard(received)
    fail(
      'invalid-request-structure',
      `The file ${quoteText(fileName)} is larger than ${services.config.uploads.maxFileBytes} bytes`
    )
  }
  return { fileName, type, received }
}

interface PartHandlers {
  text(text: string): void
  /** Rejects if the file cannot be stored. Then the form is not read any further. */
  file(fileName: string, type: string, source: Readable): Promise<unknown>
}

/**
 * Parses a multipart form part by part, and slows the request down while files are stored. Rejects if the body is too large or
 * malformed, or if a handler rejects.
 */
function parseParts(
  request: IncomingMessage,
  services: SharedServices,
  {
    usage,
    maxBytes,
    quota,
    reservation
  }: {
    readonly usage: FormUsage
    readonly maxBytes: number
    readonly quota: number
    readonly reservation: BodyReservation
  },
  handlers: PartHandlers
): Promise<void> {
  if (Number(request.headers['content-length'] ?? 0) > maxBytes)
    return Promise.reject(createQuotaError(quota))
  return new Promise((resolve, reject) => {
    const parser = createParser(request, services)
    const counter = new PartCounter(request.headers['content-type'] ?? '')
    const counted = new Transform({
      transform(chunk: Buffer, _encoding, done) {
        // A part that has begun and has not been emitted is text, which the parser buffers until it ends.
        const { count } = counter
        const isText = count > emitted && (textSinceEmitted += chunk.length) > maxUnreservedBytes
        const bytes = counter.push(chunk)
        const passOn = (): void => {
          if (counter.count - count <= maxPendingFiles && !pendingFiles.isFull) done(null, bytes)
          else void passInSlices(bytes).then(() => done())
        }
        reservation.addArrived(chunk.length)
        if (!isText || reservation.take(chunk.length, passOn)) passOn()
      }
    })
    const pendingFiles = new PendingFiles()
    const passInSlices = async (bytes: Buffer): Promise<void> => {
      for (let start = 0; start < bytes.length && !counted.destroyed; start += sliceBytes) {
        counted.push(bytes.subarray(start, start + sliceBytes))
        await nextTurn(reservation.party)
        await pendingFiles.waitForRoom()
      }
    }
    let emitted = 0
    let textSinceEmitted = 0
    let textBytes = 0
    const paceTimer = setInterval(() => assertPace(), paceIntervalSeconds * 1000)
    let lastBytes = 0
    const end = (settle: () => void): void => {
      clearInterval(paceTimer)
      reservation.read()
      request.unpipe(counted).off('data', count).off('aborted', onAborted).off('error', onAborted)
      // The rest has to be read, too, or the connection could not be reused.
      request.resume()
      settle()
    }
    const refuse = (message: string): void => stop(new ApiError('invalid-request-structure', message))
    const stop = (error: Error): void =>
      end(() => {
        // Busboy continues with the current chunk, whose files are not needed.
        parser.removeAllListeners('file').removeAllListeners('field')
        counted.unpipe(parser).destroy()
        parser.on('error', () => undefined).destroy()
        reject(error)
      })
    const close = (): void => {
      if (counter.count > emitted) refuse('The form is malformed: a part has invalid headers')
      else end(resolve)
    }
    // The total is checked as it arrives: the length may be missing, and other uploads use the same quota.
    const count = (chunk: Buffer): void => {
      if (usage.add(chunk.length) > maxBytes) stop(createQuotaError(quota))
    }
    const onAborted = (): void => refuse('The form is incomplete')
    const assertPace = (): void => {
      if (reservation.waitedSeconds >= services.config.limits.bodyTimeout) return stop(createBusyError())
      const bytes = request.socket.bytesRead
      const isWaiting = reservation.isWaiting || pendingFiles.isFull
      if (!isWaiting && bytes - lastBytes < services.config.uploads.minBytesPerSecond * paceIntervalSeconds)
        refuse('The form is arriving too slowly')
      lastBytes = bytes
    }
    reservation.onDrop(() => stop(createBusyError()))
    parser
      .on('file', (_name, source, { filename, mimeType }) => {
        emitted++
        // If the form itself is malformed, that error has been reported by then.
        const file = handlers.file(filename ?? 'file', mimeType, source)
        pendingFiles.add(file)
        file.catch(stop)
      })
      .on('field', (name, value, { nameTruncated, valueTruncated }) => {
        emitted++
        textBytes += Buffer.byteLength(value)
        if (nameTruncated || valueTruncated || textBytes > services.config.limits.bodyBytes)
          refuse(`The part ${quoteText(name)} is too large`)
        else handlers.text(value)
      })
      .on('filesLimit', () => refuse(`The form has more than ${getMaxFiles(services)} files`))
      .on('partsLimit', () => refuse('The form has too many parts'))
      .on('fieldsLimit', () => refuse('The form has too many parts'))
      .on('error', (error: Error) => refuse(`The form is malformed: ${error.message}`))
      .on('close', close)
    request.on('data', count).on('aborted', onAborted).on('error', onAborted)
    request.pipe(counted).pipe(parser)
  })
}

/** Returns the maximum number of files in a form, which all belong to one event; 0 for no limit. */
function getMaxFiles({ config: { uploads } }: SharedServices): number {
  const limits = [uploads.maxFiles, uploads.maxFilesPerEvent].filter(limit => limit > 0)
  return limits.length > 0 ? Math.min(...limits) : 0
}

/** Creates the parser for the body of a form. Error: `invalid-request-structure` for a malformed Content-Type. */
function createParser({ headers }: IncomingMessage, services: SharedServices): Busboy {
  const { limits, uploads } = services.config
  const files = getMaxFiles(services)
  const type = headers['content-type'] ?? ''
  // A very long boundary would be expensive to search for.
  if (type.length > maxTypeLength)
    fail(
      'invalid-request-structure',
      `The Content-Type of a form can have at most ${maxTypeLength} characters`
    )
  const boundary =
    parseBoundary(type) ??
    fail(
      'invalid-request-structure',
      'The form is malformed: its Content-Type must have one boundary, such as multipart/form-data; boundary=x'
    )
  try {
    return busboy({
      headers: { ...headers, 'content-type': `multipart/form-data; boundary="${boundary}"` },
      defParamCharset: 'utf8',
      preservePath: false,
      limits: {
        fieldNameSize: 1000,
        fieldSize: limits.bodyBytes,
        fields: 100,
        // Busboy reports that the limit is reached, not that it is exceeded.
        parts: uploads.maxParts + 1,
        headerPairs: 100,
        ...(files > 0 && { files }),
        ...(uploads.maxFileBytes > 0 && { fileSize: uploads.maxFileBytes })
      }
    })
  } catch (error) {
    return fail(
      'invalid-request-structure',
      `The form is malformed: ${error instanceof Error ? error.message : 'no boundary'}`
    )
  }
}

/** Waits for all promises, and returns the values of those that were fulfilled. */
async function collectFulfilled<T>(promises: readonly Promise<T>[]): Promise<T[]> {
  const results = await Promise.allSettled(promises)
  return results.flatMap(result => (result.status === 'fulfilled' ? [result.value] : []))
}
