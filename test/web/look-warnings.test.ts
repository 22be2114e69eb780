/** The look of pages with warnings or with nothing to offer. Screenshots are saved in `.test-output/pages`. */
import t from 'tap'
import { leave, untilHeading } from '../support/browser.js'
import { look } from '../support/look.js'
import { linkOf, mailbox } from '../support/mailbox.js'
import { appId, password, signIn, startPages } from '../support/pages.js'
import { inRotation } from '../support/rotation.js'

const longName = 'Aufzeichnungen über den Schlaf der vergangenen Nächte-und-noch-einiges-ohne-jeden-Abstand'

t.test('the pages that warn', async t => {
  const post = await mailbox(t)
  const { open, register, service } = await startPages(t, {
    ...post.settings,
    http: { trustedProxies: ['127.0.0.1'] }
  })
  const token = await register('daisy')
  const test = inRotation(t, 3)
  const call = async (method: string, params: object, by = token) =>
    await service.call('daisy', method, params, by)
  const askFrom = async (fields: object, headers: Record<string, string> = {}) =>
    (await service.http('POST', '/reg/access/', { requestingAppId: appId, ...fields }, headers)).body
  const requestedPermissions = [
    { streamId: 'heart-rate', level: 'contribute', defaultName: 'Heart rate' },
    { streamId: ':system:email', level: 'contribute', defaultName: 'E-mail' }
  ]

  await test('of who else sees a stream, what may be changed, and who requests it', async t => {
    await call('streams.create', { id: 'fitness', name: longName })
    const permissions = [{ streamId: 'fitness', level: 'manage' }]
    const squatter = { type: 'app', name: 'squatting-app', deviceName: longName, permissions }
    const { access } = await call('accesses.create', squatter)
    const stream = { id: 'heart-rate', name: 'Heart rate', parentId: 'fitness' }
    await call('streams.create', stream, access.token)
    const everything = [{ streamId: '*', level: 'read' }]
    await call('accesses.create', { name: 'Dr. Who', permissions: everything })
    const asked = await askFrom(
      { requestedPermissions },
      { origin: 'https://app.example.com', 'x-forwarded-for': '203.0.113.7' }
    )
    const page = await open(asked.authUrl)
    await signIn(page, 'daisy')
    await untilHeading(page, `Allow ${appId}?`)
    await look(t, page, 'consent-warnings')
    await page.goto(asked.authUrl.replace('lang=en', 'lang=fr'))
    await page.getByLabel('Nom d’utilisateur ou e-mail').fill('daisy')
    await page.getByLabel('Mot de passe', { exact: true }).fill(password)
    await page.getByRole('button', { name: 'Se connecter' }).click()
    await untilHeading(page, /^Autoriser/)
    await look(t, page, 'consent-warnings-french')
    await page.getByRole('button', { name: 'Autoriser', exact: true }).click()
    await untilHeading(page, /a désormais accès/)

    await page.goto((await askFrom({ requestedPermissions, returnURL: 'https://evil.example.com/' })).authUrl)
    await signIn(page, 'daisy')
    await untilHeading(page, `Allow ${appId} again?`)
    await look(t, page, 'consent-again')
    await leave(page)
  })

  await test('of an address that an app has set', async t => {
    const permissions = [{ streamId: ':system:email', level: 'create-only' }]
    const { access } = await call('accesses.create', { type: 'app', name: 'helpful-app', permissions })
    const content = 'a-very-long-address-that-hardly-fits-anywhere@with-a-long-host.example.com'
    await call('events.create', { streamIds: [':system:email'], type: 'email/string', content }, access.token)
    const link = linkOf(await post.receivedBy(content))
    const page = await open('/access/access.html')
    await signIn(page, 'daisy')
    await page.getByText(/This address isn’t confirmed yet\. Until you confirm it/).waitFor()
    await look(t, page, 'account-unconfirmed')
    await page.getByRole('link', { name: /Change email address/ }).click()
    await untilHeading(page, /Change email address/)
    await look(t, page, 'change-email')

    await page.goto(link.href)
    await untilHeading(page, 'Confirm your email address')
    await look(t, page, 'confirm-email-sign-in')
    await page.getByLabel('Password', { exact: true }).fill(password)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await untilHeading(page, 'Is this your email address?')
    await look(t, page, 'confirm-email')
    await page.getByRole('button', { name: 'Confirm' }).click()
    await untilHeading(page, 'Email address confirmed')
    await look(t, page, 'confirm-email-done')
    await page.reload()
    await untilHeading(page, 'This link is incomplete')
    await look(t, page, 'confirm-email-none')
    await leave(page)
  })

  await test('that there are no mails, and no registration', async t => {
    const quiet = await startPages(t, { registration: { invitationTokens: [] } })
    const page = await quiet.open('/reset-password.html')
    await untilHeading(page, 'Reset your password')
    await look(t, page, 'reset-operator')
    await page.getByLabel('Username or email').fill('daisy')
    await page.getByRole('button', { name: 'Create link' }).click()
    await untilHeading(page, 'Ask the operator for your link')
    await look(t, page, 'reset-noted')
    await page.goto(`${quiet.url}/access/register.html`)
    await untilHeading(page, 'Registration is closed')
    await look(t, page, 'register-closed')
    await leave(page)
    const invited = await startPages(t, {
      registration: { invitationTokens: ['welcome'] },
      services: { email: { enabled: false } }
    })
    const other = await invited.open('/access/reset-password.html')
    await other.getByText('You can’t reset your password yourself').waitFor()
    await look(t, other, 'reset-none')
    await leave(other)
  })
})
