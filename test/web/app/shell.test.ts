/** The frame around all pages of the app: signing in, navigation, signing out. */
import type { Route } from 'playwright-core'
import t from 'tap'
import { desk, go, startApp, typeIntoFocus } from '../../support/app.js'
import { leave, untilHeading, visit } from '../../support/browser.js'
import { look } from '../../support/look.js'
import { signIn } from '../../support/pages.js'
import { inRotation, rotate } from '../../support/rotation.js'
import { until } from '../../support/socket.js'

t.test('the shell', async t => {
  const { browser, daisy, enter, open, url } = await startApp(t)
  for (const [id, parentId] of [
    ['body', null],
    ['weight', 'body'],
    ['diary', null]
  ] as const)
    await daisy.stream(id, parentId)
  await daisy.event({ content: 'A walk along the lake' })
  const test = inRotation(t, 2)

  await t.test('a user signs in, stays signed in after a reload, and signs out', async t => {
    const page = await open('/app/', desk)
    await signIn(page, 'daisy')
    await page.locator('.lid').waitFor()
    t.equal(page.url(), `${url}/app/daisy/today`)
    await page.reload()
    await page.locator('.lid').waitFor()
    t.equal(await page.evaluate('document.cookie'), '', 'no script sees the session')
    t.same(await page.evaluate('Object.keys(localStorage)'), [])
    await page.getByRole('button', { name: 'Account: daisy' }).click()
    // The next user of the browser would be signed in.
    await page.route('**/auth/logout', async route => await route.abort())
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.locator('.toast').waitFor()
    t.equal(await page.locator('.lid').count(), 1, 'who may still be signed in is not shown as signed out')
    await page.unroute('**/auth/logout')
    await page.getByRole('button', { name: 'Account: daisy' }).click()
    const signedOut = page.waitForResponse('**/auth/logout')
    await page.getByRole('button', { name: 'Sign out' }).click()
    await untilHeading(page, 'Sign in')
    await signedOut
    await page.reload()
    await untilHeading(page, 'Sign in')
    await leave(page)
  })

  await t.test('an expired session is reported', async () => {
    const page = await enter()
    const { sessions } = await daisy.do('sessions.get')
    for (const { id, isCurrent } of sessions) if (!isCurrent) await daisy.do('sessions.delete', { id })
    const ended = page.getByText('Your session has expired')
    // The timeline may have sent a request already.
    await page.getByRole('searchbox').or(ended).first().waitFor()
    if (!(await ended.isVisible()))
      await Promise.race([page.getByRole('searchbox').fill('walk'), ended.waitFor()])
    await ended.waitFor()
    // Not left: the text may still be waiting for its field.
    await page.context().close()
  })

  const page = await enter('/app/daisy/streams')
  await t.test('streams, notes and pages are found by keyboard', async () => {
    await page.keyboard.press('/')
    await typeIntoFocus(page, 'WEIG')
    await page.getByRole('search').getByRole('link', { name: 'weight' }).waitFor()
    await page.getByRole('searchbox').fill('lake')
    const found = page.getByRole('search').getByRole('link', { name: 'A walk along the lake' })
    await found.focus()
    await page.keyboard.press('Enter')
    await page.waitForURL('**/events/*')
    for (const [key, name] of [
      ['s', 'streams'],
      ['m', 'map'],
      ['h', 'shared']
    ] as const) {
      await page.locator('#main').focus()
      await page.keyboard.press('g')
      await page.keyboard.press(key)
      await page.waitForURL(`**/daisy/${name}`)
    }
    await page.keyboard.press('?')
    await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await page.goBack()
    await page.waitForURL(`${url}/app/daisy/map`)
  })

  await t.test('changes by others appear automatically', async () => {
    await go(page, '/app/daisy/streams')
    await page.getByText('Live', { exact: true }).waitFor()
    await daisy.stream('sleep')
    await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'sleep' }).waitFor()
  })

  await test('shapes stand for what is loading, on every page', async t => {
    const page = await enter('/app/daisy/account')
    const places = [
      ['streams', 'streams.get'],
      ['photos', 'events.get'],
      ['table', 'events.get'],
      ['shared', 'accesses.get'],
      ['events/nothing', 'events.getOne'],
      ['import/nothing', 'imports.getOne']
    ] as const
    for (const [place, method] of rotate(t, places, 3)) {
      const held: Route[] = []
      let isHolding = true
      await page.route('**/daisy/**', async route => {
        const asked = `${route.request().postData() ?? ''} ${route.request().url()}`
        if (isHolding && asked.includes(method)) held.push(route)
        else await route.continue()
      })
      await page.goto(`${url}/app/daisy/${place}`)
      await page.locator('.skeleton i').first().waitFor()
      t.equal(await page.locator('.skeleton .unseen').first().innerText(), 'Loading…', place)
      if (place === 'photos' || place === 'streams') await look(t, page, `app-skeleton-${place}`)
      isHolding = false
      for (const route of held) await route.continue()
      await page.locator('.skeleton').waitFor({ state: 'detached' })
      await page.unrouteAll({ behavior: 'wait' })
    }
    await page.context().close()
  })

  await test('supports three languages', async t => {
    const german = await enter('/app/daisy/streams', { ...desk, locale: 'de-CH' })
    await german.getByRole('link', { name: 'Zeitachse' }).first().waitFor()
    t.equal(await german.evaluate('document.documentElement.lang'), 'de')
    await leave(german)
    const page = await enter('/app/daisy/streams')
    await page.getByRole('button', { name: 'Account: daisy' }).click()
    await page.getByLabel('Language').selectOption('fr')
    await page.getByRole('link', { name: 'Chronologie' }).first().waitFor()
    const { account } = await daisy.do('account.get')
    t.equal(account.language, 'fr', 'it is kept')
    await page.getByLabel('Langue').selectOption('en')
    await page.getByRole('link', { name: 'Timeline' }).first().waitFor()
    // Otherwise the page could be closed before it has stored that, and the next one would be in French.
    await until(async () => (await daisy.do('account.get')).account.language === 'en', 'the language')
    await leave(page)
  })

  await test('the URL of another user redirects to one’s own data', async () => {
    const page = await enter('/app/gerda/streams?at=1')
    await page.waitForURL('**/app/daisy/today')
    await leave(page)
  })

  await test('passes the visual checks', async t => {
    await go(page, '/app/daisy/streams')
    await page.getByText('Live', { exact: true }).waitFor()
    await look(t, page, 'app-shell')
    await page.getByRole('button', { name: 'Account: daisy' }).click()
    await look(t, page, 'app-menu')
  })
  await leave(page)

  await test('a server that does not respond is reported', async () => {
    // Without a service worker, whose requests are not those of the page.
    const page = await visit(browser, desk)
    await page.goto(`${url}/app/`)
    await page.route('**/service/info', async route => await route.abort())
    await page.reload()
    await untilHeading(page, 'This page can’t be displayed')
    await page.context().close()
  })
})
