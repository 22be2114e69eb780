/** A real Chromium, shared by the tests of a process, and helpers that visit pages with it. */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { chromium, type Browser, type BrowserContextOptions, type Page } from 'playwright-core'
import type { Test } from 'tap'
import { packageDirectory } from '../../core/version.js'
import { findChromium } from '../../scripts/dev/chromium.js'
import { ends } from './ends.js'

/** Where screenshots of the pages are saved for review. */
export const pictures = join(packageDirectory, '.test-output', 'pages')

/** Only files that run by themselves save screenshots: these take longer than the checks. */
export const leavesPictures = !ends.all

/** Timeout for what a test expects, in milliseconds: machines may be busy. */
const patience = 60_000

const flags = [
  '--no-sandbox',
  '--disable-gpu',
  // A process less: it takes a fifteenth of the time of opening a page.
  '--in-process-gpu',
  '--disable-quic',
  '--disable-dev-shm-usage',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  // Pages are left before their scripts run often enough to be worth optimizing: that takes a fifth of a renderer's time.
  // There is room for what a page allocates until it is left: it need not be collected.
  '--js-flags=--no-sparkplug --no-maglev --no-turbofan --min-semi-space-size=16 --max-semi-space-size=32',
  // Another process less. The library enables the other feature, and its list is replaced.
  '--enable-features=NetworkServiceInProcess2,CDPScreenshotNewSurface',
  // Foreign pages may load external resources: refuse these immediately rather than after a DNS timeout.
  '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE [::1], EXCLUDE localhost, EXCLUDE *.localhost'
]

/**
 * Without pixels: no tile of a page has memory, so none is rasterized: that takes a fifth of the CPU time of opening a page. Sizes, clicks and canvases are
 * as usual, but screenshots are blank: only files that run by themselves save some.
 */
const withoutPixels = '--force-gpu-mem-available-mb=0'

/** Options of each context. Animations would be rendered sixty times a second. */
const defaults: BrowserContextOptions = {
  locale: 'en-GB',
  reducedMotion: 'reduce',
  serviceWorkers: 'block',
  viewport: { width: 1280, height: 800 }
}

/** The browser that the files of this process share. */
let shared: Browser | undefined

/** Events of a page that tests listen to. */
const events =
  'console dialog download framenavigated load pageerror popup request requestfailed requestfinished response websocket'
/** Maximum number of pages that wait for their next visit. */
const maxParked = 4
/** A visit of a page that {@link leave} can end: which later visits the page is fit for, and what happens at the end. */
interface Visit {
  readonly kind: string
  onLeave?: () => void
  /** What sets its time. */
  time?: AsyncDisposable
}
const visits = new WeakMap<Page, Visit>()
/** Pages that were left, with the kind of visits they are fit for; the oldest first. */
const parked: { readonly kind: string; readonly page: Page }[] = []

/**
 * Starts the browser, unless another file of the process has; the test's teardown closes what was opened in it. Throws
 * if there is no browser: pages that no test opens may be broken.
 */
export async function startBrowser(t: Test): Promise<Browser> {
  const browser = shared?.isConnected() === true ? shared : await launch()
  if (!ends.all) {
    t.teardown(() => browser.close())
    return browser
  }
  if (browser !== shared) ends.all.push(() => browser.close())
  shared = browser
  const before = new Set(browser.contexts())
  t.teardown(async () => {
    const waiting = new Set(parked.map(({ page }) => page.context()))
    for (const context of browser.contexts())
      if (!before.has(context) && !waiting.has(context)) await context.close()
  })
  return browser
}

async function launch(): Promise<Browser> {
  mkdirSync(pictures, { recursive: true })
  const executablePath = findChromium()
  if (executablePath === undefined)
    throw new Error('This test needs Chromium: install it, or set CHROMIUM to its path')
  const args = leavesPictures ? flags : [...flags, withoutPixels]
  return await chromium.launch({ executablePath, args, timeout: 60_000 })
}

/**
 * Collects a page's problems: exceptions, violations of its content security policy, requests to other origins. These take a twentieth
 * of the time of opening a page: files that share a process leave them to the policy, which allows none.
 */
export class Watch {
  readonly troubles: string[] = []

  constructor(
    readonly page: Page,
    origin: string
  ) {
    page.on('pageerror', error => this.troubles.push(error.message))
    page.on('console', message => {
      if (/Content Security Policy/i.test(message.text())) this.troubles.push(message.text())
    })
    if (ends.all) return
    page.on('request', request => {
      const url = request.url()
      if (!url.startsWith(`${origin}/`) && !/^(?:blob|data):/.test(url)) this.troubles.push(`asked ${url}`)
    })
  }
}

