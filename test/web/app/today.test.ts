/** The page Today in a browser: every number against the events that were written, arranging, goals, quick values. */
import type { Locator, Page } from 'playwright-core'
import t, { type Test } from 'tap'
import { getLocalDay } from '../../../schemas/zones.js'
import { desk, go, phone, startApp, untilStored, type App } from '../../support/app.js'
import { leave, setTime } from '../../support/browser.js'
import type { Answer, Client } from '../../support/coffer.js'
import { broughtIn } from '../../support/importing.js'
import { look } from '../../support/look.js'
import { inRotation, rotate } from '../../support/rotation.js'

const zone = 'Europe/Zurich'
const inZurich = { ...desk, timezoneId: zone }
const minute = 60
const hour = 3600
const day = 86_400

const card = (page: Page, measure: string): Locator => page.locator(`[data-measure="${measure}"]`)

/** Returns the lines of a card, without those of charts and menus. */
async function readLines(page: Page, measure: string): Promise<string[]> {
  const lines = await card(page, measure).locator('.value, .detail, .goal p').allInnerTexts()
  return lines.map(each => each.replaceAll(/[\s\u00a0\u202f]+/g, ' ').trim())
}

/** Returns what the private profile set contains under a key. */
async function readProfile(daisy: Client, key: string): Promise<Answer> {
  return (await daisy.do('profile.get', { id: 'private' })).profile[key]
}

/** Waits until a card has a line. */
async function untilLine(page: Page, measure: string, line: string): Promise<void> {
  await card(page, measure).getByText(line, { exact: true }).first().waitFor()
}

/** Sets the clock of the service to an hour of the next day in Zurich. */
function setHour({ service }: App, at: number): { readonly start: number; readonly now: number } {
  const { from } = getLocalDay(zone, service.clock.now())
  const start = from + day
  service.clock.advance(start + at * hour - service.clock.now())
  return { start, now: start + at * hour }
}

inRotation(t, 2)('without data, Today says how to begin', async t => {
  const { enter } = await startApp(t)
  const page = await enter('/app/', inZurich)
  await page.waitForURL('**/app/daisy/today')
  await page.getByRole('heading', { name: 'Your days, at a glance' }).waitFor()
  await look(t, page, 'app-today-empty')
  await page.locator('main').getByRole('button', { name: 'Add data' }).click()
  await page.getByRole('dialog', { name: 'Add' }).waitFor()
  await page.keyboard.press('Escape')
  await page.locator('main').getByRole('link', { name: 'Import data' }).click()
  await page.waitForURL('**/app/daisy/import')
  await leave(page)
})

