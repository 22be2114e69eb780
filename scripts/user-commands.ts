/** The commands for accounts. */
import type { Command } from 'commander'
import type { BreachScopeOptions } from './commands/breach-scope.js'
import type { InviteOptions } from './commands/links.js'
import type { CreateOptions, DeleteOptions, MoveOptions, TokenOptions } from './commands/user.js'
import type { JsonOption } from './terminal/output.js'
import { addCommand } from './terminal/add-command.js'

/** Adds the commands for accounts. */
export function addUserCommands(program: Command): void {
  const user = program.command('user').description('Manage accounts')
  addCommand(user, 'list', 'List accounts', async (args, options: JsonOption) =>
    (await import('./commands/user.js')).listUsers(args, options)
  ).option('--json', 'Print the list as JSON')
  addCommand(
    user,
    'create',
    'Create an account, prompting for its password',
    async (args, options: CreateOptions) => (await import('./commands/user.js')).createUser(args, options)
  )
    .usage('<name> [options]')
    .option('--email <address>', 'Email address')
    .option('--language <code>', 'Language')
    .option('--json', 'Print the result as JSON')
  addCommand(user, 'delete', 'Delete an account with all its data', async (args, options: DeleteOptions) =>
    (await import('./commands/user.js')).deleteUser(args, options)
  )
    .usage('<name> [options]')
    .option('--yes', "Don't ask for confirmation")
    .option('--json', 'Print the result as JSON')
  addCommand(user, 'token', 'Create a personal token for a user', async (args, options: TokenOptions) =>
    (await import('./commands/user.js')).userToken(args, options)
  )
    .usage('<name> [options]')
    .option('--app <id>', 'ID of the app that uses the token')
    .option('--json', 'Print the result as JSON')
  addCommand(user, 'move', 'Mark an account as moved to another server', async (args, options: MoveOptions) =>
    (await import('./commands/user.js')).moveUser(args, options)
  )
    .usage('<name> <url> [options]')
    .option('--undo', 'Undo: serve the account here again')
    .option('--json', 'Print the result as JSON')
  addCommand(
    user,
    'password',
    'Set the password of a user, prompting for it',
    async (args, options: JsonOption) => (await import('./commands/user.js')).setUserPassword(args, options)
  )
    .usage('<name> [options]')
    .option('--json', 'Print the result as JSON')
  addCommand(
    user,
    'unlock',
    'Unlock sign-in for a user after too many wrong passwords or codes',
    async (args, options: JsonOption) => (await import('./commands/user.js')).unlockUser(args, options)
  )
    .usage('<name> [options]')
    .option('--json', 'Print the result as JSON')
  addCommand(
    user,
    'mfa-off',
    'Turn off two-factor authentication for a user',
    async (args, options: JsonOption) => (await import('./commands/user.js')).turnOffMfa(args, options)
  )
    .usage('<name> [options]')
    .option('--json', 'Print the result as JSON')
  addCommand(user, 'keep', 'Cancel the scheduled deletion of an account', async (args, options: JsonOption) =>
    (await import('./commands/user.js')).keepUser(args, options)
  )
    .usage('<name> [options]')
    .option('--json', 'Print the result as JSON')
  addCommand(user, 'passkeys-off', 'Remove all passkeys of a user', async (args, options: JsonOption) =>
    (await import('./commands/user.js')).turnOffPasskeys(args, options)
  )
    .usage('<name> [options]')
    .option('--json', 'Print the result as JSON')
  addCommand(
    program,
    'reset-link',
    'Create a single-use password reset link for a user',
    async (args, options: JsonOption) => (await import('./commands/links.js')).resetLink(args, options)
  )
    .usage('<user> [options]')
    .option('--json', 'Print the link as JSON')
  addCommand(
    program,
    'invite',
    'Create invitations, each valid for one registration',
    async (args, options: InviteOptions) => (await import('./commands/links.js')).invite(args, options)
  )
    .option('--count <number>', 'Number of invitations')
    .option('--message <text>', 'Note about the invitations')
    .option('--json', 'Print the result as JSON')
  addCommand(
    program,
    'breach-scope',
    'List what an access has read, from the audit logs',
    async (args, options: BreachScopeOptions) =>
      (await import('./commands/breach-scope.js')).printBreachScope(args, options)
  )
    .usage('--access <id> [options]')
    .option('--access <id>', 'ID of the access, with or without a serial; it can be revoked')
    .option('--user <name>', 'Owner of the access (default: all accounts are searched)')
    .option('--since <time>', 'First date or time of calls, such as 2026-03-29')
    .option('--until <time>', 'Last date or time of calls')
    .option('--csv', 'Print a table of the streams as CSV')
    .option('--json', 'Print everything as JSON')
}
