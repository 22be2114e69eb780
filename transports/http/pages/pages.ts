/** The web pages on which people sign in, and those on which they see their data. (docs/spec/service-information.md#pages) */
import type { Router } from '@koa/router'
import type { Config } from '../../../core/settings/config.js'
import { fail } from '../../../core/errors.js'
import { getPageFacts } from '../../../core/settings/page-facts.js'
import type { Http, State } from '../exchange.js'
import type { StaticFile } from './static.js'
import { pageNames } from '../request/page-names.js'
import { commonPolicy, deepest, etagOf, pagePolicy } from './page-headers.js'

/** For the app also files and pictures that it has read with its session, its manifest, and the worker that keeps its shell. */
const appPolicy = [
  ...commonPolicy,
  "img-src 'self' data: blob:",
  'media-src blob:',
  "manifest-src 'self'",
  "worker-src 'self'",
  'trusted-types coffer-worker'
].join('; ')
/** Pages that are in the app unless an app asks for something: where they lead, from below `access/`. */
const inApp: Readonly<Record<string, string>> = {
  'access.html': '../app/account',
  'signinhub.html': '../app/account',
  'change-password.html': '../app/account/password',
  'register.html': '../app/?register'
}
/** Files of the app whose names carry no hash of their content. */
const appFiles = ['manifest.webmanifest', 'worker.js']

/**
 * Adds the routes of the pages, which must precede routes with a key in the same place. `files`: the built pages, by
 * path.
 */
export function addPages(
  router: Router<State>,
  config: Config,
  files: ReadonlyMap<string, StaticFile>
): void {
  const shell = files.get('index.html')
  if (!shell) return
  const etag = weak(etagOf(shell.bytes))
  for (const name of pageNames) {
    const publicPage = `${config.publicUrl}/access/${name}`
    router.get(`/access/${name}`, ctx => {
      if (isBelowDomain(ctx, config)) return redirect(ctx, publicPage)
      if (hasSlash(ctx)) return redirect(ctx, name)
      const elsewhere = inApp[name]
      if (elsewhere !== undefined && !namesRequest(ctx)) return redirect(ctx, elsewhere)
      ctx.set('Cache-Control', 'no-cache')
      return send(ctx, shell, etag)
    })
    router.get(`/${name}`, ctx => redirect(ctx, isBelowDomain(ctx, config) ? publicPage : `access/${name}`))
    for (const path of [`/reg/${name}`, `/reg/access/${name}`])
      router.get(path, ctx => redirect(ctx, publicPage))
  }
  const facts = `${JSON.stringify(getPageFacts(config))}\n`
  router.get('/access/facts.json', ctx => {
    ctx.set('Cache-Control', 'no-cache')
    ctx.type = 'application/json; charset=utf-8'
    ctx.body = facts
  })
  router.get('/auth', ctx => redirect(ctx, 'access/access.html'))
  for (const page of ['access', 'app'])
    router.get(`/${page}/assets/:file`, ctx => {
      const path = `assets/${ctx.params['file'] ?? ''}`
      const file = files.get(path) ?? fail('unknown-resource', 'File not found')
      // File names contain a content hash.
      ctx.set('Cache-Control', 'public, max-age=31536000, immutable')
      return send(ctx, file, `"${path}"`)
    })
  addApp(router, config, files)
  addOperatorPage(router, config, files)
}

