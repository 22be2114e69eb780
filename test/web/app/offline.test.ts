/** The app while the server is unreachable, and what it stores on the device. (docs/app.md#offline) */
import type { BrowserContextOptions, Page } from 'playwright-core'
import t from 'tap'
import { desk, go, startApp } from '../../support/app.js'
import { untilHeading, visit, Watch } from '../../support/browser.js'
import { Front } from '../../support/front.js'
import { look } from '../../support/look.js'
import { signIn } from '../../support/pages.js'
import { inRotation, rotate } from '../../support/rotation.js'

const unreachable = 'Server unreachable'
const secret = 'A secret of Daisy'

t.test('the app without the server', async t => {
  // Below a path, as behind a proxy.
  const front = await Front.start(t, '/below/it')
  const { browser, daisy, service } = await startApp(t, { publicUrl: front.url })
  front.target = service.server.url
  await daisy.stream('diary')
  const { id } = await daisy.event({ content: secret })
  const open = async (options: BrowserContextOptions): Promise<Page> => {
    const page = await visit(browser, { ...desk, serviceWorkers: 'allow', ...options })
    const watch = new Watch(page, front.url)
    page.once('close', () => t.same(watch.troubles, [], 'nothing went wrong'))
    await page.goto(`${front.url}/app/`)
    return page
  }
  const come = async (): Promise<Page> => {
    const page = await open({})
    await signIn(page, 'daisy')
    await page.locator('.lid').waitFor()
    await page.evaluate(untilKept)
    return page
  }
  const page = await come()
  const test = inRotation(t, 2)

  await t.test('can be installed by browsers', async t => {
    const manifest = await page.evaluate<{
      icons: { src: string; sizes: string }[]
      start: string
    }>(`(async () => {
      const { href } = document.querySelector('link[rel=manifest]')
      const { icons, start_url } = await (await fetch(href)).json()
      return { start: new URL(start_url, href).href, icons: await Promise.all(icons.map(async ({ src, sizes }) => {
        const url = new URL(src, href)
        const { width, height } = await createImageBitmap(await (await fetch(url)).blob())
        return { src: url.pathname, sizes: width + 'x' + height + ' is ' + sizes }
      })) }
    })()`)
    t.equal(manifest.start, `${front.url}/app/`)
    t.same(
      manifest.icons.map(({ sizes }) => sizes),
      ['192x192 is 192x192', '512x512 is 512x512', '192x192 is 192x192', '512x512 is 512x512']
    )
    t.ok(manifest.icons.every(({ src }) => src.startsWith('/below/it/app/assets/')))
  })

  await t.test('shows an error without data after a reload while the server is stopped', async t => {
    await page.goto(`${front.url}/app/daisy/events/${id}`)
    await page.getByText(secret).first().waitFor()
    await front.stop()
    await page.reload()
    await untilHeading(page, unreachable)
    const said = await page.getByRole('status').innerText()
    t.match(said, 'none of it is stored on this device')
    t.notMatch(await page.content(), secret)
    await look(t, page, 'app-unreachable')
    // The URL is still that of the page, which recovers by itself.
    await front.resume()
    await page.getByText(secret).first().waitFor()
    t.equal(page.url(), `${front.url}/app/daisy/events/${id}`)
  })

  await test('shows the same for errors of a proxy and for a server that does not respond', async () => {
    front.mood = 'failing'
    await page.reload()
    await untilHeading(page, unreachable)
    front.mood = 'open'
    await page.getByText(secret).first().waitFor()
    front.mood = 'silent'
    await page.reload()
    await page.getByText('Server unreachable. Check your connection').waitFor()
    front.mood = 'open'
    await page.reload()
    await page.getByText(secret).first().waitFor()
  })

  await t.test('says it once on an open page, refuses to add, and recovers', async t => {
    for (const [index, type] of ['mass/kg', 'count/steps', 'note/txt'].entries()) {
      await daisy.stream(`lane-${index}`)
      await daisy.event({
        streamIds: [`lane-${index}`],
        type,
        content: type === 'note/txt' ? 'hello' : 60 + index
      })
    }
    const places = ['today', 'table', 'map', 'shared', 'photos', 'timeline']
    for (const place of rotate(t, places, 3)) {
      await go(page, '/below/it/app/daisy/streams')
      await page.locator('.page.streams h1').waitFor()
      await front.stop()
      await page.locator(`a[href$="/daisy/${place}"]`).first().click()
      const banner = page.getByText('Server unreachable. You see what was loaded before')
      await banner.waitFor()
      await page.locator(`.page.${place}`).waitFor()
      t.equal(
        (await page.locator('body').innerText()).split('Server unreachable').length - 1,
        1,
        `once: ${place}`
      )
      if (place === 'timeline') {
        await look(t, page, 'app-offline')
        await page.locator('.lid .add').click()
        await page.getByText('You can’t add anything now').waitFor()
        t.equal(await page.getByRole('dialog').count(), 0)
      }
      await front.resume()
      await banner.waitFor({ state: 'detached' })
      if (place === 'today') await page.locator('[data-measure=steps]').waitFor()
      if (place === 'table') await page.getByText('hello').first().waitFor()
      if (place === 'timeline') await page.locator('figure[data-lane]').first().waitFor()
    }
  })

  await test('uses the language of the user for it', async () => {
    const french = await open({ locale: 'fr-CH' })
    await french.evaluate(untilKept)
    await front.stop()
    await french.reload()
    await untilHeading(french, 'Serveur injoignable')
    await front.resume()
    await french.context().close()
  })

  await t.test('stores only files of the build, even after signing out', async t => {
    const assertShell = async (): Promise<void> => {
      const kept = await page.evaluate<Kept>(whatIsKept)
      t.same({ ...kept, urls: [] }, { urls: [], databases: [], local: [], session: [], cookie: '' })
      const others = kept.urls.filter(url => !/^\/below\/it\/app\/(?:assets\/[\w.-]+)?$/.test(url))
      t.same(others, [], 'nothing else')
      t.ok(kept.urls.length > 10 && kept.urls.includes('/below/it/app/'), 'the shell is')
      t.notMatch(await page.evaluate<string>(textsKept), /daisy|A secret/)
    }
    await page.goto(`${front.url}/app/daisy/table`)
    await page.getByText(secret).first().waitFor()
    await assertShell()
    await page.getByRole('button', { name: 'Account: daisy' }).click()
    const signedOut = page.waitForResponse('**/auth/logout')
    await page.getByRole('button', { name: 'Sign out' }).click()
    await untilHeading(page, 'Sign in')
    await signedOut
    await assertShell()
    t.same(await page.context().cookies(), [])
    await front.stop()
    await page.goto(`${front.url}/app/daisy/events/${id}`)
    await untilHeading(page, unreachable)
    await front.resume()
    await untilHeading(page, 'Sign in')
  })

  await test('replaces a build by the next one as a whole', async t => {
    const [style = ''] = (await (await fetch(`${front.url}/app/`)).text()).match(/app-[\w-]+\.css/) ?? []
    front.rewrite = {
      asked: path => path.replace('next.css', style),
      answered: text => text.replaceAll(style, 'next.css').replace(/version:`[^`]+`/, 'version:`next`')
    }
    const styles = async (): Promise<string[]> =>
      (await page.evaluate<Kept>(whatIsKept)).urls.filter(url => /\/(?:app-[\w-]+|next)\.css$/.test(url))
    const before = await page.evaluate<string[]>('caches.keys()')
    // A second page still needs the files of the old build.
    const second = await page.context().newPage()
    await second.goto(`${front.url}/app/`)
    // Requests that a closed page leaves pending keep its worker alive for minutes.
    await untilHeading(second, 'Sign in')
    await second.waitForLoadState('networkidle')
    await second.evaluate(untilWaiting)
    await page.reload()
    await untilHeading(page, 'Sign in')
    const both = await page.evaluate<string[]>('caches.keys()')
    t.same(both.toSorted(), [...before, 'coffer /below/it/app/ next'].toSorted())
    await second.close()
    // The remaining page activates the new worker when it is reloaded, once the browser has removed the other page.
    do {
      await page.reload()
      await untilHeading(page, 'Sign in')
    } while (!(await page.evaluate(isAlone)))
    t.same(await page.evaluate('caches.keys()'), ['coffer /below/it/app/ next'])
    t.same(await styles(), ['/below/it/app/assets/next.css'])
    await front.stop()
    await page.reload()
    await untilHeading(page, unreachable)
    t.equal(await page.locator('link[href$="next.css"]').count(), 1)
    await front.resume()
    await untilHeading(page, 'Sign in')
  })

  await test('does not store a build that is replaced while it is downloaded', async t => {
    front.rewrite = {
      asked: path => path,
      answered: text =>
        text.replace(/version:`[^`]+`/, 'version:`late`').replace(/main:`[^`]+`/, 'main:`gone.js`')
    }
    const installed = await page.evaluate(`(async () => {
      const registration = await navigator.serviceWorker.getRegistration()
      const { promise, resolve } = Promise.withResolvers()
      const follow = worker => worker?.addEventListener('statechange', () => resolve(worker.state))
      registration.addEventListener('updatefound', () => follow(registration.installing))
      follow(registration.installing)
      const pause = () => new Promise(done => setTimeout(done, 1000))
      // The browser may be checking for an update by itself: this one joins that, and its event may have been missed.
      for (let state; ; ) {
        await registration.update().catch(() => undefined)
        state = await Promise.race([promise, pause()])
        if (state !== undefined) return state
      }
    })()`)
    t.equal(installed, 'redundant')
  })
  await page.close()
})

interface Kept {
  readonly urls: readonly string[]
  readonly databases: readonly string[]
  readonly local: readonly string[]
  readonly session: readonly string[]
  readonly cookie: string
}

/** Run in the page: waits until the worker has cached the files and controls the page. */
const untilKept = `(async () => {
  await navigator.serviceWorker.ready
  if (!navigator.serviceWorker.controller)
    await new Promise(resolve => navigator.serviceWorker.addEventListener('controllerchange', resolve, { once: true }))
})()`

/** Run in the page: returns whether soon only the files of one build are cached. */
const isAlone = `(async () => {
  const end = performance.now() + 2000
  const isOne = async () => (await caches.keys()).length === 1
  while (!(await isOne()) && performance.now() < end) await new Promise(resolve => setTimeout(resolve, 20))
  return await isOne()
})()`

/** Run in the page: waits until the worker of another build is waiting. */
const untilWaiting = `(async () => {
  const registration = await navigator.serviceWorker.ready
  await registration.update()
  const next = registration.installing ?? registration.waiting
  if (next.state !== 'installed')
    await new Promise(resolve => next.addEventListener('statechange', resolve, { once: true }))
})()`

/** Run in the page: returns the paths of all cached files, and the names of everything else that is stored. */
const whatIsKept = `(async () => {
  const caches_ = await Promise.all((await caches.keys()).map(name => caches.open(name)))
  const requests = (await Promise.all(caches_.map(cache => cache.keys()))).flat()
  return {
    urls: requests.map(({ url }) => new URL(url).pathname),
    databases: (await indexedDB.databases()).map(({ name }) => name),
    local: Object.keys(localStorage),
    session: Object.keys(sessionStorage),
    cookie: document.cookie
  }
})()`

/** Run in the page: returns the texts of all cached files. */
const textsKept = `(async () => {
  const caches_ = await Promise.all((await caches.keys()).map(name => caches.open(name)))
  const answers = (await Promise.all(caches_.map(cache => cache.matchAll()))).flat()
  return (await Promise.all(answers.map(answer => answer.text()))).join('\\n')
})()`
