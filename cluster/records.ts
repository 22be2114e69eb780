/**
 * Records of the log of an account's changes, as bytes. Each holds commits, or part of a long one, and names the record before
 * it, so that a hole is noticed; a checksum covers all of it.
 *
 * A record is a head of 68 bytes, then its body, deflated if that makes it shorter. All numbers are big-endian.
 *
 *     0  2 bytes   the mark
 *     2  1         version
 *     3  1         kind
 *     4  4         CRC-32 of all but these
 *     8  6         epoch of the process that writes
 *    14  6         lsn of the last commit that is complete after this record
 *    20  6         its epoch
 *    26  6         sequence of the record before, 0 for the first
 *    32  4         number of bytes of the body when inflated
 *    36  1         flags: 1 the body is deflated, 2 the last commit goes on in the next record
 *    37  3         0
 *    40  6         lsn of the last snapshot, 0 if there is none
 *    46  6         its epoch
 *    52  6         sequence of the record from which it is followed, 0 for the beginning
 *    58  6         number of bytes of the records behind that one, without this one
 *    64  4         a number that tells its writer from others
 *
 * The body is the commits: lsn (6 bytes), epoch (6), page size (4), pages of the file (4), number of changes (4); for each
 * change the page (4), its checksum (4), whether it is whole (1), number of bytes (4), and those.
 */
import { promisify } from 'node:util'
import { crc32, deflateRaw, deflateRawSync, inflateRawSync } from 'node:zlib'
import type { Position } from '../storage/wal/position.js'
import { assertRunsFit, type Commit, type PageChange } from './commit.js'

/**
 * `changes`: commits. `takeover`: another process becomes the writer. `snapshot`: a new base. `deleted`: the end of the
 * account, after which no record is written.
 */
export type RecordKind = 'changes' | 'takeover' | 'snapshot' | 'deleted'

/** The base of an account's log: a snapshot of its file, or, with lsn 0, nothing. */
export interface Base extends Position {
  /** Sequence of the record after which everything follows that the snapshot lacks, and possibly some that it has. */
  readonly sequence: number
  /** Size of the records after `sequence`, in bytes. */
  readonly bytes: number
}

/** The base of a log that begins with the whole file. */
export const noBase: Base = { lsn: 0, epoch: 0, sequence: 0, bytes: 0 }

export interface LogRecord {
  readonly kind: RecordKind
  /**
   * The base as of this record. Every record has it, so that the last one tells how to restore the file; its bytes are
   * those before this record.
   */
  readonly base: Base
  /** Random: two writers that do the same at the same position write different records. */
  readonly writer: number
  /** Epoch of the process that wrote it. */
  readonly epoch: number
  /** The last commit that is complete after this record; lsn 0 if there is none. */
  readonly position: Position
  /** Sequence of the record before, 0 for the first one. */
  readonly previous: number
  readonly commits: readonly Commit[]
  /** True if the last commit continues in the next record. */
  readonly isContinued: boolean
}

/** A record is corrupted. */
export class RecordDamaged extends Error {
  constructor(reason: string, cause?: unknown) {
    super(`A record of the log is damaged: ${reason}`, { cause })
    this.name = 'RecordDamaged'
  }
}

/** A record was written by a newer version of the software. */
export class RecordTooNew extends Error {
  constructor(readonly found: number) {
    super(
      `A record of the log has format ${found}, but this software supports formats up to ${version} only. Upgrade the software`
    )
    this.name = 'RecordTooNew'
  }
}

const recordMark = 0xc0ff
const version = 1
const kinds: readonly RecordKind[] = ['changes', 'takeover', 'snapshot', 'deleted']
const flag = { deflated: 1, isContinued: 2 } as const
const recordHeadBytes = 68
const commitHeadBytes = 24
const changeHeadBytes = 13
/** Maximum size of an inflated body, in bytes. */
export const maxBodyBytes = 16 * 1024 * 1024
/** Bodies with fewer bytes are not deflated. */
const minDeflatedBytes = 256
/** Bodies with more bytes are deflated in another thread. */
const maxSyncBytes = 64 * 1024
/** Higher levels take long and gain little. */
const deflateOptions = { level: 1 }

const deflateAsync = promisify<Buffer, object, Buffer>(deflateRaw)

/** Returns the size of a change in a body, in bytes. */
export function getChangeBytes({ bytes }: PageChange): number {
  return changeHeadBytes + bytes.length
}

/** Encodes a record. Rejects with `RangeError` if it is too large. */
export async function encode(record: LogRecord): Promise<Buffer> {
  const body = Buffer.concat(record.commits.flatMap(encodeCommit))
  if (body.length > maxBodyBytes) throw new RangeError('Too much for a record')
  const isLong = body.length > maxSyncBytes
  const short =
    body.length < minDeflatedBytes
      ? body
      : isLong
        ? await deflateAsync(body, deflateOptions)
        : deflateRawSync(body, deflateOptions)
  const isDeflated = short.length < body.length
  const head = Buffer.alloc(recordHeadBytes)
  head.writeUInt16BE(recordMark, 0)
  head.writeUInt8(version, 2)
  head.writeUInt8(kinds.indexOf(record.kind), 3)
  head.writeUIntBE(record.epoch, 8, 6)
  head.writeUIntBE(record.position.lsn, 14, 6)
  head.writeUIntBE(record.position.epoch, 20, 6)
  head.writeUIntBE(record.previous, 26, 6)
  head.writeUInt32BE(body.length, 32)
  head.writeUInt8((isDeflated ? flag.deflated : 0) | (record.isContinued ? flag.isContinued : 0), 36)
  head.writeUIntBE(record.base.lsn, 40, 6)
  head.writeUIntBE(record.base.epoch, 46, 6)
  head.writeUIntBE(record.base.sequence, 52, 6)
  head.writeUIntBE(record.base.bytes, 58, 6)
  head.writeUInt32BE(record.writer, 64)
  const bytes = Buffer.concat([head, isDeflated ? short : body])
  bytes.writeUInt32BE(checksum(bytes), 4)
  return bytes
}

