/** Sharing: accesses and their activity, shared links, and what they open. */
import t from 'tap'
import type { Page } from 'playwright-core'
import { methods } from '../../../core/methods/index.js'
import english from '../../../web/app/shared/messages/en.json' with { type: 'json' }
import { desk, go, phone, startApp } from '../../support/app.js'
import { leave, setTime, untilHeading } from '../../support/browser.js'
import { look } from '../../support/look.js'
import { inRotation, rotate } from '../../support/rotation.js'

t.test('every recorded method has a sentence in the activity', async t => {
  const recorded = methods
    .filter(({ isInternal, mode }) => mode !== 'service' && isInternal !== true)
    .map(({ id }) => id)
  t.ok(recorded.length > 50)
  t.same(
    recorded.filter(id => !Object.hasOwn(english, `shared.did.${id}`)),
    []
  )
})

t.test('sharing', async t => {
  const { daisy, enter, open, service, url } = await startApp(t, { accesses: { updates: true } })
  for (const [id, parentId] of [
    ['body', null],
    ['weight', 'body'],
    ['heart', 'body'],
    ['diary', null]
  ] as const)
    await daisy.stream(id, parentId)
  for (const content of [62, 63, 64])
    await daisy.do('events.create', { streamIds: ['weight'], type: 'mass/kg', content })
  const page = await enter('/app/daisy/shared')
  const test = inRotation(t, 2)

  await t.test('a link is created, opened by a guest, listed with its activity, and revoked', async t => {
    await page.getByText('Only you can see your data').waitFor()
    const link = await shareWeight(page, 'Aunt Gerda')
    t.match(link, /\/app\/shared#daisy\.\w{20,}$/)
    await page.locator('.qr-code svg').waitFor()

    const guest = await open('/access/facts.json', desk)
    await guest.context().addCookies(await page.context().cookies())
    const sent: string[] = []
    guest.on('request', request => {
      const { authorization, cookie } = request.headers()
      sent.push(`${request.url()} ${cookie ?? ''} ${authorization ?? ''}`)
    })
    await guest.goto(link)
    await guest.getByText('Shared with you by daisy').waitFor()
    await guest.getByText('Live', { exact: true }).waitFor()
    t.match(guest.url(), /\/app\/shared\/timeline$/, 'the token leaves the address')
    const token = link.split('.').at(-1)!
    t.same(sent.filter(each => each.split(' ')[0]!.includes(token)).length, 0, 'it is in no address')
    t.same(await guest.evaluate('[...Object.values(localStorage), ...Object.values(sessionStorage)]'), [])
    const streams = guest.getByRole('navigation', { name: 'Pages' })
    await streams.getByRole('link', { name: 'weight' }).waitFor()
    t.equal(await streams.getByRole('link', { name: 'diary' }).count(), 0, 'nothing else is seen')
    t.equal(await guest.getByRole('link', { name: 'Today' }).count(), 0, 'Today is the owner’s')
    await guest.getByRole('button', { name: 'Actions for weight' }).click()
    for (const name of [/^Add/, /^Sharing$/, /^Import$/, /^Download all data$/])
      t.equal(await guest.getByText(name).count(), 0, `nothing says ${String(name)}`)

    await page.getByRole('link', { name: 'View activity' }).click()
    await untilHeading(page, 'Aunt Gerda')
    await page.getByText('Opened').waitFor()
    await page.getByRole('button', { name: 'Revoke', exact: true }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click()
    await page.getByText('Revoked: Aunt Gerda no longer has access.').waitFor()
    await untilHeading(guest, 'This link has expired or doesn’t exist')
    await guest.reload()
    await untilHeading(guest, 'Open the link again')
    await guest.goto(link)
    await untilHeading(guest, 'This link has expired or doesn’t exist')
    await page.reload()
    await page.getByText('Opened').waitFor()
    await page
      .getByText(/revoked on/)
      .first()
      .waitFor()
    await leave(guest)
  })

  await t.test('an access is renamed, narrowed and prolonged, unless it has changed meanwhile', async t => {
    const { access } = await daisy.do('accesses.create', {
      name: 'Coach',
      permissions: [
        { streamId: 'body', level: 'manage' },
        { streamId: 'weight', level: 'contribute' },
        { streamId: 'diary', level: 'read' }
      ]
    })
    await go(page, `/app/daisy/shared/${access.id}`)
    const dialog = page.getByRole('dialog')
    const fill = async (name: string): Promise<void> => {
      await dialog.getByLabel('Name').fill(name)
      await dialog.getByLabel('body').selectOption('Read')
      await dialog.getByLabel('weight').selectOption('No access')
      await dialog.getByLabel('diary').selectOption('No access')
      await dialog.getByLabel('Expires').selectOption('In 7 days')
      await dialog.getByRole('button', { name: 'Save' }).click()
    }
    await page.getByRole('button', { name: 'Change' }).click()
    await dialog.getByLabel('Name').waitFor()
    t.same(await dialog.getByLabel('diary').locator('option').allTextContents(), ['Read', 'No access'])
    await daisy.do('accesses.update', { id: access.id, update: { name: 'Trainer' } })
    await fill('Old coach')
    await dialog.getByText('This access changed in the meantime').waitFor()
    t.equal(await dialog.getByLabel('Name').inputValue(), 'Trainer', 'its current state is shown')
    await fill('Old coach')
    await page.getByText('Access changed.').waitFor()
    await untilHeading(page, 'Old coach')
    t.match((await daisy.do('accesses.getOne', { id: access.id })).access, {
      id: `${access.id}:2`,
      name: 'Old coach',
      // The stream above would open it again.
      permissions: [
        { streamId: 'body', level: 'read' },
        { streamId: 'weight', level: 'none' }
      ],
      expires: Number
    })
    await page.getByRole('button', { name: 'Revoke', exact: true }).click()
    await dialog.getByRole('button', { name: 'Revoke' }).click()
    await page.getByText('Revoked: Old coach no longer has access.').waitFor()
  })

  await test('a shared link survives reloads until it is closed', async t => {
    const { access } = await daisy.do('accesses.create', {
      name: 'Reloading',
      permissions: [{ streamId: 'weight', level: 'read' }]
    })
    const page = await open(`/app/shared#daisy.${access.token}`, desk)
    const shown = page.getByText('Shared with you by daisy')
    await shown.waitFor()
    await page.reload()
    await shown.waitFor()
    for (const name of ['Table', 'Map', 'Photos']) {
      await page.getByRole('link', { name }).first().click()
      await page.waitForURL(`**/shared/${name.toLowerCase()}`)
    }
    await page.reload()
    await shown.waitFor()
    await page.goBack()
    await page.waitForURL('**/shared/map')
    await page.reload()
    await shown.waitFor()
    t.notMatch(page.url(), access.token)
    t.same(await page.evaluate('[...Object.values(localStorage), ...Object.values(sessionStorage)]'), [])
    // An entry ahead had it when the page was left.
    await page.goForward()
    await page.waitForURL('**/shared/photos')
    await page.getByRole('button', { name: 'Language' }).click()
    await page.getByRole('button', { name: 'Close' }).click()
    await untilHeading(page, 'You closed this link')
    for (const turn of ['here', 'back', 'further back', 'at the beginning']) {
      t.notMatch(await page.evaluate('JSON.stringify(history.state)'), access.token, turn)
      await page.reload()
      await page.getByRole('heading', { level: 1 }).waitFor()
      t.equal(await shown.count(), 0, turn)
      await page.goBack()
    }
    await leave(page)
  })

  await t.test('a shared link is opened without the cookie', async t => {
    await go(page, '/app/daisy/shared')
    const link = await shareWeight(page, 'Uncle Bob')
    const { username, token } = { username: 'daisy', token: link.split('.').at(-1)! }
    const asked = page.waitForRequest(request => request.headers()['authorization'] !== undefined)
    await page.goto(link)
    const headers = await (await asked).allHeaders()
    t.equal(headers['cookie'], undefined, 'none is sent, though there is one')
    t.equal(headers['coffer-app'], undefined)
    t.equal(headers['authorization'], token)
    await page.getByText(`Shared with you by ${username}`).waitFor()
    await leave(page)
  })

  await test('invalid links explain why', async t => {
    const { access } = await daisy.do('accesses.create', {
      name: 'Short',
      permissions: [{ streamId: 'weight', level: 'read' }],
      expireAfter: 60
    })
    const page = await open(`/app/shared#daisy.${access.token}`, phone)
    await page.getByText('Shared with you by daisy').waitFor()
    service.clock.advance(61)
    const links = [
      [`#daisy.${access.token}`, 'This link has expired or doesn’t exist'],
      ['#daisy.notatokenofanybody', 'This link has expired or doesn’t exist'],
      ['#nobody-at-all.c0ffee', 'This link has expired or doesn’t exist'],
      ['#daisy', 'This link is incomplete'],
      [`#daisy.${daisy.token}`, 'Don’t share this link'],
      ['', 'Open the link again']
    ] as const
    for (const [hash, heading] of rotate(t, links, 3)) {
      await page.goto('about:blank')
      await page.goto(`${url}/app/shared${hash}`)
      await untilHeading(page, heading)
      t.equal(new URL(page.url()).hash, '')
    }
    await look(t, page, 'app-link-invalid')
    await leave(page)
  })

  await t.test('an app gets a token, and its calls are described in words', async t => {
    const page = await enter('/app/daisy/shared')
    await page.getByRole('checkbox', { name: 'heart' }).check()
    await page.getByLabel('Share with').selectOption('app')
    await page.getByLabel('Name of the app or device').fill('Trainer')
    await page.getByLabel('Permission').selectOption('contribute')
    await page.getByLabel('Expires').selectOption('never')
    await page.getByText('until you revoke it').waitFor()
    await page.getByRole('button', { name: 'Create token' }).click()
    const endpoint = new URL(await page.getByLabel('Address with token').inputValue())
    const { username: token } = endpoint
    for (const content of [61, 62])
      await service.call(
        'daisy',
        'events.create',
        { streamIds: ['heart'], type: 'frequency/bpm', content },
        token
      )
    await service.call('daisy', 'events.get', { streams: ['heart'] }, token)
    await service.call('daisy', 'events.get', { streams: ['heart'], limit: 1 }, token)
    const range = { fromTime: 0, toTime: 4e9 }
    await service.call('daisy', 'measures.sample', { measure: 'heart-rate', ...range, parts: 1 }, token)
    // A download that is not read: its record is written before it ends.
    for (let at = 0; at < 24; at++)
      await daisy.event({ streamIds: ['heart'], type: 'note/txt', content: 'x'.repeat(500_000) })
    const download = new AbortController()
    await fetch(`${url}/daisy/events/export?format=csv&streams[]=heart`, {
      headers: { authorization: token },
      signal: download.signal
    })
    await service.http('GET', '/daisy/events?streams[]=diary', undefined, { Authorization: token })
    const file = '/daisy/events/export?format=csv&streams[]=diary'
    await service.http('GET', file, undefined, { Authorization: token })
    const made = await service.call(
      'daisy',
      'accesses.create',
      { name: 'Coach', permissions: [{ streamId: 'heart', level: 'read' }] },
      token
    )
    // The lanes may have been read between two of the calls, which are at the same time.
    await page.reload()
    await page.getByText('Denied: view events (diary)').waitFor()
    // A chart is a view, too.
    await page.getByRole('img', { name: 'Activity of Trainer. Views: 4.' }).waitFor()
    await look(t, page, 'app-shared')
    await page.getByRole('link', { name: 'Trainer' }).click()
    // A later call that returned less does not hide what an earlier one did.
    await page.getByText('Viewed heart: 1 event', { exact: true }).waitFor()
    await page.getByText('Viewed heart: 2 events').waitFor()
    const chart = page.locator('li', { hasText: 'Viewed a chart of' })
    t.notMatch(await chart.textContent(), /event/, 'the parts of a chart are no events')
    t.notMatch(
      await page.locator('li', { hasText: 'Downloaded' }).textContent(),
      /event/,
      'not all were sent yet'
    )
    download.abort()
    await page.getByText('Denied: view events (diary)').nth(1).waitFor()
    await page.getByText('Added an event').waitFor()
    await page.getByText('2×').first().waitFor()
    await look(t, page, 'app-access')
    await page.getByRole('button', { name: 'Revoke', exact: true }).click()
    await page.getByRole('dialog').getByText('Coach').waitFor()
    await look(t, page, 'app-access-end')
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click()
    await page.getByText('Revoked: Trainer no longer has access.').waitFor()
    const { accessDeletions } = await daisy.do('accesses.get', { includeDeletions: true })
    const names = (accessDeletions as { name: string }[]).map(({ name }) => name)
    t.ok(names.includes('Trainer') && names.includes('Coach'))
    t.ok(made.access.id)
    await leave(page)
  })

  await t.test('the guest of a link without the username sees it nowhere', async t => {
    const page = await enter('/app/daisy/shared', phone)
    await page.getByRole('button', { name: 'Share data' }).click()
    await inRotation(t, 2)('after errors for a name in use, an empty selection and a past date', async t => {
      await page.getByLabel('Link name').fill('Uncle Bob')
      await page.getByRole('button', { name: 'Create link' }).click()
      await page.getByText('Select at least one stream.').first().waitFor()
      await page.getByRole('checkbox', { name: 'weight' }).check()
      await page.getByRole('button', { name: 'Create link' }).click()
      await page.getByText('This name is already in use').waitFor()
      await look(t, page, 'app-share')
      await page.getByLabel('Expires').selectOption('date')
      await page.getByLabel('Expiry date').fill('2001-01-01')
      await page.getByRole('button', { name: 'Create link' }).click()
      await page.getByText('Choose a date in the future').waitFor()
    })
    await page.getByLabel('Expires').selectOption('30')
    await page.getByRole('checkbox', { name: 'weight' }).check()
    await page.getByLabel('Link name').fill('A stranger')
    await page.getByLabel('Hide my username').check()
    await page.getByRole('button', { name: 'Create link' }).click()
    const link = await page.getByLabel('Link', { exact: true }).inputValue()
    t.match(link, /\/app\/shared#r-[a-z0-9]{8}\.\w{20,}$/)
    const guest = await open('/access/facts.json', desk)
    const sent: string[] = []
    guest.on('response', async response => sent.push(response.url(), await response.text().catch(() => '')))
    await guest.goto(link)
    await guest.getByText('Shared with you: weight').waitFor()
    await guest.getByText('Live', { exact: true }).waitFor()
    for (const text of [await guest.content(), guest.url(), ...sent]) t.notMatch(text, /daisy/i)
    await leave(guest)
    await leave(page)
  })

  await test('the page of a shared link passes the visual checks', async t => {
    const { access } = await daisy.do('accesses.create', {
      name: 'Looks',
      permissions: ['weight', 'heart', 'diary'].map(streamId => ({ streamId, level: 'read' })),
      expireAfter: 86_400
    })
    // As wide as the first size that is checked: lanes are drawn again shortly after a resize.
    const size = { viewport: { width: 360, height: 740 } }
    const page = await open(`/app/shared#daisy.${access.token}`, size, async guest => {
      await setTime(guest, service.clock.now())
    })
    await page.locator('.live.on').waitFor()
    await look(t, page, 'app-link')
    await page.context().close()
  })
})

/** Shares a stream by a link, and returns the link. */
async function shareWeight(page: Page, name: string): Promise<string> {
  await page.getByRole('checkbox', { name: 'weight' }).check()
  await page.getByLabel('Link name').fill(name)
  await page.getByRole('button', { name: 'Create link' }).click()
  return await page.getByLabel('Link', { exact: true }).inputValue()
}
