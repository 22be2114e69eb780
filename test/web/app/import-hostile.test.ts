/** The review of an import, and the page of connections, with names that are long, right to left, markup, or very many. */
import type { Page } from 'playwright-core'
import t from 'tap'
import { go, phone, startApp } from '../../support/app.js'
import { leave, untilHeading } from '../../support/browser.js'
import { look } from '../../support/look.js'
import { inRotation } from '../../support/rotation.js'
import { connect, send } from '../../transports/receive/connecting.js'

type Tap = Parameters<typeof look>[0]

const markup = '"><img src=x onerror="pwned=1"><script>pwned=1</script>'
const turned = '\u202egnp.exe שלום مرحبا'
const long = 'n'.repeat(1000)
const names = [markup, turned, long, '__proto__', 'constructor', '{name}', '\u0301'.repeat(60)]

async function choose(page: Page, name: string, text: string): Promise<void> {
  await page
    .getByLabel('Choose file')
    .last()
    .setInputFiles({ name, mimeType: 'text/plain', buffer: Buffer.from(text) })
}

/** Returns an attribute of XML. */
function escapeXml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;')
}

/** Returns a cell of CSV. */
function quote(text: string): string {
  return `"${text.replaceAll('"', '""')}"`
}

async function assertHarmless(t: Tap, page: Page): Promise<void> {
  t.equal(await page.evaluate('globalThis.pwned'), undefined)
  t.equal(await page.locator('main img[src=x]').count(), 0)
}

t.test('hostile names', async t => {
  const { daisy, enter } = await startApp(t)
  const test = inRotation(t, 3)

  await test('of columns and of a file are text, and fit', async t => {
    const page = await enter('/app/daisy/import', phone)
    const header = ['wann', ...names].map(quote).join(',')
    const rows = [1, 2, 3].map(day => `2023-11-0${day} 08:00,${names.map(quote).join(',')}`)
    await choose(page, `${markup}${turned}.csv`.replaceAll('/', '-'), [header, ...rows].join('\n'))
    await page.getByRole('heading', { name: 'Columns' }).waitFor()
    await look(t, page, 'app-import-hostile-columns')
    await assertHarmless(t, page)
    await leave(page)
  })

  await test('of 1,900 sources are shown, the first ones at once', async t => {
    const page = await enter('/app/daisy/import', phone)
    const sources = [...names.slice(0, 3), ...Array.from({ length: 1900 }, (_, index) => `Source ${index}`)]
    const records = sources.map(
      source =>
        `<Record type="HKQuantityTypeIdentifierBodyMass" sourceName="${escapeXml(source)}" unit="kg" startDate="2023-11-10 08:00:00 +0000" endDate="2023-11-10 08:00:00 +0000" value="70"/>`
    )
    const text = [
      '<?xml version="1.0" encoding="UTF-8"?><HealthData locale="en_CH"><ExportDate value="2023-11-14 08:00:00 +0000"/>',
      ...records,
      '</HealthData>'
    ].join('\n')
    await choose(page, 'export.xml', text)
    await untilHeading(page, 'Review import')
    await page.getByText('1,903 records', { exact: true }).waitFor()
    t.equal(await page.locator('.found tbody tr').count(), 100)
    await assertHarmless(t, page)
    await look(t, page, 'app-import-hostile-lanes')
    await page.getByRole('button', { name: /^Show all [\d,]+$/ }).click()
    const count = await page.locator('.found tbody tr').count()
    t.ok(count >= 500, String(count))
    await page
      .getByRole('button', { name: /Change where/ })
      .first()
      .click()
    await page.getByRole('dialog').waitFor()
    await leave(page)
  })

  await test('of a connection and its apps are text, among 2,000 streams', async t => {
    const fields = [markup, turned, 'n'.repeat(499), `missing ${markup}`]
    const mapping = fields.map(name => ({
      value: `/${name.replaceAll('/', '~1')}`,
      type: 'count/generic'
    }))
    const device = await connect(daisy, 'json', { name: turned, mapping })
    const body = Object.fromEntries(fields.slice(0, 3).map((name, index) => [name, index]))
    t.equal((await send(daisy, 'json', device, body)).status, 200)
    t.equal((await send(daisy, 'json', device, '{"_type":')).status, 400)
    const page = await enter(`/app/daisy/connect/${device.id}`, phone)
    await page.getByText('1 item received').waitFor()
    t.equal(await page.locator('.arrived li').count(), 3)
    await look(t, page, 'app-connect-hostile-names')
    await daisy.do('streams.create', { id: 'many', name: long })
    for (let from = 0; from < 2000; from += 1000)
      await daisy.do(
        'callBatch',
        Array.from({ length: 1000 }, (_, index) => ({
          method: 'streams.create',
          params: { id: `s${from + index}`, parentId: 'many', name: `${markup.slice(0, 40)} ${from + index}` }
        }))
      )
    await page.reload()
    await page.getByRole('button', { name: 'Move to another stream' }).click()
    await page.getByRole('dialog').getByLabel('Into').waitFor()
    t.ok((await page.getByRole('dialog').locator('option').count()) > 2000)
    await assertHarmless(t, page)
    for (const path of ['connect', 'import']) {
      await go(page, `/app/daisy/${path}`)
      await page.locator('main h1').first().waitFor()
      await assertHarmless(t, page)
    }
    await leave(page)
  })
})
