/** Decodes texts: UTF-8, UTF-16, or Windows-1252 if they cannot be UTF-8. */
import { isAscii as hasAsciiBytes, isUtf8 } from 'node:buffer'
import { StringDecoder } from 'node:string_decoder'
import type { FileHead, SourceFile } from '../record.js'

/** Number of bytes from which formats and encodings are detected. */
const headSize = 64 * 1024

type Encoding = 'utf-8' | 'utf-16le' | 'utf-16be' | 'windows-1252'

/** Reads the first {@link headSize} bytes of a file. Also decodes them as text. */
export async function readHead(source: SourceFile): Promise<FileHead> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of source.bytes()) {
    chunks.push(chunk)
    if ((size += chunk.length) >= headSize) break
  }
  const bytes = Buffer.concat(chunks).subarray(0, headSize)
  return { bytes, name: source.name, text: decodeBytes(bytes, detectEncoding(bytes)) }
}

/** Yields the text of a file in chunks. */
export async function* readText(source: SourceFile, head: FileHead): AsyncGenerator<string, void, undefined> {
  let isFirst = true
  const decode = createDecoder(detectEncoding(head.bytes), isDeclared(head.bytes))
  for await (const chunk of source.bytes()) {
    const text = decode(chunk)
    if (text === '') continue
    yield isFirst ? removeByteOrderMark(text) : text
    isFirst = false
  }
  const rest = decode(undefined)
  if (rest !== '') yield rest
}

/** Text in chunks with one character per byte, and the function that decodes the parts that are used. */
interface ByteText {
  readonly chunks: AsyncIterable<string>
  /** Returns a part of a chunk as text. */
  readonly decode: (part: string) => string
}

/**
 * Like {@link readText}, for long texts of which little is used: of UTF-8, only used parts are decoded. The head alone
 * decides the encoding, and a byte order mark of UTF-8 stays. Other encodings are decoded entirely.
 */
export function readByteText(source: SourceFile, head: FileHead): ByteText {
  if (detectEncoding(head.bytes) !== 'utf-8') return { chunks: readText(source, head), decode: part => part }
  return {
    chunks: readBytesAsText(source),
    decode: part => (isAscii(part) ? part : Buffer.from(part, 'latin1').toString('utf8'))
  }
}

/** Yields the bytes of a file as text with one character per byte. */
export async function* readBytesAsText(source: SourceFile): AsyncGenerator<string, void, undefined> {
  for await (const chunk of source.bytes()) yield chunk.toString('latin1')
}

function isAscii(text: string): boolean {
  for (let index = 0; index < text.length; index++) if (text.charCodeAt(index) > 127) return false
  return true
}

/** Reads the whole text of a small file. Never throws; the text is truncated soon after `limit` characters. */
export async function readWholeText(source: SourceFile, head: FileHead, limit: number): Promise<string> {
  const parts: string[] = []
  let size = 0
  for await (const text of readText(source, head)) {
    parts.push(text)
    if ((size += text.length) > limit) break
  }
  return parts.join('')
}

function detectEncoding(bytes: Buffer): Encoding {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le'
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return 'utf-16be'
  const wide = detectUtf16(bytes.subarray(0, 8000))
  if (wide) return wide
  // The head may end within a character.
  const completeBytes = bytes.length < headSize ? bytes : bytes.subarray(0, findLastBoundary(bytes))
  return isUtf8(completeBytes) || isDeclared(bytes) ? 'utf-8' : 'windows-1252'
}

/** Returns true if a text is UTF-16, with or without a byte order mark. */
export function isUtf16({ bytes }: Pick<FileHead, 'bytes'>): boolean {
  return detectEncoding(bytes).startsWith('utf-16')
}

/** Returns true if a byte order mark or a declaration says UTF-8, which takes precedence over invalid bytes. */
function isDeclared(bytes: Buffer): boolean {
  return /^\uFEFF|encoding=["']utf-8["']/i.test(bytes.toString('utf8', 0, 200))
}

/**
 * Detects UTF-16 by its zeros: of digits, line ends and most letters, one of the two bytes is zero, always the same
 * one.
 */
function detectUtf16(bytes: Buffer): Encoding | undefined {
  const zeros = [0, 0]
  for (let index = 0; index < bytes.length; index++) if (bytes[index] === 0) zeros[index % 2]!++
  const [even, odd] = zeros as [number, number]
  if (Math.max(even, odd) * 8 < bytes.length || Math.min(even, odd) * 20 > Math.max(even, odd))
    return undefined
  return odd > even ? 'utf-16le' : 'utf-16be'
}

/** Returns the index at which the last UTF-8 character begins. */
function findLastBoundary(bytes: Buffer): number {
  let index = bytes.length - 1
  while (index > 0 && (bytes[index]! & 0xc0) === 0x80) index--
  return index
}

function decodeBytes(bytes: Buffer, encoding: Encoding): string {
  return removeByteOrderMark(new TextDecoder(encoding).decode(bytes))
}

function removeByteOrderMark(text: string): string {
  return text.charCodeAt(0) === 0xfeff ? text.slice(1) : text
}

type DecodeFunction = (chunk: Buffer | undefined) => string

/** Returns a function that decodes one chunk after the other, and is called with `undefined` at the end. */
function createDecoder(encoding: Encoding, isDeclaredUtf8: boolean): DecodeFunction {
  if (encoding !== 'utf-8') return createPlainDecoder(encoding)
  return isDeclaredUtf8 ? createUtf8Decoder() : createDetectingDecoder()
}

function createPlainDecoder(encoding: Encoding): DecodeFunction {
  const decoder = new TextDecoder(encoding)
  return chunk => (chunk ? decoder.decode(chunk, { stream: true }) : decoder.decode())
}

function createUtf8Decoder(): DecodeFunction {
  const decoder = new StringDecoder('utf8')
  return chunk => (chunk ? decoder.write(chunk) : decoder.end())
}

/** Returns a decoder that chooses the encoding at the first byte beyond ASCII, which may be late in a file. */
function createDetectingDecoder(): DecodeFunction {
  let chosenDecoder: DecodeFunction | undefined
  let pending = Buffer.alloc(0)
  return chunk => {
    if (chosenDecoder) return chosenDecoder(chunk)
    const bytes = chunk ? Buffer.concat([pending, chunk]) : pending
    pending = Buffer.alloc(0)
    if (hasAsciiBytes(bytes)) return bytes.toString('latin1')
    // A chunk may end within a character.
    const end = chunk ? findLastBoundary(bytes) : bytes.length
    const completeBytes = bytes.subarray(0, end)
    if (hasAsciiBytes(completeBytes)) {
      pending = bytes.subarray(end)
      return completeBytes.toString('latin1')
    }
    chosenDecoder = isUtf8(completeBytes) ? createUtf8Decoder() : createPlainDecoder('windows-1252')
    return chosenDecoder(bytes) + (chunk ? '' : chosenDecoder(undefined))
  }
}
