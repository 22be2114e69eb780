/**
 * Serves the OpenAPI document, a page to browse it that loads nothing from other hosts, and the pages on how to
 * connect apps. (docs/connect.md)
 */
import { createReadStream, existsSync, statSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { gzipSync } from 'node:zlib'
import type { Router } from '@koa/router'
import type { Dispatcher } from '../../../core/call/dispatcher.js'
import { fail } from '../../../core/errors.js'
import { packageDirectory } from '../../../core/version.js'
import { buildOpenApiDocument } from '../../openapi/document.js'
import { readExamples } from '../../openapi/examples.js'
import type { PageContext, ExchangeState } from '../exchange.js'
import { serviceRoutes, userRoutes } from '../routes.js'
import { readFiles, replyFile, type StaticFile } from './static.js'

/** Files of Swagger UI that the page loads. */
const viewerFiles: ReadonlyMap<string, string> = new Map([
  ['swagger-ui.css', 'text/css; charset=utf-8'],
  ['swagger-ui-bundle.js', 'text/javascript; charset=utf-8']
])

const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "base-uri 'none'"
].join('; ')

const page = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="color-scheme" content="light dark">
    <title>API</title>
    <link rel="icon" href="../favicon.ico">
    <link rel="stylesheet" href="swagger-ui.css">
    <link rel="stylesheet" href="narrow.css">
  </head>
  <body>
    <div id="api"></div>
    <noscript>
      <p>This page needs JavaScript. Without it, read <a href="openapi.json">the description itself</a>.</p>
    </noscript>
    <script src="swagger-ui-bundle.js"></script>
    <script src="start.js"></script>
  </body>
</html>
`

const startScript = `const dark = matchMedia('(prefers-color-scheme: dark)')
const follow = () => document.documentElement.classList.toggle('dark-mode', dark.matches)
follow()
dark.addEventListener('change', follow)
SwaggerUIBundle({
  url: 'openapi.json',
  dom_id: '#api',
  deepLinking: true,
  docExpansion: 'none',
  filter: true,
  validatorUrl: null
})
`

/** Styles for narrow screens, on which the viewer would still put names and descriptions side by side. */
const narrowStyles = `@media (max-width: 40rem) {
  .swagger-ui .opblock-tag {
    flex-wrap: wrap;
    font-size: 1.15rem;
  }
  .swagger-ui .opblock-tag small {
    order: 1;
    flex: 1 0 100%;
    padding: 0;
  }
  .swagger-ui .opblock .opblock-summary {
    flex-wrap: wrap;
  }
}
`

/** Adds the routes below `/docs`. The document is built on the first request. */
export function addDocsRoutes(router: Router<ExchangeState>, { services, definitions }: Dispatcher): void {
  let document: { readonly text: string; readonly gzip: Buffer } | undefined
  router.get('/docs', ctx => {
    // The page loads relative URLs, so its own must end in a slash.
    if (!/^[^?]*\/(?:\?|$)/.test(ctx.originalUrl)) return redirectToDocs(ctx)
    return send(ctx, 'text/html; charset=utf-8', page)
  })
  router.get('/docs/start.js', ctx => send(ctx, 'text/javascript; charset=utf-8', startScript))
  router.get('/docs/narrow.css', ctx => send(ctx, 'text/css; charset=utf-8', narrowStyles))
  router.get('/docs/openapi.json', ctx => {
    document ??= compress(
      JSON.stringify(
        buildOpenApiDocument({
          config: services.config,
          definitions,
          examples: readExamples(),
          serviceRoutes,
          userRoutes
        })
      )
    )
    return send(ctx, 'application/json; charset=utf-8', acceptsGzip(ctx) ? document.gzip : document.text)
  })
  router.get('/docs/:file', ctx => {
    const name = ctx.params['file'] ?? ''
    const type = viewerFiles.get(name) ?? fail('unknown-resource', 'File not found')
    const compressed = join(packageDirectory, 'dist', 'viewer', `${name}.gz`)
    const path = existsSync(compressed) && acceptsGzip(ctx) ? compressed : join(viewerDirectory(), name)
    ctx.set('Content-Length', String(statSync(path).size))
    // Large and rarely requested: streamed rather than kept in memory.
    return send(ctx, type, createReadStream(path))
  })
}

function viewerDirectory(): string {
  return dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'))
}

function compress(text: string): { readonly text: string; readonly gzip: Buffer } {
  return { text, gzip: gzipSync(text, { level: 9 }) }
}

/** Returns whether the response is to be compressed; if so, says so in its headers. */
function acceptsGzip(ctx: PageContext): boolean {
  ctx.vary('Accept-Encoding')
  const isAccepted = ctx.acceptsEncodings('gzip', 'identity') === 'gzip'
  if (isAccepted) ctx.set('Content-Encoding', 'gzip')
  return isAccepted
}

function redirectToDocs(ctx: PageContext): void {
  ctx.status = 302
  ctx.set('Location', 'docs/')
  ctx.body = ''
}

function send(ctx: PageContext, type: string, body: string | Buffer | NodeJS.ReadableStream): void {
  setHeaders(ctx, policy)
  ctx.type = type
  ctx.body = body
}

function setHeaders(ctx: PageContext, contentPolicy: string): void {
  ctx.set('Content-Security-Policy', contentPolicy)
  ctx.set('Referrer-Policy', 'no-referrer')
  ctx.set('X-Frame-Options', 'DENY')
  ctx.set('Cache-Control', 'public, max-age=600')
}

// Drawings have styles of their own.
const guidePolicy =
  "default-src 'none'; style-src 'self' 'unsafe-inline'; img-src 'self'; form-action 'none'; frame-ancestors 'none'; base-uri 'none'"

/** Adds the routes below `/docs/connect`. The pages are read on the first request. */
export function addGuideRoutes(router: Router<ExchangeState>): void {
  let files: ReadonlyMap<string, StaticFile> | undefined
  const replyGuide = (ctx: PageContext, name: string): void => {
    files ??= readFiles(join(packageDirectory, 'dist', 'guides'))
    replyFile(ctx, files.get(name) ?? fail('unknown-resource', 'File not found'))
    setHeaders(ctx, guidePolicy)
  }
  router.get('/docs/connect', ctx => {
    // The page loads relative URLs, so its own must end in a slash.
    if (/^[^?]*\/(?:\?|$)/.test(ctx.originalUrl)) return replyGuide(ctx, 'index.html')
    ctx.status = 302
    ctx.set('Location', 'connect/')
    ctx.body = ''
  })
  router.get('/docs/connect/images/:file', ctx => replyGuide(ctx, `images/${ctx.params['file'] ?? ''}`))
  router.get('/docs/connect/style.css', ctx => replyGuide(ctx, 'style.css'))
  router.get('/docs/connect/:page', ctx => replyGuide(ctx, `${ctx.params['page'] ?? ''}.html`))
}
