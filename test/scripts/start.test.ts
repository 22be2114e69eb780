/** What startup loads: few files, and no library that only later calls need. (docs/performance.md#startup-time) */
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { text } from 'node:stream/consumers'
import { pathToFileURL } from 'node:url'
import t, { type Test } from 'tap'
import { Registry } from '../../core/dispatch/registry.js'
import { packageDirectory } from '../../core/version.js'
import { untracedOptions } from '../../scripts/dev/test-process.js'

/** The limit of files loaded at startup: each costs a third of a millisecond, and memory. */
const mostFiles = 70
/** Libraries that only some calls need, or that this process never needs. */
const forLater =
  /node_modules\/(?:@modelcontextprotocol|@node-rs\/bcrypt|age-encryption|ajv|cli-progress|nodemailer|openid-client|otpauth|prom-client|qrcode|s3mini|sharp|swagger-ui-dist|undici|yaml|yauzl|yazl)\//

const dist = join(packageDirectory, 'dist')
const cli = join(dist, 'scripts', 'coffer.cjs')
const loader = join(dist, 'scripts', 'load-part.cjs')
const probe = new URL('../support/loaded.js', import.meta.url).href

/** Returns the files that the service has loaded after it has answered one request and stopped. */
async function loadedByStart(t: Test): Promise<string[]> {
  const child = spawn(process.execPath, [`--import=${probe}`, cli, 'serve', '--port=0'], {
    env: { ...process.env, COFFER_DATA_DIR: t.testdir() }
  })
  t.teardown(() => child.kill('SIGKILL'))
  const errors = text(child.stderr)
  for await (const line of createInterface({ input: child.stdout })) {
    const { url } = JSON.parse(line) as { url?: string }
    if (url === undefined) continue
    t.equal((await fetch(`${url}/reg/service/info`)).status, 200)
    child.kill('SIGTERM')
    await once(child, 'exit')
    break
  }
  return JSON.parse(/^loaded (.*)$/m.exec(await errors)?.[1] ?? '[]') as string[]
}

t.test('startup', async t => {
  const files = await loadedByStart(t)

  t.test('loads few files', t => {
    t.ok(
      files.some(file => file.endsWith('/dist/parts/core.cjs')),
      'the probe sees what is loaded'
    )
    t.ok(files.length <= mostFiles, `${files.length} files: ${files.join('\n')}`)
    t.end()
  })

  t.test('loads no libraries that only later calls need', t => {
    // In a bundle, each module begins with its path.
    const inParts = files
      .filter(file => /\/dist\/parts\/.*\.cjs$/.test(file))
      .flatMap(file => readFileSync(new URL(file), 'utf8').match(/^\/\/ .*node_modules\/.*$/gm) ?? [])
    t.ok(
      inParts.some(line => line.includes('node_modules/koa/')),
      'the libraries in parts are seen'
    )
    t.same(
      [...files, ...inParts].filter(file => forLater.test(file)),
      []
    )
    t.end()
  })
})

t.test('a command loads no parts of the service that it does not need', async t => {
  const { stderr, status } = spawnSync(process.execPath, [`--import=${probe}`, cli, 'settings', 'port'], {
    encoding: 'utf8'
  })
  t.equal(status, 0, stderr)
  const files = JSON.parse(/^loaded (.*)$/m.exec(stderr)?.[1] ?? '[]') as string[]
  t.same(files.flatMap(file => /\/dist\/parts\/(.*)\.cjs$/.exec(file)?.slice(1) ?? []).toSorted(), [
    'command',
    'command-libraries',
    'rolldown-runtime',
    'settings',
    'settings-libraries'
  ])
})

t.test('what a start loads has been compiled by the build', t => {
  const build = join(packageDirectory, 'scripts', 'build-code-cache.mjs')
  const isBuilt = readdirSync(join(dist, 'parts')).some(name => name.startsWith('code-'))
  const listing = `import('${pathToFileURL(join(dist, 'scripts', 'commands', 'serve.js')).href}').then(() => {
    const { scripts } = require('${loader}')
    const refused = Array.from(scripts).filter(([, { cachedDataRejected }]) => cachedDataRejected !== false)
    console.log(JSON.stringify({ loaded: scripts.size, refused: refused.map(([file]) => file) }))
  })`
  for (const options of [[], untracedOptions]) {
    if (!isBuilt) t.equal(spawnSync(process.execPath, [...options, build]).status, 0)
    const words = [...options, '--eval', listing]
    const { stderr, stdout } = spawnSync(process.execPath, words, { encoding: 'utf8' })
    t.equal(stderr, '')
    const { loaded, refused } = JSON.parse(stdout) as { loaded: number; refused: string[] }
    t.ok(loaded > 10, `${loaded} parts`)
    t.same(refused, [])
  }
  t.end()
})

t.test('a bundled module', async t => {
  t.test('is the same instance, however it is imported', async t => {
    const parts = (await import(join(dist, 'parts', 'core.js'))) as Record<string, unknown>
    t.equal(parts['Registry'], Registry)
  })

  t.test('resolves its dynamic imports', t => {
    const places = [
      ...readdirSync(join(dist, 'parts')).map(name => join(dist, 'parts', name)),
      ...['cli.js', 'commands/serve.js'].map(name => join(dist, 'scripts', name))
    ].filter(path => /\.c?js$/.test(path) && !/libraries\.c?js$/.test(path))
    const named = places.flatMap(path =>
      Array.from(
        readFileSync(path, 'utf8').matchAll(
          /\bimport(?:Module)?\("(\.[^"]+)"\)|new URL\("(\.[^"]+)", import(?:\.m|M)eta\.url\)/g
        ),
        ([, later, own]) => join(dirname(path), later ?? own ?? '')
      )
    )
    t.ok(named.length > 10)
    t.same(
      named.filter(path => !existsSync(path)),
      []
    )
    t.end()
  })

  t.test('is stored with one byte per character', t => {
    const parts = readdirSync(join(dist, 'parts')).filter(name => name.endsWith('.cjs'))
    t.ok(parts.length > 5)
    for (const name of parts) {
      const source = readFileSync(join(dist, 'parts', name))
      t.ok(
        source.every(byte => byte < 0x80),
        name
      )
    }
    t.end()
  })

  t.test('has source maps for our own code, but not for libraries', t => {
    t.ok(existsSync(join(dist, 'parts', 'core.js.map')))
    t.notOk(existsSync(join(dist, 'parts', 'libraries.js.map')))
    t.end()
  })
})
