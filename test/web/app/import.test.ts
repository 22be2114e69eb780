/** Imports: a file is reviewed and imported, the events are displayed, and the import is undone. */
import type { Page } from 'playwright-core'
import t from 'tap'
import { go, phone, startApp } from '../../support/app.js'
import { leave, untilHeading } from '../../support/browser.js'
import type { Client } from '../../support/coffer.js'
import { sent, takenOut, zipOf } from '../../support/importing.js'
import { look } from '../../support/look.js'
import { inRotation, rotate } from '../../support/rotation.js'
import { smallFiles } from '../../imports/small-files.js'

/** Formats a time as in the export. */
function at(minutes: number): string {
  return `${new Date(Date.UTC(2023, 10, 10) + minutes * 60_000).toISOString().slice(0, 19).replace('T', ' ')} +0000`
}

/** Returns a record of the export. */
function record(type: string, unit: string, source: string, minutes: number, value: number): string {
  return (
    `<Record type="HKQuantityTypeIdentifier${type}" sourceName="${source}" unit="${unit}" ` +
    `startDate="${at(minutes)}" endDate="${at(minutes)}" value="${value}"/>`
  )
}

/** Returns an export like that of an iPhone: a heart rate every minute for a day, and some weights. */
function healthExport(): string {
  return [
    '<?xml version="1.0" encoding="UTF-8"?><HealthData locale="en_CH"><ExportDate value="2023-11-14 08:00:00 +0000"/>',
    ...Array.from({ length: 1440 }, (_, n) => record('HeartRate', 'count/min', 'Watch', n, 60 + (n % 40))),
    ...Array.from({ length: 4 }, (_, n) => record('BodyMass', 'kg', 'Scale', n * 360, 70 + n / 10)),
    '<Record type="HKQuantityTypeIdentifierOdd" sourceName="Watch" startDate="x"/>',
    '</HealthData>'
  ].join('\n')
}

/** Returns the ids of the streams that are not those of the service. */
async function own(daisy: Client): Promise<string[]> {
  const { streams } = await daisy.do('streams.get')
  return streams.map(({ id }: { id: string }) => id).filter((id: string) => !id.startsWith(':'))
}

/** Drops a file on the drop area. */
async function drop(page: Page, name: string, bytes: Buffer): Promise<void> {
  const dataTransfer = await page.evaluateHandle(`(() => {
    const bytes = Uint8Array.from(atob('${bytes.toString('base64')}'), each => each.charCodeAt(0))
    const transfer = new DataTransfer()
    transfer.items.add(new File([bytes], '${name}', { type: 'application/zip' }))
    return transfer
  })()`)
  const place = page.getByRole('region').filter({ hasText: 'Drop an export file here' })
  for (const event of ['dragover', 'drop']) await place.dispatchEvent(event, { dataTransfer })
}

