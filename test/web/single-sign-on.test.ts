/** Signing in with a provider on the pages, in a real browser. (docs/spec/identities.md) */
import type { Page } from 'playwright-core'
import t from 'tap'
import { leave, untilHeading, visit } from '../support/browser.js'
import { identityProvider } from '../support/identity-provider.js'
import { look } from '../support/look.js'
import { inRotation } from '../support/rotation.js'
import { until } from '../support/socket.js'
import { password, signIn, startPages } from '../support/pages.js'

/** Continues to the provider. */
async function by(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Continue with Work' }).click()
}

/** Returns whether the page fits on the narrowest screens. */
async function fits(page: Page): Promise<boolean> {
  const before = page.viewportSize()!
  await page.setViewportSize({ width: 320, height: 640 })
  const { scrollWidth } = await page.evaluate<{ scrollWidth: number }>(
    '({ scrollWidth: document.documentElement.scrollWidth })'
  )
  await page.setViewportSize(before)
  return scrollWidth <= 320
}

t.test('signing in with a provider', async t => {
  const provider = await identityProvider(t)
  const { ask, browser, poll, register, url } = await startPages(t, {
    auth: { oidc: [provider.setting()] }
  })
  // The provider is another origin, so requests of pages are not checked.
  const open = async (path: string): Promise<Page> => {
    const page = await visit(browser)
    await page.goto(url + path)
    return page
  }
  const test = inRotation(t, 2)
  provider.person = {
    sub: 'robin-1',
    email: 'robin@example.com',
    email_verified: true,
    preferred_username: 'Robin.Hood'
  }

  await t.test('creates an account without a password, and signs in to it', async t => {
    const page = await open('/access/register.html')
    await look(t, page, 'sso-register')
    await by(page)
    await untilHeading(page, 'Create account')
    await page.getByText('You’re signed in with Work.').waitFor()
    t.equal(await page.getByLabel('Username').inputValue(), 'robin-hood')
    t.equal(await page.getByLabel('Email address').inputValue(), 'robin@example.com')
    t.equal(await page.getByLabel('Password', { exact: true }).count(), 0)
    t.notMatch(page.url(), 'identity', 'the ticket stays nowhere')
    await look(t, page, 'sso-new-account')
    await page.getByLabel('Username').fill('robin')
    await page.getByRole('button', { name: 'Create account' }).click()
    await page.waitForURL(`${url}/app/robin/today`)
    await page.goto(`${url}/app/account`)
    await page.getByText('This is your only way to sign in.').waitFor()
    await look(t, page, 'sso-account')
    t.ok(await fits(page))
    await page.reload()
    await untilHeading(page, 'Your account')
    await page.getByRole('button', { name: 'Account: robin' }).click()
    await page.getByRole('navigation').getByRole('button', { name: 'Sign out' }).click()
    // The provider shows a page, or redirects immediately: on a fast machine before it can be seen.
    await until(() => provider.asked.includes('/session/end'), 'the session at the provider to be ended')
    await leave(page)

    const again = await open('/access/access.html')
    await look(t, again, 'sso-sign-in')
    await by(again)
    await untilHeading(again, 'Your account')
    await again.getByRole('main').getByText('robin', { exact: true }).first().waitFor()

    await inRotation(t, 2)('which is then unlinked', async () => {
      await again.getByRole('link', { name: 'Set a password' }).click()
      await untilHeading(again, 'Set a password')
      await again.getByLabel('New password', { exact: true }).fill(password)
      await again.getByRole('button', { name: 'Save' }).click()
      await untilHeading(again, 'Password changed')
      await again.goto(`${url}/access/access.html`)
      await again.getByRole('button', { name: 'Unlink Work' }).click()
      await again.getByText('Work is no longer linked.').waitFor()
    })
    await leave(again)
  })

  await t.test('explains that an address is in use, and links after signing in', async t => {
    await register('daisy')
    provider.person = { sub: 'daisy-1', email: 'daisy@example.com', email_verified: true }
    const page = await open('/access/access.html')
    await by(page)
    await untilHeading(page, 'Do you already have an account?')
    await look(t, page, 'sso-taken')
    t.ok(await fits(page))
    await page.getByRole('button', { name: 'Sign in another way' }).click()
    await signIn(page, 'daisy')
    await untilHeading(page, 'Your account')
    await page.getByRole('button', { name: 'Link Work' }).click()
    await page.getByText('Work is linked. You can now use it to sign in.').waitFor()
    await page.getByRole('button', { name: 'Link another Work account' }).waitFor()
    await look(t, page, 'sso-linked')
    await leave(page)
    const again = await open('/access/access.html')
    await by(again)
    await untilHeading(again, 'Your account')
    await leave(again)
  })

  await t.test('continues the request of an app', async t => {
    const asked = await ask()
    const page = await visit(browser)
    await page.goto(asked.authUrl)
    await by(page)
    await page.getByRole('button', { name: /Allow|Accept|Agree/ }).click()
    const isAccepted = async (): Promise<boolean> => (await poll(asked)).status === 'ACCEPTED'
    await until(isAccepted, 'the app to have its access')
    t.match(await poll(asked), { status: 'ACCEPTED', username: 'daisy' })
    await leave(page)
  })

  await test('leads to the user’s data in the app', async t => {
    const page = await open('/app/')
    await by(page)
    await page.waitForURL(`${url}/app/daisy/**`)
    await leave(page)
    t.pass()
  })

  await test('shows errors', async t => {
    const { person } = provider
    provider.person = undefined
    const page = await open('/access/access.html')
    await by(page)
    await untilHeading(page, 'Sign-in failed')
    await page.getByText('Sign-in with Work was cancelled').waitFor()
    await look(t, page, 'sso-refused')
    await page.getByRole('button', { name: 'Sign in another way' }).click()
    await untilHeading(page, 'Sign in')
    provider.person = person
    await page.goto(`${url}/access/access.html#identity=of-somebody-else`)
    await page.getByText('was started in another window').waitFor()
    await leave(page)
  })
})

inRotation(t, 2)('without passwords', async t => {
  const provider = await identityProvider(t)
  const { browser, url } = await startPages(t, {
    auth: { passwords: 'off', oidc: [provider.setting({ autoRegister: true })] },
    registration: { invitationTokens: [] }
  })
  const page = await visit(browser)
  for (const [name, path] of [
    ['access', 'app/account'],
    ['register', 'app/?register']
  ] as const) {
    await page.goto(`${url}/${path}`)
    await page.getByRole('button', { name: 'Continue with Work' }).waitFor()
    t.equal(await page.locator('input[type=password]').count(), 0, path)
    t.equal(await page.getByRole('link', { name: 'Forgot password?' }).count(), 0)
    if (name === 'access') await look(t, page, 'sso-only-access')
  }
  await page.getByRole('button', { name: 'Continue with Work' }).click()
  await page.getByLabel('Username').fill('robin')
  await page.getByLabel('Email address').fill('robin@example.com')
  await page.getByRole('button', { name: 'Create account' }).click()
  await page.waitForURL(`${url}/app/robin/today`)
  await page.goto(`${url}/app/account`)
  await page.getByRole('heading', { name: 'Other sign-in methods' }).waitFor()
  t.equal(await page.getByRole('heading', { name: 'Password' }).count(), 0)
  await leave(page)
})