/** Decodes a record. Throws {@link RecordDamaged}, {@link RecordTooNew}. */
export function decode(given: Uint8Array): LogRecord {
  const bytes = Buffer.from(given.buffer, given.byteOffset, given.byteLength)
  if (bytes.length < recordHeadBytes || bytes.readUInt16BE(0) !== recordMark)
    throw new RecordDamaged('it has no head')
  const found = bytes.readUInt8(2)
  if (found > version) throw new RecordTooNew(found)
  if (checksum(bytes) !== bytes.readUInt32BE(4)) throw new RecordDamaged('its checksum is another')
  const kind = kinds[bytes.readUInt8(3)]
  const flags = bytes.readUInt8(36)
  if (found !== version || !kind || flags > (flag.deflated | flag.isContinued))
    throw new RecordDamaged('its head makes no sense')
  const body = inflateBody(
    bytes.subarray(recordHeadBytes),
    bytes.readUInt32BE(32),
    (flags & flag.deflated) !== 0
  )
  return {
    kind,
    epoch: bytes.readUIntBE(8, 6),
    position: { lsn: bytes.readUIntBE(14, 6), epoch: bytes.readUIntBE(20, 6) },
    previous: bytes.readUIntBE(26, 6),
    base: {
      lsn: bytes.readUIntBE(40, 6),
      epoch: bytes.readUIntBE(46, 6),
      sequence: bytes.readUIntBE(52, 6),
      bytes: bytes.readUIntBE(58, 6)
    },
    writer: bytes.readUInt32BE(64),
    commits: parseCommits(body),
    isContinued: (flags & flag.isContinued) !== 0
  }
}

/** Computes the checksum of a record: of everything except the checksum itself. */
export function checksum(bytes: Buffer): number {
  return crc32(bytes.subarray(8), crc32(bytes.subarray(0, 4)))
}

function encodeCommit({ changes, epoch, lsn, pageSize, pages }: Commit): Buffer[] {
  const head = Buffer.allocUnsafe(commitHeadBytes)
  head.writeUIntBE(lsn, 0, 6)
  head.writeUIntBE(epoch, 6, 6)
  head.writeUInt32BE(pageSize, 12)
  head.writeUInt32BE(pages, 16)
  head.writeUInt32BE(changes.length, 20)
  return [head, ...changes.flatMap(encodeChange)]
}

function encodeChange({ bytes, isWhole, page, sum }: PageChange): Buffer[] {
  const head = Buffer.allocUnsafe(changeHeadBytes)
  head.writeUInt32BE(page, 0)
  head.writeUInt32BE(sum, 4)
  head.writeUInt8(isWhole ? 1 : 0, 8)
  head.writeUInt32BE(bytes.length, 9)
  return [head, bytes]
}

/** Returns the body of a record, of `length` bytes. Throws `RecordDamaged` if it has another length or cannot be inflated. */
function inflateBody(bytes: Buffer, length: number, isDeflated: boolean): Buffer {
  if (length > maxBodyBytes) throw new RecordDamaged('its body is too long')
  if (!isDeflated) {
    if (bytes.length !== length) throw new RecordDamaged('its body has another length')
    return bytes
  }
  try {
    const body = inflateRawSync(bytes, { maxOutputLength: Math.max(length, 1) })
    if (body.length === length) return body
  } catch (cause) {
    throw new RecordDamaged('its body cannot be inflated', cause)
  }
  throw new RecordDamaged('its body has another length')
}

/** Parses the commits in the body of a record. Throws `RecordDamaged`. */
function parseCommits(body: Buffer): Commit[] {
  const commits: Commit[] = []
  let at = 0
  const take = (length: number): Buffer => {
    if (at + length > body.length) throw new RecordDamaged('its body ends too early')
    at += length
    return body.subarray(at - length, at)
  }
  while (at < body.length) {
    const head = take(commitHeadBytes)
    const pageSize = head.readUInt32BE(12)
    const pages = head.readUInt32BE(16)
    if (pageSize < 512 || pageSize > 65_536 || (pageSize & (pageSize - 1)) !== 0)
      throw new RecordDamaged('its pages have no size')
    const count = head.readUInt32BE(20)
    const changes: PageChange[] = []
    for (let index = 0; index < count; index++) changes.push(parseChange(take, pageSize, pages))
    commits.push({ lsn: head.readUIntBE(0, 6), epoch: head.readUIntBE(6, 6), pageSize, pages, changes })
  }
  return commits
}

/** Parses the change of a page. Throws `RecordDamaged`. */
function parseChange(take: (length: number) => Buffer, pageSize: number, pages: number): PageChange {
  const head = take(changeHeadBytes)
  const page = head.readUInt32BE(0)
  const isWhole = head.readUInt8(8)
  const bytes = take(head.readUInt32BE(9))
  if (page < 1 || page > pages) throw new RecordDamaged('a page is outside of its file')
  if (isWhole > 1 || (isWhole === 1 && bytes.length !== pageSize))
    throw new RecordDamaged('a page has another size')
  try {
    // There may be many changes: no page is allocated for them.
    if (isWhole === 0) assertRunsFit(bytes, pageSize)
  } catch (cause) {
    throw new RecordDamaged('a change does not fit into its page', cause)
  }
  return { page, sum: head.readUInt32BE(4), isWhole: isWhole === 1, bytes }
}
