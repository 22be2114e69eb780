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

/** Timeout for what a test expects, in milliseconds: machines may be busy. */
const patience = 60_000

const flags = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--disable-dev-shm-usage',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  // Foreign pages may load external resources: refuse these immediately rather than after a DNS timeout.
  '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE [::1], EXCLUDE localhost, EXCLUDE *.localhost'
]

/** The browser that the files of this process share. */
let shared: Browser | undefined

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
    for (const context of browser.contexts()) if (!before.has(context)) await context.close()
  })
  return browser
}

async function launch(): Promise<Browser> {
  mkdirSync(pictures, { recursive: true })
  const executablePath = findChromium()
  if (executablePath === undefined)
    throw new Error('This test needs Chromium: install it, or set CHROMIUM to its path')
  return await chromium.launch({ executablePath, args: flags, timeout: 60_000 })
}

/** Collects a page's problems: exceptions, violations of its content security policy, requests to other origins. */
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
    page.on('request', request => {
      const url = request.url()
      if (!url.startsWith(`${origin}/`) && !/^(?:blob|data):/.test(url)) this.troubles.push(`asked ${url}`)
    })
  }
}

/** Opens a page in a new browser context; without a service worker unless `options` allow it. */
export async function visit(browser: Browser, options: BrowserContextOptions = {}): Promise<Page> {
  const context = await browser.newContext({ locale: 'en-GB', serviceWorkers: 'block', ...options })
  context.setDefaultTimeout(patience)
  return await context.newPage()
}

/** Waits until the page's heading matches. */
export async function untilHeading(page: Page, name: string | RegExp): Promise<void> {
  const heading = page.getByRole('heading', { level: 1 })
  await heading
    .filter({ hasText: name })
    .waitFor()
    .catch(async (error: unknown) => {
      throw new Error(`waited for ${String(name)}: ${await page.getByRole('main').innerText()}`, {
        cause: error
      })
    })
}
