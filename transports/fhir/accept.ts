/** Formats: JSON is the only one. (http://hl7.org/fhir/R4/http.html#mime-type) */
import type { ReadRequest } from '../endpoints.js'
import { refuse } from './outcome.js'

/** Formats as `_format` names them; a plus sign that is not encoded arrives as a space. */
const formats = new Set(['json', 'text/json', 'application/json', 'application/fhir+json'])

/**
 * Throws for a request that wants another format. `_format` takes precedence over the header. Without either,
 * nothing is refused.
 */
export function assertJsonAccepted({ credentials, params }: ReadRequest): void {
  const format = params.get('_format')?.[0]
  if (format !== undefined) {
    const [name = ''] = format.toLowerCase().split(';', 1)
    if (!formats.has(name.trim().replace(' ', '+'))) refuseFormat()
    return
  }
  const accept = credentials.headers?.['accept']
  if (typeof accept !== 'string' || accept.trim() === '') return
  if (!/\bjson\b|\*\/\*|application\/\*/i.test(accept)) refuseFormat()
}

/** Throws for a search that is posted as anything but a form: without its parameters, it would find everything. */
export function assertForm({ credentials, verb }: ReadRequest): void {
  const { 'content-length': length = '0', 'content-type': type, ...headers } = credentials.headers ?? {}
  if (verb !== 'POST') return
  const isEmpty = headers['transfer-encoding'] === undefined && Number(length) === 0
  if (isEmpty && type === undefined) return
  if (!/^application\/x-www-form-urlencoded\s*(?:;|$)/i.test(String(type)))
    refuse('not-supported', 'Searches are posted as application/x-www-form-urlencoded', 415)
}

function refuseFormat(): never {
  refuse('not-supported', 'The only format is application/fhir+json', 406)
}
