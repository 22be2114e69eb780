/** Consent between two accounts in two browsers: asking, agreeing to part of it, writing, narrowing and ending; and hostile requests. */
import type { Page } from 'playwright-core'
import t, { type Test } from 'tap'
import { desk, go, phone, startApp, untilSettled, type App } from '../../support/app.js'
import { leave, setTime, untilHeading } from '../../support/browser.js'
import { Client, type Answer } from '../../support/coffer.js'
import { look } from '../../support/look.js'
import { until } from '../../support/socket.js'
import { begin } from '../../support/oauth.js'
import { signIn, startPages } from '../../support/pages.js'
import { inRotation, rotate } from '../../support/rotation.js'
import { listPeers, offer, relate, scope, write } from '../../support/two-servers.js'

const settings = {
  cmc: { allowInternalTargets: true },
  accesses: { updates: true },
  oauth: { registration: true }
}

/** The origin of an app that the operator of the patient's server trusts. */
const trusted = 'https://clinic.example'

/** A patient's app, and a doctor on another server who uses its app, too. */
interface Two {
  readonly app: App
  readonly dora: Client
  /** Opens a page of the doctor's app. */
  enterDora(path: string): Promise<Page>
}

async function startTwo(t: Test, trustedReturnOrigins: string[] = []): Promise<Two> {
  const app = await startApp(t, { ...settings, cmc: { ...settings.cmc, trustedReturnOrigins } })
  const other = await startPages(t, settings)
  const token = await other.register('dora-doctor')
  const { accesses } = await other.service.call('dora-doctor', 'accesses.get', {}, token)
  const dora = new Client(
    other.service,
    'dora-doctor',
    (accesses as Answer[]).find(each => each.token === token)
  )
  return {
    app,
    dora,
    async enterDora(path) {
      const page = await other.open(path, desk, async page => {
        await setTime(page, other.service.clock.now())
      })
      await signIn(page, 'dora-doctor')
      await page.locator('.lid').waitFor()
      await untilSettled(page)
      return page
    }
  }
}

