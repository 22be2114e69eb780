/** The page of notifications in a browser, and the notifications that its worker shows. */
import t from 'tap'
import { phone, startApp } from '../../support/app.js'
import { untilHeading } from '../../support/browser.js'
import { look } from '../../support/look.js'
import { receiver } from '../../support/receiver.js'

t.test('notifications', async t => {
  const { daisy, enter, service } = await startApp(t, { channels: { allowInternalTargets: true } })
  const server = await receiver(t)
  const page = await enter('/app/daisy/channels', { ...phone, serviceWorkers: 'allow' })
  await untilHeading(page, 'Notifications')

  await t.test('a channel is added, tested and removed', async t => {
    await page.getByRole('link', { name: /^ntfy/ }).click()
    await untilHeading(page, 'ntfy')
    t.match(
      await page.getByLabel('Topic').inputValue(),
      /^coffer-[a-z0-9]{10}$/,
      'a topic that nobody guesses'
    )
    await look(t, page, 'app-channels-add')
    await page.getByLabel('Server URL').fill(`${server.url}/ntfy`)
    await page.getByLabel('Name').fill('My phone')
    await page.getByRole('button', { name: 'Add channel' }).click()
    await untilHeading(page, 'My phone')
    await page.getByText('Nothing has been sent yet.').waitFor()
    await page.getByRole('button', { name: 'Send a test' }).click()
    await page.getByText('Delivered').waitFor()
    t.match(server.deliveries, [{ path: 'POST /ntfy', body: { title: 'Test notification' } }])
    server.answer = 500
    await page.getByRole('button', { name: 'Send a test' }).click()
    await page.getByText('Trying again').waitFor()
    await page.getByText('The server responded with status 500. Next attempt:').waitFor()
    await look(t, page, 'app-channels-channel')
    await page.getByRole('link', { name: 'Notifications' }).first().click()
    await page.getByRole('link', { name: 'My phone ntfy' }).waitFor()
    await look(t, page, 'app-channels')
    await page.getByRole('link', { name: 'My phone ntfy' }).click()
    await page.getByRole('button', { name: 'Remove' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click()
    await untilHeading(page, 'Notifications')
    t.same((await daisy.do('channels.get')).channels, [])
  })

  await t.test('the worker shows a message once, and opens its page', async t => {
    await page.context().grantPermissions(['notifications'], { origin: service.server.url })
    const session = await page.context().newCDPSession(page)
    const registered = new Promise<string>(resolve =>
      session.on('ServiceWorker.workerRegistrationUpdated', ({ registrations }) => {
        const [found] = registrations
        if (found) resolve(found.registrationId)
      })
    )
    await page.evaluate(async () => void (await navigator.serviceWorker.ready))
    await session.send('ServiceWorker.enable')
    const registrationId = await registered
    const message = {
      id: 'message-1',
      title: 'Glucose',
      text: 'Something new',
      urgency: 'high',
      page: 'daisy/timeline',
      actions: [{ id: 'seen', title: 'Seen', page: 'daisy/table' }]
    }
    for (const data of [JSON.stringify(message), JSON.stringify(message), 'no JSON'])
      await session.send('ServiceWorker.deliverPushMessage', {
        origin: service.server.url,
        registrationId,
        data
      })
    const shown = async () =>
      await page.evaluate(async () => {
        const { registration } = { registration: await navigator.serviceWorker.ready }
        const list = await registration.getNotifications()
        return list.map(({ body, tag, title }) => ({ body, tag, title }))
      })
    for (let count = 0; count < 200 && (await shown()).length === 0; count++) await page.waitForTimeout(20)
    t.same(await shown(), [{ title: 'Glucose', body: 'Something new', tag: 'message-1' }])
  })
  await page.close()
})
