/** What people do for their account by themselves, in a real browser. (docs/spec/authentication.md#resetting-a-password) */
import { readFileSync } from 'node:fs'
import { Secret, TOTP } from 'otpauth'
import t from 'tap'
import { untilHeading, visit } from '../support/browser.js'
import { linkOf, mailbox } from '../support/mailbox.js'
import { appId, password, signIn, startPages } from '../support/pages.js'

const another = 'quite another secret'
const adminKey = 'the key of the operator'

t.test('the pages of one’s account', async t => {
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
  const token = await register('daisy')
  const isPassword = async (secret: string): Promise<boolean> => {
    const body = { username: 'daisy', password: secret, appId: 'test-app' }
    return (await service.http('POST', '/daisy/auth/login', body, { origin: url })).status === 200
  }

  await t.test('set a forgotten password again, by a mailed link', async t => {
    const page = await open('/access/access.html')
    await page.getByRole('link', { name: 'Forgot your password?' }).click()
    await untilHeading(page, 'Forgot your password?')
    await page.getByLabel('Username or e-mail').fill('daisy@example.com')
    await page.getByRole('button', { name: 'Send the link' }).click()
    await untilHeading(page, 'Look into your mailbox')
    const link = linkOf(await post.receivedBy('daisy@example.com', 2))
    t.match(link.href, `${url}/access/reset-password.html?resetToken=`)

    await page.goto(link.href)
    await untilHeading(page, 'Choose a new password')
    t.notMatch(page.url(), 'resetToken', 'it stays nowhere')
    t.equal(await page.getByLabel('Username or e-mail').inputValue(), 'daisy')
    await page.getByLabel('New password', { exact: true }).fill(password)
    await page.getByRole('button', { name: 'Save the password' }).click()
    await page.getByText('You have used this password before.').waitFor()
    await page.locator('input[name=newPassword]:focus').waitFor()
    await page.getByLabel('New password', { exact: true }).fill(another)
    await page.getByRole('button', { name: 'Show password' }).click()
    await page.getByLabel('New password', { exact: true }).and(page.locator('[type=text]')).waitFor()
    await page.getByRole('button', { name: 'Save the password' }).click()
    await untilHeading(page, 'Your password is set')
    t.same([await isPassword(password), await isPassword(another)], [false, true])

    await page.goto(link.href)
    await page.getByLabel('New password', { exact: true }).fill('a third secret')
    await page.getByRole('button', { name: 'Save the password' }).click()
    await page.getByText('This link is not valid for that account').waitFor()
    await page.getByLabel('Username or e-mail').fill('nobody@example.com')
    await page.getByRole('button', { name: 'Save the password' }).click()
    await page.locator('[role=alert]:focus', { hasText: 'This link is not valid for that account' }).waitFor()
    await page.getByRole('link', { name: 'Ask for another link' }).click()
    await untilHeading(page, 'Forgot your password?')
    t.notMatch(page.url(), 'resetToken')
    await page.context().close()
  })

  await t.test('say the same about somebody who is not there', async t => {
    const page = await open('/reset-password.html')
    for (const name of ['nobody-of-this-name', 'nobody@example.com']) {
      await page.getByLabel('Username or e-mail').fill(name)
      await page.getByRole('button', { name: 'Send the link' }).click()
      await untilHeading(page, 'Look into your mailbox')
      await page.goto(`${url}/reset-password.html`)
      t.pass(name)
    }
    await page.context().close()
  })

  await t.test('change a password', async t => {
    const page = await open('/change-password.html')
    await untilHeading(page, 'Change your password')
    await page.getByLabel('Username or e-mail').fill('daisy')
    await page.getByLabel('Password', { exact: true }).fill(another)
    await page.getByRole('button', { name: 'Sign in' }).click()
    const change = async (from: string, to: string): Promise<void> => {
      await page.getByLabel('Current password', { exact: true }).fill(from)
      await page.getByLabel('New password', { exact: true }).fill(to)
      await page.getByRole('button', { name: 'Save the password' }).click()
    }
    await change('not the one', 'a third secret')
    await page.getByText('This is not your current password.').waitFor()
    await page.locator('input[name=oldPassword]:focus').waitFor()
    await change(another, 'short')
    await page.getByText('At least 6 characters.', { exact: true }).waitFor()
    await change(another, 'a third secret')
    await untilHeading(page, 'Your password is set')
    t.same([await isPassword(another), await isPassword('a third secret')], [false, true])
    await page.getByRole('link', { name: 'Back to your account' }).click()
    await untilHeading(page, 'Your account')
    await page.context().close()
  })

  await t.test('show where one is signed in, and sign out there', async t => {
    for (const appId of ['first-app', 'second-app']) {
      const body = { username: 'daisy', password: 'a third secret', appId }
      await service.http('POST', '/daisy/auth/login', body, { origin: url })
    }
    const page = await open('/access/signinhub.html')
    await signIn(page, 'daisy', 'a third secret')
    await untilHeading(page, 'Your account')
    await page.getByRole('button', { name: 'Sign out: first-app' }).click()
    await page.getByText('first-app').waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Sign out everywhere else' }).click()
    await page.getByText('second-app').waitFor({ state: 'detached' })
    t.match(await service.call('daisy', 'getAccessInfo', {}, token), {
      error: { id: 'invalid-access-token' }
    })
    await page.getByRole('button', { name: 'Sign out', exact: true }).click()
    await page.getByText('You are signed out.').waitFor()
    await page.context().close()
  })

  await t.test('show which apps are allowed, and end that', async t => {
    const login = { username: 'daisy', password: 'a third secret', appId: 'test-app' }
    const { body } = await service.http('POST', '/daisy/auth/login', login, { origin: url })
    await service.call('daisy', 'streams.create', { id: 'walks', name: 'Walks' }, body.token)
    const permissions = [
      { streamId: 'walks', level: 'read' },
      { streamId: '*', level: 'create-only' }
    ]
    for (const [name, more] of [
      ['walking-app', { deviceName: 'Her phone', expireAfter: 1e15 }],
      ['other-app', {}]
    ] as const) {
      const access = { type: 'app', name, permissions, ...more }
      t.notOk((await service.call('daisy', 'accesses.create', access, body.token)).error)
    }
    const page = await open('/access/access.html')
    await signIn(page, 'daisy', 'a third secret')
    const app = page.getByRole('listitem').filter({ hasText: 'walking-app' })
    t.match(await app.innerText(), /walking-app Her phone\s+Walks, All your data\s+Until /)
    await app.getByRole('button', { name: 'End the access of walking-app' }).click()
    await app.getByRole('button', { name: 'Keep it' }).click()
    await app.getByRole('button', { name: 'End the access of walking-app' }).click()
    await app.getByRole('button', { name: 'End it now' }).click()
    await app.waitFor({ state: 'detached' })
    const { accesses } = await service.call('daisy', 'accesses.get', {}, body.token)
    const apps = accesses.filter(({ type }: { type: string }) => type === 'app')
    t.same(
      apps.map(({ name }: { name: string }) => name),
      ['other-app']
    )
    await page.context().close()
  })

  await t.test('switch a second step on, ask for it, and off again', async t => {
    await register('robin')
    const page = await open('/access/access.html')
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    await signIn(page, 'robin')
    await page.getByRole('button', { name: 'Switch it on' }).click()
    await untilHeading(page, 'Set up the second step')
    await page.getByRole('img', { name: /QR code/ }).waitFor()
    await page.evaluate(`document.querySelector('.qr').decode()`)
    const secret = Secret.fromBase32((await page.locator('.secret').innerText()).replaceAll(' ', ''))
    const code = (): string => new TOTP({ secret }).generate({ timestamp: service.clock.now() * 1000 })

    await page.getByLabel('Code').fill(code() === '000000' ? '111111' : '000000')
    await page.getByRole('button', { name: 'Switch it on' }).click()
    await page.getByText('This code is not right.').waitFor()
    await page.getByLabel('Code').fill(code().replace(/(...)/, '$1 '))
    await page.getByRole('button', { name: 'Switch it on' }).click()
    await untilHeading(page, 'Keep these recovery codes')
    const codes = await page.locator('.codes li').allInnerTexts()
    t.equal(codes.length, 10)
    await page.getByRole('button', { name: 'Copy' }).click()
    await page.getByText('Copied.').waitFor()
    t.match(await page.evaluate('navigator.clipboard.readText()'), codes.join('\n'))
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Save' }).click()
    ])
    t.equal(download.suggestedFilename(), 'coffer-robin.txt')
    t.match(readFileSync(await download.path(), 'utf8'), codes.join('\n'))
    await page.getByRole('button', { name: 'I have kept them' }).click()
    await page.getByText('Switched on:').waitFor()

    // An app's request takes it too.
    const asked = await ask()
    await page.goto(asked.authUrl)
    await signIn(page, 'robin')
    await untilHeading(page, 'Is it really you?')
    service.clock.advance(60)
    await page.getByLabel('Code').fill(code())
    await page.getByRole('button', { name: 'Continue' }).click()
    await page.getByRole('button', { name: 'Allow', exact: true }).click()
    await untilHeading(page, `${appId} is allowed`)
    t.match(await poll(asked), { status: 'ACCEPTED', username: 'robin' })

    // A code has to be given while the sign-in lasts. The session from before outlives a reload.
    await page.goto(`${url}/access/access.html`)
    await untilHeading(page, 'Your account')
    await page.getByText('Switched on:').waitFor()
    await page.context().clearCookies()
    await page.goto(`${url}/access/access.html`)
    await signIn(page, 'robin')
    await untilHeading(page, 'Is it really you?')
    service.clock.advance(86_400)
    await page.getByLabel('Code').fill(code())
    await page.getByRole('button', { name: 'Continue' }).click()
    await page.getByText('That took too long.').waitFor()

    // Whoever has lost the device has the codes.
    await page.goto(`${url}/access/access.html`)
    await signIn(page, 'robin')
    await page.getByRole('button', { name: 'Use a recovery code' }).click()
    await untilHeading(page, 'Use a recovery code')
    await page.getByLabel('Recovery code').fill('not one of them')
    await page.getByRole('button', { name: 'Use the code' }).click()
    await page.getByText('This recovery code is not right.').waitFor()
    await page.getByLabel('Recovery code').fill(` ${codes[3]!.toUpperCase().replaceAll('-', ' ')} `)
    await page.getByRole('button', { name: 'Use the code' }).click()
    await page.getByText('The second step is switched off.').waitFor()
    await signIn(page, 'robin')
    await untilHeading(page, 'Your account')
    await page.getByRole('button', { name: 'Switch it on' }).waitFor()
    await page.context().close()
  })

  await t.test('say what to do with a password that has expired', async t => {
    await register('kit-the-late')
    service.clock.advance(31 * 86_400)
    const page = await open('/access/access.html')
    await signIn(page, 'kit-the-late')
    await page
      .getByRole('alert')
      .getByText(/This password expired on \d+ December 2023/)
      .waitFor()
    t.equal(await page.getByRole('link', { name: 'Forgot your password?' }).count(), 1)
    await page.context().close()
  })

  await t.test('say in one’s own language what is wanted of a password', async t => {
    const page = await open('/access/register.html', { locale: 'fr-CH' })
    await untilHeading(page, 'Créer un compte')
    await page.getByLabel('Nom d’utilisateur').fill('fabienne')
    await page.getByLabel('E-mail').fill('fabienne@example.com')
    for (const [secret, problem] of [
      ['Court 1', 'Au moins 8 caractères'],
      ['toutpetit', 'Mêlez au moins 2 de ces sortes']
    ] as const) {
      await page.getByLabel('Mot de passe', { exact: true }).fill(secret)
      await page.getByRole('button', { name: 'Créer le compte' }).click()
      await page.locator('#password-problem', { hasText: problem }).waitFor()
      await page.locator('input[name=password]:focus').waitFor()
    }
    t.equal((await service.http('GET', '/reg/fabienne/check_username')).status, 200, 'nothing was made')
    await page.context().close()
  })

  await t.test('lead to where an account has moved', async t => {
    await register('leila-who-moved')
    await service.http(
      'POST',
      '/system/users/leila-who-moved/relocation',
      { url: 'https://new.example/leila-who-moved/' },
      { authorization: adminKey }
    )
    // The browser tries the new place by itself before the page can; its policy refuses that, and the console says so.
    const page = await visit(browser)
    await page.goto(`${url}/access/access.html`)
    await signIn(page, 'leila-who-moved')
    const alert = page.getByRole('alert').filter({ hasText: 'This account has moved to new.example.' })
    await alert.waitFor()
    const link = alert.getByRole('link', { name: 'new.example' })
    t.equal(await link.getAttribute('href'), 'https://new.example/access/access.html')

    await page.goto(`${url}/access/reset-password.html`)
    await page.getByLabel('Username or e-mail').fill('leila-who-moved')
    await page.getByRole('button', { name: 'Send the link' }).click()
    await alert.waitFor()
    await page.context().close()
  })
})
