/**
 * The page that browsers get where other clients get JSON: at the root, at the root of an account, where there is nothing, and
 * where an app has sent somebody by mistake. (docs/spec/service-information.md#pages-at-other-addresses)
 */
import { gzipSync } from 'node:zlib'
import accepts from 'accepts'
import type { Config } from '../../../core/settings/config.js'
import { isListed } from '../answer/conditional.js'
import { setMissing, type Headers } from '../answer/headers.js'
import type { Exchange } from '../exchange.js'
import { deepest as deepestKept, etagOf, pageHeaders } from './page-headers.js'
import type { StaticFile } from './static.js'

/** Most slashes in an address at which there is a page. */
const deepest = 64

export interface Front {
  /**
   * Answers with the page if a browser asks, and returns whether it has. Whoever asks, the answer then says that it
   * depends on `Accept`. `status`: 200, or that of an error: 404 where there is nothing.
   */
  answers(exchange: Exchange, status: number): boolean
}

/** User names, whether anybody has them or not. */
const nameLike = /^[a-z0-9][a-z0-9-]{3,58}[a-z0-9]$/i

/**
 * The status of the page for what is below the root of an account. It tells nothing of the account: the same for any name.
 */
export function statusBelow(user: string, segments: readonly string[]): 200 | 404 {
  return segments.length === 0 && nameLike.test(user) ? 200 : 404
}

/** Returns the page of a service; one that never answers if the pages have not been built. */
export function createFront(config: Config, files: ReadonlyMap<string, StaticFile>): Front {
  const shell = files.get('index.html')
  const shells = new Map<string, Shell>()
  const shellAt = (file: StaticFile, depth: number, isNowhere: boolean): Shell => {
    const key = `${depth} ${isNowhere}`
    const made = shells.get(key) ?? shellOf(file, depth, isNowhere)
    if (depth <= deepestKept) shells.set(key, made)
    return made
  }
  return {
    answers(exchange, status) {
      const { res, state } = exchange
      if (shell === undefined || (exchange.method !== 'GET' && exchange.method !== 'HEAD')) return false
      state.headers = varying(state.headers)
      setMissing(res, state.headers)
      addVary(res, 'Accept')
      const depth = depthOf(addressIn(exchange))
      if (depth > deepest || !isBrowser(exchange)) return false
      if (isBelowDomain(exchange, config)) {
        // Only the public host serves everything that the page calls.
        res.writeHead(302, { Location: `${config.publicUrl}/`, 'Content-Length': '0' }).end()
        return true
      }
      send(exchange, shellAt(shell, depth, status !== 200), status)
      return true
    }
  }
}

interface Shell {
  readonly bytes: Buffer
  readonly gzip: Buffer
  readonly etag: string
}

/**
 * The shell with addresses of its files that are right so many folders below the root. `isNowhere`: whether there is nothing at
 * the address, whatever it looks like.
 */
function shellOf({ bytes }: StaticFile, depth: number, isNowhere: boolean): Shell {
  const up = `${'../'.repeat(depth)}access/`
  const text = bytes
    .toString()
    .replaceAll(/(href|src)="\.\//g, `$1="${depth === 0 ? './' : ''}${up}`)
    .replace('<div id="page"', isNowhere ? '$& data-nowhere' : '$&')
  const lowered = Buffer.from(text)
  return { bytes: lowered, gzip: gzipSync(lowered), etag: etagOf(lowered, depth) }
}

/** The address as the browser knows it: Koa changes that of the request when its path is set. */
function addressIn({ originalUrl, req }: Exchange & { readonly originalUrl?: string }): string {
  return originalUrl ?? req.url ?? '/'
}

/** The headers of every answer, which says that it depends on `Accept`. */
function varying(headers: Headers): Headers {
  return headers.map((text, index) =>
    headers[index - 1] === 'Vary' && index % 2 === 1 ? `${text}, Accept` : text
  )
}

/** Folders between the root and a path, as browsers count them. */
function depthOf(url: string): number {
  const [path = '/'] = url.split('?', 1)
  return path.startsWith('/') ? path.split('/').length - 2 : deepest + 1
}

/**
 * Whether somebody looks at the address in a browser: it prefers HTML to JSON, and neither a script nor a call with a token
 * asks.
 */
export function isBrowser({ req, state }: Exchange): boolean {
  const { headers } = req
  const mode = headers['sec-fetch-mode']
  if (headers.accept === undefined || (mode !== undefined && mode !== 'navigate')) return false
  if (headers.authorization !== undefined || state.address.query.has('auth')) return false
  if (headers['x-requested-with'] !== undefined) return false
  const accept = accepts(req)
  // Whoever takes no JSON at all gets the line of text that such clients have always got.
  if (mode === undefined && accept.type('application/json') === false) return false
  return accept.type(['application/json', 'text/html']) === 'text/html'
}

function isBelowDomain({ req }: Exchange, { domain, publicUrl }: Config): boolean {
  const host = (req.headers.host ?? '').toLowerCase().replace(/\.?(?::\d*)?$/, '')
  return domain !== '' && host.endsWith(`.${domain}`) && host !== new URL(publicUrl).hostname
}

function send({ method, req, res }: Exchange, { bytes, etag, gzip }: Shell, status: number): void {
  for (const [name, value] of Object.entries(pageHeaders)) res.setHeader(name, value)
  addVary(res, 'Accept-Encoding')
  if (status !== 200) res.setHeader('Cache-Control', 'no-store')
  else {
    res.setHeader('Cache-Control', 'no-cache')
    res.setHeader('ETag', `W/"${etag}"`)
    if (isListed(req.headers['if-none-match'], `"${etag}"`)) return void res.writeHead(304).end()
  }
  const isCompressed = accepts(req).encoding(['gzip', 'identity']) === 'gzip'
  if (isCompressed) res.setHeader('Content-Encoding', 'gzip')
  const body = isCompressed ? gzip : bytes
  res.setHeader('Content-Type', 'text/html; charset=utf-8')
  res.setHeader('Content-Length', body.length)
  res.writeHead(status).end(method === 'HEAD' ? undefined : body)
}

function addVary(res: Exchange['res'], name: string): void {
  const present = String(res.getHeader('Vary') ?? '')
  if (!present.split(', ').includes(name))
    res.setHeader('Vary', present === '' ? name : `${present}, ${name}`)
}
