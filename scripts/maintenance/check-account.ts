/** Checks all data of an account. */
import { createHash } from 'node:crypto'
import { pipeline } from 'node:stream/promises'
import { matchesIntegrity } from '../../core/integrity.js'
import type { Attachment } from '../../schemas/event.js'
import type { AttachmentStore } from '../../storage/files/attachments.js'
import { UserInspection, type InspectedEvent } from '../../storage/inspection/user-inspection.js'
import type { Layout } from '../../storage/files/layout.js'
import { findBrokenRecords } from './check-audit.js'
import type { UniqueValue } from '../../storage/repositories/account-fields.js'
import type { Account } from '../../storage/platform/account.js'

/** A problem found by a check. */
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
    | 'connection'
    | 'channel'
    | 'reminder'
    | 'form'
    | 'rule'
    | 'mirror'
    | 'sharedSecret'
    | 'consent'
    | 'audit'
    | 'settings'
  /** Username. */
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
  /** Items without an integrity value. */
  unsealed: number
  /** Files that no event refers to. */
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

  /** Runs the check, and reports all problems. Errors are reported, not thrown. Adds to the counts. */
  async run(): Promise<void> {
    let file: UserInspection | undefined
    try {
      file = new UserInspection(this.layout, this.account.id)
      file.holdSnapshot()
      for (const detail of file.findProblems()) this.#report('database', undefined, detail)
      await this.#checkEvents(file)
      this.#checkRecords(file)
      this.#checkUnsealed(file)
      this.#checkAudit(file)
      if (file.isIntact) this.#checkCounts(file)
      this.#checkUniqueValues(file)
      await this.#countLeftOver(file)
    } catch (error) {
      // The file is too damaged to read on.
      this.#report('database', undefined, error instanceof Error ? error.message : String(error))
    } finally {
      file?.close()
    }
  }

  async #checkEvents(file: UserInspection): Promise<void> {
    for (const row of file.events()) {
      this.counts.events++
      const body = this.#parseAndVerify('event', row.id, row.body)
      if (!body) continue
      this.#checkColumns(file, row, body)
      for (const attachment of body.attachments ?? []) await this.#checkAttachment(file, row, attachment)
    }
  }

  /** Reports an event whose columns or links to streams differ from its content. */
  #checkColumns(file: UserInspection, row: InspectedEvent, body: Body): void {
    const { id, modified, time, trashed } = row
    const isSame =
      body.id === id &&
      body.time === time &&
      body.modified === modified &&
      (body.trashed === true) === (trashed === 1) &&
      (trashed < 2 || row.stream < 0)
    if (!isSame) this.#report('event', id, "is indexed under values that don't match its content")
    const links = file.listLinks(row, body.streamIds ?? [], body.content)
    this.#links += links.length
    if (links.join(' ') !== (body.streamIds ?? []).join(' '))
      this.#report('event', id, 'is not linked to the streams in its content')
  }

  /** Checks deletions, earlier versions and accesses: their integrity values, and the columns that index them. */
  #checkRecords(file: UserInspection): void {
    for (const { body, deleted, id, integrity } of file.deletions()) {
      this.counts.deletions++
      const deletion = { id, deleted, integrity }
      this.#checkIntegrity('deletion', id, deletion)
      if (body !== null) this.#parseAndVerify('deletion', id, body)
    }
    for (const { body, item, modified } of file.versions('event')) {
      this.counts.versions++
      const version = this.#parseAndVerify('version', item, body)
      if (version && (version.id !== item || version.modified !== modified))
        this.#report('version', item, 'belongs to another event or time')
    }
    for (const { body, id, token } of file.accesses()) {
      this.counts.accesses++
      const access = this.#parseAndVerify('access', id, body)
      if (access && (access.id !== id || access.token !== token))
        this.#report('access', id, "is indexed under values that don't match its content")
    }
  }

  /** Checks items without an integrity value, which must at least be readable. */
  #checkUnsealed(file: UserInspection): void {
    for (const { body, item } of file.versions('access')) {
      const version = this.#parse('version', item, body)
      if (version && version.id !== item) this.#report('version', item, 'belongs to another access')
    }
    for (const { body, name } of file.profiles()) this.#parse('profile', name, body)
    for (const { body, id } of file.followedSlices())
      if (this.#parse('followedSlice', id, body)?.id !== id)
        this.#report('followedSlice', id, "is indexed under an ID that doesn't match its content")
    for (const { arrivals, body, id } of file.connections()) {
      this.#parse('connection', id, arrivals)
      if (this.#parse('connection', id, body)?.id !== id)
        this.#report('connection', id, "is indexed under an ID that doesn't match its content")
    }
  }

  #checkAudit(file: UserInspection): void {
    for (const { detail, id } of findBrokenRecords(file, () => this.counts.calls++))
      this.#report('audit', id, detail)
  }

  #checkCounts(file: UserInspection): void {
    const { attachments, links } = file.countRows()
    if (links !== this.#links) this.#report('database', undefined, 'streams list events that are not in them')
    if (attachments !== this.#files)
      this.#report('database', undefined, 'lists attachments that belong to no event')
    if (!file.isStorageCounted())
      this.#report('database', undefined, 'has storage counters that do not match its content')
  }

  /** Checks that the platform's index of unique values matches the file. */
  #checkUniqueValues(file: UserInspection): void {
    // Values in an older format are migrated when the account is next used.
    if (file.listUnmigratedFields().length > 0) return
    const held = new Map(file.uniqueValues().map(value => [toKey(value), value.field]))
    const known = new Map(this.indexed.map(value => [toKey(value), value.field]))
    for (const [value, field] of held)
      if (!known.has(value)) this.#report('platform', undefined, `has no entry for a value of "${field}"`)
    for (const [value, field] of known)
      if (!held.has(value))
        this.#report(
          'platform',
          undefined,
          `has an entry for a value of "${field}" that the account doesn't have`
        )
  }

  async #countLeftOver(file: UserInspection): Promise<void> {
    for (const id of await this.store.list(this.account.id))
      if (!file.hasAttachment(id)) this.counts.leftOver++
  }

  /** Checks the size and integrity value of an attachment against its file. */
  async #checkAttachment(
    file: UserInspection,
    { number }: InspectedEvent,
    attachment: Attachment
  ): Promise<void> {
    const { id, integrity, size } = attachment
    this.counts.attachments++
    const kept = file.getAttachmentSize(id, number)
    if (kept === undefined) this.#report('attachment', id, 'is missing from the attachments table')
    else this.#files++
    const actual = await this.#computeDigest(id, integrity)
    if (!actual) return this.#report('attachment', id, 'has no file')
    this.counts.attachmentBytes += actual.size
    if (actual.size !== size || (kept ?? size) !== size)
      this.#report('attachment', id, `has ${actual.size} bytes instead of ${size}`)
    else if (actual.integrity !== integrity)
      this.#report('attachment', id, 'does not match its integrity value')
  }

  /**
   * Returns the size of a file, and its integrity value with the same algorithm as the expected value.
   * `undefined` if there is no file.
   */
  async #computeDigest(
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

  /** Parses an item and checks its integrity value. Returns `undefined` if it is not JSON. */
  #parseAndVerify(kind: Problem['kind'], id: string, text: string): Body | undefined {
    const body = this.#parse(kind, id, text)
    if (body) this.#checkIntegrity(kind, id, body)
    return body
  }

  /** Parses a JSON text. Reports the problem and returns `undefined` if it is invalid. */
  #parse(kind: Problem['kind'], id: string, text: string): Body | undefined {
    try {
      return JSON.parse(text) as Body
    } catch {
      this.#report(kind, id, 'cannot be read')
      return undefined
    }
  }

  #checkIntegrity(kind: Problem['kind'], id: string, item: { readonly integrity?: unknown }): void {
    const verdict = matchesIntegrity(item)
    if (verdict === undefined) this.counts.unsealed++
    if (verdict === false) this.#report(kind, id, 'does not match its integrity value')
  }

  #report(kind: Problem['kind'], id: string | undefined, detail: string): void {
    this.report({ kind, user: this.account.username, ...(id !== undefined && { id }), detail })
  }
}

function toKey({ field, key }: UniqueValue): string {
  return JSON.stringify([field, key])
}
