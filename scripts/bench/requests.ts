/** Requests as the bytes that go over the wire, made before the clock runs. */

/** What to ask a server for. */
export interface Ask {
  readonly verb?: 'GET' | 'POST'
  readonly path: string
  readonly token?: string
  readonly headers?: Readonly<Record<string, string>>
  /** Sent as JSON. */
  readonly body?: unknown
  /** The body, where it is JSON text already. */
  readonly text?: string | undefined
}

/** The text of an HTTP/1.1 request. */
export function requestText({ verb, path, token, headers = {}, body, text }: Ask): string {
  const json = text ?? (body === undefined ? '' : JSON.stringify(body))
  const lines = [`${verb ?? (json ? 'POST' : 'GET')} ${path} HTTP/1.1`, 'Host: 127.0.0.1']
  if (token !== undefined) lines.push(`Authorization: ${token}`)
  for (const [name, value] of Object.entries(headers)) lines.push(`${name}: ${value}`)
  if (json) lines.push('Content-Type: application/json', `Content-Length: ${Buffer.byteLength(json)}`)
  return `${lines.join('\r\n')}\r\n\r\n${json}`
}
