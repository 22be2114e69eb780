/** A server that changes what is unique and is killed meanwhile: `index-killed.js {dataDir} {when} {what}`. */
import { startServer } from '../../server/server.js'
import type { Arguments, CommandName } from '../../storage/platform/commands.js'
import { testSettings } from '../support/coffer.js'

const [dataDir = '', when, what = 'address'] = process.argv.slice(2)
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
const change = platform.change.bind(platform)
platform.change = (async (name: CommandName, ...args: Arguments<CommandName>) => {
  if (name === 'settleUnique' && when === 'committed') die()
  if (name === 'changeUsername' && when === 'reserved') die()
  const answer = await change(name, ...args)
  if (name === 'reserveUnique' && when === 'reserved') die()
  if (name === 'settleUnique' && when === 'settled') die()
  if (name === 'changeUsername' && when === 'committed') die()
  return answer
}) as typeof platform.change
if (what === 'address') await send('PUT', '/robert/account', { email: 'second@example.com' }, String(token))
else if (what === 'username')
  await send('POST', '/robert/account/change-username', { newUsername: 'rosalind' }, String(token))
else
  await send(
    'POST',
    '/robert/accesses',
    { name: 'x', permissions: [], type: 'app', randomAlias: true },
    String(token)
  )
