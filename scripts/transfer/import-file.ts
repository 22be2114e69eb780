/** Imports a file into an account, in this process or through a running service. (docs/api/imports.md) */
import { openAsBlob, statSync } from 'node:fs'
import { basename, resolve } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import type { Services } from '../../core/call/services.js'
import { createId } from '../../core/ids.js'
import { getJob, type ImportState, type Job, type StoredJob } from '../../core/imports/job.js'
import { operatorAccessId } from '../../core/imports/import-caller.js'
import { ImportFiles } from '../../storage/imports/import-files.js'
import { Layout } from '../../storage/files/layout.js'
import { OperatorError, requestService } from '../terminal/request-service.js'
import { type Operator } from '../terminal/operator.js'
import { openSession } from '../terminal/user-session.js'

interface FileImport {
  readonly username: string
  readonly file: string
  /** If true, the file is only analysed. */
  readonly isDry: boolean
  /** IANA zone for times without a zone. */
  readonly zone: string | undefined
}

/** The result of an import. */
export type ImportOutcome = Pick<StoredJob, 'state' | 'look' | 'tally' | 'message'>

const intervalMs = 50

/**
 * Imports a file in this process; with `isDry`, only examines it and removes the import again. Throws {@link
 * OperatorError} if it cannot be imported; records written until then stay.
 */
export async function importHere(
  { accounts, clock, config, imports }: Services,
  { file, isDry, username, zone }: FileImport
): Promise<ImportOutcome> {
  const account = accounts.find(username)
  if (!account) throw new OperatorError(`Unknown user "${username}"`)
  const files = new ImportFiles(new Layout(config.dataDir))
  const id = createId()
  const state = isDry ? 'looking' : 'writing'
  const job: Job = {
    fileName: basename(file),
    fileId: createId(),
    size: statSync(file).size,
    created: clock.now(),
    createdBy: operatorAccessId,
    accessId: operatorAccessId,
    parentId: null,
    options: zone === undefined ? {} : { zone },
    attempt: 0,
    streams: []
  }
  files.linkOrCopy(account.id, resolve(file), id)
  const store = accounts.openStore(account)
  await store.write(() => store.imports.insert(id, state, JSON.stringify(job)))
  imports.begin(account, id)
  const ended = await poll(
    () => getJob(accounts.openStore(account), id),
    current => current.state !== state
  )
  if (isDry || ended.state === 'failed') {
    await files.remove(account.id, id)
    // Records that were written stay until the import is undone.
    const present = accounts.openStore(account)
    if (isDry) await present.write(() => present.imports.remove(id))
  }
  return requireEnded(ended)
}

/**
 * Imports a file through a running service; with `isDry`, only examines it and removes the import again.
 * Throws {@link OperatorError} if it cannot be imported; records written until then stay.
 */
export async function importThroughService(
  operator: Operator & { readonly url: string },
  { file, isDry, username, zone }: FileImport
): Promise<ImportOutcome> {
  const { token } = await openSession(operator, username, 'coffer-import')
  const imports = `${operator.url}/${encodeURIComponent(username)}/imports`
  const call = async (method: string, path: string, body?: FormData): Promise<object> => {
    // An upload takes as long as it takes.
    const signal = body ? { signal: null } : {}
    const request = { method, headers: { authorization: token }, ...(body && { body }), ...signal }
    return await requestService(`${imports}${path}`, request)
  }
  const form = new FormData()
  if (zone !== undefined) form.append('params', JSON.stringify({ zone }))
  form.append('file', await openAsBlob(file), basename(file))
  const { id } = ((await call('POST', '', form)) as { import: StoredJob }).import
  const pollWhile = async (state: ImportState): Promise<StoredJob> =>
    await poll(
      async () => ((await call('GET', `/${id}`)) as { import: StoredJob }).import,
      current => current.state !== state
    )
  const looked = await pollWhile('looking')
  if (isDry || looked.state !== 'looked') {
    await call('DELETE', `/${id}`)
    await poll(
      async () => ((await call('GET', '')) as { imports: readonly StoredJob[] }).imports,
      left => left.every(each => each.id !== id)
    )
    return requireEnded(looked)
  }
  await call('POST', `/${id}/run`)
  return requireEnded(await pollWhile('writing'))
}

async function poll<T>(read: () => T | Promise<T>, hasEnded: (value: T) => boolean): Promise<T> {
  for (;;) {
    const value = await read()
    if (hasEnded(value)) return value
    await wait(intervalMs)
  }
}

function requireEnded<T extends ImportOutcome>(outcome: T): T {
  if (outcome.state !== 'looked' && outcome.state !== 'written')
    throw new OperatorError(outcome.message ?? 'The file could not be imported')
  return outcome
}
