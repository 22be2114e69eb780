/** `coffer import-data`: imports data of other services and devices into an account. (docs/api/imports.md) */
import { statSync } from 'node:fs'
import { basename, resolve } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import type { Services } from '../../core/call/services.js'
import { createId } from '../../core/ids.js'
import { getJob, type Job, type StoredJob } from '../../core/imports/job.js'
import { operatorAccessId } from '../../core/imports/import-caller.js'
import { ImportFiles } from '../../storage/imports/import-files.js'
import { Layout } from '../../storage/files/layout.js'
import type { Account } from '../../storage/platform/account.js'
import { printResult, type JsonOption } from '../terminal/output.js'
import { loadDirectory } from '../terminal/directory.js'
import { splitArguments } from '../terminal/operands.js'
import { withOperator, OperatorError } from '../terminal/operator.js'

export interface ImportDataOptions extends JsonOption {
  readonly look?: boolean
  readonly zone?: string
}

const intervalMs = 50

/** Imports a file. With `look`, only prints what would be imported. */
export async function importData(
  args: readonly string[],
  { json, look = false, zone }: ImportDataOptions
): Promise<void> {
  const { flags, operands } = splitArguments(args, 'user', 'file')
  const [username = '', file = ''] = operands
  const { settings } = loadDirectory(flags)
  const found = statSync(file, { throwIfNoEntry: false })
  if (!found) throw new OperatorError(`File not found: ${file}`)
  if (!found.isFile()) throw new OperatorError(`${file} is not a file`)
  const startMs = performance.now()
  const job = await withOperator(settings, async ({ services }) => {
    if (!services)
      throw new OperatorError(
        'The data directory is in use by a running service. Stop it, or send the file to POST /{user}/imports'
      )
    const account = services.accounts.find(username)
    if (!account) throw new OperatorError(`No account ${username}`)
    const files = new ImportFiles(new Layout(settings.dataDir))
    return await runImport(services, files, account, resolve(file), { isDry: look, zone })
  })
  const { from = null, format = 'none', records = {}, to = null } = job.look ?? {}
  const { broughtIn, known, leftOut } = job.tally ?? { broughtIn: {}, known: {}, leftOut: {} }
  const seconds = Math.round(performance.now() - startMs) / 1000
  printResult(
    json,
    { format, records, broughtIn, known, leftOut, from, to, seconds },
    formatResult(job, look)
  )
}

async function runImport(
  services: Services,
  files: ImportFiles,
  account: Account,
  file: string,
  { isDry, zone }: { readonly isDry: boolean; readonly zone: string | undefined }
): Promise<StoredJob> {
  const { accounts, clock, imports } = services
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
  files.linkOrCopy(account.id, file, id)
  const store = accounts.store(account)
  await store.write(() => store.imports.insert(id, state, JSON.stringify(job)))
  imports.begin(account, id)
  let rested = getJob(store, id)
  while (rested.state === state) {
    await wait(intervalMs)
    rested = getJob(accounts.store(account), id)
  }
  if (isDry || rested.state === 'failed') {
    await files.remove(account.id, id)
    // Records that were written stay until the import is undone.
    const present = accounts.store(account)
    if (isDry) await present.write(() => present.imports.remove(id))
  }
  if (rested.state !== 'looked' && rested.state !== 'written')
    throw new OperatorError(rested.message ?? 'The file could not be imported')
  return rested
}

function formatResult({ look, tally }: StoredJob, isDry: boolean): string {
  const lines = [`Format: ${look?.formatName ?? 'none'}`]
  const list = (title: string, counts: Readonly<Record<string, number>> = {}): void => {
    for (const [name, count] of Object.entries(counts)) lines.push(`${title} ${count} ${name}`)
  }
  list('In the file:', look?.records)
  list(isDry ? 'Would import:' : 'Imported:', tally?.broughtIn)
  list('Already imported:', tally?.known)
  list('Skipped:', tally?.leftOut)
  return [...lines, ...(look?.warnings ?? [])].join('\n')
}
