/** The map and the photos in a browser. */
import type { Page } from 'playwright-core'
import t from 'tap'
import { phone, startApp } from '../../support/app.js'
import { leave } from '../../support/browser.js'
import { look } from '../../support/look.js'
import { picture } from '../../support/pictures.js'
import { inRotation } from '../../support/rotation.js'
import { until } from '../../support/socket.js'

t.test('places and photos', async t => {
  const { daisy, enter, service } = await startApp(t)
  const now = service.clock.now()
  for (const id of ['places', 'photos']) await daisy.stream(id)

  await inRotation(t, 2)('show what to do when there is no data', async t => {
    const page = await enter('/app/daisy/map')
    await page.getByText('No places yet').waitFor()
    await look(t, page, 'app-map-empty')
    await page.getByRole('link', { name: 'Photos' }).first().click()
    await page.getByText('No photos yet').waitFor()
    await look(t, page, 'app-photos-empty')
    await leave(page)
  })

  await t.test('a place is chosen on the map', async t => {
    const page = await enter('/app/daisy/map')
    await page.context().grantPermissions(['geolocation'])
    await page.context().setGeolocation({ latitude: 46.2044, longitude: 6.1432 })
    await page.getByRole('button', { name: 'Add place' }).click()
    const form = page.getByRole('dialog').first()
    const [latitude, longitude] = [form.getByLabel('Latitude'), form.getByLabel('Longitude')]
    await form.getByRole('button', { name: 'Choose on the map' }).click()
    const picker = page.getByRole('dialog', { name: 'Choose on the map' })
    await picker.getByText('Tap the map to set the place.').waitFor()
    t.ok(await picker.getByRole('button', { name: 'Use this place' }).isDisabled(), 'nothing is chosen yet')
    const map = picker.getByRole('img', { name: /Map\. Click to set/ })
    const { height, width } = (await map.boundingBox())!
    await map.click({ position: { x: width / 2 + width / 4, y: height / 2 } })
    const where = picker.getByRole('status')
    // The world is as wide as the map.
    const read = async (): Promise<readonly number[]> =>
      (await where.innerText()).replaceAll('−', '-').split(' · ').map(Number)
    const untilNear = (latitude: number, longitude: number): Promise<void> =>
      until(async () => {
        const [south = NaN, east = NaN] = await read()
        return Math.abs(south - latitude) < 2 && Math.abs(east - longitude) < 2
      }, `${latitude} ${longitude}`)
    await untilNear(0, 90)
    await look(t, page, 'app-place-picker')

    // By keys, by dragging the pin, and from the device.
    await map.press('ArrowUp')
    await until(async () => (await read())[0]! > 2, 'the pin is moved north')
    const [before] = await read()
    await map.press('Shift+ArrowDown')
    await until(async () => (await read())[0]! < before!, 'a little south')
    const [at] = await read()
    const pin = (await picker.locator('.pin').boundingBox())!
    await page.mouse.move(pin.x + 20, pin.y + 20)
    await page.mouse.down()
    await page.mouse.move(pin.x + 20 - width / 4, pin.y + 20, { steps: 4 })
    await page.mouse.up()
    await untilNear(at!, 0)
    await picker.getByRole('button', { name: 'Use my location' }).click()
    await where.getByText('46.2044 · 6.1432').waitFor()
    await look(t, page, 'app-place-picked')
    await picker.getByRole('button', { name: 'Use this place' }).click()
    t.equal(await latitude.inputValue(), '46.2044')
    t.equal(await longitude.inputValue(), '6.1432')
    // What is in the fields is where the map opens.
    await longitude.fill('7')
    await form.getByRole('button', { name: 'Choose on the map' }).click()
    await where.getByText('46.2044 · 7', { exact: true }).waitFor()
    await picker.getByRole('button', { name: 'Close' }).click()
    await form.getByRole('button', { name: 'Save' }).click()
    await until(
      async () => (await daisy.do('events.get', { types: ['position/wgs84'] })).events.length === 1,
      'the place is saved'
    )
    const { events } = await daisy.do('events.get', { types: ['position/wgs84'] })
    t.same(events[0].content, { latitude: 46.2044, longitude: 7 })
    for (let at = 0; at < 2; at++) await daisy.do('events.delete', { id: events[0].id })
    await page.context().close()
  })

  await t.test('a map displays tracks and places without external requests', async t => {
    const run = await daisy.event({
      streamIds: ['places'],
      type: 'series:position/wgs84',
      content: null,
      time: now - 86_400,
      description: 'Run along the lake'
    })
    const points = Array.from({ length: 600 }, (_, n) => {
      const turn = (n / 600) * 2 * Math.PI
      return [
        n * 5,
        47.36 + 0.012 * Math.sin(turn),
        8.54 + 0.02 * Math.cos(turn) * (1 + 0.2 * Math.sin(3 * turn)),
        2 + 2 * Math.sin(turn)
      ]
    })
    const fields = ['deltaTime', 'latitude', 'longitude', 'speed']
    await daisy.do('hfs.add', { id: run.id, format: 'flatJSON', fields, points })
    for (const [name, latitude, longitude, daysAgo] of [
      ['Bakery', 47.37, 8.55, 2],
      ['Somewhere <b>else</b>', -33.9, 151.2, 40]
    ] as const)
      await daisy.event({
        streamIds: ['places'],
        type: 'position/wgs84',
        content: { latitude, longitude, horizontalAccuracy: 60 },
        time: now - daysAgo * 86_400,
        description: name
      })
    const page = await enter('/app/daisy/map')
    const list = page.getByRole('region', { name: 'Tracks and places' })
    await list.getByText('Run along the lake').waitFor()
    t.match(await list.innerText(), /\d+(?:\.\d)? km/, 'how long the track is')
    t.equal(await list.getByRole('listitem').count(), 2, 'of the last month')
    await look(t, page, 'app-map')
    const canvas = page.getByRole('img', { name: 'Map: 1 track, 1 place.' })
    const drawn = async (): Promise<unknown> =>
      await page.evaluate(`new Promise(resolve => requestAnimationFrame(() => requestAnimationFrame(
        () => resolve(document.querySelector('canvas').toDataURL()))))`)
    let before: unknown
    await until(async () => before === (before = await drawn()), 'the drawing has come to rest')
    await canvas.focus()
    await page.keyboard.press('+')
    let larger: unknown
    await until(async () => (larger = await drawn()) !== before, 'keys zoom')
    await page.keyboard.press('ArrowLeft')
    await until(async () => (await drawn()) !== larger, 'and move')
    await list.getByRole('button', { name: 'Bakery' }).click()
    await page.waitForURL('**/map?**event=**')
    await page.getByRole('button', { name: 'All', exact: true }).click()
    await list.getByText('Somewhere <b>else</b>').waitFor()
    // The view is of half the world: land below Zurich, water in the Indian Ocean.
    await until(async () => (await countColours(page)).land > 5000, 'the land of the world')
    t.ok((await countColours(page)).water > 5000, 'and its oceans')
    await look(t, page, 'app-map-world')
    await page.getByRole('button', { name: 'Day', exact: true }).click()
    await page.getByRole('button', { name: 'Earlier' }).click()
    await page.reload()
    t.match(page.url(), /span=day/)
    await leave(page)
  })

  await t.test('photos are displayed by month, and enlarged', async t => {
    for (let n = 0; n < 4; n++) {
      const form = new FormData()
      const event = {
        streamIds: ['photos'],
        type: 'picture/attached',
        time: now - n * 20 * 86_400,
        ...(n === 0 ? { description: 'The lake at dusk' } : {})
      }
      form.append('event', JSON.stringify(event))
      form.append('file', new Blob([await picture(640, 420)], { type: 'image/png' }), `${n}.png`)
      t.equal((await daisy.http('POST', '/events', form)).status, 201)
    }
    const page = await enter('/app/daisy/photos', phone)
    await page.getByRole('img', { name: 'The lake at dusk' }).waitFor()
    t.ok((await page.getByRole('heading', { level: 2 }).count()) >= 2, 'months')
    await look(t, page, 'app-photos')
    await page.getByRole('button', { name: 'The lake at dusk' }).click()
    const viewer = page.getByRole('dialog', { name: 'The lake at dusk' })
    await viewer.getByRole('img').waitFor()
    await look(t, page, 'app-photo')
    await page.keyboard.press('ArrowRight')
    await page.getByRole('dialog', { name: /^Photo from/ }).waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await leave(page)
  })
})

/** Returns how many pixels of the map have the colours of land and water. */
async function countColours(page: Page): Promise<{ readonly land: number; readonly water: number }> {
  return await page.evaluate(`(() => {
    const canvas = document.querySelector('canvas')
    const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height)
    const count = name => {
      const colour = getComputedStyle(canvas).getPropertyValue('--map-' + name).trim()
      const parts = [1, 3, 5].map(at => parseInt(colour.slice(at, at + 2), 16))
      let found = 0
      for (let at = 0; at < data.length; at += 4)
        if (parts.every((part, index) => data[at + index] === part)) found++
      return found
    }
    return { land: count('land'), water: count('water') }
  })()`)
}
