/** Signing in, in a real browser. (docs/spec/authentication.md#resetting-a-password) */
import { Secret, TOTP } from 'otpauth'
import type { Page } from 'playwright-core'
import t from 'tap'
import { leave, untilHeading, visit } from '../support/browser.js'
import { look } from '../support/look.js'
import { linkOf, mailbox } from '../support/mailbox.js'
import { appId, password, signIn, startPages } from '../support/pages.js'
import { inRotation } from '../support/rotation.js'

const another = 'quite another secret'
const adminKey = 'the key of the operator'

t.test('the pages before signing in', async t => {
  const post = await mailbox(t)
  const { ask, browser, open, poll, register, service, url } = await startPages(t, {
    ...post.settings,
    adminKey,
    auth: {
      passwordPreventReuseHistoryLength: 2,
      passwordAgeMaxDays: 30,
      passwordComplexityMinLength: 8,
      passwordComplexityMinCharCategories: 2
    }
  })
  await register('daisy')
  const test = inRotation(t, 2)
  const isPassword = async (secret: string): Promise<boolean> => {
    const body = { username: 'daisy', password: secret, appId: 'test-app' }
    return (await service.http('POST', '/daisy/auth/login', body, { origin: url })).status === 200
  }

  await t.test('reset a forgotten password by a mailed link', async t => {
    const page = await open('/access/access.html')
    await page.getByRole('link', { name: 'Forgot password?' }).click()
    await untilHeading(page, 'Reset your password')
    await page.getByLabel('Username or email').fill('daisy@example.com')
    await page.getByRole('button', { name: 'Send link' }).click()
    await untilHeading(page, 'Check your inbox')
    const link = linkOf(await post.receivedBy('daisy@example.com', 2))
    t.match(link.href, `${url}/access/reset-password.html?resetToken=`)

    await page.goto(link.href)
    await untilHeading(page, 'Choose a new password')
    t.notMatch(page.url(), 'resetToken', 'it stays nowhere')
    t.equal(await page.getByLabel('Username or email').inputValue(), 'daisy')
    await page.getByLabel('New password', { exact: true }).fill(password)
    await page.getByRole('button', { name: 'Save password' }).click()
    await page.getByText('You’ve used this password before.').waitFor()
    await page.locator('input[name=newPassword]:focus').waitFor()
    await page.getByLabel('New password', { exact: true }).fill(another)
    await page.getByRole('button', { name: 'Show password' }).click()
    await page.getByLabel('New password', { exact: true }).and(page.locator('[type=text]')).waitFor()
    await page.getByRole('button', { name: 'Save password' }).click()
    await untilHeading(page, 'Password changed')
    t.same([await isPassword(password), await isPassword(another)], [false, true])
    await page.getByRole('link', { name: 'Sign in' }).click()
    await signIn(page, 'daisy', another)
    await page.waitForURL(`${url}/app/daisy/today`)
    await page.context().clearCookies()

    await inRotation(t, 2)('which is valid once', async t => {
      await page.goto(link.href)
      await page.getByLabel('New password', { exact: true }).fill('a third secret')
      await page.getByRole('button', { name: 'Save password' }).click()
      await page.getByText('This link has expired').waitFor()
      await page.getByLabel('Username or email').fill('nobody@example.com')
      await page.getByRole('button', { name: 'Save password' }).click()
      await page.locator('[role=alert]:focus', { hasText: 'This link has expired' }).waitFor()
      await page.getByRole('link', { name: 'Request a new link' }).click()
      await untilHeading(page, 'Reset your password')
      t.notMatch(page.url(), 'resetToken')
    })
    await leave(page)
  })

  await test('do not reveal whether a user exists', async t => {
    const page = await open('/reset-password.html')
    for (const name of ['nobody-of-this-name', 'nobody@example.com']) {
      await page.getByLabel('Username or email').fill(name)
      await page.getByRole('button', { name: 'Send link' }).click()
      await untilHeading(page, 'Check your inbox')
      await page.goto(`${url}/reset-password.html`)
      t.pass(name)
    }
    await leave(page)
  })

  await t.test('ask for a code if two-factor authentication is on, or for a recovery code', async t => {
    const robin = await register('robin')
    const post = async (path: string, body: object, token: string) =>
      (await service.http('POST', `/robin/mfa/${path}`, body, { authorization: token })).body
    const { mfaToken, totp } = await post('activate', { method: 'totp' }, robin)
    const secret = Secret.fromBase32(totp.secret)
    const code = (): string => new TOTP({ secret }).generate({ timestamp: service.clock.now() * 1000 })
    const { recoveryCodes: codes } = await post('confirm', { code: code() }, mfaToken)

    // A code also completes the request of an app.
    const asked = await ask()
    const page = await open(asked.authUrl)
    await signIn(page, 'robin')
    await untilHeading(page, 'Enter your code')
    service.clock.advance(60)
    await page.getByLabel('Code').fill(code())
    await page.getByRole('button', { name: 'Continue' }).click()
    await page.getByRole('button', { name: 'Allow', exact: true }).click()
    await untilHeading(page, `${appId} now has access`)
    t.match(await poll(asked), { status: 'ACCEPTED', username: 'robin' })

    // A code must be entered before the sign-in expires.
    await page.goto(`${url}/app/`)
    await signIn(page, 'robin')
    await untilHeading(page, 'Enter your code')
    service.clock.advance(86_400)
    await page.getByLabel('Code').fill(code())
    await page.getByRole('button', { name: 'Continue' }).click()
    await page.getByText('Your sign-in timed out.').waitFor()

    // A user who has lost the device has the recovery codes.
    await page.goto(`${url}/app/`)
    await signIn(page, 'robin')
    await page.getByRole('button', { name: 'Use a recovery code' }).click()
    await untilHeading(page, 'Use a recovery code')
    await page.getByLabel('Recovery code').fill('not one of them')
    await page.getByRole('button', { name: 'Use code' }).click()
    await page.getByText('Incorrect recovery code.').waitFor()
    await page.getByLabel('Recovery code').fill(` ${codes[3].toUpperCase().replaceAll('-', ' ')} `)
    await page.getByRole('button', { name: 'Use code' }).click()
    await page.getByText('Two-factor authentication is off.').waitFor()
    await signIn(page, 'robin')
    await page.locator('.lid').waitFor()
    await leave(page)
  })

  await test('explain what to do about an expired password', async t => {
    await register('kit-the-late')
    service.clock.advance(31 * 86_400)
    const page = await open('/access/access.html')
    await signIn(page, 'kit-the-late')
    await page
      .getByRole('alert')
      .getByText(/Your password expired on \d+ December 2023/)
      .waitFor()
    t.equal(await page.getByRole('link', { name: 'Forgot password?' }).count(), 1)
    await leave(page)
  })

  await test('explain the password rules in the user’s language', async t => {
    const page = await open('/access/register.html', { locale: 'fr-CH' })
    await untilHeading(page, 'Créer un compte')
    await page.getByLabel('Nom d’utilisateur').fill('fabienne')
    await page.getByLabel('Adresse e-mail').fill('fabienne@example.com')
    for (const [secret, problem] of [
      ['Court 1', 'Utilisez au moins 8 caractères'],
      ['toutpetit', 'Utilisez au moins 2 de ces types']
    ] as const) {
      await page.getByLabel('Mot de passe', { exact: true }).fill(secret)
      await page.getByRole('button', { name: 'Créer le compte' }).click()
      await page.locator('#password-problem', { hasText: problem }).waitFor()
      await page.locator('input[name=password]:focus').waitFor()
    }
    t.equal((await service.http('GET', '/reg/fabienne/check_username')).status, 200, 'nothing was made')
    await leave(page)
  })

  await test('lead to the new server of an account that has moved', async t => {
    await register('leila-who-moved')
    await service.http(
      'POST',
      '/system/users/leila-who-moved/relocation',
      { url: 'https://new.example/leila-who-moved/' },
      { authorization: adminKey }
    )
    // The browser preloads the new URL before the page can; its policy refuses that, which the console reports.
    const page = await visit(browser)
    await page.goto(`${url}/access/access.html`)
    await signIn(page, 'leila-who-moved')
    const alert = page.getByRole('alert').filter({ hasText: 'This account has moved to new.example.' })
    await alert.waitFor()
    const link = alert.getByRole('link', { name: 'new.example' })
    t.equal(await link.getAttribute('href'), 'https://new.example/access/access.html')

    await page.goto(`${url}/access/reset-password.html`)
    await page.getByLabel('Username or email').fill('leila-who-moved')
    await page.getByRole('button', { name: 'Send link' }).click()
    await alert.waitFor()
    await leave(page)
  })
})

