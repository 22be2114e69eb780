/** How the app receives changes over its socket. */
import t from 'tap'
import type { Locator, Page } from 'playwright-core'
import { startApp } from '../../support/app.js'
import { leave } from '../../support/browser.js'
import { inRotation } from '../../support/rotation.js'

t.test('changes are received', async t => {
  const { daisy, enter, url } = await startApp(t)
  const test = inRotation(t, 2)

  await test('and streams and facts are then read in one request, each once', async t => {
    const page = await enter('/app/daisy/table')
    const asked: string[][] = []
    page.on('request', request => {
      const methods = (request.postData() ?? '').match(/"streams\.(?:get|facts)"/g)
      if (methods) asked.push(methods.toSorted())
    })
    await page.goto(`${url}/app/daisy/streams`)
    await live(page)
    await daisy.stream('early')
    await streams(page).filter({ hasText: 'early' }).waitFor()
    t.ok(asked.length >= 2, 'also once connected')
    for (const methods of asked) t.same(methods, ['"streams.facts"', '"streams.get"'])
    await leave(page)
  })

  await t.test('by a WebSocket that replaces polling while changes arrive', async t => {
    const page = await enter('/app/daisy/table')
    const frames: string[] = []
    const moved = new Promise<void>(resolve => {
      page.on('websocket', socket => {
        socket.on('framesent', ({ payload }) => {
          frames.push(String(payload))
          if (payload === '5') resolve()
        })
        socket.on('framereceived', ({ payload }) => void frames.push(String(payload)))
      })
    })
    await page.goto(`${url}/app/daisy/streams`)
    for (let index = 0; index < 10; index++) await daisy.stream(`before-${index}`)
    await live(page)
    await moved
    t.same(frames.slice(0, 3), ['2probe', '3probe', '5'])
    await streams(page).filter({ hasText: 'before-9' }).waitFor()
    let polls = 0
    page.on('request', request => (polls += Number(request.url().includes('transport=polling'))))
    await daisy.stream('after')
    await streams(page).filter({ hasText: 'after' }).waitFor()
    t.ok(frames.some(frame => frame.startsWith('42/daisy,["streamsChanged"')))
    t.equal(polls, 0, 'nothing is asked any more')
    await leave(page)
  })

  await test('by polling if WebSockets are unavailable', async () => {
    const page = await enter('/app/daisy/table')
    await page.routeWebSocket(/./, socket => void socket.close())
    await page.goto(`${url}/app/daisy/streams`)
    await live(page)
    for (const id of ['first', 'second']) {
      await daisy.stream(id)
      await streams(page).filter({ hasText: id }).waitFor()
    }
    await leave(page)
  })

  await test('after reconnecting, including those that were missed', async () => {
    const page = await enter('/app/daisy/streams')
    await live(page)
    await page.context().setOffline(true)
    await page.getByText('Offline').waitFor()
    await daisy.stream('missed')
    await page.context().setOffline(false)
    await live(page)
    await streams(page).filter({ hasText: 'missed' }).waitFor()
    await page.context().close()
  })
})

function streams(page: Page): Locator {
  return page.getByRole('navigation', { name: 'Pages' }).getByRole('link')
}

async function live(page: Page): Promise<void> {
  await page.getByText('Live', { exact: true }).waitFor()
}