/** Adds the app: one page at every address below `/app/`, which reads its state from the address. */
function addApp(router: Router<State>, config: Config, files: ReadonlyMap<string, StaticFile>): void {
  const shell = files.get('app.html')
  if (!shell) return
  for (const name of appFiles) {
    const file = files.get(name)
    if (!file) continue
    const etag = weak(etagOf(file.bytes))
    router.get(`/app/${name}`, ctx => {
      ctx.set('Cache-Control', 'no-cache')
      return send(ctx, file, etag, appPolicy)
    })
  }
  const shells = new Map<number, { readonly file: StaticFile; readonly etag: string }>()
  const shellAt = (depth: number) => {
    const known = shells.get(depth)
    if (known) return known
    const made = { file: lowered(shell, depth), etag: weak(etagOf(shell.bytes, depth)) }
    shells.set(depth, made)
    return made
  }
  router.get('/app', ctx => {
    const isLow = isBelowDomain(ctx, config)
    if (isLow || !hasSlash(ctx)) return redirect(ctx, isLow ? `${config.publicUrl}/app/` : 'app/')
    return showApp(ctx, shellAt(0))
  })
  router.get('/app/{*path}', ctx => {
    if (isBelowDomain(ctx, config)) return redirect(ctx, `${config.publicUrl}${ctx.path}`)
    const [path = ''] = ctx.originalUrl.split('?')
    // Names of streams and the like may be those of the app.
    const depth = path.slice(path.indexOf('/app/') + '/app/'.length).split('/').length - 1
    if (depth > deepest) fail('unknown-resource', 'Nothing found at this path')
    return showApp(ctx, shellAt(depth))
  })
}

/** Adds the page of operators. It has no secrets: what it shows, it asks for. (docs/spec/administration.md#operators) */
function addOperatorPage(
  router: Router<State>,
  config: Config,
  files: ReadonlyMap<string, StaticFile>
): void {
  const built = files.get('operator.html')
  if (!built) return
  const text = built.bytes.toString().replaceAll(/(href|src)="\.\//g, '$1="./app/')
  const page = { type: built.type, bytes: Buffer.from(text) }
  const etag = weak(etagOf(page.bytes))
  router.get('/operator', ctx => {
    if (isBelowDomain(ctx, config)) return redirect(ctx, `${config.publicUrl}/operator`)
    if (hasSlash(ctx)) return redirect(ctx, 'operator')
    ctx.set('Cache-Control', 'no-cache')
    return send(ctx, page, etag)
  })
}

function showApp(ctx: Http, { file, etag }: { readonly file: StaticFile; readonly etag: string }): void {
  ctx.set('Cache-Control', 'no-cache')
  send(ctx, file, etag, appPolicy)
}

/** The shell for an address that lies deeper: its files are named relatively, since a proxy may serve us below a path. */
function lowered({ type, bytes }: StaticFile, depth: number): StaticFile {
  const up = '../'.repeat(depth)
  const text = bytes.toString().replaceAll(/(href|src)="\.\//g, `$1="${up === '' ? './' : up}`)
  return { type, bytes: Buffer.from(text) }
}

function weak(tag: string): string {
  return `W/"${tag}"`
}

/** Whether the host is that of a user or a service. Only the public host serves everything that the pages call. */
function isBelowDomain(ctx: Http, { domain, publicUrl }: Config): boolean {
  const host = ctx.hostname.replace(/\.$/, '')
  return domain !== '' && host.endsWith(`.${domain}`) && host !== new URL(publicUrl).hostname
}

/** Whether the path ends in a slash. Browsers resolve relative URLs differently then. */
function hasSlash({ originalUrl }: Http): boolean {
  return originalUrl.split('?')[0]!.endsWith('/')
}

/** Whether the address names the request of an app. (docs/spec/app-authorization.md#the-page) */
function namesRequest({ search }: Http): boolean {
  const params = new URLSearchParams(search)
  return ['key', 'poll', 'pollUrl'].some(name => params.get(name))
}

/** Redirects the browser, keeping the query. Relative if possible, since a proxy may serve us below a path. */
function redirect(ctx: Http, to: string): void {
  const up = hasSlash(ctx) && !to.includes('://') ? '../' : ''
  const query = to.includes('?') ? ctx.search.replace('?', '&') : ctx.search
  ctx.status = 302
  ctx.set('Location', up + to + query)
  ctx.body = ''
}

function send(ctx: Http, { type, bytes, gzip }: StaticFile, etag: string, csp = pagePolicy): void {
  ctx.set('Content-Security-Policy', csp)
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