t.test('a doctor and a patient on two servers', async t => {
  const { app, dora, enterDora } = await startTwo(t)
  const { daisy, enter } = app
  await daisy.stream('scale')
  await daisy.event({ streamIds: ['scale'], type: 'mass/kg', content: 70 })
  await daisy.stream('blood-pressure')
  const doctor = await enterDora('/app/dora-doctor/people')
  const patient = await enter('/app/daisy/people', phone)
  const test = inRotation(t, 2)
  let code = ''

  await t.test('ask', async t => {
    const { streams } = await dora.do('streams.get')
    t.notOk(
      (streams as Answer[]).some(({ id }) => id === ':_cmc:'),
      'looking at the page creates nothing'
    )
    await look(t, doctor, 'app-people-empty')
    await doctor.getByRole('link', { name: 'Ask someone for data' }).click()
    await doctor.getByRole('button', { name: 'Create link' }).click()
    await doctor
      .getByText('Choose at least one kind of data.')
      .or(doctor.getByText('Check the'))
      .first()
      .waitFor()
    for (const measure of ['Weight', 'Blood pressure']) {
      await doctor.getByRole('searchbox').nth(1).fill(measure)
      await doctor.getByLabel(measure, { exact: true }).check()
    }
    await doctor.getByLabel('Required').nth(1).check()
    await doctor.getByLabel('Title').fill('Until your next visit')
    await doctor.getByLabel('Why you ask').fill('To see how the new pills work.')
    await doctor.getByLabel('Your name').fill('Dr Weber')
    await doctor.getByLabel('Another language').selectOption('de')
    const german = doctor.getByRole('group', { name: 'Texts in: Deutsch' })
    await german.getByLabel('Title').fill('Bis zum nächsten Termin')
    await german.getByLabel('Why you ask').fill('Um zu sehen, wie die neuen Tabletten wirken.')
    await doctor.getByLabel('What you would like to do').selectOption('contribute')
    await look(t, doctor, 'app-people-ask')
    await doctor.getByRole('button', { name: 'Create link' }).click()
    await doctor.getByText('For people with an account on another server').waitFor()
    code = await doctor.locator('.with-code code').nth(1).innerText()
    const { events } = await dora.do('events.get', { types: ['consent/request-cmc'] })
    t.match(events[0].content.request, {
      title: { en: 'Until your next visit', de: 'Bis zum nächsten Termin' },
      description: { de: 'Um zu sehen, wie die neuen Tabletten wirken.' },
      consent: {
        en: 'I agree that Dr Weber may see and add to: Weight and Blood pressure.',
        de: 'Ich bin einverstanden, dass Dr Weber Folgendes sehen und ergänzen darf: Gewicht und Blutdruck.'
      }
    })
    await look(t, doctor, 'app-people-link')
    await doctor.getByRole('link', { name: 'People', exact: true }).first().click()
    await doctor.getByText('No answer yet.').waitFor()
  })

  await test('show the request in the language of the reader', async t => {
    const german = await enter('/app/daisy/people', { ...phone, locale: 'de-CH' })
    await german.getByRole('textbox', { name: 'Link' }).fill(code)
    await german.getByRole('button', { name: 'Anfrage öffnen' }).click()
    await german.getByRole('heading', { name: 'Bis zum nächsten Termin' }).waitFor()
    await german.getByText('Um zu sehen, wie die neuen Tabletten wirken.').waitFor()
    await german.getByText('Ich bin einverstanden, dass Dr Weber Folgendes').waitFor()
    t.equal(await german.getByText('Until your next visit').count(), 0)
    await leave(german)
  })

  await t.test('accept part of it', async t => {
    await patient.getByLabel('Link').fill(code)
    await patient.getByRole('button', { name: 'Open request' }).click()
    await untilHeading(patient, 'Dr Weber asks for your data')
    await patient.getByText('dora-doctor on 127.0.0.1').waitFor()
    t.notMatch(patient.url(), /capability|token/, 'no secret in the address')
    t.equal(await patient.getByLabel(/^blood-pressure/).isDisabled(), true, 'required')
    const own = patient.getByLabel('Your data for this')
    t.equal(await own.count(), 1, 'blood pressure exists')
    t.equal(await own.inputValue(), 'scale', 'suggested by its measure')
    await patient.getByText('Until your next visit').waitFor()
    t.equal(await patient.getByLabel('You give').count(), 1, 'a choice for what is not required')
    await patient.getByLabel('You give').selectOption('read')
    await look(t, patient, 'app-people-offer')
    await patient.getByLabel('Until').fill('2024-01-31')
    await patient.getByRole('button', { name: 'Agree and share' }).click()
    await untilHeading(patient, 'You now share')
    const [peer] = await listPeers(daisy)
    t.same(
      peer.permissions.filter(({ streamId }: Answer) => !streamId.startsWith(':')),
      [
        { streamId: 'scale', level: 'read' },
        { streamId: 'blood-pressure', level: 'contribute' }
      ]
    )
    t.equal(peer.name, 'Dr Weber')
    t.ok(Math.abs(peer.expires - Date.UTC(2024, 1, 1) / 1000) < 86_400, 'the end of the last day')
    await patient.getByRole('link', { name: 'Open Dr Weber' }).click()
    await patient.getByRole('heading', { name: 'They may see' }).waitFor()
  })

  await t.test('look, and write to each other', async t => {
    await doctor.getByRole('link', { name: /daisy/ }).click()
    await doctor.locator('.given').getByText('scale', { exact: true }).waitFor()
    await doctor.getByRole('textbox', { name: 'Message' }).fill('Good morning!')
    await doctor.getByRole('button', { name: 'Send', exact: true }).click()
    await patient.getByText('Good morning!').waitFor()
    await patient.getByRole('textbox', { name: 'Message' }).fill('<b>Hello</b> doctor')
    await patient.getByRole('button', { name: 'Send', exact: true }).click()
    await doctor.getByText('<b>Hello</b> doctor').waitFor()
    t.equal(await doctor.locator('.bubble b').count(), 0, 'shown as it is')
    await patient.getByRole('link', { name: 'Activity' }).click()
    await untilHeading(patient, 'Dr Weber')
    await patient.getByRole('link', { name: 'Messages and permissions' }).click()
    await patient.getByRole('heading', { name: 'They may see' }).waitFor()
    await patient.getByRole('link', { name: 'People', exact: true }).first().click()
    await patient.getByText('· last used ').waitFor()
    await patient.getByRole('link', { name: /Dr Weber/ }).click()
    await patient.getByRole('heading', { name: 'They may see' }).waitFor()
    await look(t, patient, 'app-people-person')
    await look(t, doctor, 'app-people-conversation')
  })

  await t.test('keep a copy', async t => {
    await doctor.getByRole('button', { name: 'Keep a copy' }).click()
    await doctor.getByText('1 event. Last contact').waitFor()
    await look(t, doctor, 'app-people-copy')
    await doctor.getByRole('link', { name: 'Show the copy' }).click()
    await doctor.getByRole('grid').or(doctor.getByRole('table')).first().getByText('70').first().waitFor()
    await doctor.goBack()
    await doctor.getByText('Latest values').waitFor()
    await doctor.locator('.copy').getByRole('link', { name: 'Timeline' }).click()
    await doctor.locator('.score :text("Weight"):visible').first().waitFor()
    t.match(doctor.url(), 'timeline?of=')
    await look(t, doctor, 'app-timeline-copy')
    await doctor.goBack()
    await doctor.getByRole('button', { name: 'Erase the copy' }).waitFor()
    await until(async () => (await daisy.do('mirrors.get')).keptCopies.length === 1, 'the report')
    await patient.getByRole('link', { name: 'People', exact: true }).first().click()
    await patient.getByRole('link', { name: /Dr Weber/ }).click()
    await patient.getByText('Dr Weber keeps a copy.').waitFor()
    await look(t, patient, 'app-people-kept-copy')
  })

  await t.test('choose whose data the timeline shows', async t => {
    await doctor.getByRole('link', { name: 'Timeline', exact: true }).first().click()
    const choice = doctor.getByLabel('Whose data')
    await choice.selectOption({ label: 'daisy' })
    await doctor.locator('.score :text("Weight"):visible').first().waitFor()
    t.match(doctor.url(), /timeline\?.*of=[^&]*_followed/)
    await look(t, doctor, 'app-timeline-whose')
    await doctor.getByLabel('Whose data').selectOption({ label: 'Your own data' })
    await doctor.waitForURL(url => !url.searchParams.has('of'))
    t.equal(await doctor.getByLabel('Whose data').inputValue(), '')
    await doctor.goBack()
    await doctor.waitForURL(url => url.searchParams.has('of'))
    await doctor.getByLabel('Whose data').waitFor()
    t.match(await doctor.getByLabel('Whose data').inputValue(), ':_followed:daisy')
  })

  await t.test('search the data of others', async t => {
    await doctor.getByRole('searchbox', { name: 'Search' }).first().fill('seventy')
    await doctor.getByRole('link', { name: 'Search the data of daisy' }).click()
    await untilHeading(doctor, 'Table')
    await doctor.getByText('No events match these filters.').first().waitFor()
    t.match(doctor.url(), /streams=[^&]*_followed/)
    t.match(await doctor.getByLabel('Whose data').inputValue(), ':_followed:daisy')
    t.notMatch(await doctor.locator('main').innerText(), '_followed')
    await look(t, doctor, 'app-table-whose')
    await doctor.getByLabel('Whose data').selectOption({ label: 'Your own data' })
    await doctor.waitForURL(url => !url.searchParams.has('streams'))
    t.equal(await doctor.getByLabel('Text').inputValue(), 'seventy', 'the words stay')
    t.equal(await patient.getByLabel('Whose data').count(), 0, 'not shown without a copy')
  })

  await t.test('show the latest value of the copy in the list', async t => {
    await doctor.getByRole('link', { name: 'People', exact: true }).first().click()
    const line = doctor.getByRole('link', { name: /daisy/ })
    await line.getByText('scale: 70 kg').waitFor()
    t.notMatch(
      await line.innerText(),
      '_followed',
      'the stream has the name that it has in the other account'
    )
    await look(t, doctor, 'app-people-latest')
    await line.click()
    await doctor.getByRole('button', { name: 'Erase the copy' }).waitFor()
  })

  await t.test('ask for more, and narrow', async t => {
    await doctor.getByRole('button', { name: 'Ask for more' }).click()
    await doctor.getByRole('dialog').getByRole('searchbox').fill('heart rate')
    await doctor.getByRole('dialog').getByLabel('Heart rate', { exact: true }).check()
    await doctor.getByRole('button', { name: 'Send request' }).click()
    await patient.getByText('Asks to see:').waitFor()
    await patient.getByRole('button', { name: 'Allow' }).click()
    await patient.locator('.given').getByText('Heart rate').waitFor()
    await doctor.getByText('Changed what you may see').first().waitFor()
    const weight = patient.locator('.given li').filter({ hasText: 'scale' })
    await weight.getByRole('button', { name: 'Remove' }).click()
    await patient.getByRole('button', { name: 'Save changes' }).click()
    await weight.waitFor({ state: 'detached' })
    await patient.getByLabel('Until').fill('2024-03-15')
    await patient.getByRole('button', { name: 'Save changes' }).click()
    await patient.getByText('The new end is saved.').waitFor()
    await doctor.getByText(/^Changed what you may see, until .*15/).waitFor()
    const [peer] = await listPeers(daisy)
    t.ok(Math.abs(peer.expires - Date.UTC(2024, 2, 16) / 1000) < 86_400, 'the end has moved')
    t.same(
      peer.permissions.map(({ streamId }: Answer) => streamId).filter((id: string) => !id.startsWith(':')),
      ['blood-pressure', 'heart-rate']
    )
  })

  await t.test('revoke the access, and nothing is left', async t => {
    await patient.getByRole('button', { name: 'Revoke access' }).click()
    await patient.getByRole('dialog').getByRole('button', { name: 'Revoke access' }).click()
    await untilHeading(patient, 'People you share with')
    await untilHeading(doctor, 'This has ended')
    for (const client of [daisy, dora]) t.same(await listPeers(client), [])
    await look(t, patient, 'app-people-ended')
  })
  await leave(patient)
  await doctor.context().close()
})

