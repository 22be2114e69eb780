/** The journey of a new user: creating an account, adding a weight, sharing and revoking a link, viewing activity. */
import { join } from 'node:path'
import t, { type Test } from 'tap'
import type { BrowserContextOptions, Page } from 'playwright-core'
import { leave, leavesPictures, pictures, setTime, untilHeading } from '../../support/browser.js'
import { desk, phone } from '../../support/app.js'
import { password, startPages, type Pages } from '../../support/pages.js'
import { rotate } from '../../support/rotation.js'

t.test('a new user', async t => {
  const pages = await startPages(t)
  // A file that runs by itself saves screenshots of both.
  const sizes = Object.entries({ phone, desk })
  for (const [size, options] of leavesPictures ? sizes : rotate(t, sizes))
    await t.test(`on a ${size}: registers, adds, searches, shares, revokes, and views activity`, async t => {
      await walk(t, pages, size, options)
    })
})

async function walk(t: Test, pages: Pages, size: string, options: BrowserContextOptions): Promise<void> {
  const isPhone = size === 'phone'
  const name = isPhone ? 'marta' : 'anton'
  const page = await come(pages, '/app/?register', options)
  const see = sights(size)

  await page.getByLabel('Username').fill(name)
  await page.getByLabel('Email address').fill(`${name}@example.com`)
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.getByRole('button', { name: 'Create account' }).click()
  await page.getByRole('heading', { name: 'Your days, at a glance' }).waitFor()
  await see(page, 'new')
  await page.getByRole('link', { name: 'Timeline' }).first().click()
  await page.getByRole('heading', { name: 'No data yet' }).waitFor()

  // Two taps and a number.
  await (isPhone ? page.locator('.dock') : page.locator('.lid'))
    .getByRole('button', { name: 'Add', exact: true })
    .click()
  await page.getByRole('dialog').getByRole('button', { name: 'Weight' }).click()
  await page.locator('dialog input:focus').waitFor()
  await page.keyboard.type('72.4')
  await see(page, 'weight')
  const creation = page.waitForRequest(request => request.postData()?.includes('"name":"Weight"') ?? false)
  await page.keyboard.press('Enter')
  await page.getByText('Added. Weight: 72.4 kg').waitFor()
  t.match(
    (await creation).postData(),
    '"coffer:measure":"weight"',
    'the new stream is marked with its measure'
  )
  const lane = page.getByRole('figure', { name: /weight/i })
  await lane.first().waitFor()
  // A value at the cursor counts as data once it has loaded.
  await page.getByText('No data here').waitFor({ state: 'detached' })
  t.equal(await page.getByText('No data here').count(), 0, 'a value at the cursor is something')
  await see(page, 'added')
  await page.getByRole('link', { name: 'Today' }).first().click()
  await page.locator('[data-measure=weight]').getByText('72.4').waitFor()
  await see(page, 'today')

  // By name, using the keyboard only; and with Enter, which opens the stream of this name.
  const box = page.getByRole('searchbox', { name: 'Search' })
  if (isPhone) await box.click({ position: { x: 6, y: 6 } })
  else await page.keyboard.press('/')
  await page.keyboard.type('weig')
  await page.getByRole('search').getByRole('link', { name: 'Weight' }).waitFor()
  await see(page, 'find')
  await page.keyboard.press('ArrowDown')
  t.equal(await page.evaluate('document.activeElement.textContent'), 'Weight')
  await page.keyboard.press('ArrowUp')
  t.equal(await box.evaluate(each => each === each.ownerDocument.activeElement), true)
  await page.keyboard.press('Enter')
  await untilHeading(page, 'Weight')
  await page.getByText('72.4').first().waitFor()
  await see(page, 'stream')

  await page.getByRole('link', { name: 'Sharing' }).first().click()
  await page.getByText('Only you can see your data').waitFor()
  if (isPhone) await page.getByRole('button', { name: 'Share data' }).click()
  await page.getByRole('checkbox', { name: 'Weight' }).check()
  await page.getByLabel('Link name').fill('Dr Meier')
  await page.getByLabel('Expires').selectOption('7')
  await page.getByText('1 event or reading since').waitFor()
  await see(page, 'share')
  await page.getByRole('button', { name: 'Create link' }).click()
  const link = await page.getByLabel('Link', { exact: true }).inputValue()
  await see(page, 'made')

  const guest = await come(pages, link, options)
  await guest.getByText(`Shared with you by ${name}`).waitFor()
  await guest.getByText('72.4').first().waitFor()
  t.same(await guest.context().cookies(), [], 'with no session')
  t.match(guest.url(), /\/app\/shared\/timeline$/, 'and no token in the address')
  await see(guest, 'guest')

  await page.getByRole('link', { name: 'View activity' }).click()
  await untilHeading(page, 'Dr Meier')
  await page.getByText('Opened').waitFor()
  await page
    .getByText(/^Viewed a chart of Weight/)
    .first()
    .waitFor()
  await see(page, 'looked')
  const line = page.getByRole('listitem').filter({ hasText: 'Opened' })
  t.match(await line.innerText(), /\b\d{2}:\d{2}\b/, 'with the time')

  await page.getByRole('button', { name: 'Revoke', exact: true }).click()
  await page.getByRole('dialog', { name: 'Revoke the link for Dr Meier?' }).waitFor()
  await see(page, 'ending')
  await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click()
  await page.getByText('Revoked: Dr Meier no longer has access.').waitFor()
  await untilHeading(guest, 'This link has expired or doesn’t exist')
  await guest.getByText('Ask the person who sent it').waitFor()
  await guest.goto('about:blank')
  await guest.goto(link)
  await untilHeading(guest, 'This link has expired or doesn’t exist')
  await see(guest, 'guest-over')

  await page.getByRole('link', { name: 'Who has access' }).click()
  await page.locator('summary').filter({ hasText: 'Expired or revoked' }).click()
  await page.getByRole('link', { name: 'Dr Meier' }).click()
  await page.getByText('Opened').waitFor()
  await see(page, 'over')
  await leave(guest)
  await leave(page)
}

/** Opens a URL in a new browser context, at the time of the service. */
async function come(
  { open, service }: Pages,
  address: string,
  options: BrowserContextOptions
): Promise<Page> {
  return await open(address, options, async page => {
    await setTime(page, service.clock.now())
  })
}

/** Returns a function that saves numbered screenshots, if this file runs by itself. */
function sights(size: string): (page: Page, name: string) => Promise<void> {
  let count = 0
  return async (page, name) => {
    if (!leavesPictures) return
    const number = String(++count).padStart(2, '0')
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
      await page.screenshot({ path: join(pictures, `app-walk-${size}-${number}-${name}-${colorScheme}.png`) })
    }
  }
}
