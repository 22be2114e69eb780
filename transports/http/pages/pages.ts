/** The web pages by which people sign in and look after their account. (docs/spec/service-information.md#pages) */
import { createHash } from 'node:crypto'
import type { Router } from '@koa/router'
import type { Config } from '../../../core/settings/config.js'
import { fail } from '../../../core/errors.js'
import { pageFacts } from '../../../core/settings/page-facts.js'
import type { Http, State } from '../exchange.js'
import type { StaticFile } from './static.js'
import { pageNames } from '../request/page-names.js'

/** Nothing from elsewhere, nothing inline, in nobody's frame. */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "form-action 'self'",
  "frame-ancestors 'none'",
  "base-uri 'none'"
].join('; ')

/** Adds the routes of the pages; they come before those with a key in that place. `files`: the built pages, by path. */
export function addPages(
  router: Router<State>,
  config: Config,
  files: ReadonlyMap<string, StaticFile>
): void {
  const shell = files.get('index.html')
  if (!shell) return
  const etag = `W/"${createHash('sha256').update(shell.bytes).digest('base64url')}"`
  for (const name of pageNames) {
    const publicPage = `${config.publicUrl}/access/${name}`
    router.get(`/access/${name}`, ctx => {
      if (isBelowDomain(ctx, config)) return redirect(ctx, publicPage)
      if (hasSlash(ctx)) return redirect(ctx, name)
      ctx.set('Cache-Control', 'no-cache')
      return send(ctx, shell, etag)
    })
    router.get(`/${name}`, ctx => redirect(ctx, isBelowDomain(ctx, config) ? publicPage : `access/${name}`))
    for (const path of [`/reg/${name}`, `/reg/access/${name}`])
      router.get(path, ctx => redirect(ctx, publicPage))
  }
  const facts = `${JSON.stringify(pageFacts(config))}\n`
  router.get('/access/facts.json', ctx => {
    ctx.set('Cache-Control', 'no-cache')
    ctx.type = 'application/json; charset=utf-8'
    ctx.body = facts
  })
  router.get('/auth', ctx => redirect(ctx, 'access/access.html'))
  router.get('/access/assets/:file', ctx => {
    const path = `assets/${ctx.params['file'] ?? ''}`
    // Their names hold a digest of what they are.
    ctx.set('Cache-Control', 'public, max-age=31536000, immutable')
    return send(ctx, files.get(path) ?? fail('unknown-resource', 'There is no such file'), `"${path}"`)
  })
}

/** Hosts below the domain serve one user or service each; what the pages call is only together on the public one. */
function isBelowDomain(ctx: Http, { domain, publicUrl }: Config): boolean {
  return domain !== '' && ctx.hostname.endsWith(`.${domain}`) && ctx.hostname !== new URL(publicUrl).hostname
}

/** Whether the path ends in a slash, which makes it another folder to browsers. */
function hasSlash({ originalUrl }: Http): boolean {
  return originalUrl.split('?')[0]!.endsWith('/')
}

/** Sends the browser on, with the whole query. Relative where it can be: proxies may serve us below a path. */
function redirect(ctx: Http, to: string): void {
  const up = hasSlash(ctx) && !to.includes('://') ? '../' : ''
  ctx.status = 302
  ctx.set('Location', up + to + ctx.search)
  ctx.body = ''
}

function send(ctx: Http, { type, bytes, gzip }: StaticFile, etag: string): void {
  ctx.set('Content-Security-Policy', policy)
  ctx.set('Referrer-Policy', 'no-referrer')
  ctx.set('X-Frame-Options', 'DENY')
  ctx.set('ETag', etag)
  ctx.vary('Accept-Encoding')
  ctx.status = 200
  if (ctx.fresh) {
    ctx.body = ''
    ctx.status = 304
    return
  }
  const isCompressed = gzip !== undefined && ctx.acceptsEncodings('gzip', 'identity') === 'gzip'
  if (isCompressed) ctx.set('Content-Encoding', 'gzip')
  ctx.type = type
  ctx.body = isCompressed ? gzip : bytes
}
