/**
 * A node as a process of its own, for tests: settings as flags, as `coffer serve` takes them. With COFFER_TEST_FENCE=off it
 * appends behind whatever is the last record, and reads without a lease, as no node may: tests see that this is noticed.
 */
import { connect } from '../../cluster/connect.js'
import { Conflict, type Engine } from '../../cluster/engine.js'
import { loadSettings } from '../../core/settings/load.js'
import { createLog } from '../../server/log.js'
import { startServer } from '../../server/server.js'

/** What the subjects of accounts' logs begin with. */
const accounts = 'coffer.wal.'

const settings = loadSettings({ argv: process.argv.slice(2), env: {}, cwd: process.cwd() })
const shared = await connect(settings.cluster)

/** An engine without the rule that the log is the lock. */
function unfenced(engine: Engine): Engine {
  const append: Engine['append'] = async (subject, expected, bytes) => {
    // Without it, no node would so much as follow the log of the platform.
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
// Without the fence, a node believes that it lives for much longer than others do.
const cluster = isFenced ? settings.cluster : { ...settings.cluster, leaseSeconds: 600 }
const { url } = await startServer(
  { ...settings, cluster },
  {
    log: createLog(settings.log),
    shared: isFenced ? shared : { ...shared, engine: unfenced(shared.engine) }
  }
)
process.stdout.write(`serving at ${url}\n`)
