/** The table: rows, filters, sorting, downloads. */
import { readFileSync } from 'node:fs'
import type { Page } from 'playwright-core'
import t from 'tap'
import { go, phone, startApp } from '../../support/app.js'
import { leave } from '../../support/browser.js'
import { look } from '../../support/look.js'
import { Random } from '../../support/random.js'
import { inRotation, rotate } from '../../support/rotation.js'
import { loadWeb } from '../../support/web-module.js'
import { until } from '../../support/socket.js'

t.test('changes are merged into rows', async t => {
  const { mergeChanges: merged } = await loadWeb<typeof import('../../../web/app/table/merge-changes.js')>(
    'app/table/merge-changes.ts'
  )
  const seed = Date.now() % 1_000_000
  t.comment(`seed ${seed}`)
  const random = new Random(seed)
  type Row = { id: string; time: number; number: number }
  for (let turn = 0; turn < 300; turn++) {
    const isUp = random.chance(0.5)
    const order = (a: Row, b: Row): number => (isUp ? 1 : -1) * (a.time - b.time || a.number - b.number)
    // Pairs of rows have the same time; none is moved to it.
    let all = Array.from({ length: random.below(30) }, (_, number): Row => {
      return { id: `e${number}`, number, time: Math.floor(number / 2) * 10 }
    })
    const rows = all.toSorted(order).slice(0, random.pick([5, 20, 100]))
    const isWhole = rows.length === all.length
    const changed = new Set<string>()
    const found: Row[] = []
    for (let count = random.below(6); count > 0; count--) {
      const row = all[random.below(all.length + 1)]
      const next = row
        ? { ...row, time: random.chance(0.5) ? row.time : random.below(300) + 0.001 * count }
        : {
            id: `n${count}`,
            number: 1000 - count,
            time: random.chance(0.3) ? 40 : random.below(300) + 0.001 * count
          }
      if (changed.has(next.id)) continue
      changed.add(next.id)
      all = all.filter(({ id }) => id !== next.id)
      if (random.chance(0.3)) continue
      all.push(next)
      found.push(next)
    }
    const own = merged(rows as never, found.toSorted(order) as never, changed, { isUp, isWhole }) as
      | Row[]
      | undefined
    if (!own) continue
    const sorted = all.toSorted(order)
    t.same(
      own.map(({ id }) => id),
      sorted.slice(0, own.length).map(({ id }) => id)
    )
    if (isWhole) t.equal(own.length, all.length)
  }
})

