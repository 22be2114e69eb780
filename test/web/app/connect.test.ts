/** Connections in a browser: an app is connected, what it sends appears, silence is pointed out, and it is ended. */
import type { Page } from 'playwright-core'
import t from 'tap'
import { desk, go, phone, startApp, type App } from '../../support/app.js'
import { leave, setTime, untilHeading } from '../../support/browser.js'
import { look } from '../../support/look.js'
import { connect, send, type Connected } from '../../transports/receive/connecting.js'
import { inRotation, rotate } from '../../support/rotation.js'

const hour = 3600
const test = inRotation(t, 2)

/** Returns a position as OwnTracks sends it. */
function position(time: number) {
  return { _type: 'location', lat: 46.52, lon: 6.63, tst: time, acc: 12, batt: 80, tid: 'DA' }
}

/** Advances the time of the service and of the page. */
async function advance({ service }: App, page: Page, seconds: number): Promise<void> {
  service.clock.advance(seconds)
  await setTime(page, service.clock.now())
}

/** Returns the value that stands beside a label on the page that sets an app up. */
async function readField(page: Page, label: string): Promise<string> {
  const row = page.locator('.setup dl > div').filter({ has: page.getByText(label, { exact: true }) })
  return await row.locator('code').innerText()
}

t.test('a phone', async t => {
  const app = await startApp(t)
  const { daisy, enter, service } = app

  await t.test('is connected, and its first position appears without a reload', async t => {
    const page = await enter('/app/daisy/today')
    await page.locator('main').getByRole('link', { name: 'Connect a phone or watch' }).click()
    await untilHeading(page, 'Connect a phone, watch or app')
    await look(t, page, 'app-connect-choice')
    await page.getByRole('link', { name: 'iPhone', exact: true }).click()
    t.equal(await page.getByRole('link', { name: /^OwnTracks/ }).count(), 1)
    t.equal(await page.getByRole('link', { name: /^Overland/ }).count(), 1)
    await page.getByRole('link', { name: 'Android phone', exact: true }).click()
    await page.getByRole('link', { name: /^Overland/ }).waitFor({ state: 'detached' })
    await page.getByRole('link', { name: /^OwnTracks/ }).click()
    await untilHeading(page, 'Connect OwnTracks')
    t.equal(await page.getByLabel('Name').inputValue(), 'Daisy’s phone')
    t.equal(await page.getByLabel('Store data on sexual').count(), 0, 'OwnTracks sends no such data')
    await look(t, page, 'app-connect-form')
    await page.getByLabel('Name').fill('My phone')
    await page.getByRole('button', { name: 'Connect', exact: true }).click()

    await untilHeading(page, 'My phone')
    await page.getByText('Waiting for the first value').waitFor()
    const { connections } = await daisy.do('connections.get')
    const [{ id, url }] = connections
    t.equal(new URL(page.url()).pathname, `/app/daisy/connect/${id}`)
    t.equal(await readField(page, 'Address'), url)
    t.equal(await readField(page, 'User name'), 'daisy')
    const token = await readField(page, 'Password')
    const link = new URL((await page.getByRole('link', { name: 'Open OwnTracks' }).getAttribute('href'))!)
    const configuration = JSON.parse(
      Buffer.from(link.searchParams.get('inline')!, 'base64').toString()
    ) as Record<string, unknown>
    t.match(configuration, { mode: 3, url, username: 'daisy', password: token, deviceId: 'My phone' })
    await page.getByRole('img', { name: 'QR code' }).waitFor()
    await look(t, page, 'app-connect-new')

    const sent = await fetch(`${app.url}${new URL(url).pathname}`, {
      method: 'POST',
      headers: { Authorization: `Basic ${Buffer.from(`daisy:${token}`).toString('base64')}` },
      body: JSON.stringify(position(service.clock.now() - 60))
    })
    t.equal(sent.status, 200)
    await page.getByText('1 item received').waitFor()
    await page.getByText('The first data has arrived').waitFor()
    await page.getByText('Last data just now').waitFor()
    await page.locator('.arrived').getByText('Battery').waitFor()
    await look(t, page, 'app-connect-arrived')

    await page.getByRole('button', { name: 'I’ve set it up' }).click()
    t.equal(await page.locator('.setup').count(), 0)
    t.notMatch(await page.content(), token, 'the token is not shown again')
    await leave(page)
  })

  await t.test('that is silent is pointed out in words and colour, and is ended', async t => {
    const { connections } = await daisy.do('connections.get')
    const page = await enter('/app/daisy/connect')
    await page.locator('.connections .state.fine').waitFor()
    t.match(await page.locator('.connections .kinds').innerText(), /Today:\s*Position/)
    await look(t, page, 'app-connect-list')
    await advance(app, page, 30 * hour)
    await page.reload()
    const state = page.locator('.connections .state')
    await state.getByText('Silent, last data 1 day ago').waitFor()
    const colour = `getComputedStyle(document.querySelector('.connections .state')).color`
    const silent = await page.evaluate(colour)
    t.equal(await page.locator('.connections .kinds').count(), 0, 'nothing came today')
    await look(t, page, 'app-connect-silent')
    await page.locator('.connections').getByRole('link', { name: 'My phone' }).click()
    await page.getByText('In OwnTracks, the mode must be HTTP').waitFor()
    await look(t, page, 'app-connect-silent-one')

    const { streamId } = connections[0]
    t.equal(
      await page.getByRole('link', { name: 'View or delete its data' }).getAttribute('href'),
      `${app.url}/app/daisy/streams/${streamId}`
    )
    await page.getByLabel('Name').fill('Old phone')
    await page.getByRole('button', { name: 'Save' }).click()
    await untilHeading(page, 'Old phone')
    const device = await connect(daisy, 'owntracks', { name: 'New phone' })
    await send(daisy, 'owntracks', device, position(service.clock.now()))
    await go(page, `/app/daisy/connect/${device.id}`)
    await page.locator('.arrivals .state.fine').waitFor()
    await go(page, '/app/daisy/connect')
    await page.locator('.connections .state.fine').waitFor()
    t.not(await page.evaluate(colour), silent, 'silence has a colour of its own')

    await go(page, `/app/daisy/connect/${device.id}`)
    await page.getByRole('button', { name: 'End connection' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByText('What it has brought stays').waitFor()
    await look(t, page, 'app-connect-end')
    await dialog.getByRole('button', { name: 'End connection' }).click()
    await untilHeading(page, 'Connect a phone, watch or app')
    t.equal((await send(daisy, 'owntracks', device, position(service.clock.now()))).status, 401)
    t.equal((await daisy.do('connections.get')).connections.length, 1)
    t.ok((await daisy.do('streams.get', { parentId: streamId })).streams.length > 0, 'its data stays')
    await leave(page)
  })

  await inRotation(t, 2)('that sends nothing, fails or is not understood says why', async t => {
    const device = await connect(daisy, 'owntracks', { name: 'Odd phone' })
    const page = await enter(`/app/daisy/connect/${device.id}`, phone)
    await page.getByText('Waiting for the first value').waitFor()
    t.equal(await page.locator('.check').count(), 0)
    await advance(app, page, 130)
    await page.reload()
    await page.getByText('The token must be copied in full').waitFor()
    await look(t, page, 'app-connect-late')
    t.equal((await send(daisy, 'owntracks', device, '{"_type":')).status, 400)
    await page.reload()
    await page.locator('.arrivals .state.failing').waitFor()
    await page.getByText('A request failed on').waitFor()
    service.clock.advance(1)
    await send(daisy, 'owntracks', device, { _type: 'oddity' })
    await page.reload()
    await page.getByText('1 item was not understood').click()
    await page.locator('.unknown').getByText('oddity').waitFor()
    await look(t, page, 'app-connect-not-understood')
    await leave(page)
  })
})

t.test('every app has its own steps, and options only where they mean something', async t => {
  const { daisy, enter, open, url } = await startApp(t)
  const { dialects } = await daisy.do('connections.get')
  t.ok(dialects.length >= 3)
  const created: Connected[] = []
  const page = await enter('/app/daisy/connect')
  const ids = (dialects as readonly { id: string }[]).map(({ id }) => id)
  for (const id of ids)
    t.equal((await page.request.get(`${url}/docs/connect/${id}`)).status(), 200, `${id} has a page`)
  const turns = rotate(t, ids, 5)
  for (const id of turns) {
    await go(page, `/app/daisy/connect?app=${id}&device=watch`)
    t.equal(
      await page.getByLabel('Name').inputValue(),
      created.length === 0 ? 'Daisy’s watch' : `Daisy’s watch ${created.length + 1}`
    )
    t.equal(await page.getByLabel('Passphrase').count(), id === 'owntracks' ? 1 : 0, id)
    const isHealth = id === 'hc-webhook' || id === 'health-auto-export'
    t.equal(await page.getByLabel('Store data on sexual').count(), isHealth ? 1 : 0, id)
    await page.getByRole('button', { name: 'Connect', exact: true }).click()
    await page.locator('.setup ol li').first().waitFor()
    t.ok((await page.locator('.setup ol li').count()) >= 3, `${id} has steps`)
    const guide = await page
      .locator('.setup')
      .getByRole('link', { name: 'Instructions' })
      .getAttribute('href')
    t.ok(guide!.endsWith(`/docs/connect/${id}`))
    await look(t, page, `app-connect-new-${id}`)
    if (id === turns[0]) {
      const reading = await open(guide!)
      await look(t, reading, `guide-${id}`)
      await leave(reading)
    }
    created.push((await daisy.do('connections.get')).connections[0])
  }
  await leave(page)
  t.equal(created.length, turns.length)
})

test('in French, the page fits a phone, and guests do not see it', async t => {
  const { daisy, enter, open } = await startApp(t)
  const device = await connect(daisy, 'osmand', { name: 'Téléphone de Daisy' })
  await daisy.do('profile.update', { id: 'private', update: { language: 'fr' } })
  const page = await enter('/app/daisy/connect', { ...phone, locale: 'fr-CH' })
  await untilHeading(page, 'Connecter un téléphone, une montre ou une application')
  await look(t, page, 'app-connect-french')
  await page.setViewportSize({ width: 320, height: 700 })
  const bar = await page.locator('.dock').evaluate(each => [each.scrollWidth, each.clientWidth])
  t.ok(bar[0]! <= bar[1]!, 'the bar does not overflow')
  const heights = await page
    .locator('.dock > .nav-link, .dock > a')
    .evaluateAll(each => each.map(one => one.clientHeight))
  t.equal(new Set(heights).size, 1, 'no label of the bar wraps')
  await go(page, `/app/daisy/connect/${device.id}`)
  await page.getByText('En attente de la première valeur').waitFor()
  await look(t, page, 'app-connect-french-one')
  await leave(page)

  const { stream } = await daisy.do('streams.create', { name: 'Diary' })
  const guest = await daisy.grant('read', stream.id, { type: 'shared' })
  const shared = await open(`/app/shared#daisy.${guest.token}`, desk)
  await shared.locator('.lid').waitFor()
  t.equal(await shared.locator('a[href*="/connect"]').count(), 0)
  await leave(shared)
})
