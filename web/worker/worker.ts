/**
 * The service worker of the app. It keeps the files of one build, and no data: with them the app can say that the service cannot be
 * reached, instead of the browser. (docs/app.md#offline)
 */
declare const self: ServiceWorkerGlobalScope

/** Put in place by the build. */
declare const BUILD: {
  /** Differs if any of the files does. */
  readonly version: string
  /** The script that the shell begins with. */
  readonly main: string
  /** All files of the app but the shell, relative to it. Their names carry a hash of their content. */
  readonly files: readonly string[]
}

const { version, main, files: paths } = BUILD

/** For how long the service may take to answer before the kept shell is shown instead, in milliseconds. */
const patience = 4000

/** Where the app is, also the URL of its shell. */
const { scope } = self.registration
/** Begins the names of our caches. Another service may have the same origin, at another path. */
const family = `coffer ${new URL(scope).pathname} `
const cacheName = family + version
/** Where to look. Opening a cache would create it again after a newer worker has dropped it. */
const kept = { cacheName, ignoreVary: true }
const files: ReadonlySet<string> = new Set(paths.map(file => new URL(file, scope).href))

self.addEventListener('install', event => event.waitUntil(keepFiles()))
self.addEventListener('activate', event => event.waitUntil(dropOlder()))
self.addEventListener('message', ({ data }) => {
  if (data === 'take over') void self.skipWaiting()
})
self.addEventListener('fetch', event => {
  const { request } = event
  if (request.method !== 'GET') return
  if (request.mode === 'navigate') event.respondWith(openPage(request))
  else if (files.has(request.url)) event.respondWith(openFile(request))
  // Everything else is none of our business: calls go to the service, and their answers are not kept.
})

/** Rejects if the service has another version by now; the browser tries again later. */
async function keepFiles(): Promise<void> {
  const cache = await caches.open(cacheName)
  const shell = await fetch(scope, { cache: 'no-cache', credentials: 'omit' })
  const text = await shell.clone().text()
  if (!shell.ok || !text.includes(main)) throw new Error('The service has another version by now')
  await cache.addAll([...files].map(file => new Request(file, { credentials: 'omit' })))
  await cache.put(scope, shell)
}

async function dropOlder(): Promise<void> {
  const names = await caches.keys()
  const older = names.filter(name => name.startsWith(family) && name !== cacheName)
  await Promise.all(older.map(async name => await caches.delete(name)))
  await self.clients.claim()
}

async function openFile(request: Request): Promise<Response> {
  return (await caches.match(request, kept)) ?? (await fetch(request))
}

/** The page from the service, or the kept shell if it does not answer in time. */
async function openPage(request: Request): Promise<Response> {
  const asked = fetch(request)
  const answer = await Promise.race([asked.catch(() => undefined), later(patience)])
  // A proxy answers for a service that has stopped.
  if (answer && answer.status < 500) {
    await giveWay()
    return answer
  }
  return (await keptShell()) ?? (await asked)
}

/** The shell names its files relatively; it is shown at any depth. */
async function keptShell(): Promise<Response | undefined> {
  const shell = await caches.match(scope, kept)
  if (!shell) return undefined
  const text = (await shell.text()).replaceAll(/(href|src)="\.\//g, `$1="${new URL(scope).pathname}`)
  const headers = new Headers(shell.headers)
  for (const name of ['Content-Encoding', 'Content-Length', 'ETag']) headers.delete(name)
  return new Response(text, { headers })
}

/** Lets the worker of a newer build take over, unless other pages still need files of this one. */
async function giveWay(): Promise<void> {
  const { waiting } = self.registration
  if (!waiting) return
  const pages = await self.clients.matchAll({ type: 'window' })
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- workers have no such argument
  if (pages.length <= 1) waiting.postMessage('take over')
}

async function later(milliseconds: number): Promise<undefined> {
  return await new Promise(resolve => setTimeout(resolve, milliseconds, undefined))
}
