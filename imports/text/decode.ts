/** Bytes of a text to characters: UTF-8, UTF-16 with a mark, or Windows-1252 where it cannot be UTF-8. */
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
  const encoding = encodingOf(head.bytes)
  let isFirst = true
  const decode = decoder(encoding)
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

async function* bytePieces(source: Source): AsyncGenerator<string, void, undefined> {
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
  // The head may end within a character.
  const whole = bytes.length < headSize ? bytes : bytes.subarray(0, lastBoundary(bytes))
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(whole)
    return 'utf-8'
  } catch {
    // A mark, or a declaration, weighs more than a broken character.
    const isDeclared = /^\uFEFF|encoding=["']utf-8["']/i.test(whole.toString('utf8', 0, 200))
    return isDeclared ? 'utf-8' : 'windows-1252'
  }
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

function decoder(encoding: Encoding): (chunk: Buffer | undefined) => string {
  if (encoding === 'utf-8') {
    const own = new StringDecoder('utf8')
    return chunk => (chunk ? own.write(chunk) : own.end())
  }
  const own = new TextDecoder(encoding)
  return chunk => (chunk ? own.decode(chunk, { stream: true }) : own.decode())
}
