/** Bytes of a text to characters: UTF-8, UTF-16, or Windows-1252 where it cannot be UTF-8. */
import { isAscii as hasAsciiBytes, isUtf8 } from 'node:buffer'
import { StringDecoder } from 'node:string_decoder'
import type { Head, Source } from '../record.js'

/** Bytes from which formats and encodings are told. */
export const headSize = 64 * 1024

type Encoding = 'utf-8' | 'utf-16le' | 'utf-16be' | 'windows-1252'

/** Reads the beginning of a source. */
export async function headOf(source: Source): Promise<Head> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of source.bytes()) {
    chunks.push(chunk)
    if ((size += chunk.length) >= headSize) break
  }
  const bytes = Buffer.concat(chunks).subarray(0, headSize)
  return { bytes, name: source.name, text: textOf(bytes, encodingOf(bytes)) }
}

/** The text of a source, piece by piece. */
export async function* textsOf(source: Source, head: Head): AsyncGenerator<string, void, undefined> {
  let isFirst = true
  const decode = decoder(encodingOf(head.bytes), isDeclared(head.bytes))
  for await (const chunk of source.bytes()) {
    const text = decode(chunk)
    if (text === '') continue
    yield isFirst ? withoutMark(text) : text
    isFirst = false
  }
  const rest = decode(undefined)
  if (rest !== '') yield rest
}

/** Text in pieces, one character for each byte, with what makes characters of those parts that are looked at. */
export interface ByteTexts {
  readonly pieces: AsyncIterable<string>
  readonly decode: (part: string) => string
}

/** As {@link textsOf}, for long texts of which little is kept: what is not looked at is not decoded. */
export function byteTextsOf(source: Source, head: Head): ByteTexts {
  if (encodingOf(head.bytes) !== 'utf-8') return { pieces: textsOf(source, head), decode: part => part }
  return {
    pieces: bytePieces(source),
    decode: part => (isAscii(part) ? part : Buffer.from(part, 'latin1').toString('utf8'))
  }
}

/** The bytes of a source, one character for each. */
export async function* bytePieces(source: Source): AsyncGenerator<string, void, undefined> {
  for await (const chunk of source.bytes()) yield chunk.toString('latin1')
}

function isAscii(text: string): boolean {
  for (let at = 0; at < text.length; at++) if (text.charCodeAt(at) > 127) return false
  return true
}

/** The whole text of a small source. Never throws: what lies beyond `limit` characters is cut off. */
export async function wholeText(source: Source, head: Head, limit: number): Promise<string> {
  const parts: string[] = []
  let size = 0
  for await (const text of textsOf(source, head)) {
    parts.push(text)
    if ((size += text.length) > limit) break
  }
  return parts.join('')
}

function encodingOf(bytes: Buffer): Encoding {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le'
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return 'utf-16be'
  const wide = wideEncoding(bytes.subarray(0, 8000))
  if (wide) return wide
  // The head may end within a character.
  const whole = bytes.length < headSize ? bytes : bytes.subarray(0, lastBoundary(bytes))
  return isUtf8(whole) || isDeclared(bytes) ? 'utf-8' : 'windows-1252'
}

/** Returns whether a text is of UTF-16, with a mark or without. */
export function isUtf16({ bytes }: Pick<Head, 'bytes'>): boolean {
  return encodingOf(bytes).startsWith('utf-16')
}

/** Returns whether a mark or a declaration says UTF-8, which weighs more than a broken character. */
function isDeclared(bytes: Buffer): boolean {
  return /^\uFEFF|encoding=["']utf-8["']/i.test(bytes.toString('utf8', 0, 200))
}

/** Finds UTF-16 by its zeros: digits, line ends and most letters have one of their two bytes zero, always the same. */
function wideEncoding(bytes: Buffer): Encoding | undefined {
  const zeros = [0, 0]
  for (let at = 0; at < bytes.length; at++) if (bytes[at] === 0) zeros[at % 2]!++
  const [even, odd] = zeros as [number, number]
  if (Math.max(even, odd) * 8 < bytes.length || Math.min(even, odd) * 20 > Math.max(even, odd))
    return undefined
  return odd > even ? 'utf-16le' : 'utf-16be'
}

function lastBoundary(bytes: Buffer): number {
  let at = bytes.length - 1
  while (at > 0 && (bytes[at]! & 0xc0) === 0x80) at--
  return at
}

function textOf(bytes: Buffer, encoding: Encoding): string {
  return withoutMark(new TextDecoder(encoding).decode(bytes))
}

function withoutMark(text: string): string {
  return text.charCodeAt(0) === 0xfeff ? text.slice(1) : text
}

type Decode = (chunk: Buffer | undefined) => string

/** Returns a function that takes one chunk after the other, and `undefined` at the end. */
function decoder(encoding: Encoding, isCertain: boolean): Decode {
  if (encoding !== 'utf-8') return plainDecoder(encoding)
  return isCertain ? utf8Decoder() : lateDecoder()
}

function plainDecoder(encoding: Encoding): Decode {
  const own = new TextDecoder(encoding)
  return chunk => (chunk ? own.decode(chunk, { stream: true }) : own.decode())
}

function utf8Decoder(): Decode {
  const own = new StringDecoder('utf8')
  return chunk => (chunk ? own.write(chunk) : own.end())
}

/** Decides when the first byte beyond ASCII comes, which may be late in a file. */
function lateDecoder(): Decode {
  let own: Decode | undefined
  let held = Buffer.alloc(0)
  return chunk => {
    if (own) return own(chunk)
    const bytes = chunk ? Buffer.concat([held, chunk]) : held
    held = Buffer.alloc(0)
    if (hasAsciiBytes(bytes)) return bytes.toString('latin1')
    // A chunk may end within a character.
    const end = chunk ? lastBoundary(bytes) : bytes.length
    const whole = bytes.subarray(0, end)
    if (hasAsciiBytes(whole)) {
      held = bytes.subarray(end)
      return whole.toString('latin1')
    }
    own = isUtf8(whole) ? utf8Decoder() : plainDecoder('windows-1252')
    return own(bytes) + (chunk ? '' : own(undefined))
  }
}
