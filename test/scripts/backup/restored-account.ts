/** A cluster of two nodes over an engine in memory, with an account that is restored from a backup. */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Test } from 'tap'
import type { Engine } from '../../../cluster/engine.js'
import { FileThread } from '../../../cluster/files/file-thread.js'
import { PlatformLog } from '../../../cluster/platform/log.js'
import { placeInCluster } from '../../../scripts/backup/cluster/restore-into-cluster.js'
import { ClusterSource } from '../../../scripts/backup/sources/cluster-source.js'
import { DiskAttachments } from '../../../storage/files/attachments.js'
import { Layout } from '../../../storage/files/layout.js'
import type { Account } from '../../../storage/platform/account.js'
import { PlatformStore } from '../../../storage/platform/platform-store.js'
import type { Objects } from '../../../cluster/objects.js'
import { MemoryCluster } from '../../cluster/memory-engine.js'
import { begin, objects, startPair, type Node } from '../../cluster/anywhere/memory-nodes.js'
import { Client } from '../../support/coffer.js'

/** Interrupts a restore. */
class Killed extends Error {}

/** Events during a restore. */
export interface Run {
  /** After this number of steps all further operations fail. */
  readonly steps?: number
  /** Called when the snapshot is stored, but not referenced yet. */
  readonly stored?: () => Promise<unknown>
  /** Called when the log continues from the snapshot, before the previous data is removed. */
  readonly named?: () => Promise<unknown>
}

export interface World {
  readonly cluster: MemoryCluster
  readonly nodes: readonly [Node, Node]
  readonly account: Account
  /** Returns a client of the account's owner at a node. */
  at(node: Node): Client
  /** Restores the account. */
  restore(run?: Run): Promise<'added' | 'replaced'>
  /** Returns the existing data: contents of notes and files, and the address. `undefined` if there is no account. */
  found(node: Node): Promise<{ notes: string[]; files: string[]; email: string } | undefined>
}

/** The account's data at the time of the backup. */
export const backedUp = { notes: ['a file', 'first'], files: ['bytes of a file'], email: 'old@example.com' }

/** Starts a cluster with an account, and backs it up. */
export async function start(t: Test): Promise<World> {
  const cluster = new MemoryCluster()
  await begin(t, cluster)
  const nodes = await startPair(t, cluster)
  const username = 'alice'
  const owner = nodes.find(node => node.owns(username))!
  const alice = await owner.service.user(username, { email: backedUp.email })
  await alice.stream('diary')
  await alice.event({ content: 'first' })
  await attach(alice, 'a file', 'bytes of a file')
  const account = owner.service.server.services.accounts.find(username)!
  const root = t.testdir()
  const side = new Layout(join(root, 'side'))
  await backUp(t, cluster, side, account)
  let runs = 0
  return {
    cluster,
    nodes,
    account,
    at: node => new Client(node.service, username, alice.access),
    async restore(run = {}) {
      return await restored(cluster, side, new Layout(join(root, `run-${runs++}`)), account, run)
    },
    async found(node) {
      const client = new Client(node.service, username, alice.access)
      const answer = await client.call('events.get', { streams: ['diary'], limit: 100 })
      if (answer.error?.id === 'unknown-resource') return undefined
      if (answer.error) throw new Error(JSON.stringify(answer.error))
      const events = answer.events as { id: string; content: string; attachments?: { id: string }[] }[]
      const paths = events.flatMap(({ attachments = [], id }) => attachments.map(file => `${id}/${file.id}`))
      const files = await Promise.all(
        paths.map(async path => (await client.http('GET', `/events/${path}`)).body as string)
      )
      const { account: values } = await client.do('account.get')
      return {
        notes: events.map(({ content }) => content).toSorted(),
        files,
        email: (values as { email: string }).email
      }
    }
  }
}

export async function attach(client: Client, content: string, bytes: string): Promise<void> {
  const form = new FormData()
  form.append('event', JSON.stringify({ streamIds: ['diary'], type: 'note/txt', content }))
  form.append('file', new Blob([bytes], { type: 'text/plain' }), 'some.txt')
  const { status } = await client.http('POST', '/events', form)
  if (status !== 201) throw new Error(`Answered ${status}`)
}

/** Stores the account below a folder, like a verified restore. */
async function backUp(t: Test, cluster: MemoryCluster, side: Layout, account: Account): Promise<void> {
  mkdirSync(side.draftsDirectory, { recursive: true })
  const files = new FileThread()
  t.teardown(() => files.close())
  const source = new ClusterSource(cluster.connect(), objects, files)
  await source.copyAccount(account, side)
  const keys = await objects.list(`file/${account.id}/`)
  for (const key of keys) {
    const path = side.attachmentFile(account.id, key.slice(key.lastIndexOf('/') + 1))
    mkdirSync(join(path, '..'), { recursive: true })
    await objects.get(key, path)
  }
  if ((await new DiskAttachments(side).list(account.id)).length !== keys.length)
    throw new Error('Attachments are missing')
}

async function restored(
  cluster: MemoryCluster,
  side: Layout,
  layout: Layout,
  account: Account,
  { named, steps = Infinity, stored }: Run
): Promise<'added' | 'replaced'> {
  mkdirSync(layout.draftsDirectory, { recursive: true })
  let left = Infinity
  let isNamed = false
  const mortal = <T extends object>(target: T, names: readonly string[]): T =>
    new Proxy(target, {
      get(_, name) {
        const value = Reflect.get(target, name, target) as unknown
        if (typeof value !== 'function') return value
        const call = value.bind(target) as (...given: unknown[]) => unknown
        if (!names.includes(String(name))) return call
        return async (...given: unknown[]) => {
          if (left-- <= 0) throw new Killed()
          if (name === 'trim' && !isNamed) {
            isNamed = true
            await named?.()
          }
          const answer = await call(...given)
          if (name === 'put' && String(given[0]).startsWith('snap/')) await stored?.()
          return answer
        }
      }
    })
  const engine: Engine = mortal<Engine>(cluster.connect(), ['append', 'trim', 'send'])
  const ownObjects: Objects = mortal<Objects>(objects, ['put', 'remove'])
  const [files, platform] = [new FileThread(), new PlatformStore(layout)]
  const { draftsDirectory } = layout
  const log = await PlatformLog.open(platform, {
    engine,
    objects: ownObjects,
    draftsDirectory,
    timeoutMs: steps === Infinity ? 60_000 : 300,
    onError: () => {}
  })
  try {
    left = steps
    const giveUpMs = steps === Infinity ? 60_000 : 300
    return await placeInCluster(
      { engine, objects: ownObjects, files, layout, platform, timeoutMs: giveUpMs },
      side,
      account
    )
  } finally {
    await log.close()
    platform.close()
    await files.close()
  }
}