t.test('requests', async t => {
  const two = await startTwo(t, [trusted])
  const page = await two.app.enter('/app/daisy/people')
  await t.test('of apps that open the page', async t => await openByApps(t, two, page))
  await t.test('that are hostile', async t => await openHostile(t, two, page))
  await t.test('of an OAuth client', async t => await openByOAuth(t, two, page))
  await page.context().close()
})

async function openHostile(t: Test, { app: { daisy }, dora }: Two, page: Page): Promise<void> {
  const countPeers = async (): Promise<number> => (await listPeers(daisy)).length
  const before = await countPeers()
  const open = async (link: string): Promise<void> => {
    await go(page, '/app/daisy/people')
    await page.getByLabel('Link').fill(link)
    await page.getByRole('button', { name: 'Open request' }).click()
  }
  const test = inRotation(t, 2)

  await test('are shown as text, with the name that the server confirms', async t => {
    const text = '<img src=x onerror=alert(1)>\u202Egnp.exe **bold**'
    const { content } = await offer(dora, {
      request: {
        title: { en: text },
        description: { en: text },
        consent: { xx: text },
        permissions: [
          { streamId: '<b>x</b>', level: 'read', defaultName: text },
          { streamId: '*', level: 'manage' },
          { feature: 'selfRevoke', setting: 'forbidden' }
        ]
      },
      requesterMeta: { displayName: 'Your bank\u202E', appId: 'x' }
    })
    await open(content.capabilityUrl)
    await untilHeading(page, 'Your bank asks for your data')
    await page.getByText('“Your bank” is the name they chose themselves.').waitFor()
    await page.getByText('dora-doctor on 127.0.0.1').waitFor()
    await page.getByText('You can only accept all of it.').waitFor()
    t.equal(await page.locator('main img').count(), 0)
    t.notMatch(await page.locator('main').innerText(), '\u202E')
    await look(t, page, 'app-people-hostile')
    await page.getByRole('button', { name: 'Decline' }).click()
    await untilHeading(page, 'Declined')
    t.equal(await countPeers(), before)
  })

  await test('that are none, are used up, or come from nowhere say so', async t => {
    const { request } = await relate({ dora, paul: daisy } as Parameters<typeof relate>[0])
    for (const [link, message] of [
      ['nonsense', 'This is not a link to a request'],
      ['http://token@127.0.0.1:9/nobody/', 'can’t be reached right now'],
      [(await offer(daisy)).content.capabilityUrl, 'or this is your own request']
    ] as const) {
      await open(link)
      await page.getByText(message).first().waitFor()
    }
    await open(request.content.capabilityUrl)
    await page.getByRole('button', { name: 'Agree and share' }).click()
    await untilHeading(page, 'This didn’t work')
    await page.getByText('the request was answered or closed before').waitFor()
    t.equal(await countPeers(), before + 1)
  })
}

