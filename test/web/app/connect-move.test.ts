/** What a connection has brought moves to another stream, with what it brings later. */
import t from 'tap'
import { startApp } from '../../support/app.js'
import { leave } from '../../support/browser.js'
import type { Answer } from '../../support/coffer.js'
import { look } from '../../support/look.js'
import { connect, send } from '../../transports/receive/connecting.js'

t.test('what a connection brought moves, and only that', async t => {
  const { daisy, enter, service } = await startApp(t)
  const mapping = ['kg', 'steps'].map(name => ({ value: `/${name}`, time: '/at', type: 'count/generic' }))
  const mine = await connect(daisy, 'json', { name: 'Scale', mapping })
  const other = await connect(daisy, 'json', { name: 'Watch', mapping })
  const now = service.clock.now()
  await send(daisy, 'json', mine, { kg: 1, steps: 2, at: now - 10 })
  await send(daisy, 'json', other, { kg: 3, at: now - 10 })
  // A name that is taken, where it moves to.
  await daisy.do('streams.create', { id: 'body', name: 'Body' })
  await daisy.do('streams.create', { id: 'taken', name: 'Scale', parentId: 'body' })

  const page = await enter(`/app/daisy/connect/${mine.id}`)
  await page.getByRole('button', { name: 'Move to another stream' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Into').selectOption({ label: 'Body' })
  await look(t, page, 'app-connect-move')
  await dialog.getByLabel('Into').selectOption({ label: 'Body' })
  await dialog.getByRole('button', { name: 'Move', exact: true }).click()
  await page.getByText('2 streams moved').waitFor()
  const { streams } = await daisy.do('streams.get', { parentId: 'body' })
  t.same(streams.map(({ name }: Answer) => name).toSorted(), ['Scale', 'kg (Scale)', 'steps'])
  t.equal(await page.locator('.arrived li').count(), 2, 'it is still listed')

  await send(daisy, 'json', mine, { kg: 5, at: now - 5 })
  const { events } = await daisy.do('events.get', { streams: ['body'], types: ['count/generic'] })
  t.same(
    events.map(({ content }: Answer) => content).toSorted(),
    [1, 2, 5],
    'what comes later goes there, too'
  )
  const { events: left } = await daisy.do('events.get', {
    streams: [mine.streamId],
    types: ['count/generic']
  })
  t.same(
    left.map(({ content }: Answer) => content),
    [3],
    'that of others stays'
  )
  await leave(page)
})
