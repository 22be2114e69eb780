/** Hostile data, links and sessions: no page executes them, fails on them, or keeps data of an ended session. */
import t from 'tap'
import type { Page, Request } from 'playwright-core'
import { go, startApp } from '../../support/app.js'
import { leave, untilHeading } from '../../support/browser.js'
import { password, signIn } from '../../support/pages.js'
import type { Client } from '../../support/coffer.js'
import { inRotation, rotate } from '../../support/rotation.js'

/** Text that would execute if a page treated it as markup. */
const markup = `"><img src=x onerror="pwned=1"><script>pwned=1</script><svg onload=pwned=1>javascript:pwned=1 {name} \u202egnp.exe\u0000\n\u2028\u200b${'\u0301'.repeat(60)}`
/** Names that every object inherits. */
const inherited = ['constructor', '__proto__']

t.test('hostile data', async t => {
  const { daisy, enter, service } = await startApp(t)
  const now = service.clock.now()
  const ids = await plant(daisy, now)

  await t.test('is neither executed nor breaks a page', async t => {
    const page = await enter('/app/daisy/streams')
    const troubles = watched(page)
    const answered = requestsOf(page)
    const { accesses } = await daisy.do('accesses.get')
    const places = [
      'today',
      'measures',
      'report',
      'report?days=365',
      'report?days=constructor',
      'import',
      'connect',
      'timeline',
      `timeline?lanes=${encodeURIComponent('@constructor,@own-0/__proto__,@weight/huge,@own-3')}`,
      `timeline?lanes=${encodeURIComponent(ids.streams.slice(0, 12).join(','))}`,
      `timeline?lanes=${encodeURIComponent(ids.streams.slice(12, 24).join(','))}`,
      'timeline?from=-8e9&to=8e9&at=1e999&lanes=constructor,__proto__',
      ...ids.streams.map(id => `streams/${encodeURIComponent(id)}`),
      ...ids.events.map(id => `events/${encodeURIComponent(id)}`),
      'table',
      'table?sort=up',
      ...inherited.map(name => `table?type=${name}`),
      ...inherited.map(name => `table?type=mass/${name}`),
      'table?streams=__proto__&type=__proto__&text=%22&from=99999-99-99&to=000000-01-01&least=1e999&most=-',
      'map?span=all',
      'map?span=constructor&to=1e300&event=__proto__',
      'photos',
      'shared',
      ...(accesses as { id: string }[]).map(({ id }) => `shared/${id}`),
      'shared/__proto__',
      'account'
    ]
    const begun = Date.now()
    const chosen = rotate(t, places, 8)
    for (const place of chosen) {
      troubles.length = 0
      await go(page, `/app/daisy/${place}`)
      const text = await shownBy(page, answered)
      const name = place.slice(0, 80)
      t.same(troubles, [], `${name}: nothing is thrown or refused`)
      t.ok(text.length > 3, `${name} shows something`)
      t.notMatch(text, /native code|\[object|\bNaN\b|\bundefined\b|∞|Infinity/, `${name} shows no insides`)
      t.equal(await page.evaluate('"pwned" in window'), false, `${name} runs nothing`)
    }
    t.comment(`${chosen.length} places in ${Date.now() - begun} ms`)
    await leave(page)
  })
})

t.test('ended sessions', async t => {
  const { daisy, enter, register, service, url } = await startApp(t)
  await register('gerda')
  await daisy.stream('secrets')
  await daisy.event({ streamIds: ['secrets'], content: 'a secret of mine' })
  const test = inRotation(t, 2)

  await test('signing out in one tab clears the others', async () => {
    const page = await enter('/app/daisy/table')
    await page.getByText('a secret of mine').waitFor()
    await page.getByText('Live', { exact: true }).waitFor()
    const other = await page.context().newPage()
    await other.goto(`${url}/app/`)
    await other.getByRole('button', { name: 'Account: daisy' }).click()
    await other.getByRole('button', { name: 'Sign out' }).click()
    await untilHeading(other, 'Sign in')
    await page.getByText('Your session has expired').waitFor()
    await leave(page)
  })

  await test('a page restored from the history checks the session', async t => {
    const page = await enter('/app/daisy/table')
    await page.getByText('a secret of mine').waitFor()
    await page.getByText('Live', { exact: true }).waitFor()
    // Its socket stays open, so nothing else reports it.
    await page.context().clearCookies()
    await page.evaluate(`dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true }))`)
    await page.getByText('Your session has expired').waitFor()
    t.equal(await page.getByText('secret').count(), 0)
    await leave(page)
  })

  await t.test('the next user sees nothing of the previous one', async t => {
    const page = await enter('/app/daisy/table?text=secret')
    const troubles = watched(page)
    await page.getByText('a secret of mine').waitFor()
    await page.getByText('Live', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'Download', exact: true }).click()
    const saved = page.waitForEvent('download')
    await page.getByRole('button', { name: 'JSON' }).click()
    await (await saved).delete()
    await page.locator('.toast').waitFor()
    await page.locator('.lid .add').click()
    await page.getByRole('dialog').waitFor()
    // Another user has signed in, in another tab: the cookie is theirs.
    const { headers } = await service.http(
      'POST',
      '/gerda/auth/login',
      { username: 'gerda', password, appId: 'coffer-app' },
      { 'Coffer-App': '1', Origin: url }
    )
    const [name = '', value = ''] = headers
      .getSetCookie()
      .find(each => each.startsWith('coffer-session='))!
      .split(';', 1)[0]!
      .split('=')
    await page.context().addCookies([{ name, value, url }])
    await daisy.stream('more')
    await page.getByText('Your session has expired').waitFor()
    t.notMatch(await page.locator('body').innerHTML(), /secret/, 'nothing is left below the sign-in')
    await signIn(page, 'gerda')
    await page.locator('.lid').waitFor()
    t.equal(page.url(), `${url}/app/gerda/today`)
    await page.waitForLoadState('networkidle')
    t.equal(await page.getByRole('dialog').count(), 0, 'no dialog of theirs is open')
    t.equal(await page.locator('.toast').count(), 0, 'nor does anything tell what they have done')
    t.notMatch(await page.locator('body').innerHTML(), /secret|daisy/i)
    await page.goBack()
    await page.waitForLoadState('networkidle')
    t.notMatch(await page.locator('body').innerHTML(), /secret|daisy/i)
    t.same(
      troubles.filter(each => !/401/.test(each)),
      []
    )
    await leave(page)
  })
})