async function agree(page: Page): Promise<void> {
  await untilHeading(page, 'Dr. Dora asks for your data')
  await page.getByRole('button', { name: 'Agree and share' }).click()
}

async function openByApps(t: Test, { app: { daisy, url }, dora }: Two, first: Page): Promise<void> {
  const other = 'https://other.example'
  await daisy.stream('health')
  await daisy.stream('diary')
  // Its requests to the apps are expected.
  const page = await first.context().newPage()
  for (const origin of [trusted, other])
    await page
      .context()
      .route(`${origin}/**`, route => route.fulfill({ body: 'the app', contentType: 'text/html' }))
  const query = async (more: Record<string, string>): Promise<string> => {
    const { capabilityUrl } = (await offer(dora)).content
    return new URLSearchParams({
      capabilityUrl,
      scopeStreamId: scope,
      pryvApi: `${url}/service/info`,
      ...more
    }).toString()
  }
  /** Accepts a request in a window that a page of the app opens, and returns the messages that this page receives. */
  const receive = async (claimed: string): Promise<Answer> => {
    await page.goto(`${trusted}/`)
    const target = `${url}/cmc-accept?${await query({ returnUrl: `${claimed}/`, mode: 'popup' })}`
    const opening = page.context().waitForEvent('page')
    await page.evaluate(
      `window.results = []; addEventListener('message', event => results.push([event.origin, event.data])); void open(${JSON.stringify(target)})`
    )
    const popup = await opening
    const closed = popup.waitForEvent('close')
    await agree(popup)
    await closed
    return await page.evaluate('results')
  }
  await t.test(
    'and get the result by a redirect, with a token only where the operator trusts them',
    async t => {
      for (const origin of rotate(t, [trusted, other])) {
        await page.goto(
          `${url}/cmc-accept?${await query({ returnUrl: `${origin}/back?a=b`, mode: 'redirect' })}`
        )
        await page.getByText(`You then return to ${origin}.`).waitFor()
        await agree(page)
        await page.waitForURL(`${origin}/**`)
        const { searchParams } = new URL(page.url())
        t.equal(searchParams.get('a'), 'b')
        const result = JSON.parse(searchParams.get('cmcAcceptResult')!)
        t.match(result, { ok: true, acceptEventId: String })
        t.equal(typeof result.dataGrantApiEndpoint, origin === trusted ? 'string' : 'undefined')
        const { event } = await daisy.do('events.getOne', { id: result.acceptEventId })
        t.same([event.streamIds, event.content.status], [[scope], 'completed'])
      }
    }
  )

  await t.test('or by a message to the window that opened it, and to no other origin', async t => {
    const result = {
      type: 'cmc-accept-result',
      ok: true,
      acceptEventId: String,
      dataGrantApiEndpoint: String
    }
    // The origin that the redirects did not return to.
    for (const origin of rotate(t, [other, trusted])) {
      const received = await receive(origin)
      if (origin === trusted) t.match(received, [[url, result]])
      else t.same(received, [])
    }
  })

  await t.test('for a request for more', async t => {
    const [peer] = await listPeers(daisy)
    const { collectors } = {
      collectors: peer.permissions.find(({ streamId }: Answer) => streamId.includes(':collectors:')).streamId
    }
    const [back] = await listPeers(dora)
    const stream = back.permissions.find(({ streamId }: Answer) => streamId.includes(':collectors:')).streamId
    await write(
      dora,
      'consent/scope-request-cmc',
      { newPermissions: [{ streamId: 'diary', level: 'read' }] },
      stream
    )
    let id = ''
    while (id === '') {
      const { events } = await daisy.do('events.get', {
        streams: [collectors],
        types: ['consent/scope-request-cmc']
      })
      id = events[0]?.id ?? ''
    }
    const asked = new URLSearchParams({ scopeRequestEventId: id, returnUrl: `${trusted}/`, mode: 'redirect' })
    await page.goto(`${url}/cmc-scope-update?${asked.toString()}`)
    await page.getByRole('button', { name: 'Decline' }).click()
    await page.waitForURL(`${trusted}/**`)
    const result = JSON.parse(new URL(page.url()).searchParams.get('cmcScopeUpdateResult')!)
    t.match(result, { ok: true, action: 'refuse', updateEventId: String })
  })
  await page.close()
}

