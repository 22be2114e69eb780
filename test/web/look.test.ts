/** The look of the pages in each of their states. Screenshots are saved in `.test-output/pages`. */
import { Secret, TOTP } from 'otpauth'
import t from 'tap'
import { leave, untilHeading } from '../support/browser.js'
import { look } from '../support/look.js'
import { mailbox } from '../support/mailbox.js'
import { appId, password, permissions, signIn, startPages } from '../support/pages.js'
import { inRotation } from '../support/rotation.js'

const longName = 'Aufzeichnungen über den Schlaf der vergangenen Nächte-und-noch-einiges-ohne-jeden-Abstand'

t.test('the pages', async t => {
  const post = await mailbox(t)
  const { ask, open, register, service, url } = await startPages(t, {
    ...post.settings,
    throttle: { failures: 2 },
    service: { support: 'help@example.com', terms: 'https://example.com/terms' }
  })
  const token = await register('daisy')
  await register('a-person-with-a-very-long-username-that-hardly-fits-anywhere')
  const test = inRotation(t, 3)

  await test('for signing in', async t => {
    const page = await open((await ask()).authUrl)
    await untilHeading(page, 'Sign in')
    await look(t, page, 'sign-in')
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByText('Fill in this field.').first().waitFor()
    await look(t, page, 'sign-in-fields')
    for (const _ of Array(3)) await signIn(page, 'daisy', 'a wrong guess')
    await page.getByText('Too many attempts').waitFor()
    await look(t, page, 'sign-in-waiting')
    service.clock.advance(100)
    await page.goto(`${url}/access/access.html?lang=fr`)
    await untilHeading(page, 'Se connecter')
    await look(t, page, 'sign-in-french')
    await leave(page)
  })

  await test('for registering', async t => {
    const page = await open('/register.html')
    await untilHeading(page, 'Create account')
    await page.getByLabel('Username').fill('daisy')
    await page.getByLabel('Email address').fill('daisy@example.com')
    await page.getByLabel('Password', { exact: true }).fill(password)
    await page.getByRole('button', { name: 'Create account' }).click()
    await page.getByText('This username is taken').waitFor()
    await look(t, page, 'register')
    await leave(page)
  })

  await test('for consent', async t => {
    const asked = await ask({
      deviceName: 'Telefon',
      expireAfter: 7_776_000,
      returnURL: `${url}/www/assets/index.json#`,
      clientData: {
        'app-web-auth:description': {
          type: 'note/txt',
          content: 'We show your weight beside your notes.\nNothing of it leaves your phone.'
        }
      },
      requestedPermissions: [
        ...permissions,
        { streamId: 'long', level: 'create-only', defaultName: longName },
        { feature: 'selfRevoke', setting: 'forbidden' }
      ]
    })
    const page = await open(asked.authUrl)
    await signIn(page, 'a-person-with-a-very-long-username-that-hardly-fits-anywhere')
    await untilHeading(page, `Allow ${appId}?`)
    await look(t, page, 'consent')

    await page.goto((await ask({ requestedPermissions: [] })).authUrl)
    await signIn(page, 'daisy')
    await untilHeading(page, `Allow ${appId}?`)
    await look(t, page, 'consent-nothing')
    await page.getByRole('button', { name: 'Deny' }).click()
    await untilHeading(page, 'Access denied')
    await look(t, page, 'refused')

    await page.goto((await ask()).authUrl)
    await signIn(page, 'daisy')
    await page.getByRole('button', { name: 'Allow', exact: true }).click()
    await untilHeading(page, `${appId} now has access`)
    await look(t, page, 'allowed')
    const { accesses } = await service.call('daisy', 'accesses.get', {}, token)
    const app = accesses.find(({ type }: { type: string }) => type === 'app')
    await service.call(
      'daisy',
      'accesses.create',
      { name: 'For a doctor', permissions: [{ streamId: 'weight', level: 'read' }] },
      app.token
    )
    const more = [
      { streamId: 'diary', level: 'manage', defaultName: 'Diary' },
      { streamId: '*', level: 'read' }
    ]
    await page.goto((await ask({ requestedPermissions: more, languageCode: 'fr' })).authUrl)
    await page.getByLabel('Nom d’utilisateur ou e-mail').fill('daisy')
    await page.getByLabel('Mot de passe', { exact: true }).fill(password)
    await page.getByRole('button', { name: 'Se connecter' }).click()
    await untilHeading(page, new RegExp(`^Autoriser ${appId}`))
    await look(t, page, 'consent-changed-french')
    await leave(page)
  })

  await test('for invalid requests', async t => {
    const page = await open('/access/access.html?key=0123456789abcdef')
    await untilHeading(page, 'This request has expired')
    await look(t, page, 'expired')
    await page.route('**/service/info', async route => await route.abort())
    await page.reload()
    await untilHeading(page, 'Something went wrong')
    await look(t, page, 'broken')
    await page.context().close()
  })

  await test('for passwords', async t => {
    const page = await open('/reset-password.html')
    await untilHeading(page, 'Reset your password')
    await look(t, page, 'reset')
    await page.getByLabel('Username or email').fill('daisy')
    await page.getByRole('button', { name: 'Send link' }).click()
    await untilHeading(page, 'Check your inbox')
    await look(t, page, 'reset-sent')
    await page.goto(`${url}/access/reset-password.html?username=daisy&resetToken=of-yesterday`)
    await untilHeading(page, 'Choose a new password')
    await page.getByLabel('New password', { exact: true }).fill('another one')
    await page.getByRole('button', { name: 'Save password' }).click()
    await page.getByText('This link has expired').waitFor()
    await look(t, page, 'new-password')
    await leave(page)
  })

  await test('for two-factor authentication', async t => {
    const post = async (path: string, body: object, authorization: string) =>
      (await service.http('POST', `/daisy/mfa/${path}`, body, { authorization })).body
    const { mfaToken, totp } = await post('activate', { method: 'totp', password }, token)
    const timestamp = service.clock.now() * 1000
    const code = new TOTP({ secret: Secret.fromBase32(totp.secret) }).generate({ timestamp })
    t.ok((await post('confirm', { code }, mfaToken)).recoveryCodes)
    const page = await open('/app/')
    await signIn(page, 'daisy')
    await untilHeading(page, 'Enter your code')
    await look(t, page, 'challenge')
    await page.getByRole('button', { name: 'Use a recovery code' }).click()
    await untilHeading(page, 'Use a recovery code')
    await look(t, page, 'recover')
    await leave(page)
  })
})
