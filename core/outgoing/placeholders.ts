/**
 * Templates for calls to a messaging service, with placeholders such as `{{ key }}`.
 * (docs/spec/mfa.md#messaging-service)
 */
import { fail } from '../errors.js'
import type { Endpoint } from '../settings/groups/services.js'
import { escapeMarkup } from './markup.js'

/** Values by key. Anything other than text or numbers is ignored. */
export type Values = Readonly<Record<string, unknown>>

/** A call that is ready to be made. */
interface PreparedCall {
  readonly method: 'GET' | 'POST'
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/**
 * Fills a template. Users choose the values, so each is encoded for its position. Placeholders without a
 * value stay. Error: `invalid-parameters-format` for a value that would change the path of the URL.
 */
export function fillCall({ body, headers, method, url }: Endpoint, values: Values): PreparedCall {
  const filledHeaders = Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, fillPlaceholders(value, values, toOneLine)])
  )
  return {
    method,
    url: fillUrl(url, values),
    headers: filledHeaders,
    body: fillPlaceholders(body, values, chooseBodyEncoder(body, filledHeaders))
  }
}

/** Replaces placeholders; those inside values are not replaced. Unknown placeholders stay. `encode` encodes a value. */
export function fillPlaceholders(
  template: string,
  values: Values,
  encode: (value: string) => string
): string {
  return template.replaceAll(/\{\{ ([^{}]+) \}\}/g, (whole, key: string) => {
    const value = Object.hasOwn(values, key) ? values[key] : undefined
    return typeof value === 'string' || typeof value === 'number'
      ? encode(toWellFormed(String(value)))
      : whole
  })
}

/**
 * Fills a URL. Error: `invalid-parameters-format` for segments of dots, which would change the folder,
 * however they are encoded.
 */
function fillUrl(template: string, values: Values): string {
  const url = fillPlaceholders(template, values, encodeURIComponent)
  const templateFolders = splitPath(template)
  const isElsewhere = splitPath(url).some(
    (folder, at) => /^\.\.?$/.test(folder) && folder !== templateFolders[at]
  )
  if (isElsewhere) fail('invalid-parameters-format', 'A value in the path of a URL must not be "." or ".."')
  return url
}

function splitPath(url: string): string[] {
  return url.split(/[?#]/, 1)[0]!.split('/')
}

/** Replaces lone surrogates, which cannot be encoded. */
function toWellFormed(value: string): string {
  return Buffer.from(value).toString()
}

function toOneLine(value: string): string {
  // oxlint-disable-next-line no-control-regex -- control characters are removed here
  return value.replaceAll(/[\u0000-\u001f\u007f]/g, ' ')
}

function chooseBodyEncoder(
  body: string,
  headers: Readonly<Record<string, string>>
): (value: string) => string {
  const type = Object.entries(headers).find(([name]) => name.toLowerCase() === 'content-type')?.[1] ?? ''
  if (type.includes('urlencoded')) return encodeURIComponent
  if (type.includes('xml') || /^\s*</.test(body)) return escapeForXml
  const isJson = type.includes('json') || /^\s*[[{]/.test(body)
  return isJson ? value => JSON.stringify(value).slice(1, -1) : toOneLine
}

function escapeForXml(value: string): string {
  return escapeMarkup(toOneLine(value))
}
