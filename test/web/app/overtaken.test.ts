/** Answers that are overtaken by later ones, and failed reads: neither replaces what is shown by something older or by nothing. */
import { EventEmitter, once } from 'node:events'
import t from 'tap'
import type { Locator, Page, Request, Route } from 'playwright-core'
import { startApp, untilSettled } from '../../support/app.js'
import { password } from '../../support/pages.js'
import { inRotation } from '../../support/rotation.js'
import { until } from '../../support/socket.js'

t.test('slow and failing reads', async t => {
  const { daisy, enter, service, url } = await startApp(t)
  await daisy.stream('diary')
  const test = inRotation(t, 3)
  const take = async (description: string, time: number): Promise<unknown> =>
    await daisy.event({
      streamIds: ['diary'],
      type: 'picture/url',
      content: 'https://example.org/a.png',
      description,
      time
    })
  const cases: readonly [page: string, read: RegExp, add: (name: string, page: Page) => Promise<unknown>][] =
    [
      ['streams', /streams\.get"/, async name => await daisy.stream(name)],
      ['shared', /includeDeletions/, async name => await daisy.grant('read', 'diary', { name })],
      [
        'connect',
        /connections\.get"/,
        async name => {
          await daisy.do('connections.create', { dialect: 'owntracks', name })
          // Pages follow data.
          await daisy.event({ streamIds: ['diary'], content: name })
        }
      ],
      [
        'reminders',
        /reminders\.get"/,
        async (name, page) => {
          const event = { type: 'count/generic', content: 1 }
          const schedule = { times: ['23:00'] }
          await daisy.do('reminders.create', {
            name,
            kind: 'habit',
            schedule,
            zone: 'UTC',
            streamId: 'diary',
            event
          })
          await show(page)
        }
      ],
      [
        'alerts',
        /rules\.get"/,
        async (name, page) => {
          const condition = { kind: 'above', measure: 'heart-rate', value: 120 }
          await daisy.do('rules.create', { name, condition, channelIds: [] })
          await show(page)
        }
      ]
    ]
  for (const [name, read, add] of cases)
    await test(`${name}: an answer that is overtaken is not shown`, async t => {
      const page = await enter(`/app/daisy/${name}`)
      const hold = await holdNext(page, read)
      await add(`first-${name}`, page)
      await hold.answered()
      await add(`second-${name}`, page)
      await page.locator('main').getByText(`second-${name}`).first().waitFor()
      await page.evaluate(watch(`second-${name}`))
      await hold.release()
      t.equal(await page.evaluate('isGone'), false)
      await page.context().close()
    })

  await test('account: a session that has ended does not come back', async t => {
    for (const appId of ['first-app', 'second-app'])
      await service.http('POST', '/daisy/auth/login', { username: 'daisy', password, appId }, { origin: url })
    const page = await enter('/app/daisy/account')
    const second = page.getByText('second-app')
    await second.waitFor()
    await untilSettled(page)
    const hold = await holdNext(page, /\/sessions $/)
    await page.getByRole('button', { name: 'Sign out: first-app' }).click()
    await hold.answered()
    await page.getByRole('button', { name: 'Sign out: second-app' }).click()
    await second.waitFor({ state: 'detached' })
    await hold.release()
    t.equal(await second.count(), 0)
    await page.context().close()
  })

  await test('a change of the profile that fails takes only itself back', async t => {
    for (const type of ['mass/kg', 'frequency/bpm']) await daisy.event({ type, content: 80 })
    const page = await enter('/app/daisy')
    const measure = (id: string): Locator => page.locator(`.measure[data-measure="${id}"]`)
    const hide = async (id: string): Promise<void> => {
      await measure(id)
        .getByRole('button', { name: /^Options/ })
        .click()
      await page.getByRole('button', { name: 'Hide', exact: true }).click()
      await measure(id).waitFor({ state: 'detached' })
    }
    await measure('weight').waitFor()
    const refused = await holdNext(page, /profile\.update"/, {
      status: 500,
      json: { error: { id: 'unexpected-error', message: 'For a test' } }
    })
    await hide('weight')
    await refused.answered()
    await hide('heart-rate')
    await refused.release()
    await page.getByText('Something went wrong on our side.').first().waitFor()
    t.equal(await measure('heart-rate').count(), 0, 'what was stored afterwards stays')
    await page.context().close()
  })

  await test('pictures: all of them stay, and one that is shown, when others arrive', async t => {
    for (let at = 0; at < 70; at++) await take(`Old ${at}`, 1_000_000 - at)
    const page = await enter('/app/daisy/photos')
    const grid = page.locator('ul.grid').getByRole('button')
    await until(async () => {
      await grid.last().scrollIntoViewIfNeeded()
      return (await grid.count()) === 70
    }, 'all pictures to be shown')
    await grid.last().click()
    const dialog = page.getByRole('dialog', { name: 'Old 69' })
    await dialog.waitFor()
    const hold = await holdNext(page, /events\?.*types|events\.get"/)
    await take('First', 2_000_000)
    await hold.answered()
    await take('Second', 3_000_000)
    await hold.release()
    await until(async () => (await grid.count()) === 72, 'both to be shown')
    t.equal(await dialog.count(), 1)
    await page.context().close()
  })

  await test('a new link is shown although the list cannot be read', async t => {
    const page = await enter('/app/daisy/shared')
    const problems: string[] = []
    page.on('pageerror', error => problems.push(error.message))
    await page.getByRole('checkbox', { name: 'diary', exact: true }).check()
    await page.getByLabel('Link name').fill('Doctor')
    await page.route('**/daisy/**', async (route, request) => {
      if (request.method() === 'POST' && !isRead(request)) await route.continue()
      else
        await route.fulfill({
          status: 500,
          json: { error: { id: 'unexpected-error', message: 'For a test' } }
        })
    })
    await page.getByRole('button', { name: 'Create link' }).click()
    await page.getByText('Something went wrong on our side.').first().waitFor()
    await page.getByLabel('Link', { exact: true }).waitFor()
    t.equal(await page.getByRole('heading', { level: 1 }).count(), 1)
    t.same(problems, [])
    await page.context().close()
  })
})

/** Some pages read again when they are shown. */
async function show(page: Page): Promise<void> {
  await page.evaluate(`document.dispatchEvent(new Event('visibilitychange'))`)
}

/** Run in the page: notes whether what is shown now disappears, even if it is read again later. */
const watch = (text: string): string => `globalThis.isGone = false
new MutationObserver(() => {
  if (!document.querySelector('main').textContent.includes('${text}')) isGone = true
}).observe(document.body, { childList: true, characterData: true, subtree: true })`

function isRead(request: Request): boolean {
  return /"accesses\.get"/.test(request.postData() ?? '')
}

/** Holds back the answer to the next request that matches by its URL or body. With `refusal`, that is the answer. */
async function holdNext(page: Page, wanted: RegExp, refusal?: Parameters<Route['fulfill']>[0]) {
  let held: Request | undefined
  let isAnswered = false
  const released = new EventEmitter()
  await page.route('**/daisy/**', async (route, request) => {
    if (held || !wanted.test(`${request.url()} ${request.postData() ?? ''}`)) return await route.continue()
    held = request
    const answer = refusal ?? { response: await route.fetch() }
    isAnswered = true
    await once(released, 'end')
    await route.fulfill(answer)
  })
  return {
    /** Resolves once the service has answered it. */
    answered: async () => await until(() => isAnswered, 'the held request to be answered'),
    /** Lets the page have the answer, and waits until it is rendered. */
    release: async () => {
      const finished = page.waitForEvent('requestfinished', request => request === held)
      released.emit('end')
      await finished
      await untilSettled(page)
    }
  }
}