t.test('links', async t => {
  const { daisy, open, service, url } = await startApp(t)
  for (const id of ['weight', 'secrets']) {
    await daisy.stream(id)
    await daisy.event({ streamIds: [id], content: `a word of ${id}` })
  }
  const share = async (fields: object = {}): Promise<Client> =>
    await daisy.grantAll(
      [
        { streamId: 'weight', level: 'read' },
        { streamId: 'secrets', level: 'read' }
      ],
      { type: 'shared', ...fields }
    )

  await t.test('that are malformed open nothing', async t => {
    const page = await open('/access/facts.json')
    const troubles = watched(page)
    const malformed = [
      '#',
      '#daisy.',
      '#.x',
      '#daisy.<img src=x>',
      '#daisy.%',
      `#${'a.'.repeat(5000)}`,
      '#__proto__.constructor'
    ]
    for (const garbage of [...rotate(t, malformed, 3), `#daisy.${daisy.token}`]) {
      troubles.length = 0
      // Otherwise only the fragment would change.
      await page.goto('about:blank')
      await page.goto(`${url}/app/shared${garbage}`)
      await page.getByRole('heading', { level: 1 }).waitFor()
      t.equal(await page.locator('.lid').count(), 0, garbage.slice(0, 40))
      t.notMatch(await page.evaluate('location.href + JSON.stringify(history.state)'), daisy.token)
      t.notMatch(await page.locator('body').innerText(), /a word of/)
      t.same(
        troubles.filter(each => !/40[0134]/.test(each)),
        []
      )
    }
    await leave(page)
  })

  await t.test('that are revoked clear the page', async t => {
    const link = await share()
    const page = await open('/access/facts.json')
    await page.goto(`${url}/app/shared#daisy.${link.token}`)
    await page.getByText('Live', { exact: true }).waitFor()
    await page.getByRole('link', { name: 'Table' }).first().click()
    await page.getByText('a word of secrets').waitFor()
    await daisy.do('accesses.delete', { id: link.access.id })
    await page.locator('.lid').waitFor({ state: 'detached' })
    t.notMatch(await page.locator('body').innerText(), /a word of|secrets/)
    await page.goBack()
    t.notMatch(await page.locator('body').innerText(), /a word of|secrets/)
    await leave(page)
  })

  await t.test('the app cannot be framed, and its URLs redirect to no other site', async t => {
    for (const path of ['/app/', '/app/daisy/timeline', '/app/shared', '/app/daisy/streams/app/x']) {
      const { headers, body } = await service.http('GET', path)
      t.match(headers.get('content-security-policy'), "frame-ancestors 'none'")
      t.match(headers.get('content-security-policy'), "require-trusted-types-for 'script'")
      t.equal(headers.get('referrer-policy'), 'no-referrer')
      const [, script = ''] = /src="([^"]+)"/.exec(String(body)) ?? []
      t.match(new URL(script, url + path).pathname, /^\/app\/assets\//, `${path} finds its files`)
    }
  })
})

