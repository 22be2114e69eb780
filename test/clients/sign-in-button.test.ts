/**
 * The published sign-in button, on the page of an app of another origin, in a real browser.
 * (docs/spec/compatibility.md#what-clients-rely-on)
 */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { build } from 'vite'
import { untilHeading, visit } from '../support/browser.js'
import { appId, permissions, signIn, startPages } from '../support/pages.js'

/** Bundles the library as a browser script, as apps do. */
async function bundle(t: Test): Promise<string> {
  const entry = join(t.testdir(), 'entry.js')
  const library = createRequire(import.meta.url).resolve('pryv')
  writeFileSync(entry, `import pryv from ${JSON.stringify(library)}; window.pryv = pryv`)
  const built = await build({
    configFile: false,
    logLevel: 'silent',
    build: { write: false, minify: false, lib: { entry, formats: ['iife'], name: 'bundle' } }
  })
  const outputs = (Array.isArray(built) ? built : [built]) as { output: { code: string }[] }[]
  return outputs[0]!.output[0]!.code
}

/** Starts an app with a page and a button, on a separate origin. Returns its URL. */
async function startApp(t: Test, service: string, authRequest: object): Promise<string> {
  const script = await bundle(t)
  const settings = { spanButtonID: 'button', authRequest }
  const page = `<!doctype html><title>An app</title><span id="button"></span><p id="state"></p>
    <script src="/pryv.js"></script>
    <script>
      const settings = ${JSON.stringify(settings)}
      settings.onStateChange = ({ status, apiEndpoint }) => {
        document.querySelector('#state').textContent = status + ' ' + (apiEndpoint ?? '')
      }
      pryv.Browser.setupAuth(settings, ${JSON.stringify(service)})
    </script>`
  const server = createServer(({ url }, response) => {
    const isScript = url === '/pryv.js'
    response.setHeader('Content-Type', isScript ? 'text/javascript' : 'text/html')
    response.end(isScript ? script : page)
  })
  await new Promise<void>(resolve => void server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
}

t.test('the sign-in button of the client library', async t => {
  const { browser, register, service, url } = await startPages(t)
  await register('daisy')
  const authRequest = { requestingAppId: appId, languageCode: 'en', requestedPermissions: permissions }
  const endpointFrom = async (text: string): Promise<object> => {
    const token = new URL(text.split(' ')[1]!).username
    return await service.call('daisy', 'getAccessInfo', {}, token)
  }

  await t.test('opens a window that closes once the user has agreed', async t => {
    const page = await visit(browser)
    await page.goto(await startApp(t, `${url}/reg/service/info`, authRequest))
    const [popup] = await Promise.all([
      page.waitForEvent('popup'),
      page.getByRole('button', { name: /: Coffer$/ }).click()
    ])
    const closing = popup.waitForEvent('close')
    await signIn(popup, 'daisy')
    await untilHeading(popup, `Allow ${appId}?`)
    t.same(await popup.evaluate('[innerWidth, document.documentElement.scrollWidth]'), [400, 400])
    await popup.getByRole('button', { name: 'Allow', exact: true }).click()
    await closing
    const state = page.getByText('ACCEPTED')
    t.match(await endpointFrom(await state.innerText()), { type: 'app', name: appId })
    await page.getByRole('button', { name: 'daisy' }).waitFor()
    await page.context().close()
  })

  await t.test('goes to the sign-in page and returns with the result', async t => {
    const page = await visit(browser)
    const app = await startApp(t, `${url}/reg/service/info`, { ...authRequest, returnURL: 'self#' })
    await page.goto(app)
    await page.getByRole('button', { name: /: Coffer$/ }).click()
    await signIn(page, 'daisy')
    // From another origin than the one that was approved, and with a return URL.
    await untilHeading(page, `Allow ${appId} again?`)
    await page.getByRole('button', { name: 'Allow', exact: true }).click()
    await page.waitForURL(`${app}#**`)
    t.match(await endpointFrom(await page.getByText('ACCEPTED').innerText()), { type: 'app', name: appId })
    await page.getByRole('button', { name: 'daisy' }).waitFor()
    await page.context().close()
  })
})