t.test('Today', async t => {
  const app = await startApp(t)
  const { daisy, enter } = app
  const { start, now } = setHour(app, 20)
  await fill(daisy, start, now)
  let page = await enter('/app/daisy/today', inZurich)
  const test = inRotation(t, 2)

  await t.test('shows the numbers of what was written', async t => {
    t.equal(await page.title(), 'Today')
    // By hand this morning; fourteen imported days have a median of 62 kg, and deviate from it by 0.2 at the median.
    await untilLine(page, 'weight', '62.5')
    t.same(await readLines(page, 'weight'), [
      '62.5 kg',
      'This morning at 07:05 · Scale',
      'A little higher than usual'
    ])
    // 4,000 of the watch from 8 to 9, and not the 3,500 that the phone counted then; its 500 from 10 to 11.
    t.same(await readLines(page, 'steps'), [
      '4,500',
      'So far today',
      'Usually 6,000',
      'Reached At least 4,000 a day',
      // Of the ten days before with 6,000 each, and eighteen without steps.
      'Reached on 10 of 28 days in the last four weeks'
    ])
    // From 23:00 to 02:00 and from 02:20 to 06:30: 3 h + 4 h 10 min. The watch is asked first; the ring is not added.
    t.same(await readLines(page, 'sleep'), ['7 hrs 10 mins', 'Last night · 23:00 to 06:30'])
    t.same(await readLines(page, 'blood-pressure'), ['118/76 mmHg', 'Yesterday at 22:10 · Cuff'])
    t.same(await readLines(page, 'mood'), ['7.5/10', 'This evening at 19:30 · Diary'])
    t.same(await readLines(page, 'coffee'), ['2', 'So far today'])
    t.same(await readLines(page, 'spending'), ['19.75 CHF', 'So far today'], 'in the currency of this person')
    t.same(await readLines(page, 'headache'), ['Mild', 'This afternoon at 15:00 · Aches'])
    t.same(await readLines(page, 'medication-taken'), ['Yes', 'At 04:00 this morning · Pills'])
    await card(page, 'medication-taken').getByRole('button', { name: 'Add Yes to' }).waitFor()
    t.match(
      await card(page, 'weight').getByRole('img').getAttribute('aria-label'),
      'Last 28 days: between 61.8\u00a0kg and 62.5\u00a0kg, usually 62\u00a0kg'
    )
    t.match(
      await card(page, 'steps').getByRole('img').getAttribute('aria-label'),
      /^Last 7 days\. .*: 6,000; Yesterday: 6,000; Today: 4,500$/
    )
    const icons = await page
      .locator('.measure .sign path')
      .evaluateAll(each => each.map(path => path.getAttribute('d')))
    t.equal(
      new Set(icons).size,
      await page.locator('.measure').count(),
      'each measure has an icon of its own'
    )
    const media = page.getByRole('region', { name: 'Your day' })
    t.match(await media.innerText(), /Home and Library View on map/)
    t.match(await media.innerText(), /A walk by the lake/)
    await page.getByRole('region', { name: 'A year ago today' }).getByText('Snow in the garden').waitFor()
    const since = page.getByRole('region', { name: 'Since yesterday' })
    t.match(
      (await since.innerText()).replaceAll(/\s+/g, ' '),
      /Weight 15 readings Weight 14, Scale 1 Blood pressure 1 reading Cuff Steps 14 readings Watch 12, Phone 2 Sleep 1 night Band, Ring .*Notes 2 /,
      'what has arrived, whenever it was measured'
    )
    await look(t, page, 'app-today')
  })

  await t.test('says who has looked, and at what', async t => {
    const doctor = await daisy.grant('read', 'scale', { name: 'Dr. Meyer' })
    // As a dashboard does.
    await doctor.do('measures.facts', {})
    // What others have read is no change: it is read with the page.
    await go(page, '/app/daisy/measures')
    await go(page, '/app/daisy/today')
    const line = page.getByRole('region', { name: 'Since yesterday' }).getByText('Dr. Meyer viewed Scale')
    t.match(await line.innerText(), /^Dr\. Meyer viewed Scale, (?:just now|this evening at 20:00)/)
    await page.getByRole('link', { name: 'View activity' }).click()
    await page.waitForURL('**/app/daisy/shared/*')
  })

  await t.test('stops what runs, and continues it', async t => {
    const { event } = await daisy.do('events.create', {
      streamIds: ['diary'],
      type: 'activity/plain',
      description: 'Reading',
      time: now - 40 * minute,
      duration: null
    })
    await go(page, '/app/daisy/today')
    const running = page.getByRole('region', { name: 'Ongoing' })
    t.match(await running.innerText(), /Reading\s*40 mins/)
    await look(t, page, 'app-today-running')
    await running.getByRole('button', { name: 'Stop Reading' }).click()
    await running.waitFor({ state: 'detached' })
    const read = async (): Promise<Answer> =>
      (await daisy.do('events.getOne', { id: event.id })).event.duration
    t.equal(await read(), 40 * minute)
    await page.getByRole('button', { name: 'Undo' }).click()
    await running.waitFor()
    t.equal(await read(), null)
    await daisy.do('events.update', { id: event.id, update: { duration: 40 * minute } })
    // Live, without a reload.
    await running.waitFor({ state: 'detached' })
  })

  await t.test('adds a value with one touch, which can be undone', async t => {
    await untilLine(page, 'coffee', '2')
    await card(page, 'coffee').getByRole('button', { name: 'Add 1 to Coffee' }).click()
    await untilLine(page, 'coffee', '3')
    const { events } = await daisy.do('events.get', { streams: ['kitchen'], limit: 1 })
    t.match(events[0], { type: 'count/generic', content: 1, time: now })
    await page.getByRole('button', { name: 'Undo' }).click()
    await untilLine(page, 'coffee', '2')
    t.equal((await daisy.do('events.getOne', { id: events[0].id })).event.trashed, true)
    await leave(page)
  })

  await test('an own measure has buttons, also before it has data', async t => {
    await daisy.do('profile.update', {
      id: 'private',
      update: {
        'coffer:measures': [
          {
            id: 'walks',
            name: 'Walks with Rex',
            icon: 'dog',
            hue: 30,
            kind: 'sum',
            types: ['count/generic'],
            quickValues: [1, 2]
          }
        ],
        'coffer:today': { cards: ['walks', 'unheard-of'], hidden: [] }
      }
    })
    page = await enter('/app/daisy/today', inZurich)
    await card(page, 'walks').getByRole('button', { name: 'Add 2 to Walks with Rex' }).click()
    await untilLine(page, 'walks', '2')
    const { streams } = await daisy.do('streams.get', {})
    t.match(
      (streams as Answer[]).find(({ name }) => name === 'Walks with Rex'),
      { clientData: { 'coffer:measure': 'walks' } }
    )
    await card(page, 'walks').getByRole('button', { name: 'Add 1 to Walks with Rex' }).click()
    await untilLine(page, 'walks', '3')
    await daisy.do('profile.update', {
      id: 'private',
      update: { 'coffer:measures': null, 'coffer:today': null }
    })
    await leave(page)
  })

  await t.test('shows a new value at once, and the form adds one to its stream', async t => {
    page = await enter('/app/daisy/today', inZurich)
    await untilLine(page, 'weight', '62.5')
    await daisy.event({ streamIds: ['scale'], type: 'mass/kg', content: 63.1, time: now - 30 })
    await untilLine(page, 'weight', '63.1')
    t.match(await readLines(page, 'weight'), ['63.1 kg', 'Just now · Scale'])
    await card(page, 'weight').getByRole('button', { name: 'Options: Weight' }).click()
    await page.getByRole('button', { name: 'Add value' }).click()
    await page.locator('dialog input:focus').waitFor()
    await page.keyboard.type('63.4')
    await page.keyboard.press('Enter')
    await untilLine(page, 'weight', '63.4')
    const { events } = await daisy.do('events.get', { streams: ['scale'], limit: 1 })
    t.match(events[0], { content: 63.4, streamIds: ['scale'] })
  })

  await t.test('goals are set, changed and removed at the card', async t => {
    const openGoal = async (name: string): Promise<Locator> => {
      await card(page, 'sleep').getByRole('button', { name: 'Options: Sleep' }).click()
      await page.getByRole('button', { name }).click()
      const dialog = page.getByRole('dialog', { name: 'Goal: Sleep' })
      await dialog.waitFor()
      return dialog
    }
    let dialog = await openGoal('Set goal')
    await dialog.getByLabel('Goal', { exact: true }).selectOption('between')
    await dialog.getByLabel('From').fill('9')
    await dialog.getByLabel('Up to').fill('7.5')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await dialog.getByText('This value is too small.').waitFor()
    await look(t, page, 'app-today-goal')
    await dialog.getByLabel('From').fill('7')
    await dialog.getByLabel('Up to').fill('9')
    await dialog.getByLabel('Sun').uncheck()
    await dialog.getByRole('button', { name: 'Save' }).click()
    await untilLine(page, 'sleep', '7 hrs to 9 hrs a day')
    await untilStored(async () => (await readProfile(daisy, 'coffer:goals')).sleep, {
      period: 'day',
      min: 7 * hour,
      max: 9 * hour,
      weekdays: [1, 2, 3, 4, 5, 6]
    })
    dialog = await openGoal('Change goal')
    t.equal(await dialog.getByLabel('Up to').inputValue(), '9')
    t.equal(await dialog.getByLabel('Sun').isChecked(), false)
    await dialog.getByRole('button', { name: 'Remove goal' }).click()
    await card(page, 'sleep').locator('.goal').waitFor({ state: 'detached' })
    await untilStored(async () => Object.keys(await readProfile(daisy, 'coffer:goals')), ['steps'])
    await page.getByRole('button', { name: 'Undo' }).click()
    await untilLine(page, 'sleep', '7 hrs to 9 hrs a day')
  })

  await t.test('cards are moved, hidden and added, and stay so', async t => {
    await card(page, 'weight').waitFor()
    const list = async (): Promise<string[]> =>
      await page.locator('.measure').evaluateAll(all => all.map(each => each.getAttribute('data-measure')!))
    const before = await list()
    t.same(before, [
      'weight',
      'blood-pressure',
      'steps',
      'activity',
      'sleep',
      'mood',
      'coffee',
      'medication-taken',
      'headache',
      'spending'
    ])
    await page.getByRole('button', { name: 'Customise' }).click()
    const dialog = page.getByRole('dialog', { name: 'Customise Today' })
    await dialog.getByRole('button', { name: 'Move Sleep up' }).click()
    for (let count = 0; count < 3; count++) await page.keyboard.press('Enter')
    const rows = dialog.locator('[data-card]')
    await inRotation(t, 2)('also by dragging', async t => {
      await rows.nth(1).dragTo(rows.nth(0))
      t.same((await list()).slice(0, 2), ['weight', 'sleep'], 'dragged')
      await rows.nth(0).dragTo(rows.nth(1))
      t.same((await list()).slice(0, 2), ['sleep', 'weight'], 'and back')
    })
    await dialog.getByRole('button', { name: 'Hide Coffee' }).click()
    await dialog.getByLabel('Add a measure').fill('body temp')
    await dialog.getByRole('button', { name: 'Show Body temperature' }).click()
    await dialog.getByRole('button', { name: 'Hide Body temperature' }).waitFor()
    await look(t, page, 'app-today-arrange')
    await page.keyboard.press('Escape')
    const after = [
      'sleep',
      'weight',
      'blood-pressure',
      'steps',
      'activity',
      'mood',
      'medication-taken',
      'headache',
      'spending',
      'body-temperature'
    ]
    t.same(await list(), after)
    t.match(await card(page, 'body-temperature').innerText(), /No data yet/)
    await page.reload()
    await card(page, 'sleep').waitFor()
    t.same(await list(), after)
    await card(page, 'mood').getByRole('button', { name: 'Options: Mood' }).click()
    await page.getByRole('button', { name: 'Hide', exact: true }).click()
    await card(page, 'mood').waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Undo' }).click()
    await card(page, 'mood').waitFor()
    await untilStored(async () => await readProfile(daisy, 'coffer:today'), {
      cards: after,
      hidden: ['coffee']
    })
    await leave(page)
  })

  await test('the first numbers come in one request', async t => {
    page = await enter('/app/daisy/streams', inZurich)
    const response = page.waitForResponse(
      each => each.request().postData()?.includes('measures.days') ?? false
    )
    await page.locator('nav.side').getByRole('link', { name: 'Today' }).click()
    const body = await (await response).body()
    t.ok(body.length < 60 * 1024, `${body.length} bytes`)
    const asked = (await response).request().postData()
    for (const part of ['measures.get', '"running":true', 'note/*', 'position/wgs84', 'sleep/analysis'])
      t.match(asked, part)
    await untilLine(page, 'weight', '63.4')
    await leave(page)
  })

  await test('the day changes at midnight', async t => {
    page = await enter('/app/daisy/today', inZurich)
    await untilLine(page, 'steps', '4,500')
    await setTime(page, start + day + minute)
    await page.evaluate('document.dispatchEvent(new Event("visibilitychange"))')
    await untilLine(page, 'steps', 'Yesterday')
    t.match(await readLines(page, 'steps'), ['4,500', 'Yesterday'])
    await leave(page)
  })

  await test('fits on small phones in all languages', async t => await fits(t, app))
})

