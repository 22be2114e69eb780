/** A page in use: it listens as soon as it is rendered, and neither data that arrive nor failed reads replace what is in use. */
import t from 'tap'
import type { Page } from 'playwright-core'
import { go, startApp, untilSettled } from '../../support/app.js'
import { leave } from '../../support/browser.js'
import { inRotation, rotate } from '../../support/rotation.js'

t.test('a page in use', async t => {
  const { daisy, enter, service } = await startApp(t)
  for (const id of ['diary', 'weight']) await daisy.stream(id)
  const now = service.clock.now()
  const weigh = async (content: number, streamId = 'weight'): Promise<void> =>
    void (await daisy.event({ streamIds: [streamId], type: 'mass/kg', content, time: now - content * 3600 }))
  for (const content of [61, 62, 63]) await weigh(content)
  const note = await daisy.event({ streamIds: ['diary'], content: 'A walk' })
  await daisy.grant('read', 'diary', { name: 'Coach' })
  const { reminder } = await daisy.do('reminders.create', {
    name: 'Pill',
    kind: 'medication',
    schedule: { times: ['23:00'] },
    zone: 'UTC',
    streamId: 'diary',
    event: { type: 'count/generic', content: 1 }
  })

  const test = inRotation(t, 2)
  await test('closes a menu by a key that is pressed before the next frame', async t => {
    const page = await enter('/app/daisy/streams')
    t.same(await page.evaluate(pressEscapeAfterClick), ['true', 'false'])
    await leave(page)
  })

  await test('leaves the focus where it is moved when a dialog has been closed', async t => {
    const page = await enter('/app/daisy/streams')
    await page.getByRole('button', { name: 'New stream' }).click()
    await page.getByRole('dialog').waitFor()
    await page.evaluate(searchAfterClose)
    await untilSettled(page)
    t.equal(await page.evaluate(`document.activeElement.matches('.find input')`), true)
    await leave(page)
  })

  await t.test('keeps its menus, fields and rows when data arrive', async t => {
    const page = await enter('/app/daisy/streams')
    let count = 0
    const places = [
      'table',
      'timeline',
      'streams/weight',
      `events/${note.id}`,
      'shared',
      'people',
      `reminders/${reminder.id}`,
      'today'
    ]
    for (const name of rotate(t, places, 3)) {
      await go(page, `/app/daisy/${name}`)
      await page.locator('.page h1').first().waitFor()
      // The first shows that the page follows changes; when the last is shown, what the page reads itself has arrived as well.
      await arrive(page, `new-${(count += 1)}`)
      await page.evaluate(mark)
      await arrive(page, `new-${(count += 1)}`)
      await arrive(page, `new-${(count += 1)}`)
      t.same(await page.evaluate(replaced), [], name)
    }
    await leave(page)
  })

  /** Adds a stream and more in it, and waits until the page has read it. */
  async function arrive(page: Page, id: string): Promise<void> {
    await daisy.stream(id)
    await weigh(64, id)
    await weigh(64 + Number(id.slice(4)))
    await page
      .getByRole('navigation', { name: 'Pages' })
      .getByRole('link', { name: id, exact: true })
      .waitFor()
  }

  await test('keeps a form that is being filled in when a read fails', async t => {
    const page = await enter(`/app/daisy/reminders/${reminder.id}`)
    const field = page.getByLabel('Name', { exact: true })
    await field.fill('unsaved')
    await page.context().setOffline(true)
    const failed = page.waitForEvent('requestfailed', request => !request.url().includes('socket.io'))
    // Pages read again when they are shown.
    await page.evaluate(`document.dispatchEvent(new Event('visibilitychange'))`)
    await failed
    await page.getByText('Server unreachable').waitFor()
    t.equal(await field.inputValue(), 'unsaved')
    await page.context().setOffline(false)
    await page.getByText('Server unreachable').waitFor({ state: 'detached' })
    t.equal(await field.inputValue(), 'unsaved', 'later')
    await page.context().close()
  })
})

/** Run in the page: clicks a button, presses Escape once it is rendered again, and returns whether it is expanded then and afterwards. */
const pressEscapeAfterClick = `(async () => {
  const opener = document.querySelector('.page .menu > button')
  const rendered = async () => {
    for (let turn = 0; turn < 100; turn++) await undefined
    return opener.ariaExpanded
  }
  opener.click()
  const before = await rendered()
  opener.dispatchEvent(new KeyboardEvent('keydown', { key: 'Escape', bubbles: true }))
  return [before, await rendered()]
})()`
/** Run in the page: closes a dialog, and moves the focus to the search once that is rendered. */
const searchAfterClose = `(async () => {
  document.querySelector('dialog [aria-label=Close]').click()
  for (let turn = 0; turn < 100; turn++) await undefined
  if (document.querySelector('dialog')) throw new Error('is open')
  document.querySelector('.find input').focus()
})()`

/** Run in the page: notes all elements that can be in use. */
const mark = `void (globalThis.marked = [...document.querySelectorAll('main :is(a, button, input, select, textarea, summary, h1, h2, li, tr, canvas, section), .lid *')])`
/** Run in the page: returns those that have been removed or replaced. */
const replaced = `marked.filter(each => !each.isConnected).map(each => each.outerHTML.slice(0, 120))`
