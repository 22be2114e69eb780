/** The commands for accounts. */
import type { Command } from 'commander'
import type { InviteOptions } from './commands/invite.js'
import type { CreateOptions } from './commands/user/create.js'
import type { DeleteOptions } from './commands/user/delete.js'
import type { MoveOptions } from './commands/user/move.js'
import type { TokenOptions } from './commands/user/token.js'
import type { JsonOption } from './terminal/answer.js'
import { offer } from './terminal/offer.js'

/** Adds them. */
export function addUserCommands(program: Command): void {
  const user = program.command('user').description('Manage accounts as the operator')
  offer(user, 'list', 'List accounts', async (args, options: JsonOption) =>
    (await import('./commands/user/list.js')).listUsers(args, options)
  ).option('--json', 'Print the list as JSON')
  offer(user, 'create', 'Create an account; prompts for its password', async (args, options: CreateOptions) =>
    (await import('./commands/user/create.js')).createUser(args, options)
  )
    .usage('<name> [options]')
    .option('--email <address>', 'E-mail address of its owner')
    .option('--language <code>', 'Language of its owner')
    .option('--json', 'Print the answer as JSON')
  offer(user, 'delete', 'Delete an account with all its data', async (args, options: DeleteOptions) =>
    (await import('./commands/user/delete.js')).deleteUser(args, options)
  )
    .usage('<name> [options]')
    .option('--yes', 'Do not ask for confirmation')
    .option('--json', 'Print the answer as JSON')
  offer(
    user,
    'token',
    'Create a personal token for a user, while the service is stopped',
    async (args, options: TokenOptions) => (await import('./commands/user/token.js')).userToken(args, options)
  )
    .usage('<name> [options]')
    .option('--app <id>', 'Id of the app that the token is for')
    .option('--json', 'Print the answer as JSON')
  offer(user, 'move', 'Mark an account as moved to another server', async (args, options: MoveOptions) =>
    (await import('./commands/user/move.js')).moveUser(args, options)
  )
    .usage('<name> <url> [options]')
    .option('--undo', 'Serve the account here again')
    .option('--json', 'Print the answer as JSON')
  offer(user, 'password', 'Set the password of a user; prompts for it', async (args, options: JsonOption) =>
    (await import('./commands/user/password.js')).setUserPassword(args, options)
  )
    .usage('<name> [options]')
    .option('--json', 'Print the answer as JSON')
  offer(
    user,
    'unlock',
    'Let a user try again at once who has to wait after wrong passwords or codes',
    async (args, options: JsonOption) => (await import('./commands/user/unlock.js')).unlockUser(args, options)
  )
    .usage('<name> [options]')
    .option('--json', 'Print the answer as JSON')
  offer(
    user,
    'mfa-off',
    'Remove the second factor of a user who can no longer use it',
    async (args, options: JsonOption) => (await import('./commands/user/unlock.js')).turnOffMfa(args, options)
  )
    .usage('<name> [options]')
    .option('--json', 'Print the answer as JSON')
  offer(
    user,
    'keep',
    'Keep an account that its owner has deleted, as long as it can be kept',
    async (args, options: JsonOption) => (await import('./commands/user/unlock.js')).keepUser(args, options)
  )
    .usage('<name> [options]')
    .option('--json', 'Print the answer as JSON')
  offer(
    user,
    'passkeys-off',
    'End all passkeys of a user, such as one whose phone was stolen',
    async (args, options: JsonOption) =>
      (await import('./commands/user/unlock.js')).turnOffPasskeys(args, options)
  )
    .usage('<name> [options]')
    .option('--json', 'Print the answer as JSON')
  offer(
    program,
    'reset-link',
    'Make a link, good once, with which a user sets a new password',
    async (args, options: JsonOption) => (await import('./commands/reset-link.js')).resetLink(args, options)
  )
    .usage('<user> [options]')
    .option('--json', 'Print the link as JSON')
  offer(
    program,
    'invite',
    'Create invitations, each valid for one registration',
    async (args, options: InviteOptions) => (await import('./commands/invite.js')).invite(args, options)
  )
    .option('--count <number>', 'Number of invitations')
    .option('--message <text>', 'What they are for')
    .option('--json', 'Print the answer as JSON')
}
