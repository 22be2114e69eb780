/** A service without a cluster loads neither the cluster's code nor the engine's client. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { text } from 'node:stream/consumers'
import t from 'tap'

const at = (path: string): string => new URL(path, import.meta.url).href

/** Prints the URL of each loaded module. */
const hooks = `
  import { writeSync } from 'node:fs'
  export async function load(url, context, next) {
    writeSync(1, url + '\\n')
    return await next(url, context)
  }`

/** Starts and stops a service. */
const script = `
  import { register } from 'node:module'
  register('data:text/javascript,' + encodeURIComponent(${JSON.stringify(hooks)}))
  await import(${JSON.stringify(at('../../scripts/cli.js'))})
  const { startServer } = await import(${JSON.stringify(at('../../server/server.js'))})
  const { testSettings } = await import(${JSON.stringify(at('../support/coffer.js'))})
  const server = await startServer(testSettings(process.argv[1]))
  await server.close()
`

t.test('the embedded default', async t => {
  const args = ['--input-type=module', '-e', script, t.testdir({})]
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
  const [loaded, [code]] = await Promise.all([text(child.stdout), once(child, 'exit')])
  t.equal(code, 0)
  const urls = loaded.split('\n')
  const modules = urls.flatMap(url => [url, ...putInto(url)])
  t.ok(modules.includes(at('../../storage/wal/sync.js')), 'what is loaded is seen')
  t.same(
    modules.filter(url => url.startsWith(at('../../cluster/')) || url.includes('/node_modules/@nats-io/')),
    []
  )
})

/** Returns our modules in a built file; libraries have no source map. */
function putInto(url: string): string[] {
  const map = new URL(`${url}.map`, import.meta.url)
  if (!url.startsWith(at('../../parts/')) || !existsSync(map)) return []
  const { sources } = JSON.parse(readFileSync(map, 'utf8')) as { sources: string[] }
  return sources.map(source => at(source.replace(/^(?:\.\.\/)*/, '../../')).replace(/\.ts$/, '.js'))
}