/** Looks at the page in each language at the width of small phones. */
async function fits(t: Test, { enter }: App): Promise<void> {
  const languages = [
    ['en-GB', 'Today'],
    ['de-DE', 'Heute'],
    ['fr-FR', 'Aujourd’hui']
  ] as const
  for (const [locale, title] of rotate(t, languages)) {
    const page = await enter('/app/daisy/today', { ...phone, locale, timezoneId: zone })
    for (const width of [390, 320]) {
      await page.setViewportSize({ width, height: 700 })
      await page.getByRole('heading', { name: title, exact: true }).waitFor()
      await card(page, 'weight').waitFor()
      const tooWide = `[...document.querySelectorAll('.page.today *, .dock *')].filter(each =>
        each.getBoundingClientRect().right > innerWidth + 0.5 && each.closest('.menu .list, .unseen') === null)
        .map(each => each.outerHTML.slice(0, 80))`
      t.same(await page.evaluate(tooWide), [], `${locale}, ${width}`)
      const tabs = await page
        .locator('.dock > *')
        .evaluateAll(all =>
          all.map(each => each.getBoundingClientRect()).map(({ left, right }) => ({ left, right }))
        )
      t.ok(
        tabs.every(({ left }, index) => index === 0 || left >= tabs[index - 1]!.right - 0.5),
        `tabs are apart: ${locale}, ${width}`
      )
    }
    await leave(page)
  }
}

