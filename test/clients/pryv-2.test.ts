/** The second generation of the client library, unmodified: its first version with standard streaming, and its last. */
import { createRequire } from 'node:module'
import t from 'tap'
import { liveTour, tour, type Library } from '../support/generation-2.js'

const load = createRequire(import.meta.url)
type Extend = (library: Library) => void

for (const name of ['pryv-2.1', 'pryv-2']) {
  const library = load(name) as Library
  const { version } = load(`${name}/package.json`) as { version: string }
  for (const addOn of ['pryv-socket.io-1', 'pryv-monitor-1']) (load(addOn) as Extend)(library)

  t.test(`pryv ${version} works as its documentation shows`, async t => await tour(t, library))
  t.test(`pryv ${version} follows changes with its add-ons`, async t => await liveTour(t, library))
}