/**
 * Opens a page in a browser context without any data; without a service worker unless `options` allow it. The page may be one that
 * {@link leave} has emptied, opened with the same options but for its size: a new context takes a third of the time of a visit.
 */
export async function visit(browser: Browser, options: BrowserContextOptions = {}): Promise<Page> {
  const { viewport, ...others } = { ...defaults, ...options }
  const kind = JSON.stringify(others)
  const at = parked.findLastIndex(each => each.kind === kind)
  const [waiting] = at === -1 ? [] : parked.splice(at, 1)
  if (waiting && !waiting.page.isClosed() && waiting.page.context().browser() === browser) {
    const { page } = waiting
    visits.set(page, { kind })
    const size = page.viewportSize()
    if (viewport && (viewport.width !== size?.width || viewport.height !== size.height))
      await page.setViewportSize(viewport)
    return page
  }
  const context = await browser.newContext({ ...defaults, ...options })
  context.setDefaultTimeout(patience)
  const page = await context.newPage()
  if (options.serviceWorkers !== 'allow') visits.set(page, { kind })
  return page
}

/** Run in the page: empties its session's storage, and returns whether the media that it is shown on are as at first. */
const emptyStorage = `sessionStorage.clear(),
  ['screen', '(prefers-color-scheme: light)', '(prefers-reduced-motion: reduce)', '(forced-colors: none)',
    '(prefers-contrast: no-preference)'].every(each => matchMedia(each).matches) ? 'unchanged' : 'changed'`

/**
 * Sets the time of a page and of what its context opens, until it is left, in seconds since 1970. Timers run. A page's clock would
 * take a fifteenth of the time of opening a page: it replaces timers, too.
 */
export async function setTime(page: Page, seconds: number): Promise<void> {
  const script = `globalThis.Date = new Proxy(Date, {
    construct: (target, given, by) => Reflect.construct(target, given.length === 0 ? [${seconds * 1000}] : given, by),
    get: (target, key) => key === 'now' ? () => ${seconds * 1000} : target[key]
  })`
  const visited = visits.get(page)
  await visited?.time?.[Symbol.asyncDispose]()
  const time = await page.context().addInitScript(`{ ${script} }`)
  if (visited) visited.time = time
  if (page.url() !== 'about:blank') await page.evaluate(`void (${script})`)
}

/** Calls a function when a page is closed or left. */
export function whenLeft(page: Page, onLeave: () => void): void {
  const visited = visits.get(page)
  if (visited) visited.onLeave = onLeave
  page.once('close', () => visits.get(page) === visited && onLeave())
}

/**
 * Ends a visit. A file that shares its browser with others empties the page and keeps it for the next visit: a new renderer would
 * take more time than the visit. A page whose network, scripts or permissions a test has changed is to be closed instead.
 */
export async function leave(page: Page): Promise<void> {
  const visited = visits.get(page)
  if (!ends.all || !visited) return await page.context().close()
  visited.onLeave?.()
  visits.delete(page)
  await visited.time?.[Symbol.asyncDispose]()
  for (const event of events.split(' ')) page.removeAllListeners(event)
  const { origin } = new URL(page.url())
  const context = page.context()
  // Some documents may not use storage, and cannot empty it.
  const state = await page.evaluate(emptyStorage).catch(() => undefined)
  if (state === undefined) return await context.close()
  await page.goto('about:blank')
  for (const other of context.pages()) if (other !== page) await other.close()
  await context.clearCookies()
  const session = await context.newCDPSession(page)
  await session.send('Storage.clearDataForOrigin', { origin, storageTypes: 'all' })
  await session.detach()
  if (state !== 'unchanged')
    await page.emulateMedia({
      media: null,
      colorScheme: 'light',
      reducedMotion: 'reduce',
      forcedColors: null,
      contrast: null
    })
  parked.push({ kind: visited.kind, page })
  if (parked.length > maxParked) await parked.shift()?.page.context().close()
}

/** Waits until the page's heading is this text, or matches. A part of the text could match the heading of the page before. */
export async function untilHeading(page: Page, name: string | RegExp): Promise<void> {
  await page
    .getByRole('heading', { level: 1, name, exact: true })
    .waitFor()
    .catch(async (error: unknown) => {
      throw new Error(`waited for ${String(name)}: ${await page.getByRole('main').innerText()}`, {
        cause: error
      })
    })
}
