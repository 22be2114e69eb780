/** The pages on how to connect apps, which the service shows without other hosts. (docs/connect.md) */
import t from 'tap'
import { dialects } from '../../../../transports/receive/dialects.js'
import { coffer } from '../../../support/coffer.js'

t.test('the pages on connecting apps', async t => {
  const service = await coffer(t)
  const { url } = service.server

  t.test('are served for each dialect, with all that they load and link to', async t => {
    for (const path of ['/docs/connect/', ...Array.from(dialects.keys(), id => `/docs/connect/${id}`)]) {
      const response = await fetch(url + path)
      t.equal(response.status, 200, path)
      t.match(response.headers.get('content-type'), 'text/html')
      t.match(response.headers.get('content-security-policy'), "default-src 'none'")
      const page = await response.text()
      const targets = [...page.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, target = '']) => target)
      t.ok(targets.length > 1)
      for (const target of targets) {
        const found = new URL(target, url + path)
        t.equal(found.origin, url, `${path} stays on the service`)
        t.equal((await fetch(found)).status, 200, `${path} leads to ${target}`)
      }
    }
  })

  t.test('are found without the slash at the end', async t => {
    const response = await fetch(`${url}/docs/connect`)
    t.equal(response.url, `${url}/docs/connect/`)
  })

  t.test('show drawings as images, which run no scripts', async t => {
    const response = await fetch(`${url}/docs/connect/images/owntracks.svg`)
    t.equal(response.headers.get('content-type'), 'image/svg+xml')
    t.notMatch(response.headers.get('content-security-policy'), 'script-src')
  })

  t.test('do not lead outside their folder', async t => {
    for (const path of ['images/..%2f..%2fpackage.json', '..%2f..%2fREADME', '%00', 'nope', '__proto__'])
      t.equal((await fetch(`${url}/docs/connect/${path}`)).status, 404, path)
  })
})
