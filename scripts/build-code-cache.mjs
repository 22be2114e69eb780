/**
 * Writes V8's code cache of what a start loads (`scripts/load-part.cts`): of the functions that have been compiled once the
 * service has started and answered a few requests. Rejects if an export of a part gets its value only later, since importers would
 * never see it.
 */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'

const { getCodeFile, scripts } = createRequire(import.meta.url)('../dist/scripts/load-part.cjs')
const user = {
  username: 'build',
  password: 'not used again',
  email: 'build@example.com',
  appId: 'coffer-build'
}

const parts = join(import.meta.dirname, '..', 'dist', 'parts')
for (const name of readdirSync(parts).filter(each => each.endsWith('.js')))
  for (const [key, value] of Object.entries(await import(pathToFileURL(join(parts, name)).href)))
    if (value === undefined) throw new Error(`${name} exports ${key}, which has no value yet`)

const folder = mkdtempSync(join(tmpdir(), 'coffer-build-'))
try {
  const { main } = await import('../dist/scripts/cli.js')
  const settings = ['--port=0', `--dataDir=${folder}`, '--auth.trustedApps=*@*', '--log.level=error']
  await main([process.execPath, 'coffer', 'serve', ...settings])
  await useService(JSON.parse(readFileSync(join(folder, 'service.json'), 'utf8')).url)
  for (const [file, script] of scripts) {
    const codeFile = getCodeFile(file)
    mkdirSync(dirname(codeFile), { recursive: true })
    writeFileSync(codeFile, script.createCachedData())
  }
} finally {
  rmSync(folder, { recursive: true, force: true })
}
// The service still runs.
process.exit()

async function useService(url) {
  await post(`${url}/users`, user)
  const { token } = await post(`${url}/build/auth/login`, user)
  await post(`${url}/build`, [{ method: 'streams.create', params: { id: 'diary', name: 'Diary' } }], token)
  await post(`${url}/build/events`, { streamIds: ['diary'], type: 'note/txt', content: 'A note' }, token)
  await post(`${url}/build`, [{ method: 'events.get', params: {} }], token)
}

/** Sends a request. Returns the body of the response; throws unless it is a success. */
async function post(url, body, authorization = '') {
  const response = await fetch(url, {
    method: 'POST',
    headers: { authorization, 'content-type': 'application/json', origin: new URL(url).origin },
    body: JSON.stringify(body)
  })
  if (!response.ok) throw new Error(`${url} responded with ${response.status}: ${await response.text()}`)
  return await response.json()
}
