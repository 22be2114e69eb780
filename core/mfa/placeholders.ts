/** Templates of calls to a messaging service: `{{ key }}` stands for a value. (supplement 20) */
import type { Endpoint } from '../settings.js'

/** Values by key; what is neither text nor a number stands for nothing. */
export type Values = Readonly<Record<string, unknown>>

/** A call, ready to be made. */
export interface FilledCall {
  readonly method: 'GET' | 'POST'
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** Fills a template; each value is written so that it stays one value where it stands: users choose them. */
export function filledCall({ body, headers, method, url }: Endpoint, values: Values): FilledCall {
  const filledHeaders = Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, fill(value, values, inHeader)])
  )
  return {
    method,
    url: fill(url, values, encodeURIComponent),
    headers: filledHeaders,
    body: fill(body, values, inBody(body, filledHeaders))
  }
}

/** Replaces placeholders once: what a value holds is not looked at again. Unknown ones stay. */
export function fill(template: string, values: Values, shown: (value: string) => string): string {
  return template.replaceAll(/\{\{ ([^{}]+) \}\}/g, (whole, key: string) => {
    const value = Object.hasOwn(values, key) ? values[key] : undefined
    return typeof value === 'string' || typeof value === 'number' ? shown(String(value)) : whole
  })
}

function inHeader(value: string): string {
  // oxlint-disable-next-line no-control-regex -- control characters are what has to go
  return value.replaceAll(/[\u0000-\u001f\u007f]/g, ' ')
}

function inBody(body: string, headers: Readonly<Record<string, string>>): (value: string) => string {
  const type = Object.entries(headers).find(([name]) => name.toLowerCase() === 'content-type')?.[1] ?? ''
  if (type.includes('urlencoded')) return encodeURIComponent
  const isJson = type.includes('json') || /^\s*[[{]/.test(body)
  return value => (isJson ? JSON.stringify(value).slice(1, -1) : value)
}
