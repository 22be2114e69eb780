/** Consent shows where an app's access goes, who else sees its streams, and what it could change in the account. */
import t from 'tap'
import { leave, untilHeading, visit } from '../support/browser.js'
import { appId, permissions, signIn, startPages } from '../support/pages.js'
import { inRotation, rotate } from '../support/rotation.js'

t.test('the consent question', async t => {
  const pages = await startPages(t, { http: { trustedProxies: ['127.0.0.1'] } })
  const { ask, browser, open, poll, register, service, url } = pages
  const token = await register('daisy')
  const call = async (method: string, params: object = {}, by = token) =>
    await service.call('daisy', method, params, by)
  /** Sends a request as a page or a program does; with `ip` from another address. */
  const askFrom = async (fields: object, headers: Record<string, string> = {}) =>
    (
      await service.http(
        'POST',
        '/reg/access/',
        { requestingAppId: appId, requestedPermissions: permissions, ...fields },
        headers
      )
    ).body
  const genuine = { returnURL: 'https://app.example.com/back#' }
  const fromPage = { origin: 'https://app.example.com' }
  const fromAfar = { 'x-forwarded-for': '203.0.113.7' }
  const test = inRotation(t, 2)

  await t.test('names the requester and the destination of the response', async t => {
    const asked = await askFrom(genuine, fromPage)
    const page = await visit(browser)
    await page.goto(asked.authUrl)
    await signIn(page, 'daisy')
    await untilHeading(page, `Allow ${appId}?`)
    const text = await page.getByRole('main').innerText()
    t.match(text, /Requested by\s+app\.example\.com/)
    t.match(text, /Redirects to\s+app\.example\.com/)
    t.notMatch(text, 'a different network')
    await page.route('https://app.example.com/**', async route => await route.fulfill({ body: 'back' }))
    await page.getByRole('button', { name: 'Allow', exact: true }).click()
    await page.waitForURL(/^https:..app\.example\.com/)
    t.match(await poll(asked), { status: 'ACCEPTED' })
    await page.context().close()
  })

  await t.test('is skipped for the page that was allowed', async t => {
    const asked = await askFrom(genuine, fromPage)
    const page = await visit(browser)
    await page.goto(asked.authUrl)
    await page.route('https://app.example.com/**', async route => await route.fulfill({ body: 'back' }))
    await signIn(page, 'daisy')
    await page.waitForURL(/^https:..app\.example\.com/)
    t.match(await poll(asked), { status: 'ACCEPTED' })
    await page.context().close()
  })

  await t.test('is repeated when another requester uses the app’s name, naming both', async t => {
    const others = [
      [
        {},
        fromAfar,
        [
          /Requested by\s+a program, from a different network than yours \(203\.0\.113\.7\)/,
          /app\.example\.com/
        ]
      ],
      [{ returnURL: 'https://evil.example.com/' }, fromPage, [/Redirects to\s+evil\.example\.com/]],
      [
        genuine,
        { ...fromPage, ...fromAfar },
        [/app\.example\.com, from a different network than yours \(203/]
      ]
    ] as const
    for (const [fields, headers, words] of rotate(t, others)) {
      const asked = await askFrom(fields, headers)
      const page = await visit(browser)
      await page.goto(asked.authUrl)
      await page.route(/evil|app\.example/, async route => await route.fulfill({ body: 'back' }))
      await signIn(page, 'daisy')
      await untilHeading(page, `Allow ${appId} again?`)
      const text = await page.getByRole('main').innerText()
      for (const each of words) t.match(text, each)
      t.match(text, /Previously approved\s+app\.example\.com/)
      t.match(text, /Only continue if you opened/)
      t.match(text, /Diary[^]*Body weight/)
      t.match(await poll(asked), { status: 'NEED_SIGNIN' }, 'nothing is handed out by the sign-in alone')
      const refused = page.waitForResponse(/reg\/access/)
      await page.getByRole('button', { name: 'Deny' }).click()
      await refused
      t.match(await poll(asked), { status: 'REFUSED' })
      await page.context().close()
    }
  })

  await t.test('returns the same access after consent, and is then skipped', async t => {
    const before = (await call('accesses.get')).accesses.find(({ type }: { type: string }) => type === 'app')
    const other = { returnURL: `${url}/www/assets/index.json#` }
    const asked = await askFrom(other)
    const page = await open(asked.authUrl)
    await signIn(page, 'daisy')
    await untilHeading(page, `Allow ${appId} again?`)
    await page.getByRole('button', { name: 'Allow', exact: true }).click()
    await page.waitForURL(/^[^?]*index\.json/)
    t.match(await poll(asked), { status: 'ACCEPTED', token: before.token })
    const again = await askFrom(other)
    await page.goto(again.authUrl)
    await signIn(page, 'daisy')
    await page.waitForURL(/^[^?]*index\.json.*ACCEPTED/)
    t.match(await poll(again), { status: 'ACCEPTED', token: before.token })
    await leave(page)
  })

  await t.test('shows the parent of a stream, who created it and who else sees it', async t => {
    await call('streams.create', { id: 'fitness', name: 'Fitness' })
    const { access } = await call('accesses.create', {
      type: 'app',
      name: 'squatting-app',
      permissions: [{ streamId: 'fitness', level: 'manage' }]
    })
    await call('streams.create', { id: 'heart-rate', name: 'Heart rate', parentId: 'fitness' }, access.token)
    await call('accesses.create', { name: 'Dr <b>Who</b>', permissions: [{ streamId: '*', level: 'read' }] })
    const asked = await askFrom({
      requestingAppId: 'honest-app',
      requestedPermissions: [{ streamId: 'heart-rate', level: 'contribute', defaultName: 'Heart rate' }]
    })
    const page = await open(asked.authUrl)
    await signIn(page, 'daisy')
    await untilHeading(page, 'Allow honest-app?')
    const text = await page.getByRole('main').innerText()
    t.match(text, /In Fitness/)
    t.match(text, /Created by squatting-app/)
    t.match(text, /Also shared with[^]*squatting-app \(manage\)/)
    t.match(text, 'the share “Dr <b>Who</b>” (read)')
    await leave(page)
  })

  await t.test('warns of what an app could change in the account', async t => {
    const page = await open('/access/facts.json')
    const requests = [
      [':system:email', 'create-only', true],
      [':_system:account', 'contribute', true],
      [':system:email', 'read', false],
      ['.email', 'contribute', true]
    ] as const
    for (const [streamId, level, isWarned] of rotate(t, requests, 2)) {
      const asked = await askFrom({
        requestingAppId: 'account-app',
        requestedPermissions: [{ streamId, level, defaultName: 'Harmless' }]
      })
      await page.goto(asked.authUrl)
      await signIn(page, 'daisy')
      await untilHeading(page, 'Allow account-app?')
      const text = await page.getByRole('main').innerText()
      t.equal(text.includes('lets the app change your email address'), isWarned, `${streamId} ${level}`)
    }
    await leave(page)
  })

  await test('displays names without characters that reverse or hide text', async t => {
    const requestingAppId = '\u202Eevil\u200B-app\n<img src=x onerror=alert(1)>'
    const asked = await ask({ requestingAppId })
    const page = await open(asked.authUrl)
    await signIn(page, 'daisy')
    await untilHeading(page, 'Allow evil-app <img src=x onerror=alert(1)>?')
    t.equal(await page.locator('main img').count(), 0)
    await leave(page)
  })

  await test('redirects to no URL that runs a script', async t => {
    for (const returnURL of [
      'javascript:alert(1)',
      'JaVaScRiPt:alert(1)',
      'data:text/html,x',
      ' javascript:1',
      'vbscript:x'
    ])
      t.match(await askFrom({ returnURL }), { error: { id: 'invalid-parameters-format' } }, returnURL)
    const page = await open(`/access/access.html?lang=${encodeURIComponent('"><script>alert(1)</script>')}`)
    await untilHeading(page, 'Sign in')
    t.equal(await page.locator('html').getAttribute('lang'), 'en')
    const { headers } = await service.http('GET', '/access/access.html?key=1')
    t.match(headers.get('content-security-policy'), /default-src 'none'; script-src 'self'; style-src 'self'/)
    t.notMatch(headers.get('content-security-policy'), 'unsafe')
    t.equal(headers.get('referrer-policy'), 'no-referrer')
    t.equal(headers.get('x-content-type-options'), 'nosniff')
    await leave(page)
  })
})