/** Fills an account with data that no honest app writes. Returns the ids to visit. */
async function plant(daisy: Client, now: number): Promise<{ streams: string[]; events: string[] }> {
  const streams: string[] = []
  const events: string[] = []
  const stream = async (id: string, fields: object = {}): Promise<string> => {
    await daisy.do('streams.create', { id, name: `${id} ${markup}`, ...fields })
    streams.push(id)
    return id
  }
  const event = async (fields: object): Promise<void> => {
    const made = await daisy.do('events.create', { time: now - 3600, description: markup, ...fields })
    events.push(made.event.id as string)
  }
  await stream('odd', { clientData: { 'coffer:colour': 'red;}</style>', __proto__: 1 } })
  for (const [index, name] of inherited.entries()) {
    const own = await stream(`names-${index}`, { clientData: { 'coffer:colour': name } })
    if (name.startsWith('_')) continue
    for (const type of [`mass/${name}`, `${name}/${name}`, `temperature/${name}`, `money/${name}`])
      await event({ streamIds: [own], type, content: 12 })
    const other = await stream(`marks-${index}`)
    await event({ streamIds: [other], type: `${name}/text`, content: name })
  }
  const numbers: [string, number[]][] = [
    ['huge', [1e308, -1e308, 0]],
    ['tiny', [-5e-324, 5e-324, 0]],
    ['zero', [-0, 0]],
    ['near', [1, 1 + Number.EPSILON]],
    ['big', [2 ** 53, 2 ** 53 + 2]]
  ]
  for (const [id, values] of numbers) {
    await stream(id)
    for (const [index, content] of values.entries())
      for (const type of ['mass/kg', 'count/steps'])
        await event({ streamIds: [id], type, content, time: now - 86_400 * (index + 1) })
  }
  for (const [id, time] of [
    ['first', -8.64e12],
    ['last', 8.64e12]
  ] as const) {
    await stream(id)
    for (const duration of [0, null, 1e15])
      await event({ streamIds: [id], type: 'activity/plain', time, duration, content: null })
    await event({ streamIds: [id], type: 'mass/kg', time, content: 1 })
    await event({
      streamIds: [id],
      type: 'sleep/analysis',
      time,
      duration: 3600,
      content: { analysis: 'asleep' }
    })
  }
  await stream('kinds')
  for (const [type, content] of [
    ['note/html', markup],
    ['note/txt', markup.repeat(100)],
    ['url/http', 'http://javascript:pwned=1'],
    ['sleep/other', 'no object'],
    ['sleep/other', { analysis: markup, stage: ['deep'] }],
    ['blood-pressure/mmhg-bpm', { systolic: 1e308, diastolic: -1e308, rate: 1 }],
    ['blood-pressure/other', { systolic: '120', diastolic: {} }],
    ['position/wgs84', { latitude: 90, longitude: -180, horizontalAccuracy: 1e308, speed: 1e308 }],
    ['odd/thing', { [markup]: { deep: [[[[markup]]]] }, __proto__: 1 }],
    ['odd/list', Array.from({ length: 500 }, () => markup)],
    ['odd/text', '1e999 '.repeat(2000)],
    ['odd/none', null],
    ['odd/no', false]
  ] as const)
    await event({ streamIds: ['kinds'], type, content, clientData: { [markup]: markup } })
  await plantMeasures(daisy, now)
  for (const app of ['one', 'two'])
    await daisy.do('accesses.create', {
      name: `${app} ${markup}`,
      deviceName: markup,
      type: 'app',
      permissions: [{ streamId: 'odd', level: 'manage' }],
      clientData: { [markup]: { a: markup }, description: markup }
    })
  return { streams, events }
}

