/** API endpoints: an address with the token in it, `https://{token}@{host}/{user}/`, by which apps keep an access. */

/** Where an account is, and by what right. */
export interface Endpoint {
  /** The root of the account, without the token; ends in `/`. */
  readonly root: string
  /** The root of the service; that of the account itself where accounts have host names. */
  readonly serviceRoot: string
  readonly username: string
  readonly token?: string
}

/**
 * Reads an API endpoint, with a token or without. The last part of the path names the user; where there is none, the first part of
 * the host name does. Throws a `TypeError` if it is not a URL of HTTP.
 */
export function parseEndpoint(endpoint: string | URL): Endpoint {
  const url = new URL(endpoint)
  if (!/^https?:$/.test(url.protocol)) throw new TypeError(`"${url.protocol}" is not HTTP`)
  const token = decodeURIComponent(url.username)
  url.username = url.password = url.search = url.hash = ''
  if (!url.pathname.endsWith('/')) url.pathname += '/'
  const path = url.pathname.split('/').slice(0, -1)
  const name = path.length > 1 ? decodeURIComponent(path.at(-1)!) : url.hostname.split('.')[0]!
  return {
    root: url.href,
    serviceRoot: path.length > 1 ? new URL('../', url).href : url.href,
    username: name,
    ...(token === '' ? {} : { token })
  }
}

/** Returns the API endpoint of an account: `api` is that of the service information, such as `https://example.com/{username}/`. */
export function endpointOf(api: string, username: string, token?: string): string {
  const url = new URL(api.replaceAll('{username}', encodeURIComponent(username)))
  if (token !== undefined) url.username = token
  return url.href
}
