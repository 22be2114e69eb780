/** `coffer user …` and `coffer invite`: accounts, by whoever runs the service. */
import { existsSync } from 'node:fs'
import { toConfig } from '../../core/config.js'
import { mustBeComplex } from '../../core/password-rules.js'
import { createPasswords } from '../../core/passwords.js'
import { openSession } from '../../core/personal-access.js'
import { apiEndpoint } from '../../core/service-info.js'
import { version } from '../../core/version.js'
import { Username } from '../../schemas/account.js'
import { PlatformInspection } from '../../storage/inspection.js'
import type { Account } from '../../storage/platform-store.js'
import { Value } from 'typebox/value'
import { asOperator, directoryOf, OperatorError } from '../operator.js'
import { split, UsageError } from '../operands.js'
import { typed } from '../passphrase.js'

export interface JsonOption {
  readonly json?: true
}

/** Prints an answer as JSON, or the lines that people read. */
function print(json: true | undefined, answer: object, ...lines: readonly string[]): void {
  if (json) console.log(JSON.stringify(answer, null, 2))
  else for (const line of lines) console.log(line)
}

/** Lists accounts, by name; next to a running service or without one. */
export function listUsers(args: readonly string[], { json }: JsonOption): void {
  const { layout } = directoryOf(split(args).flags)
  if (!existsSync(layout.platformFile)) return print(json, [])
  const inspection = new PlatformInspection(layout)
  let accounts: Account[]
  try {
    accounts = [...inspection.accounts()].filter(({ state }) => state === 'active')
  } finally {
    inspection.close()
  }
  const users = accounts.map(({ created, id, relocatedTo, username }) => ({
    username,
    id,
    created,
    relocatedTo
  }))
  const lines = users.map(({ created, relocatedTo, username }) =>
    [
      username,
      new Date(created * 1000).toISOString(),
      ...(relocatedTo === null ? [] : [`moved to ${relocatedTo}`])
    ].join('\t')
  )
  print(json, users, ...lines)
}

export interface CreateOptions extends JsonOption {
  readonly email?: string
  readonly language?: string
}

/** Makes an account; its password is typed, or the first line of standard input. */
export async function createUser(args: readonly string[], options: CreateOptions): Promise<void> {
  const { flags, operands } = split(args, 'name')
  const [username = ''] = operands
  const { email, json, language = 'en' } = options
  if (!Value.Check(Username, username))
    throw new UsageError(`"${operands[0]}" cannot be the name of an account.`)
  if (email === undefined) throw new UsageError('An account needs an address: --email.')
  const { settings } = directoryOf(flags)
  const password = await typed(`Password of ${username}: `)
  if (password.length < 6) throw new UsageError('A password has 6 characters at least.')
  mustFitRules(() => mustBeComplex(toConfig(settings, version), password))
  const passwordHash = await createPasswords().hash(password)
  const { id } = await asOperator(settings, operator =>
    operator.call('system.createUser', { username, passwordHash, email, language })
  )
  print(json, { username, id }, `${username}: made`)
}

function mustFitRules(check: () => void): void {
  try {
    check()
  } catch (error) {
    throw new UsageError((error as Error).message)
  }
}

export interface DeleteOptions extends JsonOption {
  readonly yes?: true
}

/** Deletes an account with all that it holds, once that has been confirmed. */
export async function deleteUser(args: readonly string[], { json, yes }: DeleteOptions): Promise<void> {
  const { flags, operands } = split(args, 'name')
  const [username = ''] = operands
  const { settings } = directoryOf(flags)
  if (!yes && (await typed(`All data of ${username} will be gone. Type the name to go on: `)) !== username)
    throw new UsageError('Nothing has been deleted (--yes does so without asking).')
  await asOperator(settings, operator => operator.call('users.delete', { username }))
  print(json, { username, isDeleted: true }, `${username}: deleted`)
}

export interface TokenOptions extends JsonOption {
  readonly app?: string
}

/** Signs in as a user, for an app; only while no service owns the data directory. */
export async function userToken(
  args: readonly string[],
  { app = 'coffer-command', json }: TokenOptions
): Promise<void> {
  const { flags, operands } = split(args, 'name')
  const [username = ''] = operands
  const { settings } = directoryOf(flags)
  const answer = await asOperator(settings, async ({ core }) => {
    if (!core)
      throw new OperatorError('A service owns the data directory: stop it first, tokens are made without it.')
    const account = core.accounts.find(username)
    if (!account) throw new OperatorError(`There is no account ${username} here.`)
    const store = core.accounts.store(account)
    const { id, token } = await store.write(() => openSession(core.config, store, app, core.clock.now()))
    return { username, id, token, apiEndpoint: apiEndpoint(core.config, username, token) }
  })
  print(json, answer, answer.token)
}

export interface MoveOptions extends JsonOption {
  readonly undo?: true
}

/** Marks an account as living elsewhere, or takes that back. */
export async function moveUser(args: readonly string[], { json, undo }: MoveOptions): Promise<void> {
  const { flags, operands } = undo ? split(args, 'name') : split(args, 'name', 'url')
  const [username = '', url = ''] = operands
  const { settings } = directoryOf(flags)
  await asOperator(settings, operator =>
    undo
      ? operator.call('system.bringBackUser', { username })
      : operator.call('system.relocateUser', { username, url })
  )
  print(
    json,
    { username, relocatedTo: undo ? null : url },
    undo ? `${username}: is served here again` : `${username}: moved to ${url}`
  )
}

export interface InviteOptions extends JsonOption {
  readonly count?: string
  readonly message?: string
}

/** Makes invitations, good for one registration each. */
export async function invite(
  args: readonly string[],
  { count = '1', json, message }: InviteOptions
): Promise<void> {
  const { settings } = directoryOf(split(args).flags)
  if (!/^[1-9]\d{0,2}$/.test(count)) throw new UsageError('Invitations are made by 1 to 999.')
  const params = { count: Number(count), ...(message !== undefined && { message }) }
  const { data } = await asOperator(settings, operator => operator.call('admin.createInvitations', params))
  const tokens = (data as { id: string }[]).map(({ id }) => id)
  print(json, { tokens }, ...tokens)
}
