/** Using passkeys in a real browser with a virtual authenticator. (docs/spec/passkeys.md) */
import type { BrowserContextOptions, CDPSession, Page } from 'playwright-core'
import t, { type Test } from 'tap'
import { untilHeading, visit, Watch } from '../support/browser.js'
import { look } from '../support/look.js'
import { originOf } from '../support/passkeys.js'
import { password, signIn, startPages, type Pages } from '../support/pages.js'
import { inRotation } from '../support/rotation.js'
import { until } from '../support/socket.js'

const phone = { viewport: { width: 390, height: 844 }, hasTouch: true }

/** A browser page on the host name of the passkeys, with an authenticator. */
interface Device {
  readonly page: Page
  readonly cdp: CDPSession
  readonly id: string
}

interface Options extends BrowserContextOptions {
  /** Whether the browser offers passkeys in the username field: this one would choose one immediately. */
  readonly fills?: boolean
}

/** Opens pages with separate authenticators; any problem of a page fails the test. */
function devices(t: Test, { browser, service }: Pages) {
  const origin = originOf(service)
  return async (path: string, { fills = false, ...options }: Options = {}): Promise<Device> => {
    const page = await visit(browser, options)
    const watch = new Watch(page, origin)
    if (!fills)
      await page.addInitScript(
        'if (globalThis.PublicKeyCredential) PublicKeyCredential.isConditionalMediationAvailable = async () => false'
      )
    const cdp = await page.context().newCDPSession(page)
    await cdp.send('WebAuthn.enable')
    const { authenticatorId: id } = await cdp.send('WebAuthn.addVirtualAuthenticator', {
      options: {
        protocol: 'ctap2',
        transport: 'internal',
        hasResidentKey: true,
        hasUserVerification: true,
        isUserVerified: true,
        automaticPresenceSimulation: true
      }
    })
    await page.goto(origin + path)
    page.once('close', () => t.same(watch.troubles, [], `nothing went wrong at ${path.slice(0, 60)}`))
    return { page, cdp, id }
  }
}

async function add(page: Page, name?: string): Promise<void> {
  await page.getByRole('button', { name: 'Add passkey' }).click()
  if (name !== undefined) await page.getByLabel('Passkey name').fill(name)
  await page.getByLabel('Current password', { exact: true }).fill(password)
  await page.getByRole('button', { name: 'Add passkey' }).click()
}

/** Signs out, and returns to the sign-in of the account page. */
async function leave(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Account: daisy' }).click()
  // A request that is not sent yet would not survive the next page.
  const signedOut = page.waitForResponse('**/auth/logout')
  await page.getByRole('navigation').getByRole('button', { name: 'Sign out' }).click()
  await untilHeading(page, 'Sign in')
  await signedOut
  await page.goto(new URL('/app/account', page.url()).href)
  await untilHeading(page, 'Sign in')
}

async function enter(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Sign in with a passkey' }).click()
}

