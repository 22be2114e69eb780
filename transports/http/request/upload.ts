/**
 * Multipart bodies: files go to the attachment store as they come, hashed on the way; memory stays flat.
 * (docs/spec/attachments.md#uploading)
 */
import type { IncomingMessage } from 'node:http'
import { Transform, type Readable } from 'node:stream'
import busboy, { type Busboy } from 'busboy'
import { ApiError, fail } from '../../../core/errors.js'
import type { SharedServices } from '../../../core/call/dispatcher.js'
import { crowded, type Ticket } from '../../../core/security/intake.js'
import { quotaExceeded } from '../../../core/dispatch/quota.js'
import { discard, readJsonText, small } from './body.js'
import type { JsonLimits } from '../../../core/json/reader.js'
import type { UploadedFile } from '../../../core/call/outcome.js'
import { boundaryOf, PartCounter } from './part-counter.js'

/** Bytes of forms that are being taken in, or wait for their call to end, by account: together they have to fit. */
const underWay = new WeakMap<SharedServices, Map<string, number>>()

/** What the forms of an account that come at the same time hold. */
export class Holding {
  readonly #all: Map<string, number>
  #bytes = 0

  constructor(
    core: SharedServices,
    private readonly user: string
  ) {
    this.#all = underWay.get(core) ?? new Map<string, number>()
    underWay.set(core, this.#all)
  }

  /** Counts bytes; answers how many there are of the account in all. */
  add(bytes: number): number {
    this.#bytes += bytes
    const all = (this.#all.get(this.user) ?? 0) + bytes
    this.#all.set(this.user, all)
    return all
  }

  /** Gives all of them back. */
  leave(): void {
    if (this.add(-this.#bytes) === 0) this.#all.delete(this.user)
  }
}

/** What a form holds: the parts without a file name, and the files. */
export interface Form {
  readonly texts: readonly string[]
  readonly files: readonly UploadedFile[]
}

/** Seconds between two looks at how quickly an upload comes. */
const paceSeconds = 10

/** Characters of the type of a form, its boundary among them: 70 of these are the most that there may be. */
const longestType = 500

/** Bytes that a form may have beside what is kept of it: boundaries and headers of parts. */
const frame = 16 * 1024

/**
 * Receives a form. `room` bytes can be kept of it and of all others that come for the account, which `holding` knows; what
 * is text in it takes of `ticket`. Errors: `invalid-request-structure` for whatever is wrong with it,
 * `user-intervention-required` as soon as it is certain not to fit; nothing is left behind then.
 */
export async function receiveForm(
  request: IncomingMessage,
  core: SharedServices,
  room: number,
  { holding, ticket }: { readonly holding: Holding; readonly ticket: Ticket }
): Promise<Form> {
  const texts: string[] = []
  const receiving: Promise<UploadedFile>[] = []
  try {
    await eachPart(
      request,
      core,
      { most: room + frame, holding, ticket },
      {
        text: text => texts.push(text),
        file: (fileName, type, source) => {
          const file = receive(core, fileName, type, source)
          // It is awaited below; until then a failure must not count as unhandled.
          file.catch(() => undefined)
          receiving.push(file)
          return file
        }
      }
    )
    return { texts, files: await Promise.all(receiving) }
  } catch (error) {
    await discardFiles(core, await settled(receiving))
    discard(request, core.config.limits.bodyTimeout)
    throw error
  }
}

/** Throws away what was received; files that have been put in their place stay. */
export async function discardFiles(core: SharedServices, files: readonly UploadedFile[]): Promise<void> {
  for (const { received } of files) await core.attachments.discard(received)
}

/** The one JSON part of a form. */
export async function jsonPart({ texts }: Form, limits: JsonLimits): Promise<unknown> {
  if (texts.length !== 1)
    fail(
      'invalid-request-structure',
      `The form has ${texts.length} parts without a file name; one, with the event as JSON, is needed`
    )
  return await readJsonText(texts[0]!, limits, 'The part without a file name')
}

/** A form of files alone. */
export function noText({ files, texts }: Form): object {
  if (texts.length > 0) fail('invalid-request-structure', 'Every part of this form has to be a file')
  if (files.length === 0) fail('invalid-request-structure', 'The form holds no file')
  return {}
}

async function receive(
  core: SharedServices,
  fileName: string,
  type: string,
  source: Readable
): Promise<UploadedFile> {
  const received = await core.attachments.receive(source, core.config.integrity.algorithm)
  // Busboy cuts off a file that is too large without calling that an error.
  if ('truncated' in source && source.truncated === true) {
    await core.attachments.discard(received)
    fail(
      'invalid-request-structure',
      `The file "${fileName.slice(0, 100)}" is larger than ${core.config.uploads.maxFileBytes} bytes`
    )
  }
  return { fileName, type, received }
}

interface Parts {
  text(text: string): void
  /** Rejects when the file cannot be kept: nothing reads on in the form then, so that it would never end by itself. */
  file(fileName: string, type: string, source: Readable): Promise<unknown>
}

function eachPart(
  request: IncomingMessage,
  core: SharedServices,
  { holding, most, ticket }: { readonly holding: Holding; readonly most: number; readonly ticket: Ticket },
  parts: Parts
): Promise<void> {
  if (Number(request.headers['content-length'] ?? 0) > most) return Promise.reject(quotaExceeded(core))
  return new Promise((resolve, reject) => {
    const form = open(request, core)
    const begun = new PartCounter(request.headers['content-type'] ?? '')
    const within = new Transform({
      transform(chunk: Buffer, _encoding, done) {
        // A part that has begun and has not been told of is text, which the parser holds until its end.
        const isText = begun.count > told && (textHeld += chunk.length) > small
        const bytes = begun.push(chunk)
        ticket.came(chunk.length)
        if (!isText || ticket.take(chunk.length, () => done(null, bytes))) done(null, bytes)
      }
    })
    let told = 0
    let textHeld = 0
    let textBytes = 0
    const pace = setInterval(() => mustKeepPace(), paceSeconds * 1000)
    let seen = 0
    const end = (settle: () => void): void => {
      clearInterval(pace)
      ticket.read()
      request.unpipe(within).off('data', count).off('aborted', cutOff).off('error', cutOff)
      // What follows the last boundary has to be read too, or the connection could not be used again.
      request.resume()
      settle()
    }
    const refuse = (message: string): void => stop(new ApiError('invalid-request-structure', message))
    const stop = (error: Error): void =>
      end(() => {
        // Busboy goes on in the piece at hand: nobody waits any more for the files that it would tell of.
        form.removeAllListeners('file').removeAllListeners('field')
        within.unpipe(form).destroy()
        form.on('error', () => undefined).destroy()
        reject(error)
      })
    const close = (): void => {
      if (begun.count > told) refuse('The form is malformed: a part does not say properly what it is')
      else end(resolve)
    }
    // A form may come without its length, and with others.
    const count = (chunk: Buffer): void => {
      if (holding.add(chunk.length) > most) stop(quotaExceeded(core))
    }
    const cutOff = (): void => refuse('The form was cut off')
    const mustKeepPace = (): void => {
      if (ticket.waited >= core.config.limits.bodyTimeout) return stop(crowded())
      const bytes = request.socket.bytesRead
      if (!ticket.isWaiting && bytes - seen < core.config.uploads.minBytesPerSecond * paceSeconds)
        refuse('The form comes too slowly')
      seen = bytes
    }
    ticket.onDrop(() => stop(crowded()))
    form
      .on('file', (_name, source, { filename, mimeType }) => {
        told++
        // Where the form itself is at fault, it has said so by then.
        parts.file(filename ?? 'file', mimeType, source).catch(stop)
      })
      .on('field', (name, value, { nameTruncated, valueTruncated }) => {
        told++
        textBytes += Buffer.byteLength(value)
        if (nameTruncated || valueTruncated || textBytes > core.config.limits.bodyBytes)
          refuse(`The part "${name.slice(0, 100)}" is too large`)
        else parts.text(value)
      })
      .on('filesLimit', () => refuse(`The form has more than ${core.config.uploads.maxFiles} files`))
      .on('partsLimit', () => refuse('The form has too many parts'))
      .on('fieldsLimit', () => refuse('The form has too many parts'))
      .on('error', (error: Error) => refuse(`The form is malformed: ${error.message}`))
      .on('close', close)
    request.on('data', count).on('aborted', cutOff).on('error', cutOff)
    request.pipe(within).pipe(form)
  })
}

function open({ headers }: IncomingMessage, { config: { limits, uploads } }: SharedServices): Busboy {
  const type = headers['content-type'] ?? ''
  // A boundary that is a page long would be looked for everywhere.
  if (type.length > longestType)
    fail('invalid-request-structure', `The Content-Type of a form may have ${longestType} characters at most`)
  const boundary =
    boundaryOf(type) ??
    fail(
      'invalid-request-structure',
      'The form is malformed: its Content-Type has to name one boundary, as in multipart/form-data; boundary=x'
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
        // Busboy says that the limit is reached, not that there is more than that.
        parts: uploads.maxParts + 1,
        headerPairs: 100,
        ...(uploads.maxFiles > 0 && { files: uploads.maxFiles }),
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

/** What has succeeded of many, once all have ended. */
async function settled<T>(promises: readonly Promise<T>[]): Promise<T[]> {
  const results = await Promise.allSettled(promises)
  return results.flatMap(result => (result.status === 'fulfilled' ? [result.value] : []))
}
