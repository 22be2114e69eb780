/** A server that changes an address and dies on the way: `index-killed.js {dataDir} {when}`. */
import { startServer } from '../../server/server.js'
import { testSettings } from '../support/coffer.js'

const [dataDir = '', when] = process.argv.slice(2)
const server = await startServer(testSettings(dataDir, { workers: 0 }))
const headers = { 'content-type': 'application/json', origin: server.url }

async function send(verb: string, path: string, body: object, token = ''): Promise<Record<string, unknown>> {
  const response = await fetch(server.url + path, {
    method: verb,
    headers: { ...headers, ...(token && { authorization: token }) },
    body: JSON.stringify(body)
  })
  return (await response.json()) as Record<string, unknown>
}

const user = { appId: 'test-app', username: 'robert', password: 'a long secret', email: 'first@example.com' }
await send('POST', '/users', user)
const { token } = await send('POST', '/robert/auth/login', user)

const { platform } = server.services
const die = (): never => process.kill(process.pid, 'SIGKILL') as never
const reserve = platform.reserveUnique.bind(platform)
const settle = platform.settleUnique.bind(platform)
let reserved = 0
platform.reserveUnique = (...args) => {
  const answer = reserve(...args)
  // The new address is claimed, then the former one let go of.
  return when === 'reserved' && ++reserved === 2 ? die() : answer
}
platform.settleUnique = (...args) => {
  if (when === 'committed') die()
  settle(...args)
  if (when === 'settled') die()
}
await send('PUT', '/robert/account', { email: 'second@example.com' }, String(token))
