/** The commands for OAuth clients. */
import type { Command } from 'commander'
import type { JsonOption } from './terminal/output.js'
import { addCommand } from './terminal/add-command.js'

/** Adds the commands for OAuth clients. */
export function addOAuthCommands(program: Command): void {
  const oauth = program.command('oauth').description('Manage OAuth clients')
  addCommand(oauth, 'list', 'List OAuth clients and their keys', async (args, options: JsonOption) =>
    (await import('./commands/oauth.js')).listClients(args, options)
  ).option('--json', 'Print the list as JSON')
  addCommand(
    oauth,
    'revoke',
    'Revoke an OAuth client with all its accesses',
    async (args, options: JsonOption) => (await import('./commands/oauth.js')).revokeClient(args, options)
  )
    .usage('<client> [options]')
    .option('--json', 'Print the result as JSON')
  addCommand(oauth, 'revoke-key', 'Revoke a key of an OAuth client', async (args, options: JsonOption) =>
    (await import('./commands/oauth.js')).revokeKey(args, options)
  )
    .usage('<client> <kid> [options]')
    .option('--json', 'Print the result as JSON')
  addCommand(oauth, 'restore-key', 'Allow a revoked key again', async (args, options: JsonOption) =>
    (await import('./commands/oauth.js')).restoreKey(args, options)
  )
    .usage('<client> <kid> [options]')
    .option('--json', 'Print the result as JSON')
}