t.test('registering', async t => {
  const { open, register, url } = await startPages(t)
  const test = inRotation(t, 2)
  const fill = async (page: Page, username: string): Promise<void> => {
    await untilHeading(page, 'Create account')
    await page.getByLabel('Username').fill(username)
    await page.getByLabel('Email address').fill(`${username}@example.com`)
    await page.getByLabel('Password', { exact: true }).fill(password)
    await page.getByRole('button', { name: 'Create account' }).click()
    await page.waitForURL(`${url}/app/${username}/today`)
  }

  await t.test('without a request of an app leads to the app, signed in', async t => {
    const page = await open('/access/register.html?lang=en#invitation=not-needed')
    await fill(page, 'gerda')
    await page.reload()
    await page.getByRole('button', { name: 'Account: gerda' }).waitFor()
    t.equal(page.url(), `${url}/app/gerda/today`)
    await leave(page)
  })

  await test('is possible while another user is signed in', async t => {
    await register('daisy')
    const page = await open('/app/')
    await signIn(page, 'daisy')
    await page.getByRole('button', { name: 'Account: daisy' }).waitFor()
    await page.goto(`${url}/access/register.html`)
    await untilHeading(page, 'Create account')
    await page.getByRole('link', { name: 'Sign in' }).click()
    await page.waitForURL(`${url}/app/daisy/today`)
    await page.goto(`${url}/access/register.html`)
    await fill(page, 'anton')
    await page.getByRole('button', { name: 'Account: anton' }).waitFor()
    await page.reload()
    await page.getByRole('button', { name: 'Account: anton' }).waitFor()
    t.pass()
    await leave(page)
  })

  await test('and signing in promise no mails if none are sent', async t => {
    const page = await open('/access/register.html')
    await untilHeading(page, 'Create account')
    t.equal(await page.getByText('Used to reset your password.').count(), 0)
    await page.goto(`${url}/access/reset-password.html`)
    await page.getByText('This service doesn’t send email.').waitFor()
    await look(t, page, 'reset-without-mail')
    await leave(page)
  })
})
