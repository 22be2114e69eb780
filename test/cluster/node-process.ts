/**
 * A node as a separate process, for tests: settings as flags, as for `coffer serve`. With COFFER_TEST_FENCE=off it
 * appends after any last record and reads without a lease, which no node may: tests check that this is detected.
 */
import { connect } from '../../cluster/connect.js'
import { Conflict, type Engine } from '../../cluster/engine.js'
import { loadSettings } from '../../core/settings/load.js'
import { createLog } from '../../server/log.js'
import { startServer } from '../../server/server.js'

/** Prefix of the subjects of account logs. */
const accounts = 'coffer.wal.'

const settings = loadSettings({ argv: process.argv.slice(2), env: {}, cwd: process.cwd() })
const shared = await connect(settings.cluster)

/** Returns an engine without fencing by the log. */
function unfenced(engine: Engine): Engine {
  const append: Engine['append'] = async (subject, expected, bytes) => {
    // Without fencing, no node could even follow the platform log.
    if (!subject.startsWith(accounts)) return await engine.append(subject, expected, bytes)
    for (;;) {
      const last = await engine.last(subject)
      try {
        return await engine.append(subject, last?.sequence ?? 0, bytes)
      } catch (error) {
        if (!(error instanceof Conflict)) throw error
      }
    }
  }
  return new Proxy(engine, {
    get(target, name) {
      const value = name === 'append' ? append : (Reflect.get(target, name, target) as unknown)
      return typeof value === 'function' ? (value.bind(target) as unknown) : value
    }
  })
}

const isFenced = process.env['COFFER_TEST_FENCE'] !== 'off'
// Without fencing, a node believes that its lease is valid for much longer than others do.
const cluster = isFenced ? settings.cluster : { ...settings.cluster, leaseSeconds: 600 }
const { url } = await startServer(
  { ...settings, cluster },
  {
    log: createLog(settings.log),
    shared: isFenced ? shared : { ...shared, engine: unfenced(shared.engine) }
  }
)
process.stdout.write(`serving at ${url}\n`)
