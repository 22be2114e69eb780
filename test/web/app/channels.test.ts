/** The page of notifications in a browser, and the notifications that its worker shows. */
import { createECDH } from 'node:crypto'
import t from 'tap'
import { phone, startApp } from '../../support/app.js'
import { leave, untilHeading } from '../../support/browser.js'
import { look } from '../../support/look.js'
import { receiver } from '../../support/receiver.js'
import { inRotation, rotate } from '../../support/rotation.js'

t.test('notifications', async t => {
  const { daisy, enter } = await startApp(t, { channels: { allowInternalTargets: true } })
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

  await t.test('the worker shows a message, and opens what is chosen', async t => {
    const [worker] = page.context().serviceWorkers()
    // The headless browser has neither a push service nor notifications: the events are those that they would cause.
    const shown = await worker!.evaluate(`(async () => {
      const shown = []
      self.registration.showNotification = async (title, options) => void shown.push({ title, ...options })
      const message = {
        id: 'message-1',
        title: 'Glucose',
        text: 'Something new',
        urgency: 'high',
        page: 'daisy/timeline',
        actions: [{ id: 'seen', title: 'Seen', page: 'daisy/table' }]
      }
      for (const data of [JSON.stringify(message), 'no JSON', '{}', undefined])
        self.dispatchEvent(new PushEvent('push', data === undefined ? {} : { data }))
      await new Promise(resolve => setTimeout(resolve))
      return shown
    })()`)
    t.match(shown, [
      {
        title: 'Glucose',
        body: 'Something new',
        tag: 'message-1',
        requireInteraction: true,
        actions: [{ action: 'seen', title: 'Seen' }]
      }
    ])
    t.equal((shown as unknown[]).length, 1, 'only what is a message')
    for (const [action, name] of [
      ['seen', 'table'],
      ['', 'timeline']
    ] as const) {
      await worker!.evaluate(`(() => {
        const data = { page: 'daisy/timeline', actions: [{ id: 'seen', page: 'daisy/table' }] }
        const notification = { close() {}, data }
        const fields = { action: '${action}', notification, waitUntil() {} }
        self.dispatchEvent(Object.assign(new Event('notificationclick'), fields))
      })()`)
      await page.waitForURL(`**/app/daisy/${name}`)
    }
  })
  await page.close()
})

t.test('signing out ends notifications in this browser, and only those', async t => {
  const { daisy, enter } = await startApp(t, { channels: { allowInternalTargets: true } })
  const server = await receiver(t)
  const endpoint = `${server.url}/push/this-browser`
  const keys = {
    p256dh: createECDH('prime256v1').generateKeys().toString('base64url'),
    auth: 'a'.repeat(22)
  }
  const subscribe = async (name: string, target: string): Promise<void> =>
    void (await daisy.do('channels.create', { type: 'web-push', name, target: { endpoint: target, keys } }))
  await subscribe('This browser', endpoint)
  await subscribe('Other browser', `${server.url}/push/other-browser`)
  const others = [['a browser without permission', false]] as const
  for (const [what, isGranted] of [...rotate(t, others, 2), ['this browser', true] as const]) {
    const page = await enter('/app/daisy/today')
    // The headless browser has no push service: this is what it says of a subscription.
    await page.evaluate(`(() => {
      Object.defineProperty(Notification, 'permission', { value: ${isGranted} ? 'granted' : 'denied' })
      globalThis.ended = 0
      const subscription = { endpoint: ${JSON.stringify(endpoint)}, unsubscribe: async () => (globalThis.ended++, true) }
      const registration = { pushManager: { getSubscription: async () => subscription } }
      navigator.serviceWorker.getRegistration = async () => registration
    })()`)
    await page.locator('.lid .face').click()
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.getByLabel('Password').first().waitFor()
    t.equal(await page.evaluate('globalThis.ended'), isGranted ? 1 : 0, what)
    const { channels } = await daisy.do('channels.get')
    t.same(
      channels.map(({ name }: { name: string }) => name).toSorted(),
      isGranted ? ['Other browser'] : ['Other browser', 'This browser'],
      what
    )
    await leave(page)
  }
})

inRotation(t, 2)('features that are turned off are not in the navigation', async t => {
  const { enter } = await startApp(t, { channels: { enabled: false }, cmc: { enabled: false } })
  const page = await enter('/app/daisy/shared')
  await page.getByRole('link', { name: 'Sharing' }).first().waitFor()
  for (const name of ['Notifications', 'People']) t.equal(await page.getByRole('link', { name }).count(), 0)
  await page.close()
})
