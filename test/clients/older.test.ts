/** Every published version of the client libraries that loads in Node, unmodified: for the long tests only. */
import { readFileSync } from 'node:fs'
import { pathToFileURL } from 'node:url'
import t from 'tap'
import { io as ioOf4 } from 'socket.io-client'
import { loadEventTypes } from '../../core/event-types/directory.js'
import { silentLog } from '../../core/log.js'
import { coffer, testConfig } from '../support/coffer.js'
import * as first from '../support/generation-1.js'
import * as second from '../support/generation-2.js'
import { fileOfOlder, loadOlder, olderClientsNeeded, olderNames } from '../support/older-clients.js'

type Extend = (library: second.Library) => void

// Keeps the libraries' console output out of the report.
for (const name of ['log', 'warn'] as const) Object.assign(console, { [name]() {} })

t.test('older clients', olderClientsNeeded(), async t => {
  const features: Record<string, first.Features> = {
    'pryv-1.0.3': { sendsProtectedFields: true },
    'pryv-1.0.4': { sendsProtectedFields: true, readsFiles: true },
    'pryv-1.2.1': { readsFiles: true, hasSocket: true }
  }
  for (const [name, can] of Object.entries(features))
    t.test(name, async t => await first.tour(t, loadOlder(name), can))

  for (const name of olderNames('pryv-2')) {
    const library = loadOlder(name) as second.Library
    t.test(name, async t => await second.tour(t, library))
    // The add-ons need features of 2.0.7.
    if (name < 'pryv-2.0.7') continue
    const addOns =
      name < 'pryv-2.2' ? ['monitor-1.0.0', 'socket.io-1.0.1'] : ['monitor-1.0.2', 'socket.io-1.0.6']
    for (const addOn of addOns) (loadOlder(addOn) as Extend)(library)
    t.test(`${name} with ${addOns.join(' and ')}`, async t => await second.liveTour(t, library))
  }

  for (const name of olderNames('socket.io-client'))
    for (const transports of [['polling', 'websocket'], ['websocket']])
      t.test(`${name} by ${transports.join(' and ')}`, async t => {
        const { alice, server } = await coffer(t)
        const connect = loadOlder(name) as typeof ioOf4
        const socket = connect(`${server.url}/alice/alice?auth=${alice.token}`, {
          forceNew: true,
          transports
        })
        t.teardown(() => void socket.disconnect())
        const heard = new Promise(resolve => socket.on('streamsChanged', () => resolve('heard')))
        const called = new Promise((resolve, reject) => {
          socket.on('connect_error', reject)
          socket.emit('streams.create', { id: 'diary', name: 'Diary' }, (error: unknown, result: unknown) =>
            error ? reject(error as Error) : resolve(result)
          )
        })
        t.match(await called, { stream: { id: 'diary' } })
        t.equal(await heard, 'heard')
      })

  t.test('ship an event type directory, of which invalid types are skipped', async t => {
    const file = fileOfOlder('pryv-1.2.1/source/event-types.default.json')
    const published = JSON.parse(readFileSync(file, 'utf8')) as { types: object }
    const logged: string[] = []
    const log = {
      ...silentLog,
      warn: (message: string) => void logged.push(message),
      error: (message: string) => void t.fail(message)
    }
    const config = testConfig('unused', { service: { eventTypes: pathToFileURL(file).href } })
    const types = await loadEventTypes(config, log)
    const names = Object.keys(published.types)
    t.ok(names.length > 300)
    t.same(
      names.filter(name => !types.isKnown(name.replace('*', 'x'))),
      ['contact/facebook']
    )
    t.match(logged, [/\(2\): .*"contact\/facebook": .*"numset\/\*": /])
    t.equal(logged.length, 1)
  })
})
