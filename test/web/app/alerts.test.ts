/** The page of alerts in a browser: adding one, testing it on past data, pausing and removing it. */
import t from 'tap'
import type { Answer } from '../../support/coffer.js'
import { go, phone, startApp } from '../../support/app.js'
import { leave, untilHeading } from '../../support/browser.js'
import { until } from '../../support/socket.js'
import { look } from '../../support/look.js'
import { rotate } from '../../support/rotation.js'

t.setTimeout(300_000)

const hourSeconds = 3600

t.test('alerts', async t => {
  const { daisy, enter } = await startApp(t)
  await daisy.stream('heart')
  const now = daisy.service.clock.now()
  const calls = Array.from({ length: 48 }, (_, index) => ({
    method: 'events.create',
    params: {
      streamIds: ['heart'],
      type: 'frequency/bpm',
      content: index === 10 || index === 30 ? 140 : 70,
      time: now - (index + 1) * hourSeconds
    }
  }))
  await daisy.do('callBatch', calls)
  const target = { streamId: 'heart' }
  const { channel } = await daisy.do('channels.create', { type: 'event', name: 'My notes', target })
  const page = await enter('/app/daisy/channels', phone)
  await page.getByRole('link', { name: 'Choose what you get alerts about' }).click()
  await untilHeading(page, 'Alerts')
  await page.getByRole('link', { name: 'Add an alert' }).click()
  await untilHeading(page, 'Add an alert')
  await page.getByLabel('When', { exact: true }).selectOption('above')
  await page.getByLabel('Measure').selectOption('heart-rate')
  await page.getByLabel('Value (bpm)').fill('120')
  await page.getByLabel('My notes').check()
  await page.getByLabel('From').fill('22:00')
  await page.getByLabel('To', { exact: true }).fill('07:00')
  await look(t, page, 'app-alerts-add')
  await page.getByRole('button', { name: 'Save alert' }).click()
  await untilHeading(page, 'Heart rate above 120 bpm')
  const [rule] = (await daisy.do('rules.get')).rules
  t.match(rule, {
    condition: { kind: 'above', measure: 'heart-rate', value: 120 },
    channelIds: [channel.id],
    quietHours: { from: '22:00', to: '07:00' },
    showsValues: false
  })
  await page.getByRole('button', { name: 'Test on the last 30 days' }).click()
  await page.getByText('It would have happened 2 times in the last 30 days.').waitFor()
  await look(t, page, 'app-alerts-alert')
  await page.getByRole('button', { name: 'Pause' }).click()
  await page.getByText('Paused').waitFor()
  t.match((await daisy.do('rules.get')).rules, [{ isActive: false }])
  await page.getByRole('link', { name: 'Alerts' }).first().click()
  await page.getByRole('link', { name: /^Heart rate above 120 bpm/ }).waitFor()
  await look(t, page, 'app-alerts')
  await page.getByRole('link', { name: /^Heart rate above 120 bpm/ }).click()
  await page.getByRole('button', { name: 'Remove' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click()
  await untilHeading(page, 'Alerts')
  t.same((await daisy.do('rules.get')).rules, [])
  await leave(page)
})

t.test('an open alert waits on Today and on its page until it is acknowledged', async t => {
  const { daisy, enter } = await startApp(t)
  await daisy.stream('heart')
  const condition = { kind: 'above', measure: 'heart-rate', value: 120 }
  const names = ['Racing heart', 'Call me']
  for (const name of names) await daisy.do('rules.create', { name, condition, channelIds: [] })
  const { clock } = daisy.service
  clock.advance(60)
  const event = { streamIds: ['heart'], type: 'frequency/bpm', content: 140, time: clock.now() }
  await daisy.do('events.create', event)
  const countOpen = async (): Promise<number> =>
    (await daisy.do('rules.get')).rules.filter((rule: Answer) => rule.state.isOpen === true).length
  await until(async () => (await countOpen()) === 2, 'two open alerts')
  for (const language of rotate(t, ['de', 'fr'], 4)) {
    const page = await enter('/app/daisy/today', { ...phone, locale: language })
    await page.locator('.open-alerts li').nth(1).waitFor()
    await look(t, page, `app-today-alerts-${language}`)
    await leave(page)
  }
  const page = await enter('/app/daisy/today', phone)
  const open = page.getByRole('region', { name: 'Open alerts' })
  await open.getByText('Heart rate above 120 bpm').first().waitFor()
  await look(t, page, 'app-today-alerts')
  await open.getByRole('button', { name: 'Acknowledge: Racing heart' }).click()
  await page.getByText('Acknowledged.').waitFor()
  await until(async () => (await countOpen()) === 1, 'one open alert')
  await go(page, '/app/daisy/alerts')
  await open.getByRole('link', { name: 'Call me' }).waitFor()
  await look(t, page, 'app-alerts-open')
  const [, { id, state }] = (await daisy.do('rules.get')).rules
  await page.goto(`${page.url()}/${id}?acknowledge=${state.firedAt}`)
  await page.locator('button:focus', { hasText: 'Acknowledge' }).waitFor()
  await page.keyboard.press('Enter')
  await page.getByText('Acknowledged: You,').waitFor()
  await look(t, page, 'app-alerts-acknowledged')
  t.equal(await countOpen(), 0)
  await leave(page)
})

t.test('each kind of condition can be set up, and changed', async t => {
  const { daisy, enter } = await startApp(t)
  for (const id of ['heart', 'walks']) await daisy.stream(id)
  const { clock } = daisy.service
  const time = clock.now() - hourSeconds
  for (const [streamId, type, content] of [
    ['heart', 'frequency/bpm', 70],
    ['walks', 'count/steps', 3000]
  ])
    await daisy.event({ streamIds: [streamId], type, content, time })
  const phoneName = { dialect: 'owntracks', name: 'Phone of mother' }
  const { connection } = await daisy.do('connections.create', phoneName)
  const permissions = [{ streamId: 'heart', level: 'read' }]
  const { access } = await daisy.do('accesses.create', { type: 'shared', name: 'Daughter', permissions })
  const page = await enter('/app/daisy/alerts?new=1', phone)
  const add = async (kind: string, fill: () => Promise<unknown>): Promise<Answer> => {
    await go(page, '/app/daisy/alerts?new=1')
    await page.getByLabel('When', { exact: true }).selectOption(kind)
    await fill()
    await page.getByRole('button', { name: 'Save alert' }).click()
    await page.getByRole('button', { name: 'Pause' }).waitFor()
    return (await daisy.do('rules.get')).rules.at(-1)
  }
  const field = (label: string) => page.getByLabel(label, { exact: true })
  const changing = async (): Promise<void> => {
    await field('Direction').selectOption('down')
    await field('Value (bpm)').fill('15')
    await field('Within (minutes)').fill('10')
  }
  const place = async (): Promise<void> => {
    await field('Direction').selectOption('leaves')
    await field('Latitude').fill('47.37')
    await field('Longitude').fill('8.54')
    await look(t, page, 'app-alerts-place')
    await page.getByRole('button', { name: 'Choose on the map' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByText('47.37').waitFor()
    await dialog.getByRole('button', { name: 'Use this place' }).click()
  }
  const silent = async () => await field('From').first().selectOption({ label: 'Phone of mother' })
  const stream = async () => await field('From').first().selectOption({ label: 'walks' })
  const daughter = async () => await field('From').first().selectOption({ label: 'Daughter' })
  const kinds: readonly [kind: string, fill: () => Promise<unknown>, condition: object, name?: RegExp][] = [
    [
      'outside',
      async () => await field('Compared with').selectOption('plausible'),
      { kind: 'outside', measure: 'heart-rate', range: 'plausible' }
    ],
    [
      'changing',
      changing,
      {
        kind: 'changing',
        measure: 'heart-rate',
        unit: 'frequency/bpm',
        by: 15,
        within: 600,
        direction: 'down'
      },
      /^Heart rate falls by 15.bpm within 10 minutes$/
    ],
    [
      'total',
      async () => await field('Value').fill('8000'),
      { kind: 'total', measure: 'steps', unit: 'count/steps', atLeast: 8000, by: '20:00' }
    ],
    [
      'most',
      async () => await field('Value').fill('30000'),
      { kind: 'total', measure: 'steps', unit: 'count/steps', atMost: 30_000, by: '20:00' }
    ],
    [
      'missing',
      async () => await field('For (hours)').fill('12'),
      { kind: 'missing', measure: 'heart-rate', for: 43_200 }
    ],
    [
      'silent',
      silent,
      { kind: 'missing', connectionId: connection.id, for: 86_400 },
      /^No data for 1 day: Phone of mother$/
    ],
    ['silent', stream, { kind: 'missing', streamId: 'walks', for: 86_400 }],
    ['arrived', daughter, { kind: 'arrived', accessId: access.id }],
    ['place', place, { kind: 'place', direction: 'leaves', latitude: 47.37, longitude: 8.54, radius: 100 }],
    [
      'words',
      async () => await field('Words').fill('dizzy, fell ,'),
      { kind: 'words', anyOf: ['dizzy', 'fell'] }
    ],
    [
      'looked',
      async () => await field('Who').selectOption({ label: 'Daughter' }),
      { kind: 'looked', accessId: access.id }
    ]
  ]
  for (const [kind, fill, expected, name] of rotate(t, kinds, 3)) {
    const added = await add(kind, fill)
    t.same(added.condition, expected, kind)
    if (name) t.match(added.name, name)
  }

  const condition = { kind: 'above', measure: 'heart-rate', value: 120, recoverAt: 110, for: 600 }
  const given = { name: 'Pulse', condition, channelIds: [], days: [6, 7], text: 'Sit down!' }
  const { rule } = await daisy.do('rules.create', given)
  const edit = async (fill: () => Promise<unknown>): Promise<Answer> => {
    await go(page, `/app/daisy/alerts/${rule.id}`)
    await page.getByRole('link', { name: 'Change', exact: true }).click()
    await untilHeading(page, 'Change alert')
    await fill()
    await page.getByRole('button', { name: 'Save alert' }).click()
    await page.getByRole('button', { name: 'Pause' }).waitFor()
    return (await daisy.do('rules.getOne', { id: rule.id })).rule
  }
  const same = await edit(async () => undefined)
  t.match(same, { ...given, zone: 'UTC', text: 'Sit down!' }, 'what is not changed stays')
  t.equal(same.quietHours, undefined)
  const change = async (): Promise<void> => {
    await field('Name (optional)').fill('Heart')
    await field('Value (bpm)').fill('130')
    await field('For at least (minutes, optional)').fill('')
    await field('From').fill('22:00')
    await field('To').fill('07:30')
    await field('Mon').check()
    await field('Minutes between messages').fill('90')
    await field('Repeat after minutes (optional)').fill('15')
    await look(t, page, 'app-alerts-change')
  }
  const changed = await edit(change)
  t.same(changed.condition, { kind: 'above', measure: 'heart-rate', unit: 'frequency/bpm', value: 130 })
  t.match(changed, {
    name: 'Heart',
    days: [1, 6, 7],
    quietHours: { from: '22:00', to: '07:30' },
    atMostEvery: 5400,
    remindAfter: 900
  })
  await go(page, '/app/daisy/alerts')
  await page.getByText('No messages from 22:00 to 07:30 · Messages on: Mon, Sat, Sun').waitFor()
  await look(t, page, 'app-alerts-kinds')
  const clear = async (): Promise<void> => {
    for (const label of ['From', 'To', 'Repeat after minutes (optional)']) await field(label).fill('')
    for (const day of ['Tue', 'Wed', 'Thu', 'Fri']) await field(day).check()
  }
  const cleared = await edit(clear)
  for (const name of ['quietHours', 'days', 'remindAfter']) t.notOk(name in cleared, name)
  await leave(page)
  for (const locale of rotate(t, ['de', 'fr'], 4)) {
    const other = await enter(`/app/daisy/alerts/${rule.id}?edit=1`, { ...phone, locale })
    await other.locator('.weekdays').waitFor()
    await look(t, other, `app-alerts-change-${locale}`)
    await leave(other)
  }
})
