/**
 * Reads SMART Health Cards: FHIR bundles within signed tokens, in a file or as the digits of QR codes. The signature is not
 * verified: that would require the issuer's keys. (https://spec.smarthealth.cards)
 */
import { inflateRawSync } from 'node:zlib'
import type { Format, FileHead, Sink } from '../../record.js'
import { readText } from '../../text/decode.js'
import { parseJson } from '../../text/object-scanner.js'
import { getMember, readObjects, isJson, isObject, getList, isTopLevel, getText } from '../json-files.js'
import { FhirReader } from './fhir.js'
import { ResourceVersions } from './resource-versions.js'

const kind = 'health card'
/** Maximum length of a file's QR codes, in characters, and of a decompressed card in bytes. */
const maxLength = 4 * 1024 * 1024

export const healthCard: Format = {
  id: 'fhir',
  name: 'FHIR',
  recognises: head => isQrCode(head) || (isJson(head) && /"verifiableCredential"\s*:\s*\[/.test(head.text)),
  async read(source, head, sink, { options }) {
    const reader = new FhirReader(options.zone, sink, new ResourceVersions())
    if (isQrCode(head))
      for (const code of await readQrCodes(source, head, sink)) readCard(decodeToken(code), reader, sink)
    else
      await readObjects(source, head, sink, isTopLevel, object => {
        for (const token of getList(object, 'verifiableCredential')) readCard(token, reader, sink)
      })
  }
}

function isQrCode({ text }: FileHead): boolean {
  return /^\s*shc:\//i.test(text)
}

/** Returns the words of a file, each the text of a QR code; none, with a skip, if it is too long. */
async function readQrCodes(
  source: Parameters<Format['read']>[0],
  head: FileHead,
  sink: Sink
): Promise<string[]> {
  let text = ''
  for await (const chunk of readText(source, head)) {
    text += chunk
    if (text.length <= maxLength) continue
    sink.skip(kind, 'larger than a record can be')
    return []
  }
  return text.split(/\s+/).filter(code => code !== '')
}

/**
 * Decodes the token of a QR code from pairs of digits; returns `undefined` for a code that is one of several chunks,
 * and for other codes.
 */
function decodeToken(code: string): string | undefined {
  const [, digits] = /^shc:\/((?:\d\d)+)$/i.exec(code) ?? []
  return digits?.replaceAll(/\d\d/g, pair => String.fromCharCode(Number(pair) + 45))
}

/** Reads the FHIR bundle of a card from its token; skips cards that cannot be read with the reason. */
function readCard(token: unknown, reader: FhirReader, sink: Sink): void {
  const parts = typeof token === 'string' && /^[\w.-]+$/.test(token) ? token.split('.') : []
  if (parts.length === 5) sink.skip(kind, 'encrypted')
  else if (parts.length !== 3) sink.skip(kind, 'damaged')
  else {
    const [header, payload] = parts.map(part => Buffer.from(part, 'base64url')) as [Buffer, Buffer]
    const zip = getText(parseJson(header.toString()), 'zip')
    if (zip !== undefined && zip !== 'DEF') {
      sink.skip(kind, 'packed by a method that is not known')
      return
    }
    const content = zip === undefined ? payload : decompress(payload)
    const card = typeof content === 'string' ? undefined : parseJson(content.toString())
    const entries = getMember(card, 'vc', 'credentialSubject', 'fhirBundle', 'entry')
    if (typeof content === 'string') sink.skip(kind, content)
    else if (!isObject(card)) sink.skip(kind, 'no valid JSON')
    else if (!Array.isArray(entries)) sink.skip(kind, 'of a kind without a type here')
    else if (entries.length === 0) sink.skip(kind, 'empty')
    else for (const entry of entries) reader.read(getMember(entry, 'resource'))
  }
}

/** Decompresses the payload; returns the reason if that fails. */
function decompress(bytes: Buffer): Buffer | 'damaged' | 'packed suspiciously tightly' {
  try {
    return inflateRawSync(bytes, { maxOutputLength: maxLength })
  } catch (error) {
    const isTooLarge = (error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE'
    return isTooLarge ? 'packed suspiciously tightly' : 'damaged'
  }
}
