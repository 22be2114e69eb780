/** The app with a signed-in user who has data: for tests of pages in a browser. */
import { isDeepStrictEqual } from 'node:util'
import type { BrowserContextOptions, Page } from 'playwright-core'
import type { Test } from 'tap'
import { Client, type Answer, type Overrides } from './coffer.js'
import { setTime } from './browser.js'
import { startPages, type Pages } from './pages.js'
import { until } from './socket.js'

export const phone = { viewport: { width: 390, height: 844 }, hasTouch: true }
export const desk = { viewport: { width: 1344, height: 896 } }

export interface App extends Pages {
  /** The owner of the data, with a personal token. */
  readonly daisy: Client
  /**
   * Opens a page of the app, such as `/app/daisy/timeline`, with Daisy signed in. Its clock is fixed at the time of the
   * service; its timers run.
   */
  enter(path?: string, options?: BrowserContextOptions): Promise<Page>
}

/** Starts the service and a browser, and registers Daisy. The test's teardown closes them. */
export async function startApp(t: Test, overrides: Overrides = {}): Promise<App> {
  const pages = await startPages(t, overrides)
  const { service, open, register } = pages
  const token = await register('daisy')
  const { accesses } = await service.call('daisy', 'accesses.get', {}, token)
  const own = (accesses as Answer[]).find(each => each.token === token)
  const daisy = new Client(service, 'daisy', own)
  return {
    ...pages,
    daisy,
    async enter(path = '/app/', options = desk) {
      const page = await open(path, options, async page => {
        await setTime(page, service.clock.now())
        await page.context().addCookies([await cookieOf(pages)])
      })
      await page.locator('.lid').waitFor()
      await untilSettled(page)
      return page
    }
  }
}

/** Waits until a page has loaded and is rendered, so that it listens for keys. */
export async function untilSettled(page: Page): Promise<void> {
  await page.locator('.skeleton').first().waitFor({ state: 'hidden' })
  await page.evaluate(`new Promise(resolve => requestAnimationFrame(() => setTimeout(() =>
    requestAnimationFrame(() => setTimeout(resolve)))))`)
}

/**
 * Shows another page of the app as its links do: without loading the app again, which takes five times as long. A page that is shown
 * already stays as it is, and reads nothing again.
 */
export async function go(page: Page, path: string): Promise<void> {
  await page.evaluate(
    `history.pushState(null, '', ${JSON.stringify(path)}); dispatchEvent(new PopStateEvent('popstate'))`
  )
  await untilSettled(page)
}

/** Waits until what is read from the service is as wanted: pages show changes of the profile before they are stored. */
export async function untilStored(read: () => Promise<unknown>, wanted: unknown): Promise<void> {
  await until(async () => isDeepStrictEqual(await read(), wanted), JSON.stringify(wanted))
}

/** Types into the field that a page focuses, which may not have loaded yet. */
export async function typeIntoFocus(page: Page, text: string): Promise<void> {
  await page.locator('input:focus, textarea:focus').waitFor()
  await page.keyboard.type(text)
}

/** Signs Daisy in as the app does, without hashing her password. */
async function cookieOf({ service, url }: Pages) {
  const { access } = await service.call(undefined, 'test.signInOnPage', { username: 'daisy' })
  return { name: 'coffer-session', value: `daisy.${access.token}`, url, httpOnly: true }
}
