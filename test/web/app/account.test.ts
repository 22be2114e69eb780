/** The account page: sign-in methods, stored data, deleting the account. */
import { readFileSync } from 'node:fs'
import { Secret, TOTP } from 'otpauth'
import t from 'tap'
import { unzipped } from '../../support/archives.js'
import { desk, go, startApp } from '../../support/app.js'
import { leave, untilHeading } from '../../support/browser.js'
import { look } from '../../support/look.js'
import { linkOf, mailbox } from '../../support/mailbox.js'
import { password, signIn } from '../../support/pages.js'
import { receiver } from '../../support/receiver.js'
import { inRotation, rotate } from '../../support/rotation.js'

const adminKey = 'the key of the operator'

t.test('the account page', async t => {
  const { daisy, enter, open, register, service, url } = await startApp(t, {
    userAccount: { delete: ['personalToken'] },
    adminKey,
    quota: { bytes: 5_000_000 },
    webhooks: { allowInternalTargets: true }
  })
  await daisy.stream('diary')
  await daisy.event({ content: 'A walk along the lake' })
  const page = await enter('/app/daisy/account')
  const test = inRotation(t, 2)
  /** Reads the page again. */
  const reread = async (): Promise<void> => {
    await go(page, '/app/daisy/measures')
    await go(page, '/app/daisy/account')
  }

  await t.test('shows the account, and changes email address and password', async t => {
    await page.getByText('daisy@example.com').waitFor()
    await page.getByText('of 5 MB').waitFor()
    await page.getByText('IP address 127.0.0.1').first().waitFor()
    await look(t, page, 'app-account')
    await page.getByRole('link', { name: 'Change email address' }).click()
    await page.getByText('The new address takes effect when you save it.').waitFor()
    await page.getByLabel('Email address').fill('other@example.com')
    await page.getByRole('button', { name: 'Save email address' }).click()
    await page.getByText('other@example.com').waitFor()
    t.equal(await page.getByText(/emails|an email|We’ll email/).count(), 0, 'none is promised')
    await page.getByRole('link', { name: 'Change password' }).click()
    const change = async (from: string, to: string): Promise<void> => {
      await page.getByLabel('Current password', { exact: true }).fill(from)
      await page.getByLabel('New password', { exact: true }).fill(to)
      await page.getByRole('button', { name: 'Save password' }).click()
    }
    await change('not the one', 'five words in one row')
    await page.getByText('Incorrect password.').waitFor()
    await page.locator('input[name=oldPassword]:focus').waitFor()
    await change(password, 'short')
    await page.getByText('Enter at least 6 characters.', { exact: true }).waitFor()
    await look(t, page, 'app-account-password')
    await change(password, 'five words in one row')
    await untilHeading(page, 'Password changed')
    await look(t, page, 'app-account-password-set')
    await page.getByRole('link', { name: 'Back to your account' }).click()
    await untilHeading(page, 'Your account')
    await daisy.do('account.changePassword', {
      oldPassword: 'five words in one row',
      newPassword: password
    })
  })

  await t.test('adds, verifies and chooses addresses', async t => {
    await page.getByRole('button', { name: 'Add address' }).click()
    await page.getByRole('textbox', { name: 'Email address' }).fill('further@example.com')
    await page.getByRole('button', { name: 'Add address' }).click()
    await page.getByText('Not verified').waitFor()
    const token = 'a token of the test'
    await service.call(undefined, 'test.mailVerification', {
      username: 'daisy',
      address: 'further@example.com',
      token
    })
    const link = await open(
      `/access/verify-email.html?verifyToken=${encodeURIComponent(token)}&username=daisy`
    )
    await link.getByRole('button', { name: 'Verify email address' }).click()
    await untilHeading(link, 'Email address verified')
    await look(t, link, 'verify-email')
    await link.goto(`${url}/access/verify-email.html?verifyToken=${encodeURIComponent(token)}&username=daisy`)
    await link.getByRole('button', { name: 'Verify email address' }).click()
    await untilHeading(link, 'This link doesn’t work')
    await leave(link)
    await reread()
    await page.getByText('Verified', { exact: true }).waitFor()
    await look(t, page, 'app-account-addresses')
    await page.getByRole('button', { name: 'Make primary: further@example.com' }).click()
    await page.getByLabel('Password', { exact: true }).fill(password)
    await page.getByRole('button', { name: 'Make primary' }).click()
    await page.getByRole('button', { name: 'Remove: other@example.com' }).click()
    await page.getByRole('button', { name: 'Remove: other@example.com' }).waitFor({ state: 'hidden' })
    t.match((await daisy.do('account.get')).account, { email: 'further@example.com', emails: { length: 1 } })
  })

  await t.test('sends a secret once', async t => {
    await page.getByRole('button', { name: 'Send a secret once' }).click()
    await page.getByLabel('Name', { exact: true }).fill('Key of the shed')
    await page.getByLabel('Secret', { exact: true }).fill('under the mat')
    await page.getByRole('button', { name: 'Create key' }).click()
    const key = await page.locator('.key code').first().textContent()
    await page.getByText('not retrieved yet').waitFor()
    await look(t, page, 'app-account-secret')
    t.same(
      (await service.http('POST', '/daisy/shared-secrets/retrieve', { key })).body.secret,
      'under the mat'
    )
    await reread()
    await page.getByText(/retrieved \d/).waitFor()
    await page.getByRole('button', { name: 'Delete from list: Key of the shed' }).click()
    await page.getByText('Key of the shed').waitFor({ state: 'hidden' })
  })

  await test('shows the storage limit of the account', async t => {
    const limit = async (bytes: number | null): Promise<void> => {
      const key = { authorization: adminKey }
      t.equal((await service.http('POST', '/system/users/daisy/quota', { bytes }, key)).status, 200)
    }
    await limit(7_000_000)
    await reread()
    await page.getByText('of 7 MB').waitFor()
    await limit(0)
    await reread()
    await page.getByText(/^Events /).waitFor()
    t.equal(await page.locator('meter').count(), 0, 'there is none')
    await limit(null)
  })

  await test('is the target of former URLs, and of going back', async t => {
    const paths = ['/access/access.html?lang=en', '/access/signinhub.html', '/auth', '/app/account']
    for (const path of rotate(t, paths, 3)) {
      const page = await open(path, desk)
      await signIn(page, 'daisy')
      await untilHeading(page, 'Your account')
      t.equal(page.url(), `${url}/app/daisy/account`, path)
      await leave(page)
    }
    const page = await open('/change-password.html', desk)
    await signIn(page, 'daisy')
    await untilHeading(page, 'Change password')
    t.equal(page.url(), `${url}/app/daisy/account/password`)
    await page.getByRole('button', { name: 'Back', exact: true }).click()
    await untilHeading(page, 'Your account')
    await page.goBack()
    await untilHeading(page, 'Change password')
    await leave(page)
  })

  await t.test('turns two-factor authentication on and off, with recovery codes', async t => {
    await reread()
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    await page.getByRole('link', { name: 'Turn on' }).click()
    await untilHeading(page, 'Set up two-factor authentication')
    await page.getByRole('img', { name: /QR code/ }).waitFor()
    await page.evaluate(`document.querySelector('.qr').decode()`)
    const secret = Secret.fromBase32((await page.locator('.secret code').innerText()).replaceAll(/\s/g, ''))
    const code = new TOTP({ secret }).generate({ timestamp: service.clock.now() * 1000 })
    await page.getByLabel('Code').fill(code === '000000' ? '111111' : '000000')
    await page.getByRole('button', { name: 'Turn on' }).click()
    await page.getByText('Incorrect code.').waitFor()
    await look(t, page, 'app-account-second-step')
    await page.getByLabel('Code').fill(code.replace(/(...)/, '$1 '))
    await page.getByRole('button', { name: 'Turn on' }).click()
    await untilHeading(page, 'Save your recovery codes')
    const codes = await page.locator('.codes li').allInnerTexts()
    t.equal(codes.length, 10)
    await look(t, page, 'app-account-codes')
    await page.getByRole('button', { name: 'Copy' }).click()
    await page.getByText('Copied').waitFor()
    t.match(await page.evaluate('navigator.clipboard.readText()'), codes.join('\n'))
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Download', exact: true }).click()
    ])
    t.equal(download.suggestedFilename(), 'coffer-daisy.txt')
    t.match(readFileSync(await download.path(), 'utf8'), codes.join('\n'))
    await page.getByRole('button', { name: 'I’ve saved my codes' }).click()
    await page.getByText('On. Signing in also requires a code').waitFor()
    await page.reload()
    await page.getByText('On. Signing in also requires a code').waitFor()
    await page.getByRole('link', { name: 'Turn off' }).click()
    await untilHeading(page, 'Turn off two-factor authentication?')
    await look(t, page, 'app-account-switch-off')
    await page.getByRole('button', { name: 'Turn off' }).click()
    await page.getByText('a stolen password alone is not enough').waitFor()
    await page.context().clearPermissions()
  })

  await t.test('lists sessions, and signs one out', async t => {
    const headers = {
      Origin: url,
      'User-Agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0'
    }
    for (const [appId, more] of [
      ['first-app', {}],
      ['second-app', {}],
      ['coffer-app', { 'Coffer-App': '1' }]
    ] as const) {
      const body = { username: 'daisy', password, appId }
      await service.http('POST', '/daisy/auth/login', body, { ...headers, ...more })
    }
    await reread()
    const own = page
      .getByRole('listitem')
      .filter({ has: page.getByText('Firefox on Linux', { exact: true }) })
    await own.getByText(/signed in .*, IP address 127\.0\.0\.1/).waitFor()
    await look(t, page, 'app-account-sessions')
    await page.getByRole('button', { name: 'Sign out: first-app' }).click()
    await page.getByText('first-app').waitFor({ state: 'detached' })
    await page.getByText('second-app').waitFor()
    const { sessions } = await daisy.do('sessions.get')
    for (const { appId, id } of sessions)
      if (appId === 'second-app') await daisy.do('sessions.delete', { id })
  })

  await test('signs out all other sessions', async t => {
    const token = await register('robin')
    const page = await open('/app/account', desk)
    await signIn(page, 'robin')
    await page.getByRole('button', { name: 'Sign out all other sessions' }).click()
    await page.getByText('test-app').waitFor({ state: 'detached' })
    t.match(await service.call('robin', 'getAccessInfo', {}, token), {
      error: { id: 'invalid-access-token' }
    })
    await page.reload()
    await untilHeading(page, 'Your account')
    await leave(page)
  })

  await t.test('lists allowed apps, and revokes their access', async t => {
    const permissions = [
      { streamId: 'diary', level: 'read' },
      { streamId: '*', level: 'create-only' }
    ]
    for (const [name, more] of [
      ['walking-app', { deviceName: `Her phone ${'with a long name '.repeat(3)}`, expireAfter: 1e15 }],
      ['other-app', {}]
    ] as const)
      await daisy.do('accesses.create', { type: 'app', name, permissions, ...more })
    await reread()
    const app = page.getByRole('listitem').filter({ hasText: 'walking-app' })
    t.match(await app.innerText(), /walking-app Her phone [^]*\s+diary, All your data\s+Expires on /)
    await app.getByRole('button', { name: 'Revoke access for walking-app' }).click()
    await look(t, page, 'app-account-ending')
    await app.getByRole('button', { name: 'Cancel' }).click()
    await app.getByRole('button', { name: 'Revoke access for walking-app' }).click()
    await app.getByRole('button', { name: 'Revoke', exact: true }).click()
    await app.waitFor({ state: 'detached' })
    const { accesses } = await daisy.do('accesses.get')
    const apps = accesses.filter(({ type }: { type: string }) => type === 'app')
    t.same(
      apps.map(({ name }: { name: string }) => name),
      ['other-app']
    )
  })

  await test('keeps language and units across sessions', async t => {
    const page = await enter('/app/daisy/account')
    await page.getByRole('combobox', { name: 'Language' }).selectOption('de')
    await untilHeading(page, 'Ihr Konto')
    await page.getByLabel('Gewicht').selectOption('lb')
    await look(t, page, 'app-account-german')
    await leave(page)
    const { account } = await daisy.do('account.get')
    t.equal(account.language, 'de')
    const { profile } = await daisy.do('profile.get', { id: 'private' })
    t.match(profile, { 'coffer:language': 'de', 'coffer:units': { mass: 'lb' } })
    const elsewhere = await open('/app/daisy/account', desk)
    await signIn(elsewhere, 'daisy')
    await untilHeading(elsewhere, 'Ihr Konto')
    await elsewhere.getByRole('link', { name: 'Zeitachse' }).first().waitFor()
    t.equal(await elsewhere.getByLabel('Gewicht').inputValue(), 'lb')
    await elsewhere.getByRole('combobox', { name: 'Sprache' }).selectOption('en')
    await untilHeading(elsewhere, 'Your account')
    await leave(elsewhere)
  })

  await t.test('downloads all data', async t => {
    const saved = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Download all data' }).click()
    const download = await saved
    t.match(download.suggestedFilename(), /^\w+-daisy\.zip$/)
    t.equal(
      readFileSync(await download.path())
        .subarray(0, 2)
        .toString(),
      'PK'
    )
    const savedFolder = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Download folder' }).click()
    const folder = await savedFolder
    t.match(folder.suggestedFilename(), /^\w+-daisy-folder\.zip$/)
    t.ok((await unzipped(await folder.path())).has('README.txt'))
  })

  await t.test('lists, tests and deletes webhooks', async t => {
    const target = await receiver(t)
    const sensor = await daisy.grant('read', 'diary')
    await sensor.do('webhooks.create', { url: target.url })
    await reread()
    await page.getByRole('button', { name: `Test ${target.url}` }).click()
    await page.getByText('Test successful.').waitFor()
    t.same(target.messages, [['test']])
    await page.getByRole('button', { name: 'Delete', exact: true }).click()
    await look(t, page, 'app-account-webhook')
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
    await page.getByText('No webhooks.').waitFor()
    t.same((await daisy.do('webhooks.get')).webhooks, [])
    await leave(page)
  })

  await t.test('deletes the account after asking for its name and password', async t => {
    await register('gerda')
    const page = await open('/app/gerda/account', desk)
    await signIn(page, 'gerda')
    await page.getByRole('button', { name: 'Delete account…' }).click()
    const fill = async (name: string, secret: string): Promise<void> => {
      await page.getByLabel('Enter your username to confirm').fill(name)
      await page.getByLabel('Password', { exact: true }).fill(secret)
      await page.getByRole('button', { name: 'Delete account', exact: true }).click()
    }
    await fill('daisy', password)
    await page.getByText('The username doesn’t match.').waitFor()
    await fill('gerda', 'a wrong guess')
    await page.getByText('Incorrect password.').waitFor()
    await look(t, page, 'app-account-delete')
    await fill('gerda', password)
    await page.getByRole('heading', { name: 'Account closed' }).waitFor()
    await look(t, page, 'app-account-deleted')
    await inRotation(t, 2)('unless its user comes back', async t => {
      await page.getByRole('button', { name: 'Sign out', exact: true }).click()
      await untilHeading(page, 'Sign in')
      await signIn(page, 'gerda')
      await page.getByRole('heading', { name: 'Your account will be deleted on' }).waitFor()
      await look(t, page, 'app-account-closing')
      await page.getByRole('button', { name: 'Keep my account' }).click()
      await page.locator('.lid').waitFor()
    })
    t.match((await service.http('GET', '/reg/gerda/check_username')).status, 409)
    t.ok((await daisy.do('account.get')).account, 'no one else’s')
    await leave(page)
  })
})

