/** What must fit where space is short: messages, menus, filters, tabs, and headings in any font. */
import t from 'tap'
import type { Locator, Page } from 'playwright-core'
import { go, phone, startApp, untilStored } from '../../support/app.js'
import { leave } from '../../support/browser.js'
import { look } from '../../support/look.js'
import { inRotation, rotate } from '../../support/rotation.js'

const locales = ['en-GB', 'de-CH', 'fr-CH'] as const

/** Returns how many lines an element's text has. */
async function countLines(target: Locator): Promise<number> {
  return await target.evaluate(element => {
    const bottoms = [...element.childNodes]
      .filter(({ nodeType }) => nodeType === 3)
      .flatMap(node => {
        const range = element.ownerDocument.createRange()
        range.selectNode(node)
        return [...range.getClientRects()].map(({ bottom }) => Math.round(bottom / 8))
      })
    return new Set(bottoms).size
  })
}

t.test('on a phone', async t => {
  const { daisy, enter } = await startApp(t)
  const test = inRotation(t, 2)
  for (let index = 0; index < 12; index++) await daisy.stream(`stream-${index}`)
  const long = 'Donaudampfschifffahrtsgesellschaftskapitän '
  const event = await daisy.event({ streamIds: ['stream-0'], content: `${long.repeat(4)} by the lake` })

  await test('messages wrap between words, and their button stays in one line', async t => {
    for (const locale of rotate(t, locales)) {
      const page = await enter(`/app/daisy/events/${event.id}`, { ...phone, locale })
      await page.locator('.event .tools .square').last().click()
      const undo = page.locator('.toast button')
      await undo.waitFor()
      t.equal(await countLines(undo), 1, `${locale}: the button`)

      t.ok((await countLines(page.locator('.toast span, .toast').last())) <= 2, `${locale}: the text`)
      await look(t, page, `app-toast-${locale}`)
      await undo.click()
      await untilStored(
        async () => (await daisy.do('events.getOne', { id: event.id })).event.trashed,
        undefined
      )
      await leave(page)
    }
  })

  await test('a search in the table shows rows, and names what it filters by', async t => {
    const page = await enter('/app/daisy/table', phone)
    await page.locator('.find input').focus()
    await page.locator('.find input').fill('lake')
    await page.keyboard.press('Enter')
    await page.getByText('1 row', { exact: true }).waitFor()
    const { y } = (await page.locator('tbody tr:not(.room)').first().boundingBox())!
    t.ok(y < 400, `the first row is ${y} pixels below the top`)
    await look(t, page, 'app-table-found')
    await page.getByRole('button', { name: 'Remove filter: “lake”' }).click()
    await page.getByRole('button', { name: 'Remove filter: “lake”' }).waitFor({ state: 'detached' })
    await leave(page)
  })

  await test('menus open where there is space', async t => {
    const page = await enter('/app/daisy/streams', phone)
    const openers = page.locator('.page .menu > button')
    const count = await openers.count()
    t.ok(count > 10)
    for (const index of [0, Math.floor(count / 2), count - 1]) {
      const opener = openers.nth(index)
      for (const position of ['start', 'end'] as const) {
        await opener.evaluate((element, block) => element.scrollIntoView({ block }), position)
        await page.evaluate('scrollBy(0, 90)')
        if (!(await isInView(page, opener))) await page.evaluate('scrollBy(0, -180)')
        await opener.click()
        const list = (await page.locator('.page .menu .list:not([hidden])').boundingBox())!
        const bar = (await page.locator('.dock').boundingBox())!
        t.ok(
          list.y >= 52 && list.y + list.height <= bar.y,
          `menu ${index}, ${position}: ${JSON.stringify(list)}`
        )
        await page.keyboard.press('Escape')
      }
    }
    await leave(page)
  })

  await test('a menu that does not fit scrolls', async t => {
    const page = await enter('/app/daisy/streams', { ...phone, viewport: { width: 640, height: 300 } })
    await page.locator('.page .menu > button').first().click()
    const list = (await page.locator('.page .menu .list:not([hidden])').boundingBox())!
    const bar = (await page.locator('.dock').boundingBox())!
    t.ok(list.y >= 52 && list.y + list.height <= bar.y, JSON.stringify(list))
    await leave(page)
  })

  await test('tabs have one line in all languages', async t => {
    for (const locale of rotate(t, locales)) {
      const page = await enter('/app/daisy/map', {
        ...phone,
        locale,
        viewport: { width: 360, height: 740 }
      })
      for (const name of ['map', 'timeline', 'shared', 'streams/stream-0']) {
        await go(page, `/app/daisy/${name}`)
        await page.locator('.tabs').first().waitFor()
        for (const tab of await page.locator('.tabs > *, .dock > a, .dock .nav-link').all())
          t.equal(await countLines(tab), 1, `${locale}, ${name}: ${await tab.innerText()}`)
        t.ok(await page.evaluate('document.documentElement.scrollWidth <= innerWidth'), `${locale}, ${name}`)
      }
      await leave(page)
    }
  })

  await test('headings have a serif of their own on every system', async t => {
    const page = await enter('/app/daisy/streams', phone)
    const declared = (await page.evaluate(
      `getComputedStyle(document.querySelector('h1')).fontFamily`
    )) as string
    const families = declared.split(',').map(family => family.trim().replaceAll('"', ''))
    for (const [system, family] of [
      ['macOS and iOS', 'ui-serif'],
      ['Windows', 'Palatino Linotype'],
      ['Android and ChromeOS', 'Noto Serif'],
      ['Linux', 'DejaVu Serif']
    ] as const)
      t.ok(families.includes(family), system)
    const times = /^(?:times|liberation serif|nimbus roman|tinos|freeserif)/i
    t.notOk(families.some(family => times.test(family)))
    await leave(page)
  })
})

async function isInView(page: Page, target: Locator): Promise<boolean> {
  const box = (await target.boundingBox())!
  return box.y > 60 && box.y + box.height < page.viewportSize()!.height - 80
}