t.test('imports', async t => {
  const { daisy, enter } = await startApp(t)
  const page = await enter('/app/daisy/import')
  const onPhone = await enter('/app/daisy/import', phone)
  const test = inRotation(t, 2)

  await t.test('a health export is reviewed, imported, displayed on the timeline and undone', async t => {
    await untilHeading(page, 'Import data')
    await look(t, page, 'app-import')
    const archive = await zipOf({ 'apple_health_export/export.xml': healthExport() })
    await drop(page, 'export.zip', archive)
    await untilHeading(page, 'Review import')
    await page.getByText('1,445 records', { exact: true }).waitFor()
    await page.getByRole('row', { name: /Heart rate.*60 – 99\sbpm.*1,440.*as a series/ }).waitFor()
    await page.getByRole('row', { name: /Body mass.*70 – 70.3\skg.*4.*as events/ }).waitFor()
    await page.locator('.outcome').getByText('No number').waitFor()
    await page.getByText('1,444 records will be imported').waitFor()
    await look(t, page, 'app-import-looked')
    t.same(await own(daisy), [], 'nothing has been written yet')

    await page.getByRole('button', { name: 'Import 1,444 records' }).click()
    await untilHeading(page, 'Import complete')
    await look(t, page, 'app-import-written')
    await page.getByRole('link', { name: 'View on timeline' }).click()
    await page.waitForURL('**/timeline?**')
    await page.locator('.page.timeline canvas').first().waitFor()
    await page.goBack()

    await page.getByRole('button', { name: 'Undo import' }).click()
    const asked = page.getByRole('dialog')
    await asked.getByText('1,444 imported records are deleted').waitFor()
    await asked.getByRole('button', { name: 'Undo import' }).click()
    await untilHeading(page, 'Import data')
    t.same(await own(daisy), [], 'nothing is left')
    t.same((await daisy.do('events.get', { types: ['mass/kg', 'series:frequency/bpm'] })).events, [])
  })

  await t.test('the user assigns the columns of a table', async t => {
    const page = onPhone
    await go(page, '/app/daisy/import')
    const rows = ['wann;oben;unten;bemerkung', '03.11.2023 08:00;121;78;gut', '04.11.2023 08:00;135;84;']
    await page
      .getByLabel('Choose file')
      .last()
      .setInputFiles({ name: 'druck.csv', mimeType: 'text/csv', buffer: Buffer.from(rows.join('\n')) })
    await page.getByRole('heading', { name: 'Columns' }).waitFor()
    for (const [column, choice] of [
      ['wann', 'time'],
      ['oben', 'blood-pressure/mmhg-bpm systolic'],
      ['unten', 'blood-pressure/mmhg-bpm diastolic'],
      ['bemerkung', '']
    ] as const)
      await page.getByLabel(column, { exact: true }).selectOption(choice)
    await page.getByLabel('Dates like 03/04/05').selectOption('dmy')
    await page.getByRole('button', { name: 'Apply' }).click()
    await page.getByText('2 records will be imported').waitFor()
    await look(t, page, 'app-import-table')
    await page.getByRole('button', { name: 'Import 2 records' }).click()
    await untilHeading(page, 'Import complete')
    const { events } = await daisy.do('events.get', { types: ['blood-pressure/mmhg-bpm'] })
    t.same(
      events.map(({ content }: { content: object }) => content),
      [
        { systolic: 135, diastolic: 84 },
        { systolic: 121, diastolic: 78 }
      ]
    )
  })

  await t.test('the user chooses where each kind of data goes', async t => {
    await daisy.do('streams.create', { id: 'scale', name: 'Bathroom scale' })
    await daisy.do('events.create', { streamIds: ['scale'], type: 'mass/kg', content: 71, time: 1.6e9 })
    const page = onPhone
    await go(page, '/app/daisy/import')
    const rows = ['time,weight (kg),waist (cm),steps']
    for (let at = 10; at < 20; at++) rows.push(`2023-10-${at} 08:00,${60 + at},${70 + at},${at * 1000}`)
    const buffer = Buffer.from(rows.join('\n'))
    await page
      .getByLabel('Choose file')
      .last()
      .setInputFiles({ name: 'body.csv', mimeType: 'text/csv', buffer })
    await untilHeading(page, 'Review import')
    const weight = page.getByRole('row', { name: /70 – 79\skg/ })
    await weight.getByText('Into Weight (yours, 1 value)').waitFor()
    const steps = page.getByRole('row', { name: /10,000 – 19,000/ })
    await steps.getByText('Into Steps (new)').waitFor()
    await page
      .getByRole('row', { name: /80 – 89\scm/ })
      .getByText('e.g. 80 cm')
      .waitFor()
    await look(t, page, 'app-import-lanes')

    await weight.getByRole('button', { name: 'Change where Weight goes' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByText('Bathroom scale').last().waitFor()
    await dialog.getByText('Stored in CSV › Weight').waitFor()
    await look(t, page, 'app-import-lane')
    await dialog.getByLabel('Stream').selectOption('scale')
    await dialog.getByRole('button', { name: 'Apply' }).click()
    await weight.getByText('Into the stream Bathroom scale').waitFor()
    await page.getByRole('button', { name: 'Change where Waist circumference goes' }).click()
    await dialog.getByLabel('Measure').selectOption({ label: 'Hip circumference' })
    await dialog.getByRole('button', { name: 'Apply' }).click()
    await page.getByText('Into Hip circumference (new)').waitFor()
    await page.getByLabel('Import Steps').uncheck()
    await steps.getByText('Not imported').waitFor()
    await page.getByText('Only the selected data will be imported.').waitFor()
    await page.getByRole('button', { name: 'Import selected data' }).click()
    await untilHeading(page, 'Import complete')
    await page.locator('.outcome').getByText('Skipped at your request').waitFor()
    const { events } = await daisy.do('events.get', { streams: ['scale'], fromTime: 0, toTime: 4e9 })
    t.equal(events.length, 11)
    const { facts } = await daisy.do('measures.facts', { measures: ['hips', 'waist', 'steps'] })
    t.match(facts, [{ measure: 'hips', count: 10 }])
  })

  await test('ambiguous numbers need a decision', async t => {
    await go(page, '/app/daisy/import')
    const rows = ['2023-11-10 08:00,"1,234"', '2023-11-11 08:00,"2,345"', '2023-11-12 08:00,none']
    const buffer = Buffer.from(['time,calories (kcal)', ...rows].join('\n'))
    await page.getByLabel('Choose file').last().setInputFiles({ name: 'e.csv', mimeType: 'text/csv', buffer })
    await untilHeading(page, 'Review import')
    await page.getByText('These numbers are ambiguous: 1,234 · 2,345.').waitFor()
    await page.getByText('Ambiguous number: decimal or thousands separator (rows 2, 3)').waitFor()
    await page.getByText('Not a number (row 4)').waitFor()
    await look(t, page, 'app-import-question')
    await page.getByLabel('Numbers like 1,234').selectOption('point')
    await page.getByRole('button', { name: 'Apply' }).click()
    await page.getByText('2 records will be imported').waitFor()
    t.equal(await page.locator('.question').count(), 0)
    await page.getByRole('row', { name: /1,234 – 2,345\skcal/ }).waitFor()
    await page.getByRole('button', { name: 'Import 2 records' }).click()
    await untilHeading(page, 'Import complete')
    const { events } = await daisy.do('events.get', { types: ['energy/kcal'] })
    t.same(
      events.map(({ content }: { content: number }) => content),
      [2345, 1234]
    )
  })

  await test('a column may have any type of measurement, and times another time zone', async t => {
    await go(page, '/app/daisy/import')
    const buffer = Buffer.from('time,pull\n2023-07-10 08:00,12\n2023-07-11 08:00,14')
    await page
      .getByLabel('Choose file')
      .last()
      .setInputFiles({ name: 'pull.csv', mimeType: 'text/csv', buffer })
    await untilHeading(page, 'Review import')
    await page.getByLabel('pull', { exact: true }).selectOption('more')
    await page.getByLabel('pull', { exact: true }).selectOption({ label: 'Force (N)' })
    await page.getByLabel('time', { exact: true }).selectOption('')
    await page.getByText('Choose a date column').waitFor()
    await page.getByLabel('time', { exact: true }).selectOption('time')
    await page.getByRole('button', { name: 'Apply' }).click()
    await page.getByRole('row', { name: /pull.*12 – 14\sN/ }).waitFor()
    await page.getByLabel('Time zone for dates').selectOption('Asia/Tokyo')
    await page.getByText('2 records will be imported').waitFor()
    await page.getByRole('button', { name: 'Import 2 records' }).click()
    await untilHeading(page, 'Import complete')
    const { events } = await daisy.do('events.get', { types: ['force/n'] })
    t.same(
      events.map(({ content, time }: { content: number; time: number }) => [content, time]),
      [
        [14, Date.UTC(2023, 6, 10, 23) / 1000],
        [12, Date.UTC(2023, 6, 9, 23) / 1000]
      ]
    )
  })

  await test('names in files of any format are displayed as text', async t => {
    const markup = '"><img src=x onerror="window.hacked=1"><svg onload=window.hacked=1> {name} \u202egnp.exe'
    const shown: string[] = []
    const files = rotate(t, smallFiles, 3)
    for (const { fileName, format, make } of files) {
      const { id } = await sent(daisy, fileName, make(2, markup))
      await go(page, `/app/daisy/import/${id}`)
      await untilHeading(page, 'Review import')
      for (const summary of await page.locator('main summary').all()) await summary.click()
      if ((await page.getByRole('main').innerText()).includes('<img src=x')) shown.push(format)
      t.equal(await page.locator('img[src="x"], [onload], [onerror]').count(), 0, format)
      t.equal(await page.evaluate('window.hacked'), undefined, format)
      await takenOut(daisy, id)
    }
    // The other formats have no names that the review displays.
    t.ok(shown.length > files.length / 2, `markup is shown of ${shown.join()}`)
  })

  await test('an unreadable file is refused with a reason', async t => {
    await go(page, '/app/daisy/import')
    const buffer = Buffer.from('<!doctype html><html><body>Please sign in</body></html>')
    await page
      .getByLabel('Choose file')
      .last()
      .setInputFiles({ name: 'data.csv', mimeType: 'text/csv', buffer })
    await untilHeading(page, 'Can’t import this file')
    t.ok((await page.getByRole('alert').innerText()).length > 20)
    await page.getByRole('button', { name: 'Discard' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Discard' }).click()
    await untilHeading(page, 'Import data')
  })
  await leave(onPhone)
  await leave(page)
})