t.test('the table', async t => {
  const { daisy, enter, service } = await startApp(t)
  const now = service.clock.now()
  const test = inRotation(t, 2)
  await test('shows what to do when there is no data', async () => {
    const page = await enter('/app/daisy/table')
    await page.getByText('No events yet').first().waitFor()
    await leave(page)
  })
  for (const [id, name, parentId] of [
    ['body', 'Body', null],
    ['weight', 'Weight', 'body'],
    ['pressure', 'Blood pressure', 'body'],
    ['diary', 'Diary', null]
  ] as const)
    await daisy.do('streams.create', { id, name, parentId })
  await daisy.do(
    'callBatch',
    Array.from({ length: 1200 }, (_, n) => ({
      method: 'events.create',
      params: { streamIds: ['weight'], type: 'mass/kg', content: 60 + (n % 50) / 10, time: now - n * 3600 }
    }))
  )
  for (let n = 0; n < 3; n++)
    await daisy.event({
      streamIds: ['pressure'],
      type: 'blood-pressure/mmhg-bpm',
      content: { systolic: 118 + n * 15, diastolic: 77, rate: 60 },
      time: now - 1800 - n * 86_400
    })
  await daisy.event({
    content: '=cmd("x"), said the note',
    time: now - 60,
    description: 'With <i>markup</i>'
  })

  const page = await enter('/app/daisy/streams')
  /** Shows the table. Elsewhere first: what it shows before is no answer. */
  const show = async (query: string): Promise<void> => {
    await go(page, '/app/daisy/streams')
    await go(page, `/app/daisy/table${query}`)
  }

  await t.test('loads more rows while scrolling, and renders only visible ones', async t => {
    await show('')
    await page.getByText('=cmd("x"), said the note').waitFor()
    await page.getByText('With <i>markup</i>').waitFor()
    await look(t, page, 'app-table')
    const whole = page.getByText('1,204 rows', { exact: true })
    await until(async () => {
      await page.mouse.wheel(0, 20_000)
      return await whole.isVisible()
    }, 'all rows have been read')
    t.ok((await page.locator('tbody tr').count()) < 120)
    await page.getByRole('button', { name: 'Time' }).click()
    await page.waitForURL('**sort=up**')
  })

  await t.test('has columns for a single type, and filters by value', async t => {
    await show('?type=blood-pressure/mmhg-bpm')
    await page.getByRole('columnheader', { name: 'systolic (mmHg)' }).waitFor()
    t.equal(await page.locator('tbody tr').count(), 3)
    await page.getByLabel('At least').fill('130')
    await page.getByLabel('At least').press('Enter')
    await page.getByText('2 rows', { exact: true }).waitFor()
    await look(t, page, 'app-table-filtered')
    const csv = await saved(page, 'CSV, as displayed')
    const [head, ...lines] = csv.replace('\ufeff', '').trim().split('\r\n')
    t.match(head, 'Time,Stream,systolic (mmHg),diastolic (mmHg)')
    t.equal(lines.length, 2, 'what is downloaded is what is shown')
    t.match(lines[0], /^\d{4}-\d\d-\d\dT[\d:.]+Z,Blood pressure,133,77,60/)
    await page.getByRole('button', { name: 'Clear filters' }).click()
    await page.getByText('=cmd("x")').waitFor()
  })

  await t.test('downloads all rows, however many', async t => {
    await show('?streams=body&sort=up')
    await page.getByText('More than 200 rows').waitFor()
    const events = JSON.parse(await saved(page, 'JSON'))
    t.equal(events.length, 1203)
    t.ok(events[0].time < events.at(-1).time)
    await go(page, '/app/daisy/table?streams=diary&sort=up')
    await page.getByText('1 row', { exact: true }).waitFor()
    const csv = await saved(page, 'CSV, as displayed')
    t.match(csv, `,"'=cmd(""x""), said the note",`, 'no formula for a spreadsheet')
    t.match(csv, ',With <i>markup</i>\r\n')
  })

  await test('updates changed rows in place, without reloading others', async t => {
    // Recent changes are always requested again.
    service.clock.advance(60)
    const page = await enter('/app/daisy/table?streams=body')
    await page.getByText('More than 200 rows').waitFor()
    await page.getByText('Live', { exact: true }).waitFor()
    const asked: string[] = []
    page.on('request', request => {
      const body = request.postData() ?? ''
      if (body.includes('"events.get"')) asked.push(body)
    })
    const first = page.locator('tbody tr').first()
    const { id } = await daisy.event({ streamIds: ['weight'], type: 'mass/kg', content: 71.5, time: now + 1 })
    await first.getByText('71.5').waitFor()
    await daisy.do('events.update', { id, update: { content: 72.25 } })
    await first.getByText('72.25').waitFor()
    await daisy.do('events.update', { id, update: { time: now - 1900 } })
    await page.locator('tbody tr').nth(2).getByText('72.25').waitFor()
    await daisy.do('events.delete', { id })
    await page.getByText('72.25').waitFor({ state: 'detached' })
    const other = await daisy.event({ content: 'In another stream', time: now + 2 })
    t.ok(asked.length >= 4)
    t.same(
      asked.filter(body => !body.includes('modifiedSince')),
      [],
      'only changes are asked for'
    )
    await daisy.do('events.delete', { id: other.id })
    await leave(page)
  })

  await test('exports to formats of other programs', async t => {
    await daisy.event({ type: 'position/wgs84', content: { latitude: 46.2, longitude: 6.1 }, time: now - 30 })
    await show('?streams=diary')
    await page.getByText('2 rows', { exact: true }).waitFor()
    t.match(await saved(page, 'GPX, for maps'), '<wpt lat="46.2" lon="6.1">')
    await go(page, '/app/daisy/table?type=blood-pressure/mmhg-bpm&least=130')
    await page.getByText('2 rows', { exact: true }).waitFor()
    const { entry } = JSON.parse(await saved(page, 'FHIR, for health records'))
    t.equal(entry.length, 2, 'as shown')
    t.match(await saved(page, 'CSV, one row per value'), ',blood-pressure/mmhg-bpm,systolic,148,mm[Hg],')
    await page.getByRole('button', { name: 'Download', exact: true }).click()
    await page.getByRole('button', { name: 'CSV, one row per value' }).waitFor()
    t.notOk(await page.getByRole('button', { name: 'GPX' }).isVisible(), 'where there are no positions')
    await look(t, page, 'app-table-download')
  })
  await leave(page)

  await t.test('filters by words, days and trash', async t => {
    const page = await enter('/app/daisy/table', phone)
    await page.getByText('Filters', { exact: true }).click()
    await page.getByLabel('Text').fill('note said')
    await page.getByLabel('Text').press('Enter')
    await page.getByText('1 row', { exact: true }).waitFor()
    await page.getByLabel('Text').fill('nothing of the kind')
    await page.getByLabel('Text').press('Enter')
    await page.getByText('No events match').waitFor()
    await look(t, page, 'app-table-none')
    t.notMatch(page.url(), 'nothing', 'words are in no address')
    await page.reload()
    await page.getByText('No events match').waitFor()
    await page.getByText('Filters', { exact: true }).click()
    t.equal(
      await page.getByLabel('Text').inputValue(),
      'nothing of the kind',
      'but in the history of the tab'
    )
    await page.getByLabel('Text').fill('...')
    await page.getByLabel('Text').press('Enter')
    await page.getByRole('alert').waitFor()
    const dayBefore = new Date((now - 86_400) * 1000).toISOString().slice(0, 10)
    await go(page, `/app/daisy/table?from=${dayBefore}&to=${dayBefore}&streams=weight`)
    await page.getByText(/2[3-5] rows/).waitFor()
    await leave(page)
  })
})

