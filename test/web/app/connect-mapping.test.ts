/** The meaning of fields of any JSON in a browser: bodies wait, are explained by a few clicks, and are stored. */
import type { Page } from 'playwright-core'
import t from 'tap'
import { go, phone, startApp } from '../../support/app.js'
import { leave } from '../../support/browser.js'
import { look } from '../../support/look.js'
import { connect, events, send } from '../../transports/receive/connecting.js'
import { inRotation, rotate } from '../../support/rotation.js'

const test = inRotation(t, 2)

/** Returns the choice of what a field means. */
function meaning(page: Page, name: string) {
  return page.locator('.fields').getByLabel(name, { exact: true })
}

t.test('bodies wait, and a few clicks make values of them', async t => {
  const { daisy, enter, service } = await startApp(t)
  const device = await connect(daisy, 'json', { name: 'Scale' })
  const page = await enter(`/app/daisy/connect/${device.id}`)
  await page.getByText('Send one request. It appears here').waitFor()
  await look(t, page, 'app-connect-mapping-empty')
  const now = service.clock.now()
  for (const [index, kilos] of [71.2, 71.5].entries())
    await send(daisy, 'json', device, {
      user: { id: 12, name: 'Daisy' },
      body: { weight_kg: kilos, at: new Date((now - 60 + index) * 1000).toISOString() }
    })
  await page.getByText('2 requests wait').waitFor()
  await meaning(page, 'weight_kg').waitFor()
  t.equal(await meaning(page, 'weight_kg').inputValue(), 'value')
  t.equal(await meaning(page, 'at').inputValue(), 'time')
  t.equal(await meaning(page, 'id').inputValue(), '')
  t.equal(await page.getByLabel('Measure', { exact: true }).inputValue(), 'Weight')
  t.equal(await page.getByLabel('Unit', { exact: true }).inputValue(), 'mass/kg')
  await page.locator('.gives').getByText('Weight: 71.5 kg').waitFor()
  await look(t, page, 'app-connect-mapping')

  await page.getByLabel('Unit', { exact: true }).selectOption('mass/lb')
  await page.locator('.gives').getByText('Weight: 71.5 lb').waitFor()
  await page.getByLabel('Unit', { exact: true }).selectOption('mass/kg')
  await meaning(page, 'weight_kg').selectOption('')
  await page.getByText('Choose the field that is the value').waitFor()
  await meaning(page, 'weight_kg').selectOption('value')
  await meaning(page, 'name').selectOption('source')
  await page.locator('.gives').getByText('Weight: 71.5 kg').waitFor()
  await page.getByRole('button', { name: 'Save and store what waits' }).click()
  await page.getByText('Saved, and 2 requests were taken in').waitFor()
  await page.getByText('/body/weight_kg: Weight (kg)').waitFor()
  t.same(
    (await events(daisy)).filter(({ type }) => type === 'mass/kg').map(({ content }) => content),
    [71.2, 71.5]
  )
  t.match((await daisy.do('measures.facts', { measures: ['weight'] })).facts, [{ count: 2 }])
  await page.locator('.arrived').getByText('Weight').waitFor()
  await look(t, page, 'app-connect-mapping-saved')

  await page.getByRole('button', { name: 'Change', exact: true }).click()
  await page.getByText('Send one request. It appears here').waitFor()
  await send(daisy, 'json', device, { readings: [{ timestamp: now, count: 412, unit: 'steps' }, {}] })
  await meaning(page, 'count').waitFor()
  t.equal(await page.getByLabel('Values in a request').inputValue(), '/readings')
  t.equal(await meaning(page, 'timestamp').inputValue(), 'time')
  await page.getByLabel('Measure', { exact: true }).fill('Steps')
  await page.locator('.gives').getByText('Steps: 412').waitFor()
  await page.locator('.gives').getByText('1 item was not understood').waitFor()
  await page.getByRole('button', { name: 'Save and store what waits' }).click()
  await page.getByText('1 request was taken in. 1 item was not understood').waitFor()
  t.match((await daisy.do('connections.getOne', { id: device.id })).connection.mapping, {
    items: '/readings',
    time: '/timestamp',
    value: '/count',
    type: 'count/steps',
    measure: 'steps'
  })
  await leave(page)
})

