/** The process of the reference servers; its arguments are a folder for its files and the number of users. */
import { copyFileSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { bareHandler } from './bare.js'
import { koaEcho, routerEcho } from './frameworks.js'
import { createPasswords } from '../../../core/security/passwords.js'
import { password, previewBytes } from '../sample.js'
import { makeReferenceFile, ReferenceStore, type Durability } from './store.js'

/** Where the reference servers listen. */
export interface ReferencePorts {
  readonly bare: number
  readonly koa: number
  readonly router: number
}

/** Events that each user has from the start. */
const eventCount = 1000
const streamCount = 100

const [directory = '.', users = '1'] = process.argv.slice(2)

const first = join(directory, 'reference.sqlite')
makeReferenceFile(first, eventCount)

function openStores(name: string, durability: Durability): ReferenceStore[] {
  return Array.from({ length: Number(users) }, (_, user) => {
    const file = join(directory, `reference-${name}-${user}.sqlite`)
    copyFileSync(first, file)
    return ReferenceStore.open(file, durability)
  })
}

function sampleStreams(): object[] {
  const by = 'cbenchaccess0000000000001'
  return Array.from({ length: streamCount }, (_, i) => {
    const tracking = { created: 1.6e9, createdBy: by, modified: 1.6e9, modifiedBy: by }
    return { id: `stream-${i}`, name: `Stream ${i}`, parentId: null, children: [], ...tracking }
  })
}

async function listening(server: Server): Promise<number> {
  if (!server.listening) await new Promise(resolve => server.once('listening', resolve))
  return (server.address() as AddressInfo).port
}

const file = join(directory, 'reference-preview.jpg')
writeFileSync(file, previewBytes)

const handler = bareHandler({
  readers: openStores('reader', 'in-loop'),
  inLoop: openStores('in-loop', 'in-loop'),
  offThread: openStores('off-thread', 'off-thread'),
  streams: sampleStreams(),
  file,
  passwordHash: await createPasswords().hash(password)
})
const ports: ReferencePorts = {
  bare: await listening(createServer(handler).listen(0, '127.0.0.1')),
  koa: await listening(koaEcho().listen(0, '127.0.0.1')),
  router: await listening(routerEcho().listen(0, '127.0.0.1'))
}
process.send?.(ports)
