/**
 * Reads SMART Health Cards: FHIR bundles within signed tokens, in a file or as the digits of QR codes. The signature is not
 * verified: that would require the issuer's keys. (https://spec.smarthealth.cards)
 */
import { inflateRawSync } from 'node:zlib'
import type { Format, Head, Sink } from '../../record.js'
import { textsOf } from '../../text/decode.js'
import { parsed } from '../../text/json.js'
import { at, eachObject, isJson, isObject, listAt, outermost, textAt } from '../json-files.js'
import { FhirReader } from './fhir.js'

const kind = 'health card'
/** Limit of a file's QR codes in characters, and of a decompressed card in bytes. */
const maxLength = 4 * 1024 * 1024

export const healthCard: Format = {
  id: 'fhir',
  name: 'FHIR',
  recognises: head => isQrCode(head) || (isJson(head) && /"verifiableCredential"\s*:\s*\[/.test(head.text)),
  async read(source, head, sink, { options }) {
    const reader = new FhirReader(options.zone, sink)
    if (isQrCode(head))
      for (const code of await readQrCodes(source, head, sink)) readCard(decodeToken(code), reader, sink)
    else
      await eachObject(source, head, sink, outermost, object => {
        for (const token of listAt(object, 'verifiableCredential')) readCard(token, reader, sink)
      })
  }
}

function isQrCode({ text }: Head): boolean {
  return /^\s*shc:\//i.test(text)
}

async function readQrCodes(source: Parameters<Format['read']>[0], head: Head, sink: Sink): Promise<string[]> {
  let text = ''
  for await (const chunk of textsOf(source, head)) {
    text += chunk
    if (text.length <= maxLength) continue
    sink.leftOut(kind, 'larger than a record can be')
    return []
  }
  return text.split(/\s+/).filter(code => code !== '')
}

/** Decodes the token of a QR code from pairs of digits; returns `undefined` for one chunk of several, or another code. */
function decodeToken(code: string): string | undefined {
  const [, digits] = /^shc:\/((?:\d\d)+)$/i.exec(code) ?? []
  return digits?.replaceAll(/\d\d/g, pair => String.fromCharCode(Number(pair) + 45))
}

function readCard(token: unknown, reader: FhirReader, sink: Sink): void {
  const parts = typeof token === 'string' && /^[\w.-]+$/.test(token) ? token.split('.') : []
  if (parts.length === 5) sink.leftOut(kind, 'encrypted')
  else if (parts.length !== 3) sink.leftOut(kind, 'damaged')
  else {
    const [header, payload] = parts.map(part => Buffer.from(part, 'base64url')) as [Buffer, Buffer]
    const zip = textAt(parsed(header.toString()), 'zip')
    if (zip !== undefined && zip !== 'DEF') {
      sink.leftOut(kind, 'packed by a method that is not known')
      return
    }
    const content = zip === undefined ? payload : decompress(payload)
    const card = typeof content === 'string' ? undefined : parsed(content.toString())
    const entries = at(card, 'vc', 'credentialSubject', 'fhirBundle', 'entry')
    if (typeof content === 'string') sink.leftOut(kind, content)
    else if (!isObject(card)) sink.leftOut(kind, 'no valid JSON')
    else if (!Array.isArray(entries)) sink.leftOut(kind, 'of a kind without a type here')
    else if (entries.length === 0) sink.leftOut(kind, 'empty')
    else for (const entry of entries) reader.read(at(entry, 'resource'))
  }
}

/** Decompresses the payload; returns the reason if it cannot be decompressed. */
function decompress(bytes: Buffer): Buffer | 'damaged' | 'packed suspiciously tightly' {
  try {
    return inflateRawSync(bytes, { maxOutputLength: maxLength })
  } catch (error) {
    const isTooLarge = (error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE'
    return isTooLarge ? 'packed suspiciously tightly' : 'damaged'
  }
}
