/** Serves the pages on how to connect apps, which are built from the documentation. (docs/connect.md) */
import { join } from 'node:path'
import type { Router } from '@koa/router'
import { fail } from '../../../core/errors.js'
import { packageDirectory } from '../../../core/version.js'
import type { ExchangeState, PageContext } from '../exchange.js'
import { readFiles, replyFile, type StaticFile } from './static.js'

// Drawings have styles of their own.
const policy =
  "default-src 'none'; style-src 'self' 'unsafe-inline'; img-src 'self'; form-action 'none'; frame-ancestors 'none'; base-uri 'none'"

/** Adds the routes below `/docs/connect`. The pages are read on the first request. */
export function addGuideRoutes(router: Router<ExchangeState>): void {
  let files: ReadonlyMap<string, StaticFile> | undefined
  const replyGuide = (ctx: PageContext, name: string): void => {
    files ??= readFiles(join(packageDirectory, 'dist', 'guides'))
    replyFile(ctx, files.get(name) ?? fail('unknown-resource', 'File not found'))
    ctx.set('Content-Security-Policy', policy)
    ctx.set('Referrer-Policy', 'no-referrer')
    ctx.set('X-Frame-Options', 'DENY')
    ctx.set('Cache-Control', 'public, max-age=600')
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
