/**
 * Reads the secrets of encrypted backups from a file, the environment or the terminal. Never from arguments, which other users of
 * the machine can see.
 */
import { hkdfSync } from 'node:crypto'
import { readFileSync, statSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { Writable } from 'node:stream'
import { encodeBech32, isBech32 } from '../../core/bech32.js'
import type { Layout } from '../../storage/files/layout.js'
import { PlatformInspection } from '../../storage/inspection/platform-inspection.js'
import { describeSystemError } from './system-errors.js'
import { UsageError } from './operands.js'
import { quoteText } from '../../core/errors.js'

/** Environment variable with the passphrase of backups. */
const passphraseVariable = 'COFFER_BACKUP_PASSPHRASE'

/** Minimum length of a new passphrase. */
const minLength = 8
/** Maximum size of a file with a passphrase or an identity, in bytes. */
const maxFileSize = 64 * 1024

/** Options of commands that open backups. */
export interface SecretOptions {
  readonly passphraseFile?: string
  readonly identity?: string
  /** Public keys of age, separated by commas. */
  readonly recipient?: string
  readonly plain?: true
}

/** The secret that opens an encrypted backup. */
export interface Secret {
  /** True if a secret was given: an unencrypted backup is then unexpected. */
  readonly isGiven: boolean
  /** True if an unencrypted backup was requested. */
  readonly isPlain: boolean
  /** An age identity, given instead of a passphrase. */
  readonly identity: string | undefined
  /** Public keys of age, given instead of a passphrase. */
  readonly recipients: readonly string[]
  /**
   * Returns the identity that this service has for a backup to recipients, so that it can add to it; `undefined` if the
   * recipient's own is required. Rejects with {@link UsageError} if the service has never been started.
   */
  readonly deriveIdentity?: (salt: string) => string
  /** Returns the passphrase, after a prompt if necessary; a new one must be typed twice. */
  passphrase(isNew: boolean): Promise<string>
}

/**
 * Reads the secret from the options and the environment. The passphrase is prompted for only when it is
 * needed and not given. `layout`: of the service whose backup is made. Throws {@link UsageError} if they
 * conflict or are not valid.
 */
export function readSecret(
  { identity, passphraseFile, plain, recipient }: SecretOptions,
  layout?: Layout
): Secret {
  const inEnvironment = process.env[passphraseVariable]
  if (identity !== undefined && passphraseFile !== undefined)
    throw new UsageError("--passphrase-file and --identity can't be combined")
  if (plain && (identity !== undefined || passphraseFile !== undefined))
    throw new UsageError("--plain can't be combined with a passphrase or an identity")
  const recipients = parseRecipients(recipient)
  if (recipients.length > 0 && (plain || passphraseFile !== undefined))
    throw new UsageError("Recipients can't be combined with --passphrase-file or --plain")
  if (recipients.length > 0 && inEnvironment !== undefined)
    throw new UsageError(`Recipients can't be combined with ${passphraseVariable}`)
  const fromFile = passphraseFile === undefined ? undefined : readFirstLine(passphraseFile)
  const given = fromFile ?? (identity === undefined ? inEnvironment : undefined)
  return {
    isGiven: given !== undefined || identity !== undefined || recipients.length > 0,
    isPlain: plain === true,
    identity: identity === undefined ? undefined : readIdentity(identity),
    recipients,
    ...(layout && { deriveIdentity: salt => deriveIdentity(layout, salt) }),
    passphrase: async isNew =>
      checkPassphrase(given ?? (await promptForPassphrase(isNew)), isNew).normalize('NFC')
  }
}

/** Returns the public keys in a list with commas, each once. Throws `UsageError` for others. */
function parseRecipients(list = ''): string[] {
  const recipients = list
    .split(',')
    .map(each => each.trim())
    .filter(each => each !== '')
  for (const each of recipients) {
    if (/^AGE-SECRET-KEY/i.test(each))
      throw new UsageError('--recipient must be a public key (age1…), not the private key')
    if (!isBech32(each, 'age', 32))
      throw new UsageError(
        `--recipient must be a public key of age-keygen (age1…), but is ${quoteText(each)}`
      )
  }
  return [...new Set(recipients)]
}

/**
 * Derives an identity from a secret of the platform, which all nodes of a cluster have, and which backups
 * contain. Throws {@link UsageError} if the service has never been started.
 */
function deriveIdentity(layout: Layout, salt: string): string {
  const inspection = new PlatformInspection(layout)
  try {
    const secret = inspection.findSecret('readToken')
    if (secret === undefined)
      throw new UsageError('Start the service once before backing it up to recipients')
    const bytes = Buffer.from(hkdfSync('sha256', secret, salt, 'coffer backup to recipients', 32))
    return encodeBech32('age-secret-key-', bytes).toUpperCase()
  } finally {
    inspection.close()
  }
}

/**
 * Prompts for a line without echoing it. Reads it from standard input if that is not a terminal. Returns an
 * empty text if the input ends first.
 */
export async function promptHidden(prompt: string): Promise<string> {
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() })
  const lines = createInterface({ input: process.stdin, output: silent, terminal: process.stdin.isTTY })
  // The prompt is shown only after the terminal has stopped echoing: the user may type fast, or paste.
  if (process.stdin.isTTY) process.stderr.write(prompt)
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

async function promptForPassphrase(isNew: boolean): Promise<string> {
  const first = await promptHidden('Passphrase of the backup: ')
  if (isNew && process.stdin.isTTY && first !== '' && (await promptHidden('Repeat: ')) !== first)
    throw new UsageError("The passphrases don't match")
  return first
}

function checkPassphrase(given: string, isNew: boolean): string {
  if (given === '')
    throw new UsageError(`Missing passphrase. Set ${passphraseVariable}, pass --passphrase-file, or type one`)
  if (isNew && given.length < minLength)
    throw new UsageError(`The passphrase must have at least ${minLength} characters`)
  return given
}

function readFirstLine(file: string): string {
  return readText(file).split(/\r?\n/, 1)[0] ?? ''
}

/** Returns the only identity in a file written by `age-keygen`. */
function readIdentity(file: string): string {
  const found = readText(file)
    .split(/\r?\n/)
    .filter(line => /^AGE-SECRET-KEY-1[A-Z0-9]{58}$/.test(line.trim()))
  if (found.length === 1) return found[0]!.trim()
  throw new UsageError(
    `${file} must contain exactly one identity as written by "age-keygen", but contains ${found.length}`
  )
}

function readBytes(file: string): Buffer {
  try {
    return readFileSync(file)
  } catch (error) {
    throw new UsageError(describeSystemError(error, file) ?? (error as Error).message)
  }
}

function readText(file: string): string {
  const bytes = readBytes(file)
  if (bytes.length > maxFileSize) throw new UsageError(`${file} is too large for a passphrase or an identity`)
  // Files only: the permissions of a pipe do not matter.
  const found = statSync(file)
  if (found.isFile() && (found.mode & 0o077) !== 0)
    console.error(`${file} is accessible to other users. Run chmod 600 ${file}`)
  return bytes.toString('utf8')
}
