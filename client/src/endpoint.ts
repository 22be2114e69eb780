/** API endpoints: URLs that contain an account's token, `https://{token}@{host}/{user}/`. Apps store an access in this form. */

/** A parsed API endpoint. */
export interface Endpoint {
  /** The root URL of the account, without the token; ends in `/`. */
  readonly root: string
  /** The root URL of the service; the same as `root` if accounts have their own host names. */
  readonly serviceRoot: string
  readonly username: string
  readonly token?: string
}

/**
 * Parses an API endpoint, with or without a token. The username is the last segment of the path; if the path is empty, the first
 * label of the host name. Throws a `TypeError` unless it is an HTTP URL.
 */
export function parseEndpoint(endpoint: string | URL): Endpoint {
  const url = new URL(endpoint)
  if (!/^https?:$/.test(url.protocol)) throw new TypeError(`"${url.protocol}" is not HTTP`)
  const token = decodeURIComponent(url.username)
  url.username = url.password = url.search = url.hash = ''
  if (!url.pathname.endsWith('/')) url.pathname += '/'
  const path = url.pathname.split('/').slice(0, -1)
  const username = path.length > 1 ? decodeURIComponent(path.at(-1)!) : url.hostname.split('.')[0]!
  return {
    root: url.href,
    serviceRoot: path.length > 1 ? new URL('../', url).href : url.href,
    username,
    ...(token === '' ? {} : { token })
  }
}

/**
 * Returns the API endpoint of an account. `api` is the template in the service information, such as
 * `https://example.com/{username}/`.
 */
export function endpointOf(api: string, username: string, token?: string): string {
  const url = new URL(api.replaceAll('{username}', encodeURIComponent(username)))
  if (token !== undefined) url.username = token
  return url.href
}