/** Writes what the test computes with. `start` is the beginning of the day, `now` 20:00. */
async function fill(daisy: Client, start: number, now: number): Promise<void> {
  const stream = async (id: string, name: string, measure: string): Promise<void> => {
    await daisy.do('streams.create', { id, name, parentId: null, clientData: { 'coffer:measure': measure } })
  }
  await stream('scale', 'Scale', 'weight')
  await stream('cuff', 'Cuff', 'blood-pressure')
  await stream('watch', 'Watch', 'steps')
  await stream('phone', 'Phone', 'steps')
  await stream('band', 'Band', 'sleep')
  await stream('ring', 'Ring', 'sleep')
  await stream('diary', 'Diary', 'mood')
  await stream('kitchen', 'Coffee', 'coffee')
  await stream('notes', 'Notes', 'note')
  await stream('aches', 'Aches', 'headache')
  await stream('pills', 'Pills', 'medication-taken')
  await stream('where', 'Places', 'position')
  await stream('purse', 'Purse', 'spending')
  // Fourteen days of weights from a file, at 07:00.
  const weights = Array.from({ length: 14 }, (_, index) => {
    const date = new Date((start - (index + 1) * day + 12 * hour) * 1000).toISOString().slice(0, 10)
    return `${date} 07:00,${[61.8, 62, 62.2][index % 3]}`
  })
  const { state } = await broughtIn(daisy, 'weights.csv', ['Date,Weight (kg)', ...weights].join('\n'))
  t.equal(state, 'written')
  const events: object[] = [
    { streamIds: ['scale'], type: 'mass/kg', content: 62.5, time: start + 7 * hour + 5 * minute },
    {
      streamIds: ['cuff'],
      type: 'blood-pressure/mmhg-bpm',
      content: { systolic: 118, diastolic: 76 },
      time: start - 110 * minute
    },
    // Two events: a single one would count as the total of the day.
    { streamIds: ['watch'], type: 'count/steps', content: 3000, time: start + 8 * hour, duration: 1800 },
    { streamIds: ['watch'], type: 'count/steps', content: 1000, time: start + 8.5 * hour, duration: 1800 },
    { streamIds: ['phone'], type: 'count/steps', content: 3500, time: start + 8 * hour, duration: hour },
    { streamIds: ['phone'], type: 'count/steps', content: 500, time: start + 10 * hour, duration: hour },
    ...Array.from({ length: 10 }, (_, index) => ({
      streamIds: ['watch'],
      type: 'count/steps',
      content: 6000,
      time: start - (index + 1) * day + 9 * hour,
      duration: hour
    })),
    ...(
      [
        [-60, 180, 'asleep'],
        [120, 20, 'awake'],
        [140, 250, 'asleep']
      ] as const
    ).map(([from, length, analysis]) => ({
      streamIds: ['band'],
      type: 'sleep/analysis',
      content: { analysis },
      time: start + from * minute,
      duration: length * minute
    })),
    {
      streamIds: ['ring'],
      type: 'sleep/analysis',
      content: { analysis: 'asleep' },
      time: start - 20 * minute,
      duration: 8 * hour
    },
    { streamIds: ['aches'], type: 'symptoms/severity', content: 'mild', time: start + 15 * hour },
    { streamIds: ['pills'], type: 'boolean/bool', content: true, time: start + 4 * hour },
    { streamIds: ['diary'], type: 'mood/rating', content: 0.75, time: now - 30 * minute },
    ...[8, 14].map(at => ({
      streamIds: ['kitchen'],
      type: 'count/generic',
      content: 1,
      time: start + at * hour
    })),
    { streamIds: ['notes'], type: 'note/txt', content: 'A walk by the lake', time: start + 17 * hour },
    { streamIds: ['purse'], type: 'money/eur', content: 99, time: start - 6 * day },
    ...[12.5, 7.25].map((content, index) => ({
      streamIds: ['purse'],
      type: 'money/chf',
      content,
      time: start + (12 + index) * hour
    })),
    {
      streamIds: ['notes'],
      type: 'note/txt',
      content: 'Snow in the garden',
      time: start - 365 * day + 9 * hour
    },
    ...['Home', 'Library'].map((description, index) => ({
      streamIds: ['where'],
      type: 'position/wgs84',
      content: { latitude: 46.8, longitude: 7.3 },
      description,
      time: start + (9 + index) * hour
    }))
  ]
  for (const event of events) await daisy.event(event as Record<string, unknown>)
  await daisy.do('profile.update', {
    id: 'private',
    update: { 'coffer:goals': { steps: { period: 'day', min: 4000 }, weight: 'nonsense' } }
  })
}
