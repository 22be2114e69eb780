/** A service with its pages, a browser that visits them, and an app that requests accesses. */
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import type { Test } from 'tap'
import { startBrowser, untilHeading, visit, Watch, whenLeft } from './browser.js'
import { coffer, type Answer, type Overrides, type Service } from './coffer.js'

export const appId = 'weight-diary'
export const password = 'four words in a row'

/** What the app requests by default. */
export const permissions = [
  { streamId: 'diary', level: 'contribute', defaultName: 'Diary' },
  { streamId: 'weight', level: 'read', defaultName: 'Body weight' }
]

export interface Pages {
  readonly service: Service
  readonly browser: Browser
  /** Root URL of the service, without a trailing slash. */
  readonly url: string
  /** Requests an access as an app does; the response has `authUrl` and `poll`. */
  ask(fields?: object): Promise<Answer>
  /** Polls the result of a request. */
  poll(asked: Answer): Promise<Answer>
  /** Registers a user; returns a personal token. */
  register(username: string): Promise<string>
  /** Opens a page of the service, or a URL, once it is prepared; any problem of the page fails the test. */
  open(path: string, options?: BrowserContextOptions, prepare?: (page: Page) => Promise<void>): Promise<Page>
}

/** Starts everything; the test's teardown stops it, and reports problems of the pages. */
export async function startPages(t: Test, overrides: Overrides = {}): Promise<Pages> {
  const service = await coffer(t, overrides)
  const { url } = service.server
  const browser = await startBrowser(t)
  const watches: Watch[] = []
  const post = async (path: string, body: object): Promise<Answer> =>
    (await service.http('POST', path, body)).body
  return {
    service,
    browser,
    url,
    ask: async (fields = {}) =>
      await post('/reg/access/', { requestingAppId: appId, requestedPermissions: permissions, ...fields }),
    poll: async asked => (await service.http('GET', new URL(asked.poll).pathname)).body,
    async register(username) {
      const email = `${username}@example.com`
      const { apiEndpoint } = await post('/users', { appId: 'test-app', username, password, email })
      return new URL(apiEndpoint).username
    },
    async open(path, options, prepare) {
      const page = await visit(browser, options)
      await prepare?.(page)
      const watch = new Watch(page, url)
      watches.push(watch)
      await page.goto(path.startsWith('/') ? url + path : path)
      whenLeft(page, () => t.same(watch.troubles, [], `nothing went wrong at ${path.slice(0, 60)}`))
      return page
    }
  }
}

/** Fills in the sign-in form. */
export async function signIn(page: Page, username: string, secret = password): Promise<void> {
  await untilHeading(page, 'Sign in')
  await page.getByLabel('Username or email').fill(username)
  await page.getByLabel('Password', { exact: true }).fill(secret)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
}
