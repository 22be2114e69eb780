/**
 * What opens encrypted backups comes from a file, from the environment or from whoever types, never from arguments: those are
 * everybody's to see.
 */
import { readFileSync, statSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { Writable } from 'node:stream'
import { UsageError } from './operands.js'

/** Variable that holds the passphrase of backups. */
export const passphraseVariable = 'COFFER_BACKUP_PASSPHRASE'

/** Fewest characters of a new one. */
const shortest = 8
/** Bytes of a file with a passphrase or an identity. */
const largestFile = 64 * 1024

/** Options of commands that open backups. */
export interface SecretOptions {
  readonly passphraseFile?: string
  readonly identity?: string
  readonly plain?: true
}

/** What opens encrypted backups. */
export interface Secret {
  /** Whether something has been given that opens them: then those that are not encrypted are not what is meant. */
  readonly isGiven: boolean
  /** Whether backups that are not encrypted are meant. */
  readonly isPlain: boolean
  /** An age identity, given in place of a passphrase. */
  readonly identity: string | undefined
  /** The passphrase, asked for if need be; twice for one with which nothing has been encrypted yet. */
  passphrase(isNew: boolean): Promise<string>
}

/** What the options and the environment give. Throws {@link UsageError} for what contradicts itself. */
export function secretOf({ identity, passphraseFile, plain }: SecretOptions): Secret {
  const inEnvironment = process.env[passphraseVariable]
  if (identity !== undefined && passphraseFile !== undefined)
    throw new UsageError('A backup is opened by a passphrase or by an identity: give one of them')
  if (plain && (identity !== undefined || passphraseFile !== undefined))
    throw new UsageError('A plain backup is opened by nothing: leave out --plain, or the file')
  const fromFile = passphraseFile === undefined ? undefined : firstLineOf(passphraseFile)
  const given = fromFile ?? (identity === undefined ? inEnvironment : undefined)
  return {
    isGiven: given !== undefined || identity !== undefined,
    isPlain: plain === true,
    identity: identity === undefined ? undefined : identityIn(identity),
    passphrase: async isNew => checked(given ?? (await asked(isNew)), isNew).normalize('NFC')
  }
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

async function asked(isNew: boolean): Promise<string> {
  const first = await typed('Passphrase of the backup: ')
  if (isNew && process.stdin.isTTY && first !== '' && (await typed('Once more: ')) !== first)
    throw new UsageError('These are two passphrases: type the same one twice')
  return first
}

function checked(given: string, isNew: boolean): string {
  if (given === '')
    throw new UsageError(`There is no passphrase: set ${passphraseVariable}, name a file, or type one`)
  if (isNew && given.length < shortest)
    throw new UsageError(`A passphrase has ${shortest} characters at least: take a longer one`)
  return given
}

function firstLineOf(file: string): string {
  return textOf(file).split(/\r?\n/, 1)[0] ?? ''
}

/** The one identity in a file as `age-keygen` writes it. */
function identityIn(file: string): string {
  const found = textOf(file)
    .split(/\r?\n/)
    .filter(line => /^AGE-SECRET-KEY-1[A-Z0-9]{58}$/.test(line.trim()))
  if (found.length === 1) return found[0]!.trim()
  throw new UsageError(
    `${file} has to hold one identity, as "age-keygen" makes them: it holds ${found.length}`
  )
}

function textOf(file: string): string {
  const bytes = readFileSync(file)
  if (bytes.length > largestFile)
    throw new UsageError(`${file} is too large to hold a passphrase or an identity`)
  // A pipe is nobody else's to read.
  const found = statSync(file)
  if (found.isFile() && (found.mode & 0o077) !== 0)
    console.error(`${file} can be read by others: chmod 600 ${file}`)
  return bytes.toString('utf8')
}
