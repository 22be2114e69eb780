/** The operator's page: users, service, invitations, activity log. Screenshots are saved in `.test-output/pages`. */
import { text } from 'node:stream/consumers'
import type { Page } from 'playwright-core'
import t from 'tap'
import { createPasswords } from '../../core/security/passwords.js'
import { Layout } from '../../storage/files/layout.js'
import { PlatformStore } from '../../storage/platform/platform-store.js'
import { leave, untilHeading } from '../support/browser.js'
import { look } from '../support/look.js'
import { password, signIn, startPages } from '../support/pages.js'
import { inRotation, rotate } from '../support/rotation.js'
import { addPasskey, givePassword } from '../support/passkeys.js'

t.setTimeout(900_000)

const adminKey = 'the key of the operator'

const keyedClient = {
  id: 'some-client',
  oauth: {
    redirectURIs: ['https://app.example.com/callback'],
    account: 'robot',
    keys: [
      {
        kid: 'a-key',
        kty: 'EC',
        crv: 'P-256',
        x: 'f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU',
        y: 'x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0'
      }
    ]
  }
}

const go = async (page: Page, place: string): Promise<void> => {
  await page.getByRole('button', { name: place, exact: true }).click()
  await page.getByRole('heading', { name: place, exact: true, level: 2 }).waitFor()
}

