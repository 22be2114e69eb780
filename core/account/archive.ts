/** The files of an account export, which is a ZIP, in order. (docs/operation.md#format) */
import { createHash } from 'node:crypto'
import { Type, type Static } from 'typebox'
import { closed } from '../../schemas/scalars.js'
import type { AttachmentStore } from '../../storage/files/attachments.js'
import type { AccountReader } from '../../storage/transfer/account-reader.js'
import { version } from '../version.js'
import { scheduler } from '../../storage/scheduler.js'
import type { Account } from '../../storage/platform/account.js'

/** Seconds. */
const Time = Type.Number({ minimum: 0, maximum: 1e11 })

/** The contents of `account.json`, which describes the archive. */
export const ArchiveHead = Type.Object(
  {
    format: Type.Literal('coffer-account'),
    version: Type.Literal(1),
    /** Version of the database schema of the rows. */
    schema: Type.Integer({ minimum: 1, maximum: 1_000_000 }),
    software: Type.String({ maxLength: 100 }),
    made: Time,
    username: Type.String({ maxLength: 200 }),
    /** The former names of the account, oldest first; absent if there are none. */
    formerUsernames: Type.Optional(Type.Array(Type.String({ maxLength: 200 }), { maxItems: 100 })),
    created: Time,
    /** Whether the archive holds secrets: tokens, password hashes, second factors. */
    hasSecrets: Type.Boolean()
  },
  closed
)
export type ArchiveHead = Static<typeof ArchiveHead>

/** A file of the archive; its bytes are read when its turn comes. */
export interface ArchiveFile {
  readonly name: string
  /** Whether compressing makes the file smaller. */
  readonly isText: boolean
  /** Reads the file, once. */
  bytes(): AsyncGenerator<Buffer, void, undefined>
}

export const manifestName = 'account.json'
/** The last file: sizes and SHA-256 digests of all others. */
export const digestsFileName = 'digests.json'

/** Size and digest of a file. */
const Digest = Type.Object(
  {
    size: Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }),
    sha256: Type.String({ pattern: '^[0-9a-f]{64}$' })
  },
  closed
)
export type Digest = Static<typeof Digest>
export const Digests = Type.Record(Type.String(), Digest)

/**
 * Yields the files of an account's archive. Each has to be read before the next is taken. Attachments that no
 * longer exist are empty files, damaged ones are as they are.
 */
export function* listArchiveFiles(
  {
    created,
    formerUsernames = [],
    id,
    username
  }: Pick<Account, 'created' | 'formerUsernames' | 'id' | 'username'>,
  reader: AccountReader,
  attachments: AttachmentStore,
  {
    includesSecrets,
    createdAt,
    onDamaged
  }: {
    readonly includesSecrets: boolean
    /** Time of the export, in seconds. */
    readonly createdAt: number
    /** Called with the ids of attachments that no longer exist, or have another size than their events say. */
    readonly onDamaged?: (fileId: string) => void
  }
): Generator<ArchiveFile, void, undefined> {
  const digests = new Map<string, Digest>()
  const yieldTurn = scheduler.createTurns({ account: id, access: '' })
  const file = (name: string, isText: boolean, bytes: () => Bytes): ArchiveFile => ({
    name,
    isText,
    bytes: () => hashBytes(name, bytes(), digests, yieldTurn)
  })
  const { schema } = reader
  const head: ArchiveHead = {
    format: 'coffer-account',
    version: 1,
    schema,
    software: version,
    made: createdAt,
    username,
    ...(formerUsernames.length > 0 && { formerUsernames: [...formerUsernames] }),
    created,
    hasSecrets: includesSecrets
  }
  yield file(manifestName, true, () => [Buffer.from(`${JSON.stringify(head, null, 2)}\n`)])
  for (const table of reader.tables) yield file(`tables/${table}.jsonl`, true, () => reader.lines(table))
  for (const attachment of reader.attachments())
    yield file(`attachments/${attachment.id}`, false, () =>
      readAttachment(attachments, id, attachment, onDamaged)
    )
  yield {
    name: digestsFileName,
    isText: true,
    async *bytes() {
      yield Buffer.from(`${JSON.stringify(Object.fromEntries(digests), null, 2)}\n`)
    }
  }
}

type Bytes = Iterable<Buffer> | AsyncIterable<Buffer>

async function* readAttachment(
  attachments: AttachmentStore,
  account: string,
  { id, size }: { readonly id: string; readonly size: number },
  onDamaged: ((fileId: string) => void) | undefined
): AsyncGenerator<Buffer, void, undefined> {
  const source = (await attachments.get(account, id)) as AsyncIterable<Buffer> | undefined
  let read = 0
  // Deleted since the account was copied: exported as an empty file.
  for await (const chunk of source ?? []) {
    read += chunk.length
    yield chunk
  }
  if (read !== size) onDamaged?.(id)
}

/** Passes bytes on, and records their size and SHA-256 digest under `name` at the end. */
async function* hashBytes(
  name: string,
  bytes: Bytes,
  digests: Map<string, Digest>,
  yieldTurn: () => Promise<void> | undefined
): AsyncGenerator<Buffer, void, undefined> {
  const hash = createHash('sha256')
  let size = 0
  for await (const chunk of bytes) {
    hash.update(chunk)
    size += chunk.length
    yield chunk
    const waiting = yieldTurn()
    if (waiting) await waiting
  }
  digests.set(name, { size, sha256: hash.digest('hex') })
}
