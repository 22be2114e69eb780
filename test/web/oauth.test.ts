/** OAuth apps on the pages: consent, and revoking access. (docs/api/oauth.md) */
import t from 'tap'
import { leave, untilHeading } from '../support/browser.js'
import { look } from '../support/look.js'
import { agree, app, apps, begin, clientId, exchange, read } from '../support/oauth.js'
import { password, signIn, startPages } from '../support/pages.js'

t.test('an OAuth app', async t => {
  const { open, register, service, url } = await startPages(t, {
    access: { apps: [] },
    accesses: { updates: true },
    ...apps({ ...app, oauth: { redirectURIs: ['http://127.0.0.1/www/assets/index.json'] } })
  })
  const token = await register('daisy')
  const redirect_uri = `${url}/www/assets/index.json`
  const scope = 'openid profile email offline_access diary:read:My%20diary'

  await t.test('leads to the consent page, and back with a code', async t => {
    const begun = await begin(service, { redirect_uri, scope, login_hint: 'daisy', ui_locales: 'en-GB' })
    const page = await open(begun.location.href)
    await untilHeading(page, 'Sign in')
    t.equal(await page.getByLabel('Username or email').inputValue(), 'daisy')
    await signIn(page, 'daisy')
    await untilHeading(page, 'Allow Diary?')
    const text = await page.getByRole('main').innerText()
    for (const words of [
      'My diary',
      'Know who you are',
      'See your username',
      'See your email address',
      'Keep access when you’re not using the app',
      `Redirects to\n${new URL(url).host}`,
      'Expires\nwhen you revoke it'
    ])
      t.match(text, words)
    t.notMatch(text, 'registered itself')
    await page.getByRole('button', { name: 'Allow', exact: true }).click()
    await page.waitForURL(`${redirect_uri}?**`)
    const answered = new URL(page.url())
    t.match(Object.fromEntries(answered.searchParams), { state: 'a-state', iss: url })
    const { body: tokens } = await exchange(service, begun, answered)
    t.match(await read(service, 'daisy', tokens.access_token), { events: Array })
    const headers = { authorization: `Bearer ${tokens.access_token}` }
    t.match((await service.http('GET', '/oauth/userinfo', undefined, headers)).body, {
      preferred_username: 'daisy',
      email: 'daisy@example.com'
    })
    await leave(page)
  })

  await t.test('needs consent each time, as any local program could impersonate it', async t => {
    const begun = await begin(service, { redirect_uri, scope })
    const page = await open(begun.location.href)
    await signIn(page, 'daisy')
    await untilHeading(page, 'Allow Diary again?')
    t.match(await page.getByRole('main').innerText(), 'Diary already has access to your Coffer account')
    await page.getByRole('button', { name: 'Deny' }).click()
    await page.waitForURL(`${redirect_uri}?**`)
    t.equal(new URL(page.url()).searchParams.get('error'), 'access_denied')
    await leave(page)
  })

  await t.test('cannot frame the consent page, and redirects to no other site', async t => {
    const begun = await begin(service, { redirect_uri, scope })
    t.equal(begun.location.origin, url)
    const { headers } = await service.http('GET', begun.location.pathname + begun.location.search)
    t.equal(headers.get('x-frame-options'), 'DENY')
    t.match(headers.get('content-security-policy'), "frame-ancestors 'none'")
  })

  await t.test('is listed on the account page, even if it must be refreshed, and revoked there', async t => {
    service.clock.advance(4000)
    const { accesses } = await service.call('daisy', 'accesses.get', { includeExpired: true }, token)
    t.ok(accesses.some(({ name, oauth }: { name: string; oauth?: object }) => name === clientId && oauth))
    const page = await open('/access/access.html')
    await signIn(page, 'daisy', password)
    const item = page.getByRole('listitem').filter({ hasText: 'Authorized with OAuth' })
    t.match(await item.innerText(), /Diary[^]*Expires on .* unless the app renews it/)
    await item.getByRole('button', { name: 'Revoke access for Diary' }).click()
    await item.getByRole('button', { name: 'Revoke', exact: true }).click()
    await item.waitFor({ state: 'detached' })
    const left = await service.call('daisy', 'accesses.get', { includeExpired: true }, token)
    t.notOk(left.accesses.some(({ name }: { name: string }) => name === clientId))
    await leave(page)
  })

  await t.test('that asks for health records is given the streams that the user chooses', async t => {
    const own = async (method: string, params: object): Promise<void> => {
      const { error } = await service.call('daisy', method, params, token)
      t.notOk(error)
    }
    for (const [id, type] of [
      ['weight', 'mass/kg'],
      ['heart', 'frequency/bpm']
    ] as const) {
      await own('streams.create', { id, name: id === 'heart' ? 'Heart rate' : 'Weight' })
      await own('events.create', { streamIds: [id], type, content: 60 })
    }
    await own('streams.create', { id: 'resting', name: 'Resting', parentId: 'heart' })
    await own('events.create', { streamIds: ['resting'], type: 'frequency/bpm', content: 50 })
    const begun = await begin(service, {
      redirect_uri,
      scope: 'launch/patient patient/Observation.rs',
      aud: `${url}/daisy/fhir`
    })
    const page = await open(begun.location.href)
    await signIn(page, 'daisy')
    await untilHeading(page, /Allow Diary/)
    t.match(await page.getByRole('main').innerText(), 'Clear the boxes of streams that the app may not read.')
    t.equal(await page.getByRole('checkbox', { checked: true }).count(), 3)
    await look(t, page, 'oauth-streams')
    await page.getByLabel('Weight').uncheck()
    await page.getByLabel('Resting').uncheck()
    await page.getByRole('button', { name: 'Allow', exact: true }).click()
    await page.waitForURL(`${redirect_uri}?**`)
    const { body: tokens } = await exchange(service, begun, new URL(page.url()))
    t.equal(
      tokens.scope,
      'launch/patient patient/Observation.rs heart:read resting:none',
      'a stream below another is withheld, too'
    )
    await leave(page)
  })
  await t.test('that gets its access again is shown with the end that this then has', async t => {
    const own = async (method: string, params: object = {}) =>
      await service.call('daisy', method, params, token)
    const params = { redirect_uri, scope: 'diary:read:My%20diary', expire_after: '2592000' }
    const first = await begin(service, params)
    await exchange(service, first, await agree(service, { do: own, token, username: 'daisy' }, first))
    const { accesses } = await own('accesses.get')
    const { id } = accesses.find(({ name }: { name: string }) => name === clientId)
    await own('accesses.update', { id, update: { expireAfter: 3600 } })
    const page = await open((await begin(service, params)).location.href)
    await signIn(page, 'daisy')
    await untilHeading(page, 'Allow Diary again?')
    const text = await page.getByRole('main').innerText()
    t.match(text, /is requesting it again[^]*Expires\s+on \d+ \w+ 20\d\d/)
    t.notMatch(text, 'haven’t approved', 'the place is not new')
    await leave(page)
  })
})