test('two numbers become one position, or one blood pressure', async t => {
  const { daisy, enter, service } = await startApp(t)
  const device = await connect(daisy, 'json', { name: 'Tracker' })
  const now = service.clock.now()
  await send(daisy, 'json', device, { at: now - 60, gps: { lat: 46.52, lon: '6.63' }, hops: 3 })
  const page = await enter(`/app/daisy/connect/${device.id}`)
  await meaning(page, 'lat').waitFor()
  t.equal(await meaning(page, 'lat').inputValue(), 'latitude')
  t.equal(await meaning(page, 'lon').inputValue(), 'longitude')
  t.equal(await meaning(page, 'hops').inputValue(), '', 'other numbers are left alone')
  await page.locator('.gives').getByText('Position: 46.52000, 6.63000').waitFor()
  await meaning(page, 'lon').selectOption('')
  await page.getByText('One number is missing. Choose the field that is: Longitude.').waitFor()
  await look(t, page, 'app-connect-mapping-half-a-pair')
  await meaning(page, 'lon').selectOption('longitude')
  await page.locator('.gives').getByText('Position: 46.52000').waitFor()
  t.equal(await page.getByText('One number is missing').count(), 0)
  await look(t, page, 'app-connect-mapping-pair')
  await page.getByRole('button', { name: 'Save and store what waits' }).click()
  await page.getByText('/gps/lat, /gps/lon: Position').waitFor()
  t.match((await daisy.do('measures.facts', { measures: ['position'] })).facts, [{ count: 1 }])

  await page.getByRole('button', { name: 'Change', exact: true }).click()
  await page.getByText('Send one request. It appears here').waitFor()
  await send(daisy, 'json', device, { readings: [{ when: now, upper: 121, lower: 79, pulse: 61 }] })
  await meaning(page, 'upper').selectOption('systolic')
  await meaning(page, 'lower').selectOption('diastolic')
  await page.locator('.gives').getByText('Blood pressure: 121/79').waitFor()
  await page.locator('.gives').getByText('Heart rate: 61').waitFor()
  await page.getByRole('button', { name: 'Save and store what waits' }).click()
  await page.getByText('/readings/upper, /readings/lower: Blood pressure').waitFor()
  t.same(
    (await events(daisy)).filter(({ type }) => type.startsWith('blood-')).map(({ content }) => content),
    [{ systolic: 121, diastolic: 79 }]
  )
  await page.context().close()
})

t.test('hostile bodies neither break nor slow the page', async t => {
  const { daisy, enter } = await startApp(t)
  const markup = '<img src=x onerror=document.title=1>'
  const many = Object.fromEntries(Array.from({ length: 6000 }, (_, index) => [`f${index}`, index]))
  const deep = Array.from({ length: 40 }).reduce<object>(value => ({ a: value }), { kg: 1 })
  const bodies: Record<string, unknown> = {
    many,
    deep,
    text: { [markup]: markup, '\u202eevil': 'x'.repeat(90_000), ['k'.repeat(5000)]: 1, '': 2, '~/': 3 },
    proto: '{"__proto__":{"kg":5,"toString":1},"constructor":{"prototype":2},"hasOwnProperty":3}',
    list: Array.from({ length: 20_000 }, () => 1),
    lists: [[[[[]]]], [], {}],
    scalar: '"just text"',
    nothing: 'null'
  }
  const page = await enter('/app/daisy/connect', phone)
  for (const [name, body] of rotate(t, Object.entries(bodies), 3)) {
    const device = await connect(daisy, 'json', { name })
    t.equal((await send(daisy, 'json', device, body)).status, 200, name)
    await go(page, `/app/daisy/connect/${device.id}`)
    await page.getByRole('button', { name: 'Save and store what waits' }).waitFor()
    t.ok((await page.locator('.fields li').count()) <= 100, name)
    t.equal(await page.locator('.fields img').count(), 0)
    await look(t, page, `app-connect-hostile-${name}`)
    if (name === 'many') {
      await page.getByLabel('Find a field').fill('f5999')
      await meaning(page, 'f5999').selectOption('value')
      await page.locator('.gives').getByText('f5999: 5,999').waitFor()
    }
    if (name === 'proto') {
      t.equal(await meaning(page, 'kg').inputValue(), 'value')
      await page.locator('.gives').getByText('Weight: 5 kg').waitFor()
    }
    if (name === 'text') {
      await meaning(page, '~/').selectOption('value')
      await meaning(page, '""').selectOption('value')
      await page.locator('.gives').getByText('~/: 3').waitFor()
    }
  }
  await leave(page)
})

for (const language of ['de', 'fr'])
  test(`in ${language}, what fields mean fits a phone`, async t => {
    const { daisy, enter } = await startApp(t)
    const device = await connect(daisy, 'json', { name: 'Waage' })
    await send(daisy, 'json', device, { list: [{ kg: 3, zeit: '2026-11-26 08:02' }] })
    await daisy.do('profile.update', { id: 'private', update: { language } })
    const page = await enter(`/app/daisy/connect/${device.id}`, { ...phone, locale: `${language}-CH` })
    await page.locator('.gives li').waitFor()
    await look(t, page, `app-connect-mapping-${language}`)
    await leave(page)
  })
