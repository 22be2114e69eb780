/**
 * The service worker of the app. It caches the files of one build, and no data, so that the app rather than the browser can report
 * that the service is unreachable. It also shows notifications. (docs/app.md#offline; docs/api/channels.md)
 */
declare const self: ServiceWorkerGlobalScope

/** Inserted by the build. */
declare const BUILD: {
  /** Changes if any of the files changes. */
  readonly version: string
  /** The entry script of the shell. */
  readonly main: string
  /** All files of the app except the shell, relative to it. Their names contain a hash of their content. */
  readonly files: readonly string[]
}

const { version, main, files: paths } = BUILD

/** Milliseconds to wait for the service before the cached shell is shown. */
const timeoutMs = 4000

/** URL of the app and of its shell. */
const { scope } = self.registration
/** Prefix of the names of our caches. Another service may have the same origin, at another path. */
const cachePrefix = `coffer ${new URL(scope).pathname} `
const cacheName = cachePrefix + version
/** Options for lookups. Opening a cache would recreate it after a newer worker has deleted it. */
const matchOptions = { cacheName, ignoreVary: true }
const files: ReadonlySet<string> = new Set(paths.map(file => new URL(file, scope).href))

self.addEventListener('install', event => event.waitUntil(cacheFiles()))
self.addEventListener('activate', event => event.waitUntil(deleteOldCaches()))
self.addEventListener('message', event => {
  // A page of another build, such as one from the cache, still needs the files of that.
  if (String(event.data).endsWith(main)) event.waitUntil(takeOver())
})
self.addEventListener('push', event => {
  const message = readMessage(event.data)
  if (message) event.waitUntil(show(message))
})
self.addEventListener('notificationclick', event => {
  const { action, notification } = event
  notification.close()
  const { actions = [], page } = notification.data as PushedMessage
  const chosen = actions.find(({ id }) => id === action)
  event.waitUntil(open(chosen ? chosen.page : page))
})
self.addEventListener('fetch', event => {
  const { request } = event
  if (request.method !== 'GET') return
  if (request.mode === 'navigate') event.respondWith(openPage(request))
  else if (files.has(request.url)) event.respondWith(openFile(request))
  // Other requests, such as calls, are not handled, and their responses are not cached.
})

/** What a notification says (`core/channels/requests.ts`). Paths are relative to the app. */
interface PushedMessage {
  readonly id: string
  readonly title: string
  readonly text: string
  readonly urgency: 'low' | 'normal' | 'high'
  readonly page?: string
  readonly actions?: readonly { readonly id: string; readonly title: string; readonly page: string }[]
}

/** Reads a message, which only the service can send; `undefined` for one of another version. */
function readMessage(data: PushMessageData | null): PushedMessage | undefined {
  try {
    const message = data?.json() as PushedMessage | undefined
    return typeof message?.title === 'string' ? message : undefined
  } catch {
    return undefined
  }
}

/** Shows a pushed message as a notification. */
async function show(message: PushedMessage): Promise<void> {
  const { actions = [], id, text, title, urgency } = message
  const options = {
    body: text,
    // A message that arrives twice is shown once.
    tag: id,
    data: message,
    icon: new URL('../www/assets/icon-192.png', scope).href,
    requireInteraction: urgency === 'high',
    silent: urgency === 'low',
    actions: actions.map(each => ({ action: each.id, title: each.title }))
  }
  await self.registration.showNotification(title, options)
}

/** Shows a page of the app, in a window that is open already if there is one. */
async function open(page = ''): Promise<void> {
  const url = new URL(page, scope).href
  if (!url.startsWith(scope)) return
  const windows = await self.clients.matchAll({ type: 'window' })
  const client = windows.find(each => each.url.startsWith(scope))
  if (!client) return void (await self.clients.openWindow(url))
  await client.navigate(url)
  await client.focus()
}

/** Caches the files. Rejects if the service has a newer version; the browser tries again later. */
async function cacheFiles(): Promise<void> {
  const cache = await caches.open(cacheName)
  const shell = await fetch(scope, { cache: 'no-cache', credentials: 'omit' })
  const text = await shell.clone().text()
  if (!shell.ok || !text.includes(main)) throw new Error('The service has a newer version')
  await cache.addAll([...files].map(file => new Request(file, { credentials: 'omit' })))
  await cache.put(scope, shell)
}

async function deleteOldCaches(): Promise<void> {
  const names = await caches.keys()
  const older = names.filter(name => name.startsWith(cachePrefix) && name !== cacheName)
  await Promise.all(older.map(async name => await caches.delete(name)))
  await self.clients.claim()
}

async function openFile(request: Request): Promise<Response> {
  return (await caches.match(request, matchOptions)) ?? (await fetch(request))
}

/** Returns the page from the service, or the cached shell if it does not respond in time. */
async function openPage(request: Request): Promise<Response> {
  const responsePromise = fetch(request)
  const response = await Promise.race([responsePromise.catch(() => undefined), delay(timeoutMs)])
  // A status of 500 or more may come from a proxy whose service is down.
  if (response && response.status < 500) return response
  return (await readCachedShell()) ?? (await responsePromise)
}

/** Returns the cached shell with absolute URLs, because it can be shown at any path. */
async function readCachedShell(): Promise<Response | undefined> {
  const shell = await caches.match(scope, matchOptions)
  if (!shell) return undefined
  const text = (await shell.text()).replaceAll(/(href|src)="\.\//g, `$1="${new URL(scope).pathname}`)
  const headers = new Headers(shell.headers)
  for (const name of ['Content-Encoding', 'Content-Length', 'ETag']) headers.delete(name)
  return new Response(text, { headers })
}

/**
 * Activates this worker in place of the worker of an older build, unless other pages still need files of that build. The
 * page that asks has loaded: browsers may never finish loading one whose worker is replaced.
 */
async function takeOver(): Promise<void> {
  const pages = await self.clients.matchAll({ type: 'window', includeUncontrolled: true })
  if (pages.length <= 1) await self.skipWaiting()
}

async function delay(milliseconds: number): Promise<undefined> {
  return await new Promise(resolve => setTimeout(resolve, milliseconds, undefined))
}
