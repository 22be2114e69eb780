/** What may happen between an OAuth request and its access, on the pages. (docs/api/oauth.md#authorization-requests) */
import type { Page } from 'playwright-core'
import t, { type Test } from 'tap'
import { Secret, TOTP } from 'otpauth'
import { leave, untilHeading, visit } from '../support/browser.js'
import type { Answer, Overrides } from '../support/coffer.js'
import { identityProvider } from '../support/identity-provider.js'
import { look } from '../support/look.js'
import { linkOf, mailbox } from '../support/mailbox.js'
import { app, apps, begin, clientId, exchange, type Begun } from '../support/oauth.js'
import { password, signIn, startPages, type Pages } from '../support/pages.js'
import { inRotation } from '../support/rotation.js'

const adminKey = 'the key of the operator'
const scope = 'openid profile diary:read:Diary'

/** Starts pages with a client whose redirect URI is one of theirs. */
async function start(t: Test, overrides: Overrides = {}) {
  const pages = await startPages(t, {
    ...apps({ ...app, oauth: { redirectURIs: ['http://127.0.0.1/www/assets/index.json'] } }),
    ...overrides
  })
  const redirect_uri = `${pages.url}/www/assets/index.json`
  const ask = async (more: Record<string, string | undefined> = {}): Promise<Begun> =>
    await begin(pages.service, { redirect_uri, scope, ...more })
  return { ...pages, ask, redirect_uri }
}

async function allow(page: Page): Promise<void> {
  await untilHeading(page, /^(?:Allow Diary|Give Diary its access again)/)
  await page.getByRole('button', { name: 'Allow', exact: true }).click()
}

/** Returns the user whose account the app can access after consent. */
async function usernameAfter(page: Page, { service }: Pages, begun: Begun): Promise<string> {
  await page.waitForURL(`${begun.params['redirect_uri']}?**`)
  const { body } = await exchange(service, begun, new URL(page.url()))
  await page.context().close()
  return body.username
}

