/** Hostile names, requests and files are displayed as text, in a real browser. */
import t from 'tap'
import { leave, untilHeading, visit } from '../support/browser.js'
import type { Answer } from '../support/coffer.js'
import { signIn, startPages } from '../support/pages.js'
import { rotate } from '../support/rotation.js'

/** Executes wherever it is treated as markup. */
const hostile =
  '"><img src=x onerror="window.hacked=1"><svg onload=window.hacked=1><script>window.hacked=1</script>'

t.test('markup in names', async t => {
  const { ask, browser, open, register, service, url } = await startPages(t, {
    service: { name: `Coffer ${hostile}`, home: '', support: 'javascript:window.hacked=1' }
  })
  const token = await register('daisy')
  const call = async (method: string, params: object = {}): Promise<unknown> =>
    await service.call('daisy', method, params, token)
  await call('streams.create', { id: 'weight', name: hostile })
  await call('accesses.create', { name: hostile, permissions: [{ streamId: 'weight', level: 'read' }] })

  await t.test('is displayed as text on the consent page', async t => {
    const asked = await ask({
      requestingAppId: 'hostile-app',
      requestedPermissions: [
        { streamId: 'weight', level: 'manage', defaultName: hostile },
        { streamId: 'new-one', level: 'read', defaultName: `other ${hostile}` }
      ],
      deviceName: hostile.slice(0, 100),
      clientData: { 'app-web-auth:description': { type: 'note/txt', content: hostile } },
      returnURL: `https://app.example.com/?${encodeURIComponent(hostile)}#`
    })
    t.equal(asked.status, 'NEED_SIGNIN')
    const page = await open(asked.authUrl)
    await signIn(page, 'daisy')
    await untilHeading(page, 'Allow hostile-app?')
    t.match(await page.getByRole('main').innerText(), /<img src=x onerror/)
    t.equal(await page.locator('img[src=x], svg[onload], main script').count(), 0)
    t.equal(await page.evaluate('window.hacked'), undefined)
    t.equal(await page.locator('a[href^="javascript:"]').count(), 0)
    await leave(page)
  })

  await t.test('has no effect in the URL of a page', async t => {
    const query = new URLSearchParams({
      key: hostile,
      poll: `javascript:${hostile}`,
      serviceInfo: 'https://evil.example.com/service/info',
      returnURL: 'javascript:window.hacked=1',
      requestingAppId: hostile,
      resetToken: hostile,
      username: hostile
    })
    const names = ['access', 'register', 'reset-password', 'change-password', 'confirm-email', 'signinhub']
    for (const name of rotate(t, names, 3)) {
      const page = await open(`/access/${name}.html?${query.toString()}`)
      await page.getByRole('heading', { level: 1 }).waitFor()
      t.equal(await page.locator('img[src=x], svg[onload], main script').count(), 0, name)
      t.equal(await page.locator('a[href^="javascript:"]').count(), 0, name)
      t.equal(await page.evaluate('window.hacked'), undefined, name)
      await leave(page)
    }
  })

  await t.test('has no effect in opened files', async t => {
    const files = [
      ['a.html', 'text/html'],
      ['a.svg', 'image/svg+xml'],
      ['a.xhtml', 'application/xhtml+xml']
    ] as const
    for (const [name, mime] of rotate(t, files)) {
      const form = new FormData()
      form.append('event', JSON.stringify({ streamIds: ['weight'], type: 'file/attached' }))
      form.append(
        'file',
        new Blob(['<svg xmlns="http://www.w3.org/2000/svg"><script>parent.hacked=1</script></svg>'], {
          type: mime
        }),
        name
      )
      const response = await fetch(`${url}/daisy/events`, {
        method: 'POST',
        body: form,
        headers: { authorization: token }
      })
      const { event } = (await response.json()) as Answer
      const { id, readToken } = event.attachments[0]
      const address = `${url}/daisy/events/${event.id}/${id}/${name}?readToken=${readToken}`
      const page = await visit(browser)
      await page.goto(`${url}/access/access.html`)
      const download = page.waitForEvent('download')
      await page.evaluate(`void (location.href = ${JSON.stringify(address)})`)
      t.equal((await download).suggestedFilename(), name, 'it is saved, not shown')
      t.equal(await page.evaluate('window.hacked'), undefined)
      await leave(page)
    }
  })

  await t.test('cannot be framed by other sites', async t => {
    const page = await visit(browser)
    await page.route(
      'https://evil.example.com/',
      async route =>
        await route.fulfill({
          contentType: 'text/html',
          body: `<iframe src="${url}/access/access.html"></iframe><iframe src="${url}/docs/"></iframe>`
        })
    )
    await page.goto('https://evil.example.com/')
    await page.waitForLoadState('networkidle')
    const frames = page.frames().slice(1)
    t.same(
      frames.map(frame => frame.url()),
      ['chrome-error://chromewebdata/', 'chrome-error://chromewebdata/']
    )
    await page.context().close()
  })
})