t.test('the table has the names and numbers of other pages', async t => {
  const { daisy, enter, service } = await startApp(t)
  const now = service.clock.now()
  for (const [id, measure] of [
    ['scale', 'weight'],
    ['morning', 'resting-heart-rate'],
    ['feelings', 'mood'],
    ['sugar', 'glucose']
  ] as const)
    await daisy.do('streams.create', {
      id,
      name: id === 'sugar' ? 'Blood sugar' : id,
      clientData: { 'coffer:measure': measure }
    })
  const add = async (streamId: string, type: string, content: unknown): Promise<void> =>
    void (await daisy.event({ streamIds: [streamId], type, content, time: now - 60 }))
  for (const kilograms of [64.8, 64.9, 70]) await add('scale', 'mass/kg', kilograms)
  await add('scale', 'mass/lb', 150)
  await add('morning', 'frequency/bpm', 55)
  for (const rating of [0.3, 0.75]) await add('feelings', 'mood/rating', rating)
  for (const millimoles of [5, 8]) await add('sugar', 'density/mmol-l', millimoles)
  await add('scale', 'blood-pressure/mmhg-bpm', { systolic: 121, diastolic: 80, rate: 60 })
  await add('feelings', 'activity/plain', null)
  await daisy.do('profile.update', {
    id: 'private',
    update: { 'coffer:units': { mass: 'lb', glucose: 'mg-dl' } }
  })

  const page = await enter('/app/daisy/measures')
  await t.test('kinds are named by their measure', async t => {
    const { event } = await daisy.do('events.create', {
      streamIds: ['feelings', 'sugar'],
      type: 'density/mmol-l',
      content: 6,
      time: now - 60
    })
    await go(page, '/app/daisy/table')
    await page.getByRole('cell', { name: 'Resting heart rate' }).waitFor()
    const rows = (await page.locator('tbody tr:not(.room)').allInnerTexts()).map(row =>
      row.replaceAll(/\s+/g, ' ')
    )
    for (const expected of [
      /scale Weight 142\.9 lb/,
      /morning Resting heart rate 55 bpm/,
      /feelings Mood 7\.5\/10/,
      /Blood sugar .*90 mg\/dL/,
      // Any of its streams can be the one of glucose.
      /108 mg\/dL/,
      /121\/80 mmHg/
    ])
      t.equal(rows.filter(row => expected.test(row)).length, 1, String(expected))
    t.notMatch(
      await page.locator('tbody').innerText(),
      /[a-z]\/(?:kg|lb|bpm|rating|mmol-l|plain)/,
      'no types'
    )
    const kinds = await page.getByLabel('Type').locator('option').allInnerTexts()
    t.ok(
      kinds.includes('Weight (kg)') && kinds.includes('Weight (lb)') && kinds.includes('Mood'),
      String(kinds)
    )
    await look(t, page, 'app-table-kinds')
    for (let each = 0; each < 2; each++) await daisy.do('events.delete', { id: event.id })
  })

  await t.test('values are filtered as they are shown', async t => {
    const filters = [
      ['type=mass/kg&least=143', 'At least (lb)', 2],
      ['type=mass/kg&most=143', 'At most (lb)', 1],
      ['type=mood/rating&least=7.5', 'At least (/10)', 1],
      ['type=mood/rating&most=3', 'At most (/10)', 1],
      ['type=density/mmol-l&least=100', 'At least (mg/dL)', 1],
      ['type=frequency/bpm&least=55', 'At least (bpm)', 1]
    ] as const
    for (const [query, label, rows] of rotate(t, filters, 3)) {
      // Elsewhere first: what the table shows before is no answer.
      await go(page, '/app/daisy/measures')
      await go(page, `/app/daisy/table?${query}`)
      await page.getByText(`${rows} row${rows === 1 ? '' : 's'}`, { exact: true }).waitFor()
      t.equal(await page.getByLabel(label, { exact: true }).count(), 1, label)
    }
    await go(page, '/app/daisy/table?type=activity/plain')
    await page.getByText('1 row', { exact: true }).waitFor()
    t.same(
      await page.getByRole('columnheader').allInnerTexts(),
      ['Time', 'Stream'],
      'columns without values are omitted'
    )
  })
  await leave(page)
})

/** Downloads the rows, and returns the text of the file. */
async function saved(page: Page, kind: string): Promise<string> {
  await page.getByRole('button', { name: 'Download', exact: true }).click()
  const waiting = page.waitForEvent('download')
  await page.getByRole('button', { name: kind }).click()
  return readFileSync(await (await waiting).path(), 'utf8')
}