t.test('between an OAuth request and its access', async t => {
  const post = await mailbox(t)
  const provider = await identityProvider(t)
  const pages = await start(t, {
    ...post.settings,
    adminKey,
    auth: { passwordAgeMaxDays: 30, oidc: [provider.setting({ autoRegister: true })] }
  })
  const { ask, browser, register, service, url } = pages
  const token = await register('daisy')
  /** Opens a page without checking its requests, as the pages of a provider have another origin. */
  const open = async (address: string): Promise<Page> => {
    const page = await visit(browser)
    await page.goto(address)
    return page
  }
  const test = inRotation(t, 3)

  await t.test('a user may register', async t => {
    const begun = await ask()
    const page = await open(begun.location.href)
    await page.getByRole('link', { name: 'Create account' }).click()
    await page.getByLabel('Username').fill('lilly')
    await page.getByLabel('Email address').fill('lilly@example.com')
    await page.getByLabel('Password', { exact: true }).fill(password)
    await page.getByRole('button', { name: 'Create account' }).click()
    await allow(page)
    t.equal(await usernameAfter(page, pages, begun), 'lilly')
  })

  await test('a user may register with a provider, without a password', async t => {
    provider.person = { sub: 'robin-1', email: 'robin@example.com', email_verified: true }
    const begun = await ask()
    const page = await open(begun.location.href)
    await page.getByRole('button', { name: 'Continue with Work' }).click()
    await untilHeading(page, 'Create account')
    await page.getByLabel('Username').fill('robin')
    await page.getByRole('button', { name: 'Create account' }).click()
    await allow(page)
    t.equal(await usernameAfter(page, pages, begun), 'robin')
  })

  await test('two-factor authentication may be required, and the device be lost', async t => {
    const secret = new Secret({ size: 20 }).base32
    const recoveryCodes = ['aaaa-bbbb-cccc']
    const factor = { method: 'totp', content: {}, secret, recoveryCodes }
    await service.call(undefined, 'test.enrol', { username: 'daisy', factor })
    const begun = await ask()
    const page = await open(begun.location.href)
    await signIn(page, 'daisy')
    await untilHeading(page, 'Enter your code')
    await page.getByLabel('Code').fill('000000')
    await page.getByRole('button', { name: 'Continue' }).click()
    await page.getByText('Incorrect code').waitFor()
    const timestamp = service.clock.now() * 1000
    await page
      .getByLabel('Code')
      .fill(new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp }))
    await page.getByRole('button', { name: 'Continue' }).click()
    await allow(page)
    t.equal(await usernameAfter(page, pages, begun), 'daisy')
    await service.call('daisy', 'mfa.deactivate', {}, token)
  })

  await t.test('a password may have expired', async t => {
    service.clock.advance(31 * 86_400)
    const begun = await ask()
    const page = await open(begun.location.href)
    await signIn(page, 'daisy')
    await page.getByText('Your password expired on').waitFor()
    await look(t, page, 'oauth-expired-password')
    await page.getByRole('link', { name: 'Forgot password?' }).click()
    const count = post.mails.filter(({ to }) => to.includes('daisy@example.com')).length
    await page.getByLabel('Username or email').fill('daisy')
    await page.getByRole('button', { name: 'Send link' }).click()
    await untilHeading(page, 'Check your inbox')
    const link = linkOf(await post.receivedBy('daisy@example.com', count + 1))
    const mailed = await open(link.href)
    await mailed.getByLabel('New password', { exact: true }).fill('another four words')
    await mailed.getByRole('button', { name: 'Save password' }).click()
    await untilHeading(mailed, 'Password changed')
    await leave(mailed)
    await page.getByRole('link', { name: 'Back to sign-in' }).click()
    await signIn(page, 'daisy', 'another four words')
    await allow(page)
    t.equal(await usernameAfter(page, pages, begun), 'daisy')
  })

  await test('earlier consent may not be enough any more', async t => {
    const begun = await ask({ scope: `${scope} email` })
    const page = await open(begun.location.href)
    await signIn(page, 'daisy', 'another four words')
    await untilHeading(page, 'Allow Diary?')
    t.match(await page.getByRole('main').innerText(), 'If you allow this, they replace the current ones')
    await look(t, page, 'oauth-renewed')
    await allow(page)
    t.equal(await usernameAfter(page, pages, begun), 'daisy')
  })

  await test('a user may sign in to another account than the one requested', async t => {
    const login = { username: 'daisy', password: 'another four words', appId: 'test-app' }
    const { body } = await service.http('POST', '/daisy/auth/login', login, { origin: url })
    const before = await accessesOf(pages, body.token)
    t.ok(before.length > 0)
    const begun = await ask({ resource: `${url}/lilly/` })
    const page = await open(begun.location.href)
    t.equal(await page.getByLabel('Username or email').inputValue(), 'lilly')
    await signIn(page, 'daisy', 'another four words')
    await untilHeading(page, 'Diary can’t be given this access')
    await page.getByText('The app is requesting access to a different account.').waitFor()
    await look(t, page, 'oauth-other-account')
    t.same(await accessesOf(pages, body.token), before, 'what the app has stays')
    await page.getByRole('button', { name: 'Not you?' }).click()
    await page.getByLabel('Username or email').fill('lilly')
    await page.getByLabel('Password', { exact: true }).fill(password)
    await page.getByRole('button', { name: 'Sign in', exact: true }).click()
    await page.getByText('Your password expired on').waitFor()
    await leave(page)
  })

  await test('the account may be suspended', async t => {
    await service.http('POST', '/system/users/daisy/suspension', {}, { authorization: adminKey })
    const page = await open((await ask()).location.href)
    await signIn(page, 'daisy', 'another four words')
    await page.getByRole('alert').waitFor()
    await look(t, page, 'oauth-suspended')
    t.notMatch(await page.getByRole('alert').innerText(), 'Incorrect username')
    await leave(page)
  })
})

/** Returns the accesses of Diary to Daisy's account. */
async function accessesOf({ service }: Pages, token: string): Promise<Answer[]> {
  const { accesses } = await service.call('daisy', 'accesses.get', {}, token)
  return (accesses as Answer[]).filter(({ name }) => name === clientId).map(({ id, token: own }) => [id, own])
}

t.test('an invalid request', async t => {
  const pages = await start(t)
  const { open, redirect_uri, service, url } = pages
  const query = async (params: Record<string, string | undefined>): Promise<string> =>
    `/oauth/authorize?${new URLSearchParams((await begin(service, { redirect_uri, scope, ...params })).params).toString()}`

  const test = inRotation(t, 2)
  for (const [name, params, words] of [
    ['client', { client_id: 'nobody-knows-me' }, 'invalid_request: Unknown client_id'],
    [
      'redirect',
      { redirect_uri: 'https://evil.example.com/' },
      'invalid_request: The redirect_uri is not registered'
    ]
  ] as const)
    await test(`shows a page about an unknown ${name}`, async t => {
      const path = await query(params)
      const page = await open(path)
      await untilHeading(page, 'Invalid request')
      await page.getByText(words).waitFor()
      t.equal(new URL(page.url()).origin, url, 'nobody is sent anywhere')
      if (name === 'client') await look(t, page, 'oauth-refused')
      await leave(page)
    })
})
