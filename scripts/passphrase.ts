/** Passphrases come from the environment or from whoever types, never from arguments: those are everybody's to see. */
import { createInterface } from 'node:readline'
import { Writable } from 'node:stream'
import { UsageError } from './operands.js'

/** Variable that holds the passphrase of backups. */
export const passphraseVariable = 'COFFER_BACKUP_PASSPHRASE'

/** Fewest characters of a new one. */
const shortest = 8

/** The passphrase of a backup: of the environment, typed, or the first line of standard input. A new one is asked for twice. */
export async function askPassphrase(isNew: boolean): Promise<string> {
  const given = process.env[passphraseVariable] ?? (await typed('Passphrase of the backup: '))
  if (given === '') throw new UsageError(`There is no passphrase: set ${passphraseVariable}, or type one.`)
  if (!isNew) return given
  if (given.length < shortest) throw new UsageError(`A passphrase has ${shortest} characters at least.`)
  const isTyped = process.env[passphraseVariable] === undefined && process.stdin.isTTY
  if (isTyped && (await typed('Once more: ')) !== given) throw new UsageError('These are two passphrases.')
  return given
}

/** A line that somebody types, or that stands on standard input; what is typed is not shown. */
export async function typed(prompt: string): Promise<string> {
  if (process.stdin.isTTY) process.stderr.write(prompt)
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() })
  const lines = createInterface({ input: process.stdin, output: silent, terminal: process.stdin.isTTY })
  try {
    return await new Promise<string>(resolve => {
      lines.once('line', resolve)
      lines.once('close', () => resolve(''))
    })
  } finally {
    lines.close()
    if (process.stdin.isTTY) process.stderr.write('\n')
  }
}
