/** `coffer connect`: with the service stopped, and through a running one. (docs/api/connections.md) */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { startServer } from '../../server/server.js'
import { coffer, testSettings, type Answer } from '../support/coffer.js'
import { command } from '../support/command.js'

t.setTimeout(300_000)

t.test('coffer connect', async t => {
  const { alice, directory, server } = await coffer(t, { workers: 0 })
  const at = `--dataDir=${directory}`
  const connect = async (...words: string[]): Promise<Answer> => {
    const { code, errors, output } = await command(['connect', ...words, '--json', at])
    t.equal(code, 0, errors)
    return JSON.parse(output)
  }
  t.test('prints what the app needs, with a code to scan', async t => {
    const phone = await connect('alice', 'owntracks', '--name=Phone')
    t.match(phone, { dialect: 'owntracks', name: 'Phone', token: /^c/, link: /^owntracks:/ })
    t.equal(await send(phone, 1_700_000_000), 200)
    const { connections } = await alice.do('connections.get')
    t.match(connections, [{ id: phone.id, name: 'Phone', received: 1 }])
    const { code, errors, output } = await command(['connect', 'alice', 'owntracks', at])
    t.equal(code, 0, errors)
    t.match(output, /^Address: http.*\nToken: {3}c[a-z0-9]{24}\nLink: {4}owntracks:/)
    t.match(output, '▄', 'a QR code')
    t.match(errors, "You won't be able to see the token again")
  })

  t.test('explains what is wrong', async t => {
    for (const [words, expected] of [
      [['alice', 'telepathy'], /Unknown dialect\. Known are: .*owntracks/],
      [['nobody', 'owntracks'], /Unknown user "nobody"/],
      [['alice', 'owntracks', '--parent=nowhere'], /nowhere/],
      [['alice'], /Expected arguments: <user> <dialect>/]
    ] as const) {
      const { code, errors, output } = await command(['connect', ...words, at])
      t.match([code, errors, output], [1, expected, ''])
      t.notMatch(errors, '    at ')
    }
  })

  t.test('says so if the file of the service is that of one that was killed', async t => {
    const file = join(directory, 'service.json')
    const current = readFileSync(file, 'utf8')
    t.teardown(() => writeFileSync(file, current))
    // Nothing listens there.
    writeFileSync(file, JSON.stringify({ url: 'http://127.0.0.1:1', key: 'former' }))
    const failed = await command(['connect', 'alice', 'owntracks', at])
    t.match([failed.code, failed.errors], [1, /not responding at http:\/\/127\.0\.0\.1:1.*was killed/])
  })

  t.test('works while the service is stopped', async t => {
    await server.close()
    const tracker = await connect('alice', 'osmand', '--name=Tracker')
    t.match(tracker, { dialect: 'osmand', name: 'Tracker' })
    const again = await startServer(testSettings(directory))
    t.teardown(() => again.close())
    const { pathname } = new URL(tracker.url)
    const query = `?lat=46.5&lon=6.6&timestamp=1700000000&id=${tracker.token}`
    t.equal((await fetch(`${again.url}${pathname}${query}`)).status, 200)
  })
})

/** Sends a position as the app does. Returns the status. */
async function send({ token, url }: Answer, time: number): Promise<number> {
  const position = { _type: 'location', lat: 46.5, lon: 6.6, tst: time }
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  return (await fetch(url, { method: 'POST', headers, body: JSON.stringify(position) })).status
}
