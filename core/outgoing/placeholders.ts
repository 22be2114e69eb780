/** Templates of calls to a messaging service: `{{ key }}` stands for a value. (docs/spec/mfa.md#messaging-service) */
import { fail } from '../errors.js'
import type { Endpoint } from '../settings/services.js'
import { escaped } from './markup.js'

/** Values by key; what is neither text nor a number stands for nothing. */
export type Values = Readonly<Record<string, unknown>>

/** A call, ready to be made. */
export interface FilledCall {
  readonly method: 'GET' | 'POST'
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/**
 * Fills a template; each value is written so that it stays one value where it stands: users choose them. Error:
 * `invalid-parameters-format` for one that would lead the URL elsewhere.
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

/**
 * Replaces placeholders once: what a value holds is not looked at again. Unknown ones stay. Raises
 * `invalid-parameters-format` for a value that no message can hold.
 */
export function fill(template: string, values: Values, shown: (value: string) => string): string {
  return template.replaceAll(/\{\{ ([^{}]+) \}\}/g, (whole, key: string) => {
    const value = Object.hasOwn(values, key) ? values[key] : undefined
    return typeof value === 'string' || typeof value === 'number' ? shown(wellFormed(String(value))) : whole
  })
}

/** Dots alone are steps to another folder, however they are written. */
function filledUrl(template: string, values: Values): string {
  const url = fill(template, values, encodeURIComponent)
  const given = foldersOf(template)
  const isElsewhere = foldersOf(url).some((folder, at) => /^\.\.?$/.test(folder) && folder !== given[at])
  if (isElsewhere)
    fail('invalid-parameters-format', 'A value that stands in the path of a URL must not be "." or ".."')
  return url
}

function foldersOf(url: string): string[] {
  return url.split(/[?#]/, 1)[0]!.split('/')
}

/** Halves of characters are nothing that can be sent. */
function wellFormed(value: string): string {
  return Buffer.from(value).toString()
}

function onOneLine(value: string): string {
  // oxlint-disable-next-line no-control-regex -- control characters are what has to go
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
