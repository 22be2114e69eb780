/** Serves the sign-in pages, the app and the operators' page. (docs/spec/service-information.md#pages) */
import type { Router } from '@koa/router'
import type { Config } from '../../../core/settings/config.js'
import { fail } from '../../../core/errors.js'
import { getPageFacts } from '../../../core/settings/page-facts.js'
import type { PageContext, ExchangeState } from '../exchange.js'
import type { StaticFile } from './static.js'
import { pageNames } from '../request/page-names.js'
import { commonPolicy, maxDepth, computeETag, isBelowDomain, pagePolicy } from './page-headers.js'

/** The policy of the app, which also permits files and images that it has read, its manifest, and its service worker. */
const appPolicy = [
  ...commonPolicy,
  "img-src 'self' data: blob:",
  'media-src blob:',
  "manifest-src 'self'",
  "worker-src 'self'",
  'trusted-types coffer-worker'
].join('; ')
/** Pages that redirect to the app unless an app has sent the user: the target, relative to `access/`. */
const appPages: Readonly<Record<string, string>> = {
  'access.html': '../app/account',
  'signinhub.html': '../app/account',
  'change-password.html': '../app/account/password',
  'register.html': '../app/?register'
}
/** Files of the app whose names contain no hash of their content. */
const appFiles = ['manifest.webmanifest', 'worker.js']

/**
 * Adds the routes of the pages, which must precede routes with a key at the same position. `files`: the built
 * pages, by path; without any, no routes are added.
 */
export function addPageRoutes(
  router: Router<ExchangeState>,
  config: Config,
  files: ReadonlyMap<string, StaticFile>
): void {
  const shell = files.get('index.html')
  if (!shell) return
  const etag = formatWeakTag(computeETag(shell.bytes))
  for (const name of pageNames) {
    const publicPage = `${config.publicUrl}/access/${name}`
    router.get(`/access/${name}`, ctx => {
      if (isBelowDomain(ctx, config)) return redirect(ctx, publicPage)
      if (hasSlash(ctx)) return redirect(ctx, name)
      const appPage = appPages[name]
      if (appPage !== undefined && !hasAuthRequest(ctx)) return redirect(ctx, appPage)
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

/** Adds the app: one page for all addresses below `/app/`, which reads its state from the address. */
function addApp(router: Router<ExchangeState>, config: Config, files: ReadonlyMap<string, StaticFile>): void {
  const shell = files.get('app.html')
  if (!shell) return
  for (const name of appFiles) {
    const file = files.get(name)
    if (!file) continue
    const etag = formatWeakTag(computeETag(file.bytes))
    router.get(`/app/${name}`, ctx => {
      ctx.set('Cache-Control', 'no-cache')
      return send(ctx, file, etag, appPolicy)
    })
  }
  // The pages for consent that apps open. (docs/api/consent.md#pages)
  for (const name of ['cmc-accept', 'cmc-scope-update'])
    router.get(`/${name}`, ctx =>
      redirect(ctx, `${isBelowDomain(ctx, config) ? `${config.publicUrl}/` : ''}app/${name}`)
    )
  const shells = new Map<number, { readonly file: StaticFile; readonly etag: string }>()
  const getShell = (depth: number) => {
    const cached = shells.get(depth)
    if (cached) return cached
    const compiled = { file: adjustDepth(shell, depth), etag: formatWeakTag(computeETag(shell.bytes, depth)) }
    shells.set(depth, compiled)
    return compiled
  }
  router.get('/app', ctx => {
    const isOnUserHost = isBelowDomain(ctx, config)
    if (isOnUserHost || !hasSlash(ctx))
      return redirect(ctx, isOnUserHost ? `${config.publicUrl}/app/` : 'app/')
    return sendApp(ctx, getShell(0))
  })
  router.get('/app/{*path}', ctx => {
    if (isBelowDomain(ctx, config)) return redirect(ctx, `${config.publicUrl}${ctx.path}`)
    const [path = ''] = ctx.originalUrl.split('?')
    // Names of streams may contain "/app/", too.
    const depth = path.slice(path.indexOf('/app/') + '/app/'.length).split('/').length - 1
    if (depth > maxDepth) fail('unknown-resource', 'Nothing found at this path')
    return sendApp(ctx, getShell(depth))
  })
}

/**
 * Adds the operators' page. The page itself contains no secrets: it requests what it shows.
 * (docs/spec/administration.md#operators)
 */
function addOperatorPage(
  router: Router<ExchangeState>,
  config: Config,
  files: ReadonlyMap<string, StaticFile>
): void {
  const built = files.get('operator.html')
  if (!built) return
  const text = built.bytes.toString().replaceAll(/(href|src)="\.\//g, '$1="./app/')
  const page = { type: built.type, bytes: Buffer.from(text) }
  const etag = formatWeakTag(computeETag(page.bytes))
  router.get('/operator', ctx => {
    if (isBelowDomain(ctx, config)) return redirect(ctx, `${config.publicUrl}/operator`)
    if (hasSlash(ctx)) return redirect(ctx, 'operator')
    ctx.set('Cache-Control', 'no-cache')
    return send(ctx, page, etag)
  })
}

function sendApp(
  ctx: PageContext,
  { file, etag }: { readonly file: StaticFile; readonly etag: string }
): void {
  ctx.set('Cache-Control', 'no-cache')
  send(ctx, file, etag, appPolicy)
}

/** Returns the shell for an address at this depth. Its URLs are relative, since a proxy may serve us below a path. */
function adjustDepth({ type, bytes }: StaticFile, depth: number): StaticFile {
  const up = '../'.repeat(depth)
  const text = bytes.toString().replaceAll(/(href|src)="\.\//g, `$1="${up === '' ? './' : up}`)
  return { type, bytes: Buffer.from(text) }
}

function formatWeakTag(tag: string): string {
  return `W/"${tag}"`
}

/** Returns whether the path ends in a slash, which changes how browsers resolve relative URLs. */
function hasSlash({ originalUrl }: PageContext): boolean {
  return originalUrl.split('?')[0]!.endsWith('/')
}

/** Returns whether the address names an authorisation request. (docs/spec/app-authorization.md#the-page) */
function hasAuthRequest({ search }: PageContext): boolean {
  const params = new URLSearchParams(search)
  return ['key', 'poll', 'pollUrl'].some(name => params.get(name))
}

/** Redirects the browser, and keeps the query. The URL is relative if possible, since a proxy may serve us below a path. */
function redirect(ctx: PageContext, target: string): void {
  const up = hasSlash(ctx) && !target.includes('://') ? '../' : ''
  const query = target.includes('?') ? ctx.search.replace('?', '&') : ctx.search
  ctx.status = 302
  ctx.set('Location', up + target + query)
  ctx.body = ''
}

/** Sends a static file with the headers of pages; 304 if the browser has it. */
function send(ctx: PageContext, { type, bytes, gzip }: StaticFile, etag: string, csp = pagePolicy): void {
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
