/** A request as data, and its encoding. */
import { randomBytes } from 'node:crypto'

export interface RequestSpec {
  readonly path: string
  /** Port, if it differs from the job's port. */
  readonly port?: number
  /** HTTP method. By default POST with a body or a file, otherwise GET. */
  readonly verb?: string
  readonly token?: string
  readonly headers?: Readonly<Record<string, string>>
  /** Sent as JSON; a string must be JSON text. */
  readonly body?: unknown
  /** Sends a form with the body, if any, and a file of this many MiB. */
  readonly megabytes?: number
  /** API method to call over a socket, without params, instead of sending an HTTP request. The path is that of the user. */
  readonly method?: string
}

const megabyte = randomBytes(1024 * 1024)
const boundary = 'coffer-bench-boundary'

export function getHttpMethod({ body, megabytes, verb }: RequestSpec): string {
  return verb ?? (body === undefined && megabytes === undefined ? 'GET' : 'POST')
}

/** Creates the headers, including those of the body's type and length. */
export function createHeaders(ask: RequestSpec): Record<string, string> {
  const { headers, megabytes, token } = ask
  const length = [...encodeBody(ask)].reduce((sum, part) => sum + part.length, 0)
  const type = megabytes === undefined ? 'application/json' : `multipart/form-data; boundary=${boundary}`
  return {
    host: '127.0.0.1',
    ...(token !== undefined && { authorization: token }),
    ...(length > 0 && { 'content-type': type, 'content-length': String(length) }),
    ...headers
  }
}

/** Yields the body in chunks. */
export function* encodeBody({ body, megabytes }: RequestSpec): Generator<Buffer> {
  const json = body === undefined || typeof body === 'string' ? (body ?? '') : JSON.stringify(body)
  if (megabytes === undefined) {
    if (json !== '') yield Buffer.from(json)
    return
  }
  const part = (names: string): string => `--${boundary}\r\nContent-Disposition: form-data; ${names}\r\n`
  const event = json === '' ? '' : `${part('name="event"')}\r\n${json}\r\n`
  const file = `${part('name="file"; filename="a.bin"')}Content-Type: application/octet-stream\r\n\r\n`
  yield Buffer.from(event + file)
  for (let sent = 0; sent < megabytes; sent++) yield megabyte
  yield Buffer.from(`\r\n--${boundary}--\r\n`)
}

/** Encodes the HTTP/1.1 request, as text unless it contains a file. */
export function encodeRequest(ask: RequestSpec): string | Buffer {
  const headers = Object.entries(createHeaders(ask)).map(([name, value]) => `${name}: ${value}\r\n`)
  const head = `${getHttpMethod(ask)} ${ask.path} HTTP/1.1\r\n${headers.join('')}\r\n`
  const bytes = Buffer.concat([Buffer.from(head), ...encodeBody(ask)])
  return ask.megabytes === undefined ? bytes.toString() : bytes
}