t.test('where mails are sent, the account page mentions them', async t => {
  const post = await mailbox(t)
  const { daisy, enter, url } = await startApp(t, post.settings)
  const page = await enter('/app/account')
  t.equal(page.url(), `${url}/app/daisy/account`)
  await page.getByText('and to emails.').waitFor()
  const test = inRotation(t, 2)

  await test('a new address is confirmed', async t => {
    await page.getByRole('button', { name: 'Turn off sign-in alerts' }).click()
    await page.getByText('Off. You don’t get an email').waitFor()
    await look(t, page, 'app-account-mails')
    t.equal((await daisy.do('account.getNotices')).notices.isOn, false)
    await page.getByRole('link', { name: 'Change email address' }).click()
    await page.getByText('We’ll email a confirmation link to the new address').waitFor()
    await page.getByLabel('Email address').fill('other@example.com')
    await look(t, page, 'app-account-email')
    await page.getByRole('button', { name: 'Save email address' }).click()
    await page.getByText('Until you confirm it, we keep using daisy@example.com.').waitFor()
    await page.getByRole('button', { name: 'Send confirmation link' }).click()
    await page.getByText('We sent you a link.').waitFor()
    await look(t, page, 'app-account-unconfirmed')
    // The former address is notified, with a link to this page.
    const told = await post.receivedBy('daisy@example.com', 3)
    t.match(told.text, `${url}/app/daisy/account`)
    await page.goto(linkOf(await post.receivedBy('other@example.com', 2)).href)
    await page.getByLabel('Password', { exact: true }).fill(password)
    await page.getByRole('button', { name: 'Sign in', exact: true }).click()
    await page.getByRole('button', { name: 'Confirm' }).click()
    await untilHeading(page, 'Email address confirmed')
    await page.getByRole('link', { name: 'Back to your account' }).click()
    await untilHeading(page, 'Your account')
    t.equal(page.url(), `${url}/app/daisy/account`)
    t.equal(await page.getByText('not confirmed yet').count(), 0)
  })

  await test('the username is changed', async t => {
    await page.getByText('You can change it 2 more times.').waitFor()
    await page.getByRole('link', { name: 'Change username' }).click()
    await page.getByText('Links and apps that use daisy still work').waitFor()
    await page.getByLabel('New username').fill('admin')
    await page.getByRole('button', { name: 'Change username' }).click()
    await page.getByText('This username is taken or reserved').waitFor()
    await look(t, page, 'app-account-username')
    await page.getByLabel('New username').fill('Rosalind')
    await page.getByRole('button', { name: 'Change username' }).click()
    await page.getByText(/You can change it again on/).waitFor()
    t.equal(page.url(), `${url}/app/rosalind/account`)
    // Addresses with the former name lead to the new one.
    await page.goto(`${url}/app/daisy/shared`)
    await page.waitForURL(`${url}/app/rosalind/today`)
  })
  await leave(page)
})
