/**
 * SMART Health Cards: FHIR Bundles within texts that their issuers have signed, in a file or as the digits of QR codes. The
 * signature is not checked: that would take the keys of the issuer. (https://spec.smarthealth.cards)
 */
import { inflateRawSync } from 'node:zlib'
import type { Format, Head, Sink } from '../../record.js'
import { textsOf } from '../../text/decode.js'
import { parsed } from '../../text/json.js'
import { at, eachObject, isJson, isObject, listAt, outermost, textAt } from '../json-files.js'
import { FhirReader } from './fhir.js'

const kind = 'health card'
/** Characters of the QR codes of a file, and bytes of what a card holds. */
const longest = 4 * 1024 * 1024

export const healthCard: Format = {
  id: 'fhir',
  name: 'FHIR',
  recognises: head => isCode(head) || (isJson(head) && /"verifiableCredential"\s*:\s*\[/.test(head.text)),
  async read(source, head, sink, { options }) {
    const reader = new FhirReader(options.zone, sink)
    if (isCode(head))
      for (const code of await codesOf(source, head, sink)) readCard(tokenIn(code), reader, sink)
    else
      await eachObject(source, head, sink, outermost, object => {
        for (const token of listAt(object, 'verifiableCredential')) readCard(token, reader, sink)
      })
  }
}

function isCode({ text }: Head): boolean {
  return /^\s*shc:\//i.test(text)
}

async function codesOf(source: Parameters<Format['read']>[0], head: Head, sink: Sink): Promise<string[]> {
  let text = ''
  for await (const piece of textsOf(source, head)) {
    text += piece
    if (text.length <= longest) continue
    sink.leftOut(kind, 'larger than a record can be')
    return []
  }
  return text.split(/\s+/).filter(code => code !== '')
}

/** The token of a QR code, whose digits are pairs; `undefined` where it is a part of one, or none. */
function tokenIn(code: string): string | undefined {
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
    const content = zip === undefined ? payload : unpacked(payload)
    const card = typeof content === 'string' ? undefined : parsed(content.toString())
    const entries = at(card, 'vc', 'credentialSubject', 'fhirBundle', 'entry')
    if (typeof content === 'string') sink.leftOut(kind, content)
    else if (!isObject(card)) sink.leftOut(kind, 'no valid JSON')
    else if (!Array.isArray(entries)) sink.leftOut(kind, 'of a kind without a type here')
    else if (entries.length === 0) sink.leftOut(kind, 'empty')
    else for (const entry of entries) reader.read(at(entry, 'resource'))
  }
}

/** What is packed, or why it cannot be unpacked. */
function unpacked(bytes: Buffer): Buffer | 'damaged' | 'packed suspiciously tightly' {
  try {
    return inflateRawSync(bytes, { maxOutputLength: longest })
  } catch (error) {
    const isTooLarge = (error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE'
    return isTooLarge ? 'packed suspiciously tightly' : 'damaged'
  }
}
