/**
 * The page for browsers where other clients get JSON: at the root, at the root of an account, at unknown addresses, and after a
 * faulty redirect by an app. (docs/spec/service-information.md#pages-at-other-addresses)
 */
import { gzipSync } from 'node:zlib'
import accepts from 'accepts'
import type { Config } from '../../../core/settings/config.js'
import { matchesETag, setMissingHeaders, type Headers } from '../answer/headers.js'
import type { Exchange } from '../exchange.js'
import { maxDepth as maxCachedDepth, computeETag, isBelowDomain, pageHeaders } from './page-headers.js'
import type { StaticFile } from './static.js'

/** Maximum number of slashes in an address with a page. */
const maxSlashes = 64

export interface FallbackPage {
  /**
   * Sends the page if a browser requests it, and returns whether it has. For any client, it makes the response vary by
   * `Accept`. `status`: 200, or the status of an error, such as 404 for an unknown address.
   */
  tryReply(exchange: Exchange, status: number): boolean
}

/** Matches possible user names, taken or not. */
const usernamePattern = /^[a-z0-9][a-z0-9-]{3,58}[a-z0-9]$/i

/**
 * Returns the status of the page at an address below the root of an account. It does not reveal whether the account exists.
 */
export function getUserPageStatus(user: string, segments: readonly string[]): 200 | 404 {
  return segments.length === 0 && usernamePattern.test(user) ? 200 : 404
}

/** Creates the page; if the pages have not been built, it is never sent. */
export function createFallbackPage(config: Config, files: ReadonlyMap<string, StaticFile>): FallbackPage {
  const shell = files.get('index.html')
  const shells = new Map<string, CompiledShell>()
  const getShell = (file: StaticFile, depth: number, isNowhere: boolean): CompiledShell => {
    const key = `${depth} ${isNowhere}`
    const compiled = shells.get(key) ?? createShell(file, depth, isNowhere)
    if (depth <= maxCachedDepth) shells.set(key, compiled)
    return compiled
  }
  return {
    tryReply(exchange, status) {
      const { res, state } = exchange
      if (shell === undefined || (exchange.method !== 'GET' && exchange.method !== 'HEAD')) return false
      state.headers = addAcceptToVary(state.headers)
      setMissingHeaders(res, state.headers)
      addVary(res, 'Accept')
      const depth = getDepth(getOriginalUrl(exchange))
      if (depth > maxSlashes || !isBrowserRequest(exchange)) return false
      if (isBelowDomain(exchange, config)) {
        // Only the public host serves everything that the page calls.
        res.writeHead(302, { Location: `${config.publicUrl}/`, 'Content-Length': '0' }).end()
        return true
      }
      send(exchange, getShell(shell, depth, status !== 200), status)
      return true
    }
  }
}

interface CompiledShell {
  readonly bytes: Buffer
  readonly gzip: Buffer
  readonly etag: string
}

/**
 * Returns the shell with relative URLs for an address that many folders below the root. `isNowhere`: true if the address is
 * unknown, even if it looks valid.
 */
function createShell({ bytes }: StaticFile, depth: number, isNowhere: boolean): CompiledShell {
  const up = `${'../'.repeat(depth)}access/`
  const text = bytes
    .toString()
    .replaceAll(/(href|src)="\.\//g, `$1="${depth === 0 ? './' : ''}${up}`)
    .replace('<div id="page"', isNowhere ? '$& data-nowhere' : '$&')
  const adjusted = Buffer.from(text)
  return { bytes: adjusted, gzip: gzipSync(adjusted), etag: computeETag(adjusted, depth) }
}

/** Returns the URL as the browser has sent it: Koa changes the URL of the request when its path is set. */
function getOriginalUrl({ originalUrl, req }: Exchange & { readonly originalUrl?: string }): string {
  return originalUrl ?? req.url ?? '/'
}

/** Returns the headers with `Accept` added to `Vary`. */
function addAcceptToVary(headers: Headers): Headers {
  return headers.map((text, index) =>
    headers[index - 1] === 'Vary' && index % 2 === 1 ? `${text}, Accept` : text
  )
}

/** Returns the number of folders between the root and a path, as browsers count them. */
function getDepth(url: string): number {
  const [path = '/'] = url.split('?', 1)
  return path.startsWith('/') ? path.split('/').length - 2 : maxSlashes + 1
}

/**
 * Returns whether a browser navigates to the address: it prefers HTML to JSON, and the request comes neither from a script nor
 * with a token.
 */
export function isBrowserRequest({ req, state }: Exchange): boolean {
  const { headers } = req
  const mode = headers['sec-fetch-mode']
  if (headers.accept === undefined || (mode !== undefined && mode !== 'navigate')) return false
  if (headers.authorization !== undefined || state.address.query.has('auth')) return false
  if (headers['x-requested-with'] !== undefined) return false
  const accept = accepts(req)
  // Clients that do not accept JSON at all get a line of text, as they always have.
  if (mode === undefined && accept.type('application/json') === false) return false
  return accept.type(['application/json', 'text/html']) === 'text/html'
}

/** Sends the page, compressed if the client accepts that; 304 if the browser has it. */
function send({ method, req, res }: Exchange, { bytes, etag, gzip }: CompiledShell, status: number): void {
  for (const [name, value] of Object.entries(pageHeaders)) res.setHeader(name, value)
  addVary(res, 'Accept-Encoding')
  if (status !== 200) res.setHeader('Cache-Control', 'no-store')
  else {
    res.setHeader('Cache-Control', 'no-cache')
    res.setHeader('ETag', `W/"${etag}"`)
    if (matchesETag(req.headers['if-none-match'], `"${etag}"`)) return void res.writeHead(304).end()
  }
  const isCompressed = accepts(req).encoding(['gzip', 'identity']) === 'gzip'
  if (isCompressed) res.setHeader('Content-Encoding', 'gzip')
  const body = isCompressed ? gzip : bytes
  res.setHeader('Content-Type', 'text/html; charset=utf-8')
  res.setHeader('Content-Length', body.length)
  res.writeHead(status).end(method === 'HEAD' ? undefined : body)
}

function addVary(res: Exchange['res'], name: string): void {
  const current = String(res.getHeader('Vary') ?? '')
  if (!current.split(', ').includes(name))
    res.setHeader('Vary', current === '' ? name : `${current}, ${name}`)
}
