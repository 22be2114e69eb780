/** `coffer import-data`: imports data of other services and devices into an account. (docs/api/imports.md) */
import { statSync } from 'node:fs'
import { printResult, type JsonOption } from '../terminal/output.js'
import { loadDirectory } from '../terminal/directory.js'
import { splitArguments } from '../terminal/operands.js'
import { OperatorError } from '../terminal/request-service.js'
import { withOperator } from '../terminal/operator.js'
import { importHere, importThroughService, type ImportOutcome } from '../transfer/import-file.js'

export interface ImportDataOptions extends JsonOption {
  readonly look?: boolean
  readonly zone?: string
}

/**
 * Imports a file into an account and prints what was imported, whether or not a service is running. With `look`, only
 * prints what would be imported. Throws `OperatorError` if there is no such file or the service refuses it.
 */
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
  const request = { username, file, isDry: look, zone }
  const job = await withOperator(settings, async operator => {
    const { services, url = '' } = operator
    return await (services
      ? importHere(services, request)
      : importThroughService({ ...operator, url }, request))
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

function formatResult({ look, tally }: ImportOutcome, isDry: boolean): string {
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