/** Opens the page as an OAuth client does that asks for an offer to be accepted. */
async function openByOAuth(t: Test, { app: { daisy, service, url }, dora }: Two, page: Page): Promise<void> {
  const before = await listPeers(daisy)
  const { content } = await offer(dora, { capability: { mode: 'open-link' } })
  const redirectUri = `${url}/access/facts.json`
  const client = {
    id: 'study-app',
    name: 'Study app',
    created: service.clock.now(),
    redirectURIs: [redirectUri]
  }
  const offers = { study: content.capabilityUrl }
  await service.call(undefined, 'test.addClient', { client: { ...client, offers } })
  const ask = async (): Promise<string> => {
    const params = { client_id: client.id, redirect_uri: redirectUri, scope: 'cmc:study' }
    return (await begin(service, params)).location.href
  }
  const declined = rotate(t, [['Decline', 'access_denied'] as const], 2)
  for (const [button, expected] of [...declined, ['Agree and share', undefined] as const]) {
    await page.goto(await ask())
    await untilHeading(page, 'Dr. Dora asks for your data')
    t.notMatch(page.url(), /state=/, 'the address keeps nothing')
    await page.getByText(`You then return to ${url}.`).waitFor()
    await page.getByRole('button', { name: button }).click()
    await page.waitForURL(address => address.href.startsWith(redirectUri))
    const query = new URL(page.url()).searchParams
    t.equal(query.get('error') ?? undefined, expected)
    t.equal(query.get('state'), 'a-state')
  }
  t.equal((await listPeers(daisy)).length, before.length + 1)
}
