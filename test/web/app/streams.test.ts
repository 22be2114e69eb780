/** Streams in a browser: viewing their contents and organising them. */
import t from 'tap'
import { go, phone, startApp, typeIntoFocus, untilStored } from '../../support/app.js'
import { leave, untilHeading } from '../../support/browser.js'
import { look } from '../../support/look.js'
import { inRotation } from '../../support/rotation.js'

t.test('streams', async t => {
  const { daisy, enter, service, url } = await startApp(t)
  for (const [id, parentId] of [
    ['body', null],
    ['weight', 'body'],
    ['pressure', 'body'],
    ['diary', null],
    ['archive', null]
  ] as const)
    await daisy.stream(id, parentId)
  const now = service.clock.now()
  for (let day = 0; day < 40; day++)
    await daisy.event({
      streamIds: ['weight'],
      type: 'mass/kg',
      content: 62 + (day % 7) / 10,
      time: now - (day + 1) * 86_400
    })
  await daisy.event({
    streamIds: ['pressure'],
    type: 'blood-pressure/mmhg-bpm',
    content: { systolic: 118, diastolic: 77 },
    time: now - 3600
  })
  await daisy.event({ streamIds: ['diary'], content: 'A walk along the lake', time: now - 7200 })
  await daisy.grant('read', 'body', { name: 'Dr. Meyer' })
  await daisy.grant('contribute', 'weight', { name: 'Scale' })

  const page = await enter('/app/daisy/streams')
  await t.test('the tree shows what each contains, itself and in substreams', async t => {
    await untilHeading(page, 'Streams')
    const row = (name: string) => page.locator('.row', { has: page.getByRole('link', { name, exact: true }) })
    t.match(await row('body').innerText(), /41[\s\S]*118\/77/)
    t.match(await row('weight').innerText(), /40[\s\S]*62/)
    await look(t, page, 'app-streams')
    await daisy.do('profile.update', { id: 'private', update: { 'coffer:units': { mass: 'lb' } } })
    await page.reload()
    await row('weight').getByText('136.7\u00a0lb').waitFor()
    await daisy.do('profile.update', { id: 'private', update: { 'coffer:units': null } })
    await row('body').getByRole('button', { name: 'Collapse body' }).click()
    await row('weight').waitFor({ state: 'detached' })
  })

  const readMark = async (): Promise<unknown> => {
    const { streams } = await daisy.do('streams.get', { parentId: 'body' })
    return streams.find((each: { id: string }) => each.id === 'weight').clientData['coffer:measure']
  }
  const isPressureOnTop = async (): Promise<boolean> => {
    const { streams } = await daisy.do('streams.get')
    return streams.map((each: { id: string }) => each.id).includes('pressure')
  }

  await t.test('one is created, renamed, coloured and moved, with undo for each', async t => {
    const page = await enter('/app/daisy/streams', phone)
    const dialog = page.getByRole('dialog')
    const act = async (stream: string, action: string): Promise<void> => {
      await page
        .locator('.overview')
        .getByRole('button', { name: `Actions for ${stream}` })
        .click()
      await page.locator('.overview').getByRole('button', { name: action, exact: true }).click()
    }
    await page.getByRole('button', { name: 'New stream' }).click()
    await dialog.getByRole('button', { name: 'Create' }).click()
    await dialog.getByText('Fill in this field.').waitFor()
    await dialog.getByLabel('Name').fill('Garden')
    await dialog.getByRole('button', { name: 'Create' }).click()
    await page.getByText('Created “Garden”.').waitFor()
    await page.getByRole('button', { name: 'Undo' }).click()
    await page.locator('.overview').getByRole('link', { name: 'Garden' }).waitFor({ state: 'detached' })

    await act('archive', 'Rename')
    await dialog.getByLabel('Name').fill('diary')
    await dialog.getByRole('button', { name: 'Rename' }).click()
    await dialog.getByRole('alert').waitFor()
    await dialog.getByLabel('Name').fill('Old things')
    await dialog.getByRole('button', { name: 'Rename' }).click()
    await page.locator('.overview').getByRole('link', { name: 'Old things' }).waitFor()
    await page.getByRole('button', { name: 'Undo' }).click()
    await page.locator('.overview').getByRole('link', { name: 'archive' }).waitFor()

    const test = inRotation(t, 2)
    await test('coloured', async t => {
      await act('weight', 'Colour')
      await dialog.getByRole('radio', { name: 'Pink' }).check()
      await look(t, page, 'app-stream-colour')
      await dialog.getByRole('button', { name: 'Save' }).click()
      await page.getByText('Colour changed.').waitFor()
      const coloured = (await daisy.do('streams.get', { parentId: 'body' })).streams
      t.match(coloured.find((each: { id: string }) => each.id === 'weight').clientData, {
        'coffer:colour': 'rose'
      })
    })

    await test('given a measure', async t => {
      await act('weight', 'Measure')
      const choice = dialog.getByLabel('Measure')
      await choice.waitFor()
      const choices = await choice.locator('option').allTextContents()
      t.match(choices.slice(0, 2), ['Automatic', 'Body water'], 'only measures of masses, by name')
      t.notOk(choices.includes('Heart rate'))
      await choice.selectOption('Lean body mass')
      await look(t, page, 'app-stream-measure')
      await dialog.getByRole('button', { name: 'Save' }).click()
      await page.getByText('Measure changed.').waitFor()
      t.equal(await readMark(), 'lean-body-mass')
      await act('weight', 'Measure')
      t.equal(await choice.inputValue(), 'lean-body-mass')
      await choice.selectOption('Automatic')
      await dialog.getByRole('button', { name: 'Save' }).click()
      await dialog.waitFor({ state: 'detached' })
      t.equal(await readMark(), undefined)
    })

    await act('pressure', 'Move')
    // By keyboard only: the choice is a group of radio buttons.
    await dialog.getByRole('radio', { name: 'body' }).focus()
    await page.keyboard.press('ArrowUp')
    await page.keyboard.press('ArrowUp')
    await dialog.getByRole('radio', { name: 'Top level', checked: true }).waitFor()
    await dialog.getByText('no longer be visible to: Dr. Meyer').waitFor()
    await look(t, page, 'app-stream-move')
    await page.keyboard.press('Enter')
    await page.getByText('Stream moved.').waitFor()
    t.equal(await isPressureOnTop(), true)
    await page.getByRole('button', { name: 'Undo' }).click()
    await page.getByText('Stream moved.').waitFor({ state: 'detached' })
    await page.locator('.overview ul ul').getByRole('link', { name: 'pressure' }).waitFor()
    t.equal(await isPressureOnTop(), false)
    await leave(page)
  })

  await t.test('its page lists its events in pages, and who can see it', async t => {
    // Loaded again: units are read once.
    await page.goto(`${url}/app/daisy/streams/weight`)
    await untilHeading(page, 'weight')
    await page.locator('.seers').getByText('Dr. Meyer').waitFor()
    await page.locator('.seers').getByText('Scale').waitFor()
    await page.getByText(/between 62 and 62.6 kg/).waitFor()
    await page.locator('.entries li').nth(14).waitFor()
    await look(t, page, 'app-stream')
    await page.getByRole('button', { name: 'Older' }).click()
    await page.getByRole('button', { name: 'Newer' }).waitFor()
    await page.getByRole('button', { name: 'Older' }).click()
    await page.getByRole('button', { name: 'Older' }).waitFor({ state: 'detached' })
    t.equal(await page.locator('.entries li').count(), 10)
    await page.getByRole('button', { name: 'Newer' }).click()
    await page.getByRole('button', { name: 'Newer' }).click()
    await page.getByRole('button', { name: 'Month' }).click()
    await page.waitForURL('**/streams/weight?span=month')
    await page.getByRole('button', { name: 'Add event' }).click()
    await page
      .getByRole('dialog')
      .getByRole('button', { name: /weight\s*62/ })
      .click()
    await typeIntoFocus(page, '61.5')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.locator('.entries').getByText('61.5').waitFor()
    await go(page, '/app/daisy/streams/nothing')
    await untilHeading(page, 'Stream not found')
  })

  await t.test(
    'one is moved to the trash and restored; deleting it permanently needs confirmation',
    async t => {
      await go(page, '/app/daisy/streams/weight')
      const dialog = page.getByRole('dialog')
      await page.getByRole('button', { name: 'Actions for weight' }).click()
      await page.getByRole('button', { name: 'Move to trash' }).click()
      await dialog.getByText('Contents: 41 events').waitFor()
      t.match(await dialog.innerText(), /no longer be visible to: Dr\. Meyer, Scale/)
      await dialog.getByRole('button', { name: 'Move to trash' }).click()
      await page.getByText('“weight” and everything in it is in the trash.').waitFor()
      await page.getByRole('button', { name: 'Undo' }).click()
      // The message is hidden at once: deleting the stream before it is restored would be permanent.
      await untilStored(
        async () => JSON.stringify((await daisy.do('streams.get')).streams).includes('"id":"weight"'),
        true
      )

      await daisy.do('streams.delete', { id: 'weight' })
      await go(page, '/app/daisy/streams')
      await page.getByRole('button', { name: 'Restore weight' }).click()
      await page.getByText('Stream restored.').waitFor()
      await page.getByRole('button', { name: 'Undo' }).click()
      await page.getByRole('button', { name: 'Delete weight permanently' }).click()
      await dialog.getByText('Contents: 41 events').waitFor()
      await dialog.getByText('The following lose their permission: Scale').waitFor()
      await dialog.getByText('Will also be visible to: Dr. Meyer').waitFor()
      await look(t, page, 'app-stream-delete')
      await dialog.getByRole('button', { name: 'Delete permanently' }).click()
      await page.getByText('Deleted permanently.').waitFor()
      const { events } = await daisy.do('events.get', { streams: ['body'], types: ['mass/kg'], limit: 100 })
      t.equal(events.length, 41)
      t.same(events[0].streamIds, ['body'], 'they have joined the stream above')

      await daisy.do('streams.delete', { id: 'diary' })
      await page.getByRole('button', { name: 'Delete diary permanently' }).click()
      await dialog.getByRole('button', { name: 'Delete stream and events' }).click()
      // The message about the first deletion may still be displayed.
      await page.getByRole('button', { name: 'Delete diary permanently' }).waitFor({ state: 'detached' })
      t.same((await daisy.do('events.get', { types: ['note/txt'], state: 'all' })).events, [])
      await leave(page)
    }
  )
})
