/** From an app's request to a decision, in a real browser. (docs/spec/app-authorization.md#the-page) */
import t from 'tap'
import { leave, untilHeading } from '../support/browser.js'
import { appId, password, signIn, startPages } from '../support/pages.js'
import { inRotation } from '../support/rotation.js'

t.test('the consent pages', async t => {
  const pages = await startPages(t, { throttle: { failures: 3 } })
  const { ask, open, poll, register, service, url } = pages
  const token = await register('daisy')
  const call = async (method: string, params: object = {}) =>
    await service.call('daisy', method, params, token)
  const test = inRotation(t, 3)

  await t.test('lead a new user from the app to an access', async t => {
    const asked = await ask({ deviceName: 'Her phone', expireAfter: 86_400 * 30 })
    const page = await open(asked.authUrl)
    await untilHeading(page, 'Sign in')
    await page.getByRole('link', { name: 'Create account' }).click()
    await untilHeading(page, 'Create account')
    t.match(page.url(), `key=${asked.key}`, 'the request comes along')
    await page.getByLabel('Username').fill('Newcomer')
    await page.getByLabel('Email address').fill('new@example.com')
    await page.getByLabel('Password', { exact: true }).fill(password)
    await page.getByRole('button', { name: 'Create account' }).click()

    await untilHeading(page, `Allow ${appId}?`)
    const text = await page.getByRole('main').innerText()
    t.match(text, /Diary\s*new\s+See, add, edit and delete events/)
    t.match(text, /Body weight\s*new\s+See all events[^]*don’t exist yet and will be created/)
    t.match(text, /Device\s+Her phone/)
    t.match(text, /Expires\s+on \d+ \w+ 20\d\d/)
    t.notMatch(text, 'weight:', 'no ids')
    await page.getByRole('button', { name: 'Allow', exact: true }).click()
    await untilHeading(page, `${appId} now has access`)

    const { username, apiEndpoint, status } = await poll(asked)
    t.match({ username, status }, { username: 'newcomer', status: 'ACCEPTED' })
    const info = await service.call('newcomer', 'getAccessInfo', {}, new URL(apiEndpoint).username)
    t.match(info, { type: 'app', name: appId, deviceName: 'Her phone', expires: Number })
    const { streams } = await service.call('newcomer', 'streams.get', {}, new URL(apiEndpoint).username)
    const own = streams.filter(({ id }: { id: string }) => !id.startsWith(':_audit:'))
    t.same(own.map(({ name }: { name: string }) => name).toSorted(), ['Body weight', 'Diary'])
    t.equal(await page.evaluate('localStorage.length + sessionStorage.length'), 0)
    t.same(await page.context().cookies(), [], 'no token is left anywhere')
    await leave(page)
  })

  await t.test('let a user deny, and redirect to the app', async t => {
    const asked = await ask({ returnURL: `${url}/www/assets/index.json#` })
    const page = await open(asked.authUrl)
    await signIn(page, 'DAISY@example.com')
    await untilHeading(page, `Allow ${appId}?`)
    t.match(await page.getByRole('main').innerText(), `Redirects to\n${new URL(url).host}`)
    await page.getByRole('button', { name: 'Deny' }).click()
    await page.waitForURL(/^[^?]*index\.json/)
    t.match(page.url(), `#prYvpoll=${encodeURIComponent(asked.poll)}&prYvkey=${asked.key}&prYvstatus=REFUSED`)
    t.match(await poll(asked), { status: 'REFUSED', reasonID: 'REFUSED_BY_USER' })
    t.same(
      (await call('accesses.get')).accesses.filter((each: { type: string }) => each.type === 'app'),
      []
    )
    await leave(page)
  })

  await test('take one decision, despite repeated and other clicks', async t => {
    const asked = await ask()
    const page = await open(asked.authUrl)
    await page.route('**/reg/access/*', async route => {
      await new Promise(resolve => setTimeout(resolve, 300))
      await route.continue()
    })
    await signIn(page, 'daisy')
    await untilHeading(page, `Allow ${appId}?`)
    await page.getByRole('button', { name: 'Deny' }).dblclick()
    await page.getByRole('button', { name: 'Allow', exact: true }).click()
    await untilHeading(page, 'Access denied')
    t.match(await poll(asked), { status: 'REFUSED' })
    const { accesses } = await call('accesses.get')
    t.notOk(accesses.some((each: { type: string }) => each.type === 'app'))
    await page.context().close()
  })

  await test('retry after a connection error, still signed in', async () => {
    const page = await open((await ask({ returnURL: url })).authUrl)
    await page.route('**/accesses/check-app', async route => await route.abort(), { times: 1 })
    await signIn(page, 'daisy')
    await untilHeading(page, 'Something went wrong')
    await page.getByText('Server unreachable.').waitFor()
    await page.getByRole('button', { name: 'Try again' }).click()
    await untilHeading(page, `Allow ${appId}?`)

    await page.route('**/reg/access/*', async route => await route.abort(), { times: 1 })
    await page.getByRole('button', { name: 'Deny' }).click()
    await page.getByRole('button', { name: 'Try again' }).click()
    await page.getByRole('button', { name: 'Deny' }).waitFor()
    await page.context().close()
  })

  await t.test('skip consent if the access exists', async t => {
    const first = await ask()
    const page = await open(first.authUrl)
    await untilHeading(page, 'Sign in')
    // By keyboard only.
    await page.getByLabel('Username or email').focus()
    for (const keys of ['daisy', password]) {
      await page.keyboard.type(keys)
      if (keys === 'daisy') await page.keyboard.press('Tab')
    }
    await page.keyboard.press('Enter')
    await page.locator('h1:focus', { hasText: `Allow ${appId}?` }).waitFor()
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    await untilHeading(page, `${appId} now has access`)
    const second = await ask()
    await page.goto(second.authUrl)
    await signIn(page, 'daisy')
    await untilHeading(page, `${appId} now has access`)
    t.equal((await poll(second)).token, (await poll(first)).token)
    const { accesses } = await call('accesses.get')
    const { id } = accesses.find((each: { name: string }) => each.name === appId)
    const { receipt } = await call('accesses.getReceipt', { id })
    t.match(receipt.hasNotice, { language: 'en', texts: { page: { en: /^Allow / } } })
    t.notMatch(JSON.stringify(receipt.hasNotice), /daisy|Not you|Deny/)
    await leave(page)
  })

  await t.test('show what changes for an existing access', async t => {
    await call('streams.create', { id: 'sleep', name: 'Sleep' })
    await call('streams.create', { id: 'walks-of-her-own', name: 'Walks' })
    const old = await call('accesses.get')
    const asked = await ask({
      requestedPermissions: [
        { streamId: 'diary', level: 'read', defaultName: 'Diary' },
        { streamId: 'sleep', level: 'create-only', defaultName: 'Nights' },
        { streamId: 'walks', level: 'read', defaultName: 'Walks' },
        { streamId: '*', level: 'manage' }
      ]
    })
    const page = await open(asked.authUrl)
    await signIn(page, 'daisy')
    await untilHeading(page, `Allow ${appId}?`)
    const text = await page.getByRole('main').innerText()
    t.match(text, /already has access to your .* account/)
    t.match(text, /Diary\s+See all events\.\s+Currently: See, add, edit/)
    t.match(text, /Sleep\s*added\s+Add events, without seeing any/)
    t.match(text, /Walks \(1\)\s*new\s*added\s+See all events.*\s+You already have a stream named “Walks”/)
    t.match(text, /All your data\s*added\s+See, add, edit and delete events, and manage/)
    t.match(text, /No longer allowed\s+Body weight/)
    await page.getByRole('button', { name: 'Allow', exact: true }).click()
    await untilHeading(page, `${appId} now has access`)
    const { accesses } = await call('accesses.get')
    const apps = accesses.filter((each: { type: string }) => each.type === 'app')
    t.equal(apps.length, 1)
    t.not(apps[0].id, old.accesses.find((each: { type: string }) => each.type === 'app').id)
    t.equal(apps[0].permissions.length, 4)
    await leave(page)
  })

  await test('show sign-in errors, and when to retry', async t => {
    const page = await open((await ask({ requestedPermissions: [] })).authUrl)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.locator('input[name=username]:focus').waitFor()
    t.pass('the first field that is wrong has the focus')
    const names = ['daisy', 'nobody@example.com', '..']
    for (const username of names) {
      await signIn(page, username, 'a wrong guess')
      await page.locator('[role=alert]:focus', { hasText: 'Incorrect username or password.' }).waitFor()
      t.pass('the message has the focus')
    }
    for (const _ of Array(3)) await signIn(page, 'daisy', 'a wrong guess')
    await page.getByText('Too many attempts. Try again in').waitFor()
    t.match(
      await page.getByRole('button', { name: /^Try again in 0:/ }).getAttribute('aria-disabled'),
      'true'
    )
    service.clock.advance(60)
    await signIn(page, 'daisy')
    await untilHeading(page, `Allow ${appId}?`)
    await leave(page)
  })

  await test('show an error for decided, unknown or foreign requests', async t => {
    const decided = await ask()
    await service.http('POST', new URL(decided.poll).pathname, { status: 'REFUSED' })
    const asked = await ask()
    const cases: [address: string, heading: string][] = [
      [decided.authUrl, 'This request has already been answered'],
      ['/access/access.html?key=0123456789abcdef', 'This request has expired'],
      [
        `/access/access.html?key=${asked.key}&poll=https%3A%2F%2Fevil.example%2F${asked.key}`,
        'This link is for another service'
      ],
      [`/access/access.html?key=${asked.key}&poll=javascript%3Aalert(1)`, 'This link is for another service'],
      [
        `/access/access.html?key=${asked.key}&serviceInfo=https%3A%2F%2Fevil.example%2F`,
        'This link is for another service'
      ],
      ['/access/access.html?key=..%2F..%2Fdaisy', 'This link is for another service']
    ]
    const page = await open(cases[0]![0])
    for (const [address, heading] of cases) {
      await page.goto(new URL(address, url).href)
      await untilHeading(page, heading)
      t.pass(heading)
    }
    await leave(page)
  })

  await test('name account fields, and show no expiry date beyond the calendar', async t => {
    const requestedPermissions = [{ streamId: ':system:email', level: 'read', defaultName: 'Your address' }]
    const page = await open((await ask({ requestedPermissions, expireAfter: 1e15 })).authUrl)
    await signIn(page, 'daisy')
    await untilHeading(page, `Allow ${appId}?`)
    const text = await page.getByRole('main').innerText()
    t.match(text, /Email\s*added\s+See all events/)
    t.match(text, /Expires\s+when you revoke it/)
    await leave(page)
  })

  await test('show an error when a decision is too late', async t => {
    const asked = await ask({ requestingAppId: 'another-app' })
    const page = await open(asked.authUrl)
    await signIn(page, 'daisy')
    await untilHeading(page, 'Allow another-app?')
    await service.http('POST', new URL(asked.poll).pathname, { status: 'REFUSED' })
    await page.getByRole('button', { name: 'Allow', exact: true }).click()
    await untilHeading(page, 'This request has already been answered')
    t.match(await poll(asked), { status: 'REFUSED' })
    await leave(page)
  })

  await test('show what cannot be granted, and redirect to the app', async t => {
    const asked = await ask({
      requestedPermissions: [{ streamId: 'diary', level: 'everything', defaultName: 'x' }]
    })
    const page = await open(asked.authUrl)
    await signIn(page, 'daisy')
    await untilHeading(page, `${appId} can’t be given this access`)
    await page.getByRole('button', { name: 'Back to the app' }).click()
    await untilHeading(page, 'Access denied')
    t.match(await poll(asked), { status: 'REFUSED' })
    await leave(page)
  })

  await test('ask for an invitation only if one is needed', async t => {
    const registration = { invitationTokens: ['welcome'], emailLookup: false }
    const closed = await startPages(t, { registration })
    const page = await closed.open('/register.html?lang=fr')
    await untilHeading(page, 'Créer un compte')
    t.equal(await page.locator('html').getAttribute('lang'), 'fr')
    t.match(page.url(), /\/app\/\?register&lang=fr$/)
    await page.getByLabel('Nom d’utilisateur').fill('invited')
    await page.getByLabel('Adresse e-mail').fill('invited@example.com')
    await page.getByLabel('Mot de passe', { exact: true }).fill(password)
    await page.getByRole('button', { name: 'Créer le compte' }).click()
    await page.getByLabel('Code d’invitation').fill('welcome')
    await page.getByRole('button', { name: 'Créer le compte' }).click()
    await page.waitForURL('**/app/invited/today')
    await leave(page)
    const linked = await closed.open('/register.html#invitation=welcome')
    t.equal(await linked.getByLabel('Invitation code').inputValue(), 'welcome')
    await leave(linked)
    const quiet = await closed.open('/access/access.html')
    await signIn(quiet, 'invited@example.com')
    await quiet.getByText('Use your username').waitFor()
    await leave(quiet)
  })
})
