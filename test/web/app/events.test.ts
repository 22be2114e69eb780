/** Creating, changing and deleting events in a browser. */
import type { Route } from 'playwright-core'
import t from 'tap'
import { go, phone, startApp, typeIntoFocus } from '../../support/app.js'
import { leave, untilHeading } from '../../support/browser.js'
import type { Answer, Client } from '../../support/coffer.js'
import { look } from '../../support/look.js'
import { password } from '../../support/pages.js'
import { picture } from '../../support/pictures.js'
import { inRotation, rotate } from '../../support/rotation.js'
import { until } from '../../support/socket.js'

t.test('events', async t => {
  const { daisy, enter, open, service } = await startApp(t, { versioning: { forceKeepHistory: true } })
  for (const id of ['weight', 'diary'] as const) await daisy.stream(id, null)
  const test = inRotation(t, 2)

  await test('a new user adds a weight in two taps, changes it, and undoes that', async t => {
    const page = await open('/app/?register', phone)
    await page.getByLabel('Username').fill('gerda')
    await page.getByLabel('Email address').fill('gerda@example.com')
    await page.getByLabel('Password', { exact: true }).fill(password)
    await page.getByRole('button', { name: 'Create account' }).click()
    await page.waitForURL('**/app/gerda/today')
    await page.reload()
    await page.locator('.dock .plus').click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('button', { name: 'Photo' }).waitFor()
    await look(t, page, 'app-add-first')
    await dialog.getByRole('button', { name: 'Weight' }).click()
    // The field is focused: typed text goes there.
    await dialog.getByRole('textbox', { name: 'Weight' }).waitFor()
    await typeIntoFocus(page, '61.9')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Added. Weight: 61.9 kg').waitFor()
    await dialog.waitFor({ state: 'detached' })

    await page.locator('.dock .plus').click()
    await dialog.getByRole('button', { name: /Weight\s*61.9 kg/ }).click()
    t.equal(
      await dialog.getByRole('textbox', { name: 'Weight' }).getAttribute('placeholder'),
      'Last: 61.9\u00a0kg'
    )
    await dialog.getByRole('button', { name: 'Save' }).click()
    await dialog.getByText('Enter a value.').waitFor()
    await dialog.getByRole('textbox', { name: 'Weight' }).fill('1,200')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await dialog.getByText('without a thousands separator').waitFor()
    await dialog.getByRole('button', { name: 'Close' }).click()
    await dialog.waitFor({ state: 'detached' })
    await leave(page)
  })

  const page = await enter('/app/daisy/streams')
  await t.test('an event is changed, moved to the trash, restored, and permanently deleted', async t => {
    const event = await daisy.event({
      streamIds: ['weight'],
      type: 'mass/kg',
      content: 61.9,
      time: 1_700_000_000.5
    })
    await go(page, `/app/daisy/events/${event.id}`)
    await page.locator('.value', { hasText: '61.9' }).waitFor()
    await page.getByText('Verified: unchanged since it was saved').waitFor()
    await page.getByRole('button', { name: 'Edit' }).click()
    await page.getByRole('textbox', { name: 'Weight' }).fill('62,4')
    await look(t, page, 'app-event-edit')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Changed from 61.9\u00a0kg to 62.4\u00a0kg').waitFor()
    const changed = (await daisy.do('events.getOne', { id: event.id })).event
    t.match(
      changed,
      { content: 62.4, time: 1_700_000_000.5, type: 'mass/kg' },
      'the time is as exact as before'
    )

    await page.getByRole('button', { name: 'Move to trash' }).click()
    await page.getByRole('button', { name: 'Undo' }).click()
    await page.getByRole('button', { name: 'Move to trash' }).waitFor()
    t.notOk((await daisy.do('events.getOne', { id: event.id })).event.trashed)
    await look(t, page, 'app-event')
    await page.getByRole('button', { name: 'Move to trash' }).click()
    await page.getByRole('button', { name: 'Delete permanently' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByText('its earlier versions').waitFor()
    await look(t, page, 'app-event-delete')
    await dialog.getByRole('button', { name: 'Delete permanently' }).click()
    await untilHeading(page, 'No event')
    await page.reload()
    await untilHeading(page, 'No event')
  })

  await t.test('other types are found by their words, and errors are shown at their fields', async t => {
    await go(page, '/app/daisy/streams')
    await page.keyboard.press('n')
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('button', { name: 'Something else' }).click()
    await typeIntoFocus(page, 'tension')
    await dialog.getByRole('button', { name: 'Blood pressure' }).click()
    await dialog.getByLabel('Systolic').fill('118')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await dialog.getByText('Enter a value.').waitFor()
    t.equal(await dialog.getByLabel('Diastolic').getAttribute('aria-invalid'), 'true')
    await look(t, page, 'app-add-pressure')
    await dialog.getByLabel('Diastolic').fill('77')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Added. Blood pressure: 118/77').waitFor()
    const { events } = await daisy.do('events.get', { types: ['blood-pressure/mmhg-bpm'] })
    t.match(events, [{ content: { systolic: 118, diastolic: 77 }, streamIds: ['blood-pressure'] }])

    const searches = [
      ['sleep', 'Sleep', ''],
      ['gps', 'Place', ''],
      ['mood', 'Mood', 'app-add-mood'],
      ['numset', 'Set of numbers', ''],
      ['zinc', '', '']
    ] as const
    for (const [words, name, shot] of rotate(t, searches, 2)) {
      await page.keyboard.press('n')
      await dialog.getByRole('button', { name: 'Something else' }).click()
      await typeIntoFocus(page, words)
      if (name !== '' && words !== 'numset') await dialog.getByRole('button', { name }).first().click()
      if (name === '') await dialog.getByText('No results for').waitFor()
      if (shot !== '') await look(t, page, shot)
      await dialog.getByRole('button', { name: 'Close' }).click()
    }
  })

  await t.test('files are uploaded with progress, and downloaded', async t => {
    const event = await daisy.event({ streamIds: ['diary'], type: 'picture/attached', content: null })
    const page = await enter(`/app/daisy/events/${event.id}`)
    await page.getByText('Add files or drop them here').waitFor()
    // Held back until its progress has been seen.
    const ways: Route[] = []
    await page.route(`**/daisy/events/${event.id}`, async route => {
      if (route.request().method() === 'POST') ways.push(route)
      else await route.continue()
    })
    const file = { name: 'lake.png', mimeType: 'image/png', buffer: Buffer.from(await picture(64, 48)) }
    const notes = { name: 'notes.txt', mimeType: 'text/plain', buffer: Buffer.from('hello') }
    await page.locator('.drop input').setInputFiles([file, notes])
    await page.getByText('Uploading lake.png, notes.txt').waitFor()
    await until(() => ways.length === 1, 'the first upload')
    await page.getByRole('button', { name: 'Cancel' }).click()
    await page.getByText('Add files or drop them here').waitFor()
    await page.locator('.drop input').setInputFiles([file, notes])
    await page.getByRole('progressbar').waitFor()
    await until(() => ways.length === 2, 'the second upload')
    await ways[1]!.continue()
    await page.getByRole('button', { name: 'Download notes.txt' }).waitFor()
    await page.locator('.picture img').waitFor()
    const { attachments } = (await daisy.do('events.getOne', { id: event.id })).event
    t.same(
      attachments.map((each: { fileName: string }) => each.fileName),
      ['lake.png', 'notes.txt']
    )
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Download notes.txt' }).click()
    ])
    t.equal(download.suggestedFilename(), 'notes.txt')
    await look(t, page, 'app-event-photo')
    await page.getByRole('button', { name: 'Remove notes.txt' }).click()
    await page.getByRole('button', { name: 'Remove file' }).click()
    await page.getByText('File removed.').waitFor()
    await page.context().close()
  })

  await test('a picture that cannot be displayed is replaced by one that can', async t => {
    const event = await daisy.event({ streamIds: ['diary'], type: 'picture/attached', content: null })
    const form = new FormData()
    form.append('file', new Blob(['no picture'], { type: 'image/png' }), 'torn.png')
    form.append('file', new Blob([Buffer.from(await picture(64, 48))], { type: 'image/png' }), 'lake.png')
    t.equal((await daisy.http('POST', `/events/${event.id}`, form)).status, 200)
    await go(page, `/app/daisy/events/${event.id}`)
    await page.locator('.picture .icon').waitFor()
    await page.getByRole('button', { name: 'Remove torn.png' }).click()
    await page.getByRole('button', { name: 'Remove file' }).click()
    await page.locator('.picture img').evaluate(image => (image as { decode?(): Promise<void> }).decode!())
  })

  await test('several photos are added at once, each as an event of its own', async t => {
    const before = await listPhotos(daisy)
    const page = await enter('/app/daisy/streams', phone)
    await page.locator('.dock .plus').click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('button', { name: 'Photo' }).click()
    const photos = await Promise.all(
      ['hill', 'lake', 'wood'].map(async (name, index) => ({
        name: `${name}.png`,
        mimeType: 'image/png',
        buffer: Buffer.from(await picture(64 + index, 48))
      }))
    )
    await dialog.getByText('Add photos or drop them here').waitFor()
    await dialog.getByLabel('Photo', { exact: true }).setInputFiles(photos.slice(0, 2))
    await dialog.getByLabel('Photo', { exact: true }).setInputFiles(photos.slice(2))
    await dialog.getByRole('img', { name: 'wood.png' }).waitFor()
    t.equal(await dialog.getByRole('img').count(), 3, 'photos are added to those chosen before')
    await dialog.getByRole('button', { name: 'Remove hill.png' }).click()
    await look(t, page, 'app-add-photos')
    await dialog.getByLabel('Photo', { exact: true }).setInputFiles(photos.slice(0, 1))
    // The second photo fails at first; the first is not sent again.
    let posts = 0
    await page.route('**/daisy/events', async route => {
      posts++
      await (posts === 2 ? route.abort() : route.continue())
    })
    await dialog.getByRole('button', { name: 'Save' }).click()
    await dialog.getByRole('alert').waitFor()
    t.equal(await dialog.getByRole('img').count(), 2)
    await dialog.getByRole('button', { name: 'Save' }).click()
    await page.getByText(/^Added\. .*: 3 files$/).waitFor()
    t.same(await listPhotos(daisy), [...before, 'hill.png', 'lake.png', 'wood.png'].toSorted(), 'each once')
    await page.getByRole('button', { name: 'Undo' }).click()
    await until(async () => (await listPhotos(daisy)).length === before.length, 'all are in the trash')
    await page.context().close()
  })

  await test('event types that could not be read are read again', async t => {
    const page = await enter('/app/daisy/streams')
    await page.route('**/www/event-types.json', async route => await route.abort(), { times: 1 })
    const dialog = page.getByRole('dialog')
    await page.keyboard.press('n')
    await dialog.getByRole('alert').waitFor()
    await dialog.getByRole('button', { name: 'Close' }).click()
    await dialog.waitFor({ state: 'detached' })
    await page.keyboard.press('n')
    await dialog.getByRole('button', { name: 'Photo' }).click()
    await dialog.getByRole('button', { name: 'Save' }).waitFor()
    t.equal(await dialog.getByRole('alert').count(), 0)
    await page.context().close()
  })

  await t.test(
    'a photo is added with its picture, a series shows its values, and a missing event shows an error',
    async t => {
      await go(page, '/app/daisy/streams')
      await page.keyboard.press('n')
      const dialog = page.getByRole('dialog')
      await dialog.getByRole('button', { name: 'Photo' }).click()
      await dialog.getByRole('button', { name: 'Save' }).click()
      await dialog.getByText('Choose a file.').waitFor()
      const buffer = Buffer.from(await picture(64, 48))
      await dialog.getByLabel('Photo').setInputFiles({ name: 'hill.png', mimeType: 'image/png', buffer })
      await dialog.getByRole('img').waitFor()
      await look(t, page, 'app-add-photo')
      await dialog.getByRole('button', { name: 'Save' }).click()
      await page.getByText('Added. diary: hill.png').waitFor()

      const series = await daisy.event({
        streamIds: ['weight'],
        type: 'series:mass/kg',
        content: undefined,
        time: service.clock.now() - 100
      })
      await daisy.http('POST', `/events/${series.id}/series`, {
        format: 'flatJSON',
        fields: ['deltaTime', 'value'],
        points: [
          [0, 60],
          [10, 61],
          [20, 65]
        ]
      })
      await go(page, `/app/daisy/events/${series.id}`)
      await page.getByText('3 data points').waitFor()
      await page.getByRole('cell', { name: '65 kg' }).waitFor()
      await go(page, '/app/daisy/events/nothing')
      await untilHeading(page, 'No event')
      await leave(page)
    }
  )
})

/** Returns the file names of all photos. */
async function listPhotos(daisy: Client): Promise<string[]> {
  const { events } = await daisy.do('events.get', { types: ['picture/attached'] })
  return (events as Answer[])
    .flatMap(each => (each.attachments ?? []) as Answer[])
    .map(each => each.fileName as string)
    .toSorted()
}
