/** Opens what a power cut has left, as the service does, and compares it with what was promised. */
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { AccountCheck, type Counts } from '../../../scripts/maintenance/check-account.js'
import { Accounts } from '../../../storage/accounts.js'
import type { AccountsOptions } from '../../../storage/accounts-options.js'
import { DiskAttachments } from '../../../storage/files/attachments.js'
import { PlatformInspection } from '../../../storage/inspection/platform-inspection.js'
import { UserInspection } from '../../../storage/inspection/user-inspection.js'
import { Layout } from '../../../storage/files/layout.js'
import { lockDirectory } from '../../../storage/sqlite/lock.js'
import { PlatformStore } from '../../../storage/platform/platform-store.js'
import type { SeriesRepository } from '../../../storage/repositories/series.js'
import type { PointPage, Range } from '../../../storage/series/page.js'
import type { UserStore } from '../../../storage/user/user-store.js'
import type { Event } from '../../../schemas/event.js'
import { policies } from '../../support/keeping.js'
import { presence, type Person } from './person.js'
import { describe, keyOf } from './writer.js'
import type { Account } from '../../../storage/platform/account.js'
import { createWalSyncs } from '../../../storage/wal/sync.js'

const optionsFor = (layout: Layout): AccountsOptions => ({
  maxOpen: 1000,
  idleSeconds: 60,
  closingSeconds: 60,
  cacheKiB: 256,
  policies,
  durability: createWalSyncs(layout, error => {
    throw error
  }),
  onError: (_account: string, error: unknown) => {
    throw error
  }
})

/** The data found, by writer. */
type Found = Map<string, Map<string, string>>

/** Returns the problems of a data directory. Only accounts with a folder are examined. */
export async function examine(dataDir: string, people: readonly Person[]): Promise<string[]> {
  const layout = new Layout(dataDir)
  try {
    const release = lockDirectory(layout.lockFile)
    try {
      return await examineLocked(layout, people)
    } finally {
      release()
    }
  } catch (error) {
    return [`cannot be opened: ${error instanceof Error ? error.stack : String(error)}`]
  }
}

async function examineLocked(layout: Layout, people: readonly Person[]): Promise<string[]> {
  const folders = new Set(foldersOf(layout))
  const platform = new PlatformStore(layout)
  try {
    const accounts = new Accounts(layout, platform, optionsFor(layout))
    const problems: string[] = []
    const opened: [Account, Person, Found][] = []
    try {
      for (const person of people) {
        const account = platform.find(person.username)
        problems.push(...presenceProblems(platform, account, person))
        if (account && folders.has(account.id))
          opened.push([account, person, stateOf(accounts.openStore(account), person)])
      }
    } finally {
      await accounts.close()
    }
    for (const [account, person, state] of opened)
      problems.push(...(await contentProblems(layout, account, person, state)))
    const known = new Set(platform.listActive('', 1e6).map(({ id }) => id))
    for (const id of foldersOf(layout)) if (!known.has(id)) problems.push(`${id} is nobody's folder`)
    return problems
  } finally {
    platform.close()
  }
}

function presenceProblems(platform: PlatformStore, account: Account | undefined, person: Person): string[] {
  const problem = person.promises.verify(new Map(account ? [[presence, 'there']] : []))
  const unique = { email: person.email }
  const taken = platform.listTaken({ username: person.username, unique })
  const isWhole = taken.length === (account ? 2 : 0) && (account?.state ?? 'active') === 'active'
  return [
    ...(problem === undefined ? [] : [`${person.username}: ${problem}`]),
    ...(isWhole ? [] : [`${person.username} is half there: ${account?.state}, ${taken.join(', ')}`])
  ]
}

/** Returns what the store exposes: streams, accesses, points. */
function stateOf({ account, accesses, series, streams }: UserStore, { writers }: Person): Found {
  const found: Found = new Map(writers.map(({ name }) => [name, new Map<string, string>()]))
  for (const { stream } of streams.list())
    found.get(ownerOf(stream.id))?.set(keyOf.stream(stream.id), stream.trashed ? 'trashed' : 'there')
  for (const { name } of accesses.list()) found.get(ownerOf(name))?.set(keyOf.access(name), 'there')
  for (const { holders, name } of writers)
    for (const id of holders) {
      const holder = series.findHolder(id)
      if (holder)
        for (const [time, value] of pointsOf(series, holder.number))
          found.get(name)!.set(keyOf.point(id, time), String(value))
    }
  if (!account.password()) throw new Error('There is no password')
  return found
}

function pointsOf(series: SeriesRepository, holder: number): [number, number][] {
  let text = ''
  let range: Range | undefined = { from: -Infinity, to: Infinity }
  while (range) {
    const page: PointPage = series.next(holder, range, { width: 2, isFine: true })
    if (page.count > 0) text += `${text === '' ? '' : ','}${page.text}`
    range = page.rest
  }
  return JSON.parse(`[${text}]`) as [number, number][]
}

async function contentProblems(
  layout: Layout,
  account: Account,
  person: Person,
  found: Found
): Promise<string[]> {
  const problems: string[] = []
  const attachments = new DiskAttachments(layout)
  const platform = new PlatformInspection(layout)
  const indexed = platform.uniqueValues(account.id)
  platform.close()
  const counts = { accounts: 0, events: 0, deletions: 0, versions: 0, accesses: 0 } as Counts
  await new AccountCheck(layout, attachments, account, counts, indexed, problem =>
    problems.push(JSON.stringify(problem))
  ).run()
  const file = new UserInspection(layout, account.id)
  try {
    for (const { body } of file.events()) {
      const event = JSON.parse(body) as Event
      const owner = found.get(ownerOf(event.streamIds[0]!))
      const { content, trashed = false, attachments: files = [] } = event
      const text = describe({
        content: typeof content === 'string' ? content : '',
        streamId: event.streamIds[0]!,
        trashed,
        files: files.map(({ integrity }) => integrity!)
      })
      owner?.set(keyOf.event(event.id), text)
    }
  } finally {
    file.close()
  }
  for (const { name, promises } of person.writers) {
    const problem = promises.verify(found.get(name)!)
    if (problem !== undefined) problems.push(`${person.username}, ${name}: ${problem}`)
  }
  return problems
}

/** Returns the writer whose names have this prefix. */
function ownerOf(name: string): string {
  return name.split('-', 1)[0]!
}

/** Returns the ids of accounts with a folder. */
function foldersOf({ usersDirectory }: Layout): string[] {
  if (!existsSync(usersDirectory)) return []
  return readdirSync(usersDirectory).flatMap(shard => readdirSync(join(usersDirectory, shard)))
}