t.test('passkeys', async t => {
  const pages = await startPages(t)
  const { ask, poll, register, service } = pages
  const token = await register('daisy')
  const open = devices(t, pages)
  const known = async (): Promise<{ name: string; id: string }[]> =>
    (await service.call('daisy', 'passkeys.get', {}, token)).passkeys

  const test = inRotation(t, 2)
  const laptop = await open('/app/account')
  await t.test('are added on the account page, with a suitable name', async t => {
    const { page } = laptop
    await signIn(page, 'daisy')
    await untilHeading(page, 'Your account')
    await page.getByRole('button', { name: 'Add passkey' }).click()
    t.match(await page.getByLabel('Passkey name').inputValue(), /^Chrome on /)
    await look(t, page, 'passkeys-add')
    await page.getByLabel('Current password', { exact: true }).fill('not the one')
    await page.getByRole('button', { name: 'Add passkey' }).click()
    await page.getByText('Incorrect password.').waitFor()
    await page.getByRole('button', { name: 'Back', exact: true }).click()
    await add(page, 'Olive’s laptop')
    await page.getByText('Olive’s laptop added.').waitFor()
    t.match(await known(), [{ name: 'Olive’s laptop' }])
    await look(t, page, 'passkeys-list')
    await page.setViewportSize({ width: 320, height: 640 })
    t.ok(await page.evaluate('document.documentElement.scrollWidth <= 320'))
    await page.setViewportSize({ width: 1280, height: 800 })
  })

  await t.test('are not added twice on one device', async t => {
    const { page } = laptop
    await add(page)
    await page.getByText('This device already has a passkey for your account.').waitFor()
    t.equal((await known()).length, 1)
    await page.getByRole('button', { name: 'Back', exact: true }).click()
  })

  await t.test('sign in without a username or a password', async t => {
    const { page } = laptop
    await leave(page)
    await page.getByRole('button', { name: 'Sign in with a passkey' }).waitFor()
    await look(t, page, 'passkeys-sign-in')
    await enter(page)
    await untilHeading(page, 'Your account')
    await page.getByText('Signed in as daisy.').waitFor()
    await page
      .getByText(/^Last used: /)
      .first()
      .waitFor()
    await page.reload()
    await untilHeading(page, 'Your account')
  })

  await t.test('are sufficient proof to add another one', async t => {
    const { cdp, page } = laptop
    await page.getByRole('button', { name: 'Add passkey' }).click()
    await page.getByLabel('Passkey name').fill('Key ring')
    await page.getByRole('button', { name: 'Confirm with a passkey instead' }).click()
    await cdp.send('WebAuthn.addVirtualAuthenticator', {
      options: {
        protocol: 'ctap2',
        transport: 'usb',
        hasResidentKey: true,
        hasUserVerification: true,
        isUserVerified: true,
        automaticPresenceSimulation: true
      }
    })
    await page.getByRole('button', { name: 'Add passkey' }).click()
    await page.getByText('Key ring added.').waitFor()
    t.same(
      (await known()).map(({ name }) => name),
      ['Olive’s laptop', 'Key ring']
    )
  })

  await t.test('are renamed and removed', async t => {
    const { page } = laptop
    await page.getByRole('button', { name: 'Rename: Key ring' }).click()
    await page.getByLabel('Passkey name').fill('Spare key')
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByRole('button', { name: 'Remove: Spare key' }).click()
    await look(t, page, 'passkeys-end')
    await page.getByRole('button', { name: 'Cancel' }).click()
    await page.getByRole('button', { name: 'Remove: Spare key' }).click()
    await page.getByRole('button', { name: 'Remove', exact: true }).click()
    await page.getByText('Spare key').first().waitFor({ state: 'detached' })
    t.match(await known(), [{ name: 'Olive’s laptop' }])
  })

  await t.test('are refused without user verification, and after their removal', async t => {
    const { cdp, id, page } = laptop
    await leave(page)
    const isKnown = 'This passkey is unknown or has been removed.'
    // A page that does not request verification: the authenticator signs all the same.
    await page.route('**/auth/passkey-challenge', async route => {
      const answer = await route.fetch()
      const text = (await answer.text()).replace('"required"', '"discouraged"')
      await route.fulfill({ response: answer, body: text })
    })
    await cdp.send('WebAuthn.setUserVerified', { authenticatorId: id, isUserVerified: false })
    await enter(page)
    await page.getByText(isKnown).waitFor()
    await page.unroute('**/auth/passkey-challenge')
    await cdp.send('WebAuthn.setUserVerified', { authenticatorId: id, isUserVerified: true })
    const [{ id: passkeyId } = { id: '' }] = await known()
    await service.call('daisy', 'passkeys.delete', { id: passkeyId }, token)
    await enter(page)
    await page.getByText(isKnown).waitFor()
    await look(t, page, 'passkeys-refused')
    // As browsers do when the user cancels their dialog.
    await page.evaluate(
      `navigator.credentials.get = async () => { throw new DOMException('', 'NotAllowedError') }`
    )
    await enter(page)
    await page.getByText('No passkey was used. Try again.').waitFor()
    await page.context().close()
  })

  await test('sign in on a phone, also for an app, and from the username field', async t => {
    const { cdp, id, page } = await open('/app/account', phone)
    await signIn(page, 'daisy')
    await untilHeading(page, 'Your account')
    await add(page, 'Phone')
    await page.getByText('Phone added.').waitFor()
    await leave(page)
    const asked = await ask()
    const { pathname, search } = new URL(asked.authUrl)
    await page.goto(`${originOf(service)}${pathname}${search}`)
    await untilHeading(page, 'Sign in')
    await enter(page)
    await page.getByRole('button', { name: /^Allow/ }).click()
    const isAccepted = async (): Promise<boolean> => (await poll(asked)).status === 'ACCEPTED'
    await until(isAccepted, 'the app to have its token')
    t.match(await poll(asked), { status: 'ACCEPTED', username: 'daisy' })
    // Its counter of uses must not go back.
    const { credentials } = await cdp.send('WebAuthn.getCredentials', { authenticatorId: id })
    await page.context().close()
    const other = await open('/healthz', { ...phone, fills: true })
    await other.cdp.send('WebAuthn.addCredential', {
      authenticatorId: other.id,
      credential: credentials[0]!
    })
    await other.page.goto(`${originOf(service)}/app/account`)
    await untilHeading(other.page, 'Your account')
    t.equal(await other.page.getByLabel('Password', { exact: true }).count(), 0)
    await other.page.context().close()
  })

  await test('are offered only where they work', async t => {
    const page = await pages.open('/app/account')
    await signIn(page, 'daisy')
    await untilHeading(page, 'Your account')
    await page.getByText(`Passkeys only work on ${originOf(service)}.`).waitFor()
    t.equal(await page.getByRole('button', { name: 'Add passkey' }).count(), 0)
    await page.context().close()
  })
})
