/**
 * Templates for calls to a messaging service, with placeholders such as `{{ key }}`.
 * (docs/spec/mfa.md#messaging-service)
 */
import { fail } from '../errors.js'
import type { Endpoint } from '../settings/services.js'
import { escaped } from './markup.js'

/** Values by key. Anything other than text or numbers is ignored. */
export type Values = Readonly<Record<string, unknown>>

/** A call that is ready to be made. */
export interface FilledCall {
  readonly method: 'GET' | 'POST'
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/**
 * Fills a template. Users choose the values, so each is encoded for its position. Error: `invalid-parameters-format`
 * for a value that would change the path of the URL.
 */
export function filledCall({ body, headers, method, url }: Endpoint, values: Values): FilledCall {
  const filledHeaders = Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, fill(value, values, onOneLine)])
  )
  return {
    method,
    url: filledUrl(url, values),
    headers: filledHeaders,
    body: fill(body, values, inBody(body, filledHeaders))
  }
}

/** Replaces placeholders; those inside of values are not replaced. Unknown ones stay. `shown` encodes a value. */
export function fill(template: string, values: Values, encode: (value: string) => string): string {
  return template.replaceAll(/\{\{ ([^{}]+) \}\}/g, (whole, key: string) => {
    const value = Object.hasOwn(values, key) ? values[key] : undefined
    return typeof value === 'string' || typeof value === 'number' ? encode(wellFormed(String(value))) : whole
  })
}

/** Segments of dots would change the folder, however they are encoded. */
function filledUrl(template: string, values: Values): string {
  const url = fill(template, values, encodeURIComponent)
  const templateFolders = foldersOf(template)
  const isElsewhere = foldersOf(url).some(
    (folder, at) => /^\.\.?$/.test(folder) && folder !== templateFolders[at]
  )
  if (isElsewhere) fail('invalid-parameters-format', 'A value in the path of a URL must not be "." or ".."')
  return url
}

function foldersOf(url: string): string[] {
  return url.split(/[?#]/, 1)[0]!.split('/')
}

/** Replaces lone surrogates, which cannot be encoded. */
function wellFormed(value: string): string {
  return Buffer.from(value).toString()
}

function onOneLine(value: string): string {
  // oxlint-disable-next-line no-control-regex -- control characters are removed here
  return value.replaceAll(/[\u0000-\u001f\u007f]/g, ' ')
}

function inBody(body: string, headers: Readonly<Record<string, string>>): (value: string) => string {
  const type = Object.entries(headers).find(([name]) => name.toLowerCase() === 'content-type')?.[1] ?? ''
  if (type.includes('urlencoded')) return encodeURIComponent
  if (type.includes('xml') || /^\s*</.test(body)) return inXml
  const isJson = type.includes('json') || /^\s*[[{]/.test(body)
  return isJson ? value => JSON.stringify(value).slice(1, -1) : onOneLine
}

function inXml(value: string): string {
  return escaped(onOneLine(value))
}