t.test('the operator’s page', async t => {
  const pages = await startPages(t, {
    adminKey,
    operators: ['olive'],
    access: { apps: [keyedClient] as never },
    registration: { invitationTokens: ['an-invitation-of-the-settings'] }
  })
  const { open, service, url } = pages
  const email = 'olive@example.com'
  const made = await service.http(
    'POST',
    '/system/create-user',
    { username: 'olive', passwordHash: await createPasswords().hash(password), email, language: 'en' },
    { authorization: adminKey }
  )
  t.equal(made.status, 201)
  const platform = new PlatformStore(new Layout(service.directory))
  const growth = Array.from({ length: 200 }, (_, day) => ({
    day: 20_000 + day,
    events: 500 + ((day * 37) % 400),
    accounts: 20 + Math.floor(day / 10),
    documents: 4e8 + day * 3e6,
    attachments: 2e9 + day * 2e7,
    previews: 1e8,
    others: day === 150 ? null : 5e6
  }))
  platform.restore({
    adminActions: [],
    farewells: [],
    growth,
    invitations: [],
    oauthClientStates: [],
    secrets: []
  })
  platform.close()
  const daisy = await service.user('daisy')
  await givePassword(daisy)
  await addPasskey(daisy)
  await daisy.stream('diary')
  await daisy.event({ content: 'nobody is to read this' })
  const person = await service.user('person-10')
  for (let at = 11; at < 40; at++) await service.user(`person-${at}`)
  await person.stream('diary')
  await person.event()
  const doctor = await person.grant('read', 'diary', { name: 'doctor' })
  await doctor.do('events.get', { streams: ['diary'] })

  t.test('admits operators, and manages users', async t => {
    const page = await open('/operator')
    await untilHeading(page, 'Sign in')
    await look(t, page, 'operator-sign-in')
    await page.getByRole('link', { name: 'Forgot password?' }).click()
    await page.waitForURL('**/access/reset-password.html')
    await page.goto(`${url}/operator`)
    await signIn(page, 'olive')
    await untilHeading(page, 'Administration')
    await page.getByRole('button', { name: 'person-10' }).waitFor()
    await look(t, page, 'operator-people')
    await page.getByRole('button', { name: 'Next' }).click()
    await page.getByRole('button', { name: 'person-39' }).waitFor()
    await page.reload()
    await page.getByLabel('Part of a username, or a full email address').fill('dais')
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'person-10' }).waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'daisy' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('button', { name: 'Create password reset link' }).click()
    await dialog.getByRole('img', { name: 'Create password reset link' }).waitFor()
    await look(t, page, 'operator-person')
    t.match(await dialog.locator('a.address').textContent(), `${url}/access/reset-password.html?resetToken=`)

    await dialog.getByLabel('Megabytes (0 = unlimited)').fill('2.5')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await dialog.getByText('Storage limit saved.').waitFor()
    await dialog.getByText(/of 2\.5 MB/).waitFor()
    await dialog.getByRole('button', { name: 'Remove all passkeys' }).click()
    await dialog.getByText('All passkeys removed.').waitFor()
    t.same((await daisy.do('passkeys.get')).passkeys, [])
    t.equal(
      await dialog.getByLabel('Megabytes (0 = unlimited)').inputValue(),
      '2.5',
      'the limit stays in sight'
    )
    await dialog.getByRole('button', { name: 'Suspend…' }).click()
    await page.getByRole('heading', { name: 'Suspend daisy?' }).waitFor()
    t.notOk((await daisy.call('events.get')).error, 'not before it is confirmed')
    await page.getByRole('button', { name: 'Suspend account' }).click()
    await dialog.getByRole('button', { name: 'Restore access' }).waitFor()
    t.equal((await daisy.call('events.get')).error.id, 'forbidden')
    await dialog.getByRole('button', { name: 'Restore access' }).click()
    await dialog.getByText('Access restored.').waitFor()
    // Once the user has been loaded again, the buttons are in their places.
    await dialog.getByRole('button', { name: 'Suspend…' }).waitFor()
    t.notOk((await daisy.call('events.get')).error)

    await dialog.getByRole('button', { name: 'Delete…' }).click()
    await page.getByLabel('Type daisy to confirm').fill('rose')
    await page.getByRole('button', { name: 'Delete permanently' }).click()
    await page.getByText('The username doesn’t match.').waitFor()
    await look(t, page, 'operator-deletion')
    await page.getByLabel('Type daisy to confirm').fill('daisy')
    await page.getByRole('button', { name: 'Delete permanently' }).click()
    await page.getByText('No accounts found.').waitFor()
    t.equal((await daisy.call('events.get')).error.id, 'unknown-resource')

    await page.getByLabel('Part of a username, or a full email address').fill(email)
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'olive' }).click()
    await page.getByText('This is your own account').waitFor()
    t.equal(await page.getByRole('button', { name: 'Suspend…' }).count(), 0)
    await page.keyboard.press('Escape')

    await go(page, 'Invitations')
    await page.getByLabel('Note (optional)').fill('for Robin')
    await page.getByRole('button', { name: 'Create invitation' }).click()
    await page.getByRole('img', { name: 'Invitation as a QR code' }).waitFor()
    await page.getByText('for Robin').waitFor()
    await look(t, page, 'operator-invitations')
    const link = (await page.locator('a.address').textContent()) ?? ''
    const token = new URL(link).hash.replace('#invitation=', '')
    const checked = await service.http('POST', '/reg/access/invitationtoken/check', {
      invitationtoken: token
    })
    t.equal(String(checked.body), 'true')

    await page.setViewportSize({ width: 390, height: 800 })
    const invitation = page.locator('.rows li').first()
    const [linked, copied] = await Promise.all(
      [invitation.getByRole('link'), invitation.getByRole('button')].map(
        async each => await each.boundingBox()
      )
    )
    t.ok(copied!.y < linked!.y + linked!.height, 'the button to copy stands beside its link')
    await page.setViewportSize({ width: 1280, height: 800 })

    await page.evaluate(noteCutNames)
    await page.getByRole('button', { name: 'Service', exact: true }).click()
    await page.getByText('Automatic backups are off').waitFor()
    await page.getByText('No mail server is set').waitFor()
    await page.getByText('Free disk space').waitFor()
    await page.getByRole('heading', { name: 'API calls, last 24 hours' }).waitFor()
    await page.getByRole('heading', { name: 'Growth' }).waitFor()
    await page
      .getByRole('figure', { name: /^Accounts: From 20 \(4 October 2024\) to 39 \(21 April 2025\)$/ })
      .waitFor()
    await page.getByText('Show as table').click()
    const days = page.getByRole('region', { name: 'Growth' }).getByRole('row')
    t.equal(await days.count(), 201)
    t.match(await days.first().textContent(), /^Date.*Storage used.*Accounts.*Events added per day$/)
    t.match(await days.nth(1).textContent(), /^21 April 2025.*7.* GB39\d+$/)
    t.match(await days.nth(50).textContent(), /^3 March 2025–35\d+$/)
    await look(t, page, 'operator-service')
    t.same(await page.evaluate('window.cutNames'), [], 'names of values are whole')

    await go(page, 'Activity log')
    await page.getByText('Invitations created').waitFor()
    await look(t, page, 'operator-deeds')
    const rows = await page.locator('.rows li').allTextContents()
    t.equal(rows.length, 8)
    t.match(rows[1], /Account deleted: c.*olive/)
    t.notMatch(rows.join(), 'daisy')

    await inRotation(t, 2)('tells what an access has read', async t => {
      const { id } = doctor.access
      await go(page, 'Data breach')
      await page.getByLabel('ID of the access').fill(`${id}:2`)
      await page.getByLabel('Calls since (optional)').fill('2001-01-01')
      await page.getByRole('button', { name: 'Show what was read' }).click()
      await page.getByRole('heading', { name: '“doctor” of person-10' }).waitFor()
      await page.getByText('Calls: 1 · Refused: 0 · Items read: 1').waitFor()
      await look(t, page, 'operator-breach')
      const downloads: string[] = []
      for (const name of ['Save as CSV', 'Save as JSON']) {
        const download = page.waitForEvent('download')
        await page.getByRole('button', { name }).click()
        downloads.push(await text(await (await download).createReadStream()))
      }
      t.match(downloads[0], /^\ufeff?stream,name[^]*\r\ndiary,/)
      t.match(JSON.parse(downloads[1]!), { owner: { username: 'person-10' }, breachScope: { calls: 1 } })
      await page.getByLabel('ID of the access').fill('cunknown')
      await page.getByRole('button', { name: 'Show what was read' }).click()
      await page.getByRole('alert').waitFor()
      await go(page, 'Activity log')
      await page.getByText('Looked up what an access has read:').waitFor()
    })

    const languages = [
      ['fr', 'Administration'],
      ['de', 'Verwaltung']
    ] as const
    for (const [language, title] of rotate(t, languages, 4)) {
      await page.getByRole('combobox').selectOption(language)
      await untilHeading(page, title)
      await look(t, page, `operator-${language}`)
    }
    await page.goto(`${url}/app/olive/table`)
    await page.getByRole('button', { name: /olive/ }).click()
    await page.getByRole('link', { name: 'Administration' }).click()
    await untilHeading(page, 'Administration')
    await leave(page)
  })

  t.test('fits the narrowest screens, and works by keyboard', async t => {
    const page = await open('/operator#service', { viewport: { width: 320, height: 640 } })
    await page.getByRole('button', { name: 'Use the admin key instead' }).focus()
    await page.keyboard.press('Enter')
    await untilHeading(page, 'Admin key')
    await page.getByLabel('Key', { exact: true }).fill('not the key')
    await page.keyboard.press('Enter')
    await page.getByText('This isn’t the admin key of this service.').waitFor()
    await page.getByLabel('Key', { exact: true }).fill(adminKey)
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Versions' }).waitFor()
    const places = page.getByRole('group', { name: 'Sections' })
    const boxes = await Promise.all((await places.getByRole('button').all()).map(each => each.boundingBox()))
    t.equal(boxes.length, 7)
    for (const box of boxes) t.ok(box && box.x >= 0 && box.x + box.width <= 320, 'each place is in sight')
    await places.getByRole('button', { name: 'OAuth clients' }).click()
    await page.getByText('Account: robot').waitFor()
    t.equal(await page.evaluate('document.documentElement.scrollWidth > innerWidth'), false)
    await page.getByRole('button', { name: 'Revoke a-key' }).click()
    await page.getByRole('button', { name: 'Allow a-key again' }).waitFor()
    await look(t, page, 'operator-clients')
    await page.getByRole('button', { name: 'Revoke…' }).click()
    await page.getByRole('button', { name: 'Revoke', exact: true }).click()
    await page.getByText('Revoked on').waitFor()
    await places.getByRole('button', { name: 'Activity log' }).click()
    await page.getByText('Key of an OAuth client revoked: some-client, a-key').waitFor()
    t.equal(await page.evaluate('document.documentElement.scrollWidth > innerWidth'), false)
    await leave(page)
  })

  t.test('refuses other users with an explanation', async t => {
    const { access } = await service.call(undefined, 'test.signIn', { username: 'person-10', appId: 'x' })
    const page = await open('/access/facts.json')
    await page
      .context()
      .addCookies([{ name: 'coffer-session', value: `person-10.${access.token}`, url, httpOnly: true }])
    await page.goto(`${url}/operator`)
    await page.getByText('This account isn’t an operator of this service.').waitFor()
    t.equal(await page.getByRole('button', { name: 'Accounts' }).count(), 0)
    await look(t, page, 'operator-stranger')
    await page.getByRole('button', { name: 'Sign out' }).click()
    await untilHeading(page, 'Sign in')
    await leave(page)
  })

  t.test('is linked from the app only for operators', async t => {
    const { access } = await service.call(undefined, 'test.signIn', { username: 'person-11', appId: 'x' })
    const page = await open('/access/facts.json')
    await page
      .context()
      .addCookies([{ name: 'coffer-session', value: `person-11.${access.token}`, url, httpOnly: true }])
    await page.goto(`${url}/app/person-11/table`)
    await page.getByRole('button', { name: /person-11/ }).click()
    await page.getByRole('link', { name: 'Your account' }).waitFor()
    t.equal(await page.getByRole('link', { name: 'Administration' }).count(), 0)
    await leave(page)
  })
})

/** Records texts drawn beyond the right edge of a canvas: a clipped "400 kB" would read as "400 kE". */
const noteCutNames = `(() => {
  const names = new Set()
  const { fillText } = CanvasRenderingContext2D.prototype
  window.cutNames = []
  CanvasRenderingContext2D.prototype.fillText = function (text, x, y, room = Infinity) {
    const end = x + Math.min(room, this.measureText(text).width)
    if (this.canvas.isConnected && end > this.canvas.clientWidth + 0.5 && this.textAlign === 'left' && !names.has(text)) {
      names.add(text)
      window.cutNames.push(text)
    }
    return fillText.call(this, text, x, y, room)
  }
})()`
