/** Checks all data of one account. */
import { createHash } from 'node:crypto'
import { pipeline } from 'node:stream/promises'
import { matchesIntegrity } from '../../core/integrity.js'
import type { Attachment } from '../../schemas/event.js'
import type { AttachmentStore } from '../../storage/files/attachments.js'
import { UserInspection, type InspectedEvent } from '../../storage/inspection.js'
import type { Layout } from '../../storage/files/layout.js'
import { brokenRecords } from './check-audit.js'
import type { UniqueValue } from '../../storage/repositories/account-fields.js'
import type { Account } from '../../storage/platform/account.js'

/** A problem that a check has found. */
export interface Problem {
  readonly kind:
    | 'platform'
    | 'database'
    | 'stream'
    | 'event'
    | 'deletion'
    | 'version'
    | 'access'
    | 'webhook'
    | 'series'
    | 'password'
    | 'attachment'
    | 'profile'
    | 'followedSlice'
    | 'audit'
    | 'settings'
  /** Name of the user. */
  readonly user?: string
  /** Id of the item. */
  readonly id?: string
  readonly detail: string
}

/** What was checked. Items without an integrity value, and files that the service will remove, are not problems. */
export interface Counts {
  accounts: number
  events: number
  deletions: number
  versions: number
  accesses: number
  /** Audit records. */
  calls: number
  attachments: number
  attachmentBytes: number
  unsealed: number
  leftOver: number
}

interface Body {
  readonly id?: unknown
  readonly time?: unknown
  readonly modified?: unknown
  readonly trashed?: unknown
  readonly token?: unknown
  readonly streamIds?: readonly string[]
  readonly content?: unknown
  readonly attachments?: readonly Attachment[]
  readonly integrity?: unknown
}

export class AccountCheck {
  #links = 0
  #files = 0

  constructor(
    private readonly layout: Layout,
    private readonly store: Pick<AttachmentStore, 'get' | 'list'>,
    private readonly account: Pick<Account, 'id' | 'username'>,
    private readonly counts: Counts,
    /** The account's unique values in the platform's index. */
    private readonly indexed: readonly UniqueValue[],
    private readonly report: (problem: Problem) => void
  ) {}

  async run(): Promise<void> {
    let file: UserInspection | undefined
    try {
      file = new UserInspection(this.layout, this.account.id)
      file.holdSnapshot()
      for (const detail of file.findProblems()) this.#add('database', undefined, detail)
      await this.#events(file)
      this.#records(file)
      this.#unsealed(file)
      this.#audit(file)
      if (file.isIntact) this.#sums(file)
      this.#unique(file)
      await this.#leftOver(file)
    } catch (error) {
      // The file is too damaged to read on.
      this.#add('database', undefined, error instanceof Error ? error.message : String(error))
    } finally {
      file?.close()
    }
  }