/** Adds measures, cards and goals that no honest app writes, and values at all limits today and before. */
async function plantMeasures(daisy: Client, now: number): Promise<void> {
  const own = {
    name: markup.slice(0, 200),
    icon: '__proto__',
    hue: 0,
    quickValues: [markup.slice(0, 200), 1e308, -0, '']
  }
  const forms: [kind: string, types: string[], others?: object][] = [
    ['level', ['mass/kg'], { choices: [{ value: 1e308, name: markup.slice(0, 200) }, { value: 'x' }] }],
    ['sum', ['count/constructor', 'count/steps']],
    ['pair', ['blood-pressure/mmhg-bpm'], { fields: ['__proto__.x', 'constructor'] }],
    ['level', ['temperature/c'], { unit: { shown: 'mass/__', offered: [], byRegion: { __proto__: 'a/b' } } }],
    ['category', ['boolean/bool', 'odd/list']],
    ['span', ['time/s', 'activity/plain']],
    ['text', ['note/txt']],
    ['sum', ['money/xxx', 'money/constructor']]
  ]
  const measures = forms.map(([kind, types, others], index) => ({
    id: `own-${index}`,
    ...own,
    kind,
    types,
    ...others
  }))
  const goals = Object.fromEntries(
    [...measures.map(({ id }) => id), 'weight', 'steps', 'sleep', ...inherited].map(id => [
      id,
      { period: 'week', min: -1e308, max: 1e308, weekdays: [markup, 8] }
    ])
  )
  await daisy.do('profile.update', {
    id: 'private',
    update: {
      'coffer:measures': [...measures, { id: 'weight' }, markup],
      'coffer:today': { cards: [...inherited, ...measures.map(({ id }) => id), markup, 7], hidden: 'all' },
      'coffer:goals': goals,
      'coffer:person': { name: markup, birth: '9999-99-99' }
    }
  })
  const marked = async (
    measure: string,
    contents: readonly (readonly [type: string, content: unknown, fields?: object])[]
  ) => {
    const id = `of-${measure}`
    await daisy.do('streams.create', {
      id,
      name: `${id} ${markup}`,
      clientData: { 'coffer:measure': measure }
    })
    for (const [type, content, fields] of contents)
      await daisy.event({ streamIds: [id], type, content, time: now - 60, ...fields })
  }
  const extremes = [1e308, 1e308, -1e308, -0, 5e-324]
  await marked(
    'weight',
    extremes.map(content => ['mass/kg', content] as const)
  )
  await marked(
    'steps',
    extremes.map((content, index) => ['count/steps', content, { duration: index * 1800 }] as const)
  )
  await marked('own-0', [['mass/kg', 1e308]])
  await marked('own-1', [
    ['count/constructor', 1e308],
    ['count/constructor', 1e308]
  ])
  await marked('own-2', [['blood-pressure/mmhg-bpm', { systolic: 1e308, diastolic: -0 }]])
  await marked('own-3', [['temperature/c', -1e308]])
  await marked('own-4', [
    ['boolean/bool', true],
    ['odd/list', [markup]]
  ])
  await marked('own-5', [
    ['time/s', 1e308],
    ['activity/plain', null, { duration: 1e15, time: -1e12 }]
  ])
  await marked('own-7', [
    ['money/constructor', 1e308],
    ['money/xxx', 1e308]
  ])
  await marked('mood', [['mood/rating', 0.5]])
  await marked('sleep', [
    ['sleep/analysis', { analysis: 'asleep' }, { time: now - 30_000, duration: 20_000 }],
    ['sleep/analysis', { analysis: 'inBed' }, { time: now - 60_000, duration: null }],
    ['sleep/analysis', { analysis: 'asleep' }, { time: -1e9, duration: 1e10 }]
  ])
  await marked('__proto__', [['mass/kg', 1]])
}

/** Collects all errors of a page, including those only in its console. */
function watched(page: Page): string[] {
  const troubles: string[] = []
  page.on('pageerror', error => troubles.push(error.stack ?? error.message))
  page.on('console', message => {
    if (message.type() === 'error') troubles.push(`${message.text()} ${message.location().url}`)
  })
  page.on('dialog', dialog => {
    troubles.push(`asked ${dialog.message()}`)
    void dialog.dismiss()
  })
  return troubles
}

/** Counts the requests of a page. The result resolves once all of them are complete. */
function requestsOf(page: Page): () => Promise<void> {
  const open = new Set<Request>()
  page.on('request', request => open.add(request))
  page.on('requestfinished', request => open.delete(request))
  page.on('requestfailed', request => open.delete(request))
  return async () => {
    while (open.size > 0)
      await Promise.race(
        ['requestfinished', 'requestfailed'].map(of => page.waitForEvent(of as 'requestfinished'))
      )
  }
}

/** Returns the text of a page once all its requests are complete and rendered. */
async function shownBy(page: Page, answered: () => Promise<void>): Promise<string> {
  // A page sends requests when it is rendered, and again after it has rendered the responses.
  for (let turn = 0; turn < 2; turn++) {
    await page.evaluate('new Promise(done => requestAnimationFrame(() => setTimeout(done)))')
    await answered()
    await page.locator('main .loading').waitFor({ state: 'detached' })
  }
  return await page.locator('main').innerText()
}
