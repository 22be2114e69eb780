/** The timeline in a browser: lanes of all kinds, the cursor, navigation by pointer and keyboard, descriptions. */
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import t from 'tap'
import { desk, go, phone, startApp } from '../../support/app.js'
import { leave, leavesPictures, pictures } from '../../support/browser.js'
import type { Client } from '../../support/coffer.js'
import { look } from '../../support/look.js'
import { picture } from '../../support/pictures.js'
import { inRotation, rotate } from '../../support/rotation.js'

const hour = 3600
const day = 86_400

t.test('the timeline', async t => {
  const { daisy, enter, service } = await startApp(t)
  const now = service.clock.now()
  const inZurich = { ...desk, timezoneId: 'Europe/Zurich' }
  const test = inRotation(t, 2)

  await test('shows what to do when there is no data', async t => {
    const page = await enter('/app/daisy/timeline', inZurich)
    await page.getByRole('heading', { name: 'No data yet' }).waitFor()
    await look(t, page, 'app-timeline-empty')
    await leave(page)
  })

  await fill(daisy, now)

  await t.test('shows a lane for each measure and stream, with a description of each', async t => {
    const page = await enter('/app/daisy/timeline', inZurich)
    await untilDrawn(page, 6)
    const weight = page.getByRole('figure', { name: /^Weight, .*: down from 63\.\d to 61\.\d kg$/ })
    t.equal(await weight.count(), 1)
    await page
      .getByRole('figure', { name: /^Blood pressure, .*: 8 measurements, average 12\d\/8\d mmHg$/ })
      .waitFor()
    await page.getByRole('figure', { name: /^Sleep, .*: \d+ nights, average sleep 7 h \d\d$/ }).waitFor()
    await page
      .getByRole('figure', {
        name: /^Heart rate, .*: Average \d+(?:\.\d)? bpm \([\d,]+ readings\), between \d+ and \d+ bpm$/
      })
      .waitFor()
    t.match(
      await page.locator('.lane.series .who, .lane.series .chip').innerText(),
      /Dr\. Meyer/,
      'who may see it'
    )
    t.match(await page.locator('.lane.numbers').first().innerText(), /Only you/)
    t.equal(await inkOf(page, 0), true, 'something is drawn')
    await look(t, page, 'app-timeline')
    await page.emulateMedia({ media: 'print' })
    t.equal(await page.locator('.tabs').isVisible(), false)
    if (leavesPictures) await page.pdf({ path: join(pictures, 'app-timeline.pdf'), format: 'A4' })
    await leave(page)
  })

  const page = await enter('/app/daisy/streams', inZurich)
  /** Shows the timeline as when it is opened: it would keep its range, cursor and lanes. */
  const show = async (query = ''): Promise<void> => {
    await go(page, '/app/daisy/streams')
    await go(page, `/app/daisy/timeline${query}`)
  }

  await test('is navigated by keyboard, and stores its range in the URL', async t => {
    await show()
    await untilDrawn(page, 6)
    const cursor = page.getByRole('slider', { name: 'Cursor' })
    await cursor.focus()
    for (const _ of Array(12)) await page.keyboard.press('ArrowLeft')
    await page.waitForURL('**at=**')
    await until(
      page,
      `/Heart rate \\d.*Weight 6\\d/.test(document.querySelector('.flag').getAttribute('aria-valuetext'))`
    )
    t.match(await cursor.getAttribute('aria-valuetext'), /Heart rate \d+/, 'values of all lanes')
    const length = async (): Promise<number> => {
      const { searchParams } = new URL(page.url())
      return Number(searchParams.get('to')) - Number(searchParams.get('from'))
    }
    const before = await length()
    await page.keyboard.press('+')
    await until(
      page,
      `Number(new URL(location.href).searchParams.get('to')) - Number(new URL(location.href).searchParams.get('from')) < ${before} * 0.7`
    )
    await page.getByRole('button', { name: 'Week' }).click()
    await page.getByRole('button', { name: 'Earlier' }).click()
    await until(page, `Number(new URL(location.href).searchParams.get('to')) < ${now} - ${5 * day}`)
    t.equal(await length(), 7 * day)
    const { href } = new URL(page.url())
    await page.reload()
    await untilDrawn(page, 6)
    t.equal(page.url(), href, 'a reload shows the same')
  })

  await test('is moved by dragging, without loading data until that ends', async t => {
    await show()
    await untilDrawn(page, 6)
    const box = (await page.locator('figure').first().boundingBox())!
    await page.mouse.move(box.x + 400, box.y + 60)
    await page.mouse.down()
    await page.mouse.move(box.x + 300, box.y + 60, { steps: 8 })
    await page.mouse.move(box.x + 160, box.y + 60, { steps: 8 })
    await page.mouse.up()
    await until(page, `Number(new URL(location.href).searchParams.get('to')) > ${now} + ${8 * day}`)
    const to = Number(new URL(page.url()).searchParams.get('to'))
    t.ok(
      to > now + 8 * day && to < now + 18 * day,
      `later by about what was dragged: ${(to - now) / day} days`
    )
    await page.getByRole('button', { name: 'Today' }).click()
    await page.mouse.click(box.x + 200, box.y + 60)
    await page.waitForURL('**at=**')
    await page.getByRole('complementary', { name: 'At the cursor' }).waitFor()
  })

  await t.test('shows the events at the cursor next to it', async t => {
    await show(`?at=${now - 4 * day}`)
    const aside = page.getByRole('complementary', { name: 'At the cursor' })
    await aside.getByText('8.4 km along the lake').waitFor()
    await aside.getByText('First run after the cold.').waitFor()
    await aside.getByRole('img', { name: 'Lake at dusk' }).waitFor()
    await aside.getByRole('img', { name: /^\d.* track$/ }).waitFor()
    await aside.getByText('Who can see Heart rate').waitFor()
    t.match(
      await aside.getByRole('link', { name: 'Manage access: Dr. Meyer' }).getAttribute('href'),
      /\/shared\//
    )
    await look(t, page, 'app-timeline-moment')
    await aside.getByRole('button', { name: /^Add to this/ }).click()
    await page.getByRole('dialog').waitFor()
    await page.keyboard.press('Escape')
  })

  await t.test('names events of several days, and lets the user choose lanes', async t => {
    await show('?lanes=weight,diary')
    await untilDrawn(page, 2)
    await page.getByRole('button', { name: 'Actions for diary' }).click()
    await page.getByRole('button', { name: 'View as table' }).click()
    const table = page.getByRole('table')
    await table.waitFor()
    t.match(await table.innerText(), /Cold/)
    await look(t, page, 'app-timeline-table')
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Lanes' }).first().click()
    await page.getByRole('button', { name: 'Choose lanes' }).click()
    await page.getByRole('checkbox', { name: /^sleep/ }).check()
    await look(t, page, 'app-timeline-choice')
    await page.getByRole('button', { name: 'Done' }).click()
    await untilDrawn(page, 3)
    t.match(page.url(), /lanes=weight(?:,|%2C)diary(?:,|%2C)sleep/)
    await page.getByRole('button', { name: 'Actions for sleep' }).click()
    await page.getByRole('button', { name: 'Move up' }).click()
    await page.waitForURL(/lanes=weight(?:,|%2C)sleep(?:,|%2C)diary/)
    await page.getByRole('button', { name: 'Actions for weight' }).click()
    await page.getByRole('button', { name: 'Hide lane' }).click()
    await untilDrawn(page, 2)
  })

  await t.test('draws events of other clients as they arrive', async () => {
    await show('?lanes=weight')
    await untilDrawn(page, 1)
    await page.locator('.live.on').waitFor()
    const total = page.locator('.strip .num', { hasText: /\d/ })
    const before = Number.parseInt(await total.innerText(), 10)
    await daisy.event({ streamIds: ['weight'], type: 'mass/kg', content: 59.5, time: now - 60 })
    await page.getByRole('figure', { name: /down from [\d.]+ to 59\.5 kg$/ }).waitFor()
    await page.locator('.latest', { hasText: '59.5' }).waitFor()
    await total.filter({ hasText: new RegExp(`^${before + 1}\\b`) }).waitFor()
  })

  await t.test('the caption of the cursor is below the icons', async t => {
    for (const size of rotate(t, [inZurich, { ...phone, timezoneId: 'Europe/Zurich' }])) {
      const time = now - 5 * day
      const { id } = await daisy.event({
        streamIds: ['diary'],
        type: 'note/txt',
        content: 'At the lake',
        time
      })
      const page = await enter(`/app/daisy/timeline?lanes=weight,diary&at=${Math.round(time)}`, size)
      await untilDrawn(page, 2)
      const figure = page.locator('figure[data-lane=diary]')
      const caption = figure.locator('.needle span', { hasText: 'At the lake' })
      const [lane, text] = [(await figure.boundingBox())!, (await caption.boundingBox())!]
      // Icons are drawn in the middle, up to 12 pixels from it.
      t.ok(text.y >= lane.y + lane.height / 2 + 12, `${text.y} in a lane at ${lane.y} of ${lane.height}`)
      t.ok(text.y + text.height <= lane.y + lane.height, 'within the lane')
      await leave(page)
      await daisy.do('events.delete', { id })
    }
  })

  await test('a new kind of data gets its lane at once', async t => {
    await show()
    await untilDrawn(page, 6)
    const before = await page
      .locator('figure[data-lane]')
      .evaluateAll(lanes => lanes.map(each => each.getAttribute('data-lane')))
    await page.locator('.live.on').waitFor()
    await daisy.stream('humidity')
    await daisy.event({ streamIds: ['humidity'], type: 'ratio/percent', content: 51, time: now - 60 })
    await page.locator('figure[data-lane=humidity]').waitFor()
    await daisy.event({ streamIds: ['humidity'], type: 'ratio/percent', content: 52, time: now - 30 })
    await page.locator('.lane .latest', { hasText: '52' }).waitFor()
    t.same(
      await page
        .locator('figure[data-lane]')
        .evaluateAll(lanes => lanes.map(each => each.getAttribute('data-lane'))),
      [...before, 'humidity']
    )
    await go(page, '/app/daisy/streams')
    await daisy.do('streams.delete', { id: 'humidity' })
    await daisy.do('streams.delete', { id: 'humidity', mergeEventsWithParent: false })
  })

  await leave(page)

  await test('fits a phone, also in other languages', async t => {
    const page = await enter('/app/daisy/timeline?lang=fr', { ...phone, timezoneId: 'Europe/Zurich' })
    await untilDrawn(page, 6)
    t.equal(await page.getByRole('heading', { level: 1 }).innerText(), '30 derniers jours')
    await look(t, page, 'app-timeline-french')
    await leave(page)
  })

  await test('never loads more than it can display', async t => {
    const calls = Array.from({ length: 1200 }, (_, n) => ({
      method: 'events.create',
      params: { streamIds: ['many'], type: 'note/txt', content: `note ${n}`, time: now - n * 20_000 }
    }))
    await daisy.stream('many')
    await daisy.do('callBatch', calls).catch(async () => await daisy.http('POST', '/', calls))
    const page = await enter('/app/daisy/timeline?lanes=many', inZurich)
    const read: number[] = []
    page.on('response', async response => {
      const body = await response.text().catch(() => '')
      read.push(body.split('"note ').length - 1)
    })
    await page.getByRole('button', { name: 'Year' }).click()
    await page.getByRole('figure', { name: /: 1,200 events$/ }).waitFor()
    t.ok(Math.max(...read) <= 301, `notes in one answer: ${Math.max(...read)}`)
    await leave(page)
  })
})

