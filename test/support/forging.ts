/** Setup for tests of forged and damaged backups and archives: a service with all kinds of data, a watched folder. */
import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Test } from 'tap'
import { coffer, type Client, type Service } from './coffer.js'
import { treeOf } from './forged-backup.js'

/** Starts a service in which alice, and any other named users, have data of every kind. Its files are checkpointed. */
export async function fullCoffer(
  t: Test,
  others: Readonly<Record<string, Readonly<Record<string, string>> | undefined>> = {}
): Promise<Service & { alice: Client }> {
  const service = await coffer(t, {
    versioning: { forceKeepHistory: true, deletionMode: 'keep-everything' },
    webhooks: { allowInternalTargets: true }
  })
  await fill(service.alice)
  for (const [username, fields] of Object.entries(others)) await fill(await service.user(username, fields))
  await service.server.settle()
  return service
}

/** Fills an account with events, versions, files, series, accesses and more. */
async function fill(client: Client): Promise<void> {
  await client.stream('diary')
  await client.stream('walks', 'diary')
  const clientData = { a: [1, { b: 2 }] }
  const { id } = await client.event({ content: 'secret words', tags: ['a tag'], clientData })
  await client.do('events.update', { id, update: { content: 'other words' } })
  const form = new FormData()
  form.append('file', new Blob(['bytes of a file']), 'a.txt')
  await client.http('POST', `/events/${id}`, form)
  await client.event({ content: 'a while', duration: 60 })
  const gone = await client.event({ content: 'to be deleted', duration: null })
  for (const _ of 'ab') await client.do('events.delete', { id: gone.id })
  const series = await client.event({ type: 'series:mass/kg', content: undefined })
  const points = Array.from({ length: 600 }, (_, n) => [n, n / 7])
  await client.do('hfs.add', { id: series.id, format: 'flatJSON', fields: ['deltaTime', 'value'], points })
  const app = await client.grant('manage', 'diary', { type: 'app', name: 'an-app' })
  await app.grant('read', 'diary', { name: 'shared-by-app' })
  await app.do('webhooks.create', { url: 'http://127.0.0.1:9/', signed: true })
  const ntfy = { url: 'http://127.0.0.1:9/', topic: 'alice' }
  const { channel } = await app.do('channels.create', { type: 'ntfy', name: 'phone', target: ntfy })
  await app.do('channels.test', { id: channel.id })
  const { reminder } = await app.do('reminders.create', {
    name: 'pill',
    kind: 'medication',
    schedule: { times: ['08:00'] },
    zone: 'Europe/Zurich',
    streamId: 'diary',
    event: { type: 'note/txt', content: 'taken' },
    channelIds: [channel.id]
  })
  await app.do('forms.create', { template: 'phq-9', language: 'fr', streamId: 'diary' })
  await app.do('reminders.answer', { id: reminder.id, due: reminder.next, answer: 'done' })
  await app.do('rules.create', {
    name: 'a rule',
    channelIds: [channel.id],
    condition: { kind: 'words', anyOf: ['pain'], streamIds: ['diary'] }
  })
  await client.do('profile.updatePrivate', { update: { a: { b: 1 } } })
  await client.do('followedSlices.create', { name: 'f', url: 'https://o.example/', accessToken: 'abc' })
  const { service, username } = client
  await service.call(undefined, 'test.setPassword', { username, password: 'a password' })
}

/** A future data directory inside a folder in which nothing else may change. */
export class WatchedTarget {
  readonly path: string
  readonly #around: string
  readonly #before: string[]

  /** Starts with an empty folder. */
  constructor(folder: string) {
    this.#around = join(folder, 'around')
    this.path = join(this.#around, 'in', 'the', 'middle', 'data')
    rmSync(this.#around, { recursive: true, force: true })
    mkdirSync(join(this.path, '..'), { recursive: true })
    writeFileSync(join(this.#around, 'mine'), 'mine')
    this.#before = treeOf(this.#around)
  }

  /** Lists its contents, without lock files. */
  get held(): string[] {
    const names = existsSync(this.path) ? readdirSync(this.path) : []
    return names.filter(name => !name.startsWith('coffer.lock'))
  }

  /** Asserts that nothing was written outside of it. */
  assertAlone(t: Test, what = 'nothing is written anywhere else'): void {
    const outside = treeOf(this.#around).filter(path => !path.startsWith(this.path))
    t.same(outside, this.#before, what)
  }
}
