/** Exports events of one account in formats for other programs, whether or not a service is running. */
import { existsSync } from 'node:fs'
import { link, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { openSession } from '../../core/auth/personal-access.js'
import type { Success } from '../../core/call/outcome.js'
import type { Settings } from '../../core/settings/settings.js'
import { systemClock } from '../../core/time.js'
import type { Runtime } from '../../server/runtime.js'
import { nameOriginal, StoreDamaged, translateError } from '../../storage/errors.js'
import { syncPath, writeWithin } from '../../storage/files/durable.js'
import type { Layout } from '../../storage/files/layout.js'
import type { Account } from '../../storage/platform/account.js'
import { copyUserFile } from '../../storage/sqlite/copies.js'
import { createCopyFolder, removeCopyFolder } from '../../storage/sqlite/copy-folders.js'
import { addAccount } from '../maintenance/place-account.js'
import { OperatorError } from '../terminal/request-service.js'
import { withRuntime } from '../terminal/operator.js'
import { TransferError } from './transfer-error.js'

/** Params of `events.export`. */
export type ExportParams = Readonly<Record<string, unknown>>

/**
 * Writes the export to a new file. Throws {@link TransferError} if the file exists, {@link OperatorError} if
 * the params are refused, and `StoreDamaged`.
 */
export async function writeEvents(
  settings: Settings,
  source: Layout,
  account: Account,
  params: ExportParams,
  file: string
): Promise<void> {
  if (existsSync(file)) throw new TransferError(`${file} already exists`)
  const draft = `${file}.${process.pid}.part`
  try {
    await withExport(settings, source, account, params, async chunks => {
      await writeWithin(dirname(file), draft, chunks)
    })
    // A rename would overwrite a file that was created in the meantime.
    await link(draft, file)
    await syncPath(dirname(file))
  } finally {
    await rm(draft, { force: true })
  }
}

/**
 * Passes the chunks of the export to `write`. Reads from a copy of the account, so that nothing is recorded
 * in its audit. Throws {@link OperatorError} if the params are refused, and `StoreDamaged`.
 */
export async function withExport(
  settings: Settings,
  source: Layout,
  account: Account,
  params: ExportParams,
  write: (chunks: AsyncIterable<Buffer>) => Promise<void>
): Promise<void> {
  const [side, target] = [createCopyFolder(source), createCopyFolder(source)]
  try {
    await copyUserFile(source, side, account.id)
    await addAccount(target, side, account)
    const own = { ...settings, dataDir: target.root }
    await withRuntime(
      own,
      systemClock,
      async runtime => await write(await callExport(runtime, account, params))
    )
  } catch (error) {
    const file = source.userFile(account.id)
    for (const copy of [side, target]) nameOriginal(error, copy.userFile(account.id), file)
    throw error instanceof SyntaxError
      ? new StoreDamaged(file, error.message, error)
      : translateError(error, file)
  } finally {
    removeCopyFolder(side)
    removeCopyFolder(target)
  }
}

/** Calls `events.export` on the copy, with a token that is valid only there. */
async function callExport(
  { registry, services }: Runtime,
  { username }: Account,
  params: ExportParams
): Promise<AsyncIterable<Buffer>> {
  const { accounts, clock, config } = services
  const account = accounts.find(username)
  if (!account) throw new OperatorError(`No account ${username}`)
  const store = accounts.openStore(account)
  const { token } = await store.write(() => openSession(config, store, 'coffer-command', clock.now()))
  const credentials = { authorization: token, ip: '127.0.0.1', via: 'http' } as const
  const request = { user: username, method: 'events.export', params, credentials, isDocument: true } as const
  const outcome = await registry.call(request)
  if (!outcome.ok) {
    const { cause, message } = outcome.error
    throw cause instanceof StoreDamaged ? cause : new OperatorError(message)
  }
  return encode(outcome)
}

async function* encode({ facts, members, remainder }: Success): AsyncGenerator<Buffer, void, undefined> {
  const encoding = facts?.document?.isBinary === true ? 'latin1' : 'utf8'
  yield Buffer.from(members, encoding)
  for await (const text of remainder ?? []) yield Buffer.from(text, encoding)
}