/** Waits until there are this many lanes, and each has its data. */
async function untilDrawn(page: Page, count: number): Promise<void> {
  await until(
    page,
    `document.querySelectorAll('figure').length === ${count} && !document.querySelector('figure[aria-busy=true]')`
  )
  await page.evaluate(`new Promise(resolve => requestAnimationFrame(() => requestAnimationFrame(resolve)))`)
}

/** Waits until an expression is true in the page, whose policy forbids Playwright's own waiting. */
async function until(page: Page, expression: string): Promise<void> {
  await page.evaluate(`new Promise((resolve, reject) => {
    const end = performance.now() + 60000
    const look = () => {
      if (${expression}) resolve()
      else if (performance.now() > end) reject(new Error('waited for ' + ${JSON.stringify(expression)}))
      else setTimeout(look, 20)
    }
    look()
  })`)
}

/** Returns whether the canvas of a lane is not empty. */
async function inkOf(page: Page, index: number): Promise<unknown> {
  return await page.evaluate(`(() => {
    const canvas = document.querySelectorAll('figure canvas')[${index}]
    return canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data.some(each => each > 0)
  })()`)
}

/** Creates a month of realistic data. */
async function fill(daisy: Client, now: number): Promise<void> {
  for (const id of ['heart', 'weight', 'pressure', 'sleep', 'diary', 'runs']) await daisy.stream(id)
  const morning = Math.floor(now / day) * day + 6 * hour
  const holder = await daisy.event({
    streamIds: ['heart'],
    type: 'series:frequency/bpm',
    content: null,
    time: now - 30 * day
  })
  const beats = Array.from({ length: 30 * 144 }, (_, n) => [
    n * 600,
    Math.round(64 + 14 * Math.sin((n / 144) * 2 * Math.PI) + ((n * 7) % 11))
  ])
  await daisy.do('hfs.add', {
    id: holder.id,
    format: 'flatJSON',
    fields: ['deltaTime', 'value'],
    points: beats
  })
  for (let n = 0; n < 30; n++) {
    const time = morning - n * day
    if (n % 9 !== 4)
      await daisy.event({
        streamIds: ['weight'],
        type: 'mass/kg',
        content: Math.round((61.9 + n * 0.04) * 10) / 10,
        time
      })
    if (n % 4 === 1) {
      const content = { systolic: 121 + (n % 5), diastolic: 80 + (n % 3), rate: 62 }
      await daisy.event({
        streamIds: ['pressure'],
        type: 'blood-pressure/mmhg-bpm',
        content,
        time: time + hour
      })
    }
    const bed = time - 8 * hour + (n % 3) * 900
    const stretch = async (from: number, hours: number, content: object): Promise<unknown> =>
      await daisy.event({
        streamIds: ['sleep'],
        type: 'sleep/analysis',
        content,
        time: bed + from * hour,
        duration: hours * hour
      })
    await stretch(0, 8, { analysis: 'inBed' })
    await stretch(0.4, 2, { analysis: 'asleep', stage: 'deep' })
    await stretch(2.5, 5.2, { analysis: 'asleep', stage: 'core' })
    if (n % 3 === 0)
      await daisy.event({
        streamIds: ['diary'],
        content: `A day like any other, number ${n}`,
        time: time + 12 * hour
      })
  }
  await daisy.event({ streamIds: ['diary'], content: 'Cold', time: now - 16 * day, duration: 2.5 * day })
  await daisy.event({
    streamIds: ['diary'],
    content: 'First run after the cold. Knee is fine, breath is short on the hill.',
    time: now - 4 * day + 1200
  })
  await daisy.event({
    streamIds: ['runs'],
    type: 'activity/plain',
    content: null,
    time: now - 4 * day - 600,
    duration: 2700,
    description: '8.4 km along the lake'
  })
  const way = await daisy.event({
    streamIds: ['runs'],
    type: 'series:position/wgs84',
    content: null,
    time: now - 4 * day - 600
  })
  const points = Array.from({ length: 180 }, (_, n) => {
    const turn = (n / 180) * 2 * Math.PI
    return [
      n * 15,
      47.36 + 0.008 * Math.sin(turn) + 0.001 * Math.sin(5 * turn),
      8.54 + 0.016 * Math.cos(turn),
      408 + 20 * Math.sin(turn)
    ]
  })
  await daisy.do('hfs.add', {
    id: way.id,
    format: 'flatJSON',
    fields: ['deltaTime', 'latitude', 'longitude', 'altitude'],
    points
  })
  const form = new FormData()
  form.append(
    'event',
    JSON.stringify({
      streamIds: ['diary'],
      type: 'picture/attached',
      time: now - 4 * day + 600,
      description: 'Lake at dusk'
    })
  )
  form.append('file', new Blob([await picture(640, 420)], { type: 'image/png' }), 'lake.png')
  await daisy.http('POST', '/events', form)
  await daisy.grant('read', 'heart', { name: 'Dr. Meyer', type: 'shared' })
}
