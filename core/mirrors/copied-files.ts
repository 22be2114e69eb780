/** The files of copied events: which there are, and copying them. (docs/api/mirrors.md#points-and-files) */
import { createHash } from 'node:crypto'
import { Transform, type Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { Attachment, Event } from '../../schemas/event.js'
import type { DigestAlgorithm, ReceivedFile } from '../../storage/files/attachments.js'
import type { Party } from '../../storage/scheduler.js'
import { dropFiles, keepFiles } from '../events/attachments.js'
import { toFileName } from '../events/file-name.js'
import type { Services } from '../call/services.js'
import { getBytesLeft } from '../dispatch/quota.js'
import { ApiError } from '../errors.js'
import { addTags } from '../streams/tags.js'
import { isObject } from '../validation/is-object.js'
import { getStore, writeCopy, type CopyContext } from './copy-context.js'
import { findOrigin, followedKey } from './copied-streams.js'
import type { PartBudget } from './part-budget.js'
import { findOutage, PageTooLong, PeerAway, PeerFailed, toError } from './peer-answers.js'

/** Maximum number of files of an event. */
const maxFiles = 100
/** Maximum size of a file that is copied, in bytes. */
const maxFileBytes = 100 * 1024 * 1024
/** Milliseconds that a file may take, and bytes per millisecond in addition. */
const baseMs = 30_000
const bytesPerMs = 512
/** Digests of files that can be checked. */
const algorithms: readonly string[] = ['sha256', 'sha512', 'sha1', 'md5'] satisfies DigestAlgorithm[]

/** A file of the original, as the client data of a copied event lists it. */
interface FollowedFile {
  /** Its id at the other server. */
  readonly id: string
  readonly fileName: string
  readonly size: number
  readonly type: string
  readonly integrity?: string
  /** Id of the copy, once it is here. */
  readonly copy?: string
}

/** Returns the files of an event at the other server, with the copies that the event has here. */
export function listFiles(attachments: unknown, before: Event | undefined): FollowedFile[] {
  if (!Array.isArray(attachments)) return []
  const known = new Map((before ? readFiles(before) : []).map(file => [file.id, file]))
  return attachments.slice(0, maxFiles).flatMap((each: unknown) => {
    const file = parseFile(each)
    if (!file) return []
    const copy = known.get(file.id)
    return [{ ...file, ...(copy?.copy !== undefined && isSameFile(copy, file) && { copy: copy.copy }) }]
  })
}

function isSameFile(a: FollowedFile, b: FollowedFile): boolean {
  return a.id === b.id && a.size === b.size && a.integrity === b.integrity
}

/** Returns the copies that an event keeps. */
export function keepCopies(files: readonly FollowedFile[], before: Event | undefined): Attachment[] {
  const kept = new Set(files.map(({ copy }) => copy))
  return (before?.attachments ?? []).filter(({ id }) => kept.has(id))
}

/** Returns whether a copied event has files that are to be copied. */
export function lacksFiles({ config }: Pick<Services, 'config'>, event: Event): boolean {
  return readFiles(event).some(file => isWanted(config, file))
}

function isWanted({ uploads }: Services['config'], { copy, size }: FollowedFile): boolean {
  const limit = uploads.maxFileBytes > 0 ? Math.min(uploads.maxFileBytes, maxFileBytes) : maxFileBytes
  return copy === undefined && size <= limit
}

function readFiles({ clientData }: Event): FollowedFile[] {
  const mark = clientData?.[followedKey]
  const files = isObject(mark) ? mark['files'] : undefined
  return Array.isArray(files) ? (files as FollowedFile[]) : []
}

/** Returns the description of a file of another server, with a safe name and type; `undefined` if it is malformed. */
function parseFile(value: unknown): FollowedFile | undefined {
  if (!isObject(value)) return undefined
  const { fileName, id, integrity, size, type } = value
  if (typeof id !== 'string' || id === '' || id.length > 500) return undefined
  if (typeof fileName !== 'string' || typeof type !== 'string') return undefined
  if (typeof size !== 'number' || !Number.isSafeInteger(size) || size < 0) return undefined
  const isMediaType = /^[\w!#$&^.+-]+\/[\w!#$&^.+-]+(?:; *[\w-]+=[\w.-]+)*$/.test(type) && type.length <= 200
  return {
    id,
    fileName: toFileName(fileName),
    size,
    type: isMediaType ? type : 'application/octet-stream',
    ...(typeof integrity === 'string' && integrity.length <= 200 && { integrity })
  }
}

/** Where the files of an event are read from: the index of the first. */
interface FilesTurn {
  readonly from: number
  readonly budget: PartBudget
  /** Called with the index of the next file. */
  readonly save: (at: number) => void
}

/**
 * Copies the files of an event that are not here. Rejects with `OutOfTurn`, with `PeerAway`, and after the last file with `PeerFailed` if one
 * of them could not be copied.
 */
export async function copyFilesOf(
  context: CopyContext,
  id: string,
  { budget, from, save }: FilesTurn
): Promise<void> {
  const { config } = context.services
  let failure: PeerFailed | undefined
  for (let at = from; ; at++) {
    const event = getStore(context).events.find(id)
    const remoteId = event && findOrigin(event)
    const files = event ? readFiles(event) : []
    at = files.findIndex((file, index) => index >= at && isWanted(config, file))
    if (at < 0 || remoteId === undefined) break
    save(at)
    budget.spend()
    try {
      failure = (await tryFile(context, { id, remoteId }, files[at]!)) ?? failure
    } catch (error) {
      // Reading this file may be what brings the peer down: the others are read first next time.
      if (error instanceof PeerAway)
        save(
          Math.max(
            0,
            files.findIndex((file, index) => index > at && isWanted(config, file))
          )
        )
      throw error
    }
  }
  const event = getStore(context).events.find(id)
  // Those before the first may have failed in an earlier turn.
  if (from > 0 && event && lacksFiles(context.services, event))
    failure ??= new PeerFailed({ id: 'odd-response' })
  if (failure) throw failure
}

/** Copies a file. Returns why that has failed. Rejects with `PeerAway`. */
async function tryFile(
  context: CopyContext,
  event: { readonly id: string; readonly remoteId: string },
  file: FollowedFile
): Promise<PeerFailed | undefined> {
  try {
    // Nothing is read that there is no room for.
    if (file.size > getBytesLeft(context.services, context.account.username)) return createQuotaFailure()
    await copyFile(context, event, file)
    return undefined
  } catch (error) {
    if (error instanceof PageTooLong) return new PeerFailed({ id: 'odd-response' })
    if (error instanceof ApiError && error.id === 'user-intervention-required') return createQuotaFailure()
    if (!(error instanceof PeerFailed)) throw error
    const outage = await findOutage(context, error)
    if (outage) throw outage
    return error
  }
}

function createQuotaFailure(): PeerFailed {
  return new PeerFailed({ id: 'over-quota' })
}

/** Copies one file and adds it to the event. Rejects with `PeerFailed` if it did not arrive complete. */
async function copyFile(
  context: CopyContext,
  { id, remoteId }: { readonly id: string; readonly remoteId: string },
  file: FollowedFile
): Promise<void> {
  const { account, endpoint, peers, services } = context
  const answer = await peers.readFile(
    endpoint,
    { eventId: remoteId, fileId: file.id },
    { maxBytes: file.size, timeoutMs: baseMs + Math.ceil(file.size / bytesPerMs) },
    async source => await receiveFile(services, source, { file, party: { account: account.id, access: '' } })
  )
  if (!('received' in answer)) throw toError(answer)
  const { digest, received } = answer.received
  try {
    const isWhole = received.size === file.size && (digest === undefined || digest === file.integrity)
    if (!isWhole) throw new PeerFailed({ id: 'odd-response' })
    const [attachment] = await keepFiles(services, account, [{ ...file, received }])
    await addFile(context, { id, file }, attachment!)
  } finally {
    await services.attachments.discard(received)
  }
}

/** Receives a file. `digest`: its integrity by the algorithm of the original, if it has one. */
async function receiveFile(
  services: Services,
  source: Readable,
  { file: { integrity = '' }, party }: { readonly file: FollowedFile; readonly party: Party }
): Promise<{ readonly received: ReceivedFile; readonly digest: string | undefined }> {
  const own = services.config.integrity.algorithm
  const algorithm = integrity.slice(0, integrity.indexOf('-'))
  if (!algorithms.includes(algorithm))
    return { received: await services.attachments.receive(source, own, party), digest: undefined }
  if (algorithm === own) {
    const received = await services.attachments.receive(source, own, party)
    return { received, digest: `${algorithm}-${received.digest}` }
  }
  const hash = createHash(algorithm)
  const hashing = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      hash.update(chunk)
      done(null, chunk)
    }
  })
  const [received] = await Promise.all([
    services.attachments.receive(hashing, own, party),
    pipeline(source, hashing)
  ])
  return { received, digest: `${algorithm}-${hash.digest('base64')}` }
}

/** Adds a file to its event, unless the event has changed. */
async function addFile(
  context: CopyContext,
  { file, id }: { readonly id: string; readonly file: FollowedFile },
  attachment: Attachment
): Promise<void> {
  try {
    await writeCopy(context, ({ changes, now, services, store }) => {
      const before = store.events.find(id)
      const files = before ? readFiles(before) : []
      const at = files.findIndex(each => each.copy === undefined && isSameFile(each, file))
      if (!before || at < 0) return
      const mark = before.clientData![followedKey] as object
      const marked = files.with(at, { ...files[at]!, copy: attachment.id })
      const event = addTags(services, {
        ...before,
        attachments: [...(before.attachments ?? []), attachment],
        clientData: { ...before.clientData, [followedKey]: { ...mark, files: marked } },
        modified: store.stamp(now)
      })
      changes.addEvent(before)
      store.events.amend(event)
      changes.addEvent(event)
    })
  } finally {
    // Unless the event names it.
    await dropFiles(context.services, context.account, [attachment])
  }
}