  async #events(file: UserInspection): Promise<void> {
    for (const row of file.events()) {
      this.counts.events++
      const body = this.#proven('event', row.id, row.body)
      if (!body) continue
      this.#columns(file, row, body)
      for (const attachment of body.attachments ?? []) await this.#bytes(file, row, attachment)
    }
  }

  #columns(file: UserInspection, row: InspectedEvent, body: Body): void {
    const { id, modified, time, trashed } = row
    const isSame =
      body.id === id &&
      body.time === time &&
      body.modified === modified &&
      (body.trashed === true) === (trashed === 1) &&
      (trashed < 2 || row.stream < 0)
    if (!isSame) this.#add('event', id, "is indexed under values that don't match its content")
    const links = file.listLinks(row, body.streamIds ?? [], body.content)
    this.#links += links.length
    if (links.join(' ') !== (body.streamIds ?? []).join(' '))
      this.#add('event', id, 'is not linked to the streams in its content')
  }

  #records(file: UserInspection): void {
    for (const { body, deleted, id, integrity } of file.deletions()) {
      this.counts.deletions++
      const deletion = { id, deleted, integrity }
      this.#judge('deletion', id, deletion)
      if (body !== null) this.#proven('deletion', id, body)
    }
    for (const { body, event, modified } of file.versions()) {
      this.counts.versions++
      const version = this.#proven('version', event, body)
      if (version && (version.id !== event || version.modified !== modified))
        this.#add('version', event, 'belongs to another event or time')
    }
    for (const { body, id, token } of file.accesses()) {
      this.counts.accesses++
      const access = this.#proven('access', id, body)
      if (access && (access.id !== id || access.token !== token))
        this.#add('access', id, "is indexed under values that don't match its content")
    }
  }

  /** Checks items without an integrity value, which must at least be readable. */
  #unsealed(file: UserInspection): void {
    for (const { body, name } of file.profiles()) this.#read('profile', name, body)
    for (const { body, id } of file.followedSlices())
      if (this.#read('followedSlice', id, body)?.id !== id)
        this.#add('followedSlice', id, "is indexed under an ID that doesn't match its content")
  }

  #audit(file: UserInspection): void {
    for (const { detail, id } of brokenRecords(file, () => this.counts.calls++))
      this.#add('audit', id, detail)
  }

  #sums(file: UserInspection): void {
    const { attachments, links } = file.countRows()
    if (links !== this.#links) this.#add('database', undefined, 'streams list events that are not in them')
    if (attachments !== this.#files)
      this.#add('database', undefined, 'lists attachments that belong to no event')
    if (!file.isStorageCounted())
      this.#add('database', undefined, 'has storage counters that do not match its content')
  }

  /** Checks that the platform's index of unique values matches the file. */
  #unique(file: UserInspection): void {
    // Values in an older format are migrated when the account is next used.
    if (file.listUnmigratedFields().length > 0) return
    const held = new Map(file.uniqueValues().map(value => [textOf(value), value.field]))
    const known = new Map(this.indexed.map(value => [textOf(value), value.field]))
    for (const [value, field] of held)
      if (!known.has(value)) this.#add('platform', undefined, `has no entry for a value of "${field}"`)
    for (const [value, field] of known)
      if (!held.has(value))
        this.#add(
          'platform',
          undefined,
          `has an entry for a value of "${field}" that the account doesn't have`
        )
  }

  async #leftOver(file: UserInspection): Promise<void> {
    for (const id of await this.store.list(this.account.id))
      if (!file.hasAttachment(id)) this.counts.leftOver++
  }

  async #bytes(file: UserInspection, { number }: InspectedEvent, attachment: Attachment): Promise<void> {
    const { id, integrity, size } = attachment
    this.counts.attachments++
    const kept = file.getAttachmentSize(id, number)
    if (kept === undefined) this.#add('attachment', id, 'is missing from the attachments table')
    else this.#files++
    const actual = await this.#digest(id, integrity)
    if (!actual) return this.#add('attachment', id, 'has no file')
    this.counts.attachmentBytes += actual.size
    if (actual.size !== size || (kept ?? size) !== size)
      this.#add('attachment', id, `has ${actual.size} bytes instead of ${size}`)
    else if (actual.integrity !== integrity) this.#add('attachment', id, 'does not match its integrity value')
  }

  /** The size of a file, and its integrity value by the algorithm of the expected one. */
  async #digest(
    id: string,
    expected: string | undefined
  ): Promise<{ size: number; integrity?: string } | undefined> {
    const source = await this.store.get(this.account.id, id)
    if (!source) return undefined
    const algorithm = /^(sha256|sha512|sha1|md5)-/.exec(expected ?? '')?.[1]
    const hash = createHash(algorithm ?? 'sha256')
    let size = 0
    await pipeline(source, async chunks => {
      for await (const chunk of chunks as AsyncIterable<Buffer>) {
        size += chunk.length
        hash.update(chunk)
      }
    })
    if (expected === undefined) return { size }
    return { size, integrity: `${algorithm ?? 'unknown'}-${hash.digest('base64')}` }
  }

  /** Parses an item and checks its integrity value; `undefined` if it is not JSON. */
  #proven(kind: Problem['kind'], id: string, text: string): Body | undefined {
    const body = this.#read(kind, id, text)
    if (body) this.#judge(kind, id, body)
    return body
  }

  #read(kind: Problem['kind'], id: string, text: string): Body | undefined {
    try {
      return JSON.parse(text) as Body
    } catch {
      this.#add(kind, id, 'cannot be read')
      return undefined
    }
  }

  #judge(kind: Problem['kind'], id: string, item: { readonly integrity?: unknown }): void {
    const verdict = matchesIntegrity(item)
    if (verdict === undefined) this.counts.unsealed++
    if (verdict === false) this.#add(kind, id, 'does not match its integrity value')
  }

  #add(kind: Problem['kind'], id: string | undefined, detail: string): void {
    this.report({ kind, user: this.account.username, ...(id !== undefined && { id }), detail })
  }
}

function textOf({ field, key }: UniqueValue): string {
  return JSON.stringify([field, key])
}
