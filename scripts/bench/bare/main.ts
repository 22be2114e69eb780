/** The process of the bare servers. Arguments: a folder for its files, and the number of users. */
import { copyFileSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { createPasswords } from '../../../core/security/passwords.js'
import { password, previewBytes } from '../seed/sample.js'
import { createBareHandler } from './actions.js'
import { createEchoServer } from './echo-server.js'
import { BareStore, createBareFile, type Durability } from './store.js'

/** The ports on which the bare servers listen. */
export interface BarePorts {
  readonly http: number
  readonly sockets: number
}

const [directory = '.', users = '1'] = process.argv.slice(2)

const first = join(directory, 'bare.sqlite')
createBareFile(first)
const file = join(directory, 'bare-preview.jpg')
writeFileSync(file, previewBytes)

const handler = createBareHandler({
  readers: openStores('reader', 'in-loop'),
  inLoop: openStores('in-loop', 'in-loop'),
  offThread: openStores('off-thread', 'off-thread'),
  streams: formatStreams(),
  file,
  directory,
  passwordHash: await createPasswords().hash(password)
})
const ports: BarePorts = {
  http: await waitForPort(createServer(handler).listen(0, '127.0.0.1')),
  sockets: await waitForPort(createEchoServer().listen(0, '127.0.0.1'))
}
process.send?.(ports)

function openStores(name: string, durability: Durability): BareStore[] {
  return Array.from({ length: Number(users) }, (_, user) => {
    const copy = join(directory, `bare-${name}-${user}.sqlite`)
    copyFileSync(first, copy)
    return BareStore.open(copy, durability)
  })
}

function formatStreams(): string {
  const by = 'cbenchaccess0000000000001'
  const tracking = { created: 1.6e9, createdBy: by, modified: 1.6e9, modifiedBy: by }
  const streams = Array.from({ length: 100 }, (_, i) => {
    return { id: `stream-${i}`, name: `stream-${i}`, parentId: 'body', children: [], ...tracking }
  })
  return JSON.stringify({ streams, meta: { apiVersion: '0', serverTime: 1 } })
}

async function waitForPort(server: Server): Promise<number> {
  if (!server.listening) await new Promise(resolve => server.once('listening', resolve))
  return (server.address() as AddressInfo).port
}
