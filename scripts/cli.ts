/** The command line. Each command loads its modules when it runs, so that small commands start fast. */
import { Command } from 'commander'
import { version } from '../core/version.js'
import type { JsonOption } from './terminal/output.js'
import type { BackupOptions } from './commands/backup.js'
import type { CheckOptions } from './commands/check.js'
import type { ConnectOptions } from './commands/connect.js'
import type { DemoOptions } from './commands/demo.js'
import type { ExportDataOptions } from './commands/export-data.js'
import type { HealthOptions } from './commands/health.js'
import type { ImportDataOptions } from './commands/import-data.js'
import type { InitOptions } from './commands/init.js'
import type { MoveAttachmentsOptions } from './commands/move-attachments.js'
import type { MigrateOptions } from './commands/migrate.js'
import type { RebuildOptions } from './commands/rebuild-index.js'
import type { RestoreOptions } from './commands/restore.js'
import type { ExportOptions, ImportOptions } from './commands/transfer.js'
import { addClusterCommands } from './cluster-commands.js'
import { addCommand } from './terminal/add-command.js'
import { addUserCommands } from './user-commands.js'

/** Runs the command named by the arguments. */
export async function main(argv: readonly string[]): Promise<void> {
  const program = new Command('coffer').description('A personal data service.').version(version)
  addServiceCommands(program)
  addDataCommands(program)
  addUserCommands(program)
  addOAuthCommands(program)
  addClusterCommands(program)
  await program.parseAsync(argv)
}

/** Adds the commands for the service itself. */
function addServiceCommands(program: Command): void {
  addCommand(program, 'serve', 'Run the service', async args =>
    (await import('./commands/serve.js')).serve(args)
  )
  addCommand(
    program,
    'init',
    'Create coffer.yaml, prompting for the main settings',
    async (args, options: InitOptions) => (await import('./commands/init.js')).init(args, options)
  )
    .option('--file <path>', 'Output file', 'coffer.yaml')
    .option('--yes', "Don't prompt, use flags and defaults")
    .option('--json', 'Print the result as JSON')
  addCommand(
    program,
    'demo',
    'Create an account with a year of sample data',
    async (args, options: DemoOptions) => (await import('./commands/demo.js')).demo(args, options)
  )
    .usage('[name] [options]')
    .option('--user <name>', 'Username, if not given as an argument (default: daisy)')
    .option('--password <password>', 'Password (default: generated and printed)')
    .option('--days <number>', 'Number of days', '365')
    .option('--until <date>', 'Last date or time (default: now)')
    .option('--seed <number>', 'Random seed. The same seed and dates produce the same data', '1')
    .option('--url <url>', 'Use the running service at this URL')
    .option('--json', 'Print the report as JSON')
  addCommand(program, 'check-config', 'Check the settings and print them', async args =>
    (await import('./commands/check-config.js')).checkConfig(args)
  )
  addCommand(program, 'settings', 'List settings, optionally those matching a word', async args =>
    (await import('./commands/settings.js')).settings(args)
  ).usage('[word]')
  addCommand(
    program,
    'setup-link',
    'Create a single-use link to set up the service in a browser',
    async (args, options: JsonOption) => (await import('./commands/links.js')).setupLink(args, options)
  ).option('--json', 'Print the link as JSON')
  addCommand(
    program,
    'health',
    'Check the local service, or a service at a URL',
    async (args, options: HealthOptions) => (await import('./commands/health.js')).health(args, options)
  )
    .usage('[service-info-url] [options]')
    .option('--user <name>', 'With a URL: user for health checks (token in COFFER_HEALTH_TOKEN)')
    .option('--prepare', 'With a URL: create that user and print the token for later checks')
    .option('--email <address>', 'Email address of the user to create')
    .option('--origin <origin>', 'Origin to sign in from, if origins are restricted')
    .option('--json', 'Print the steps as JSON')
}

const passphraseHelp =
  'File whose first line is the passphrase of the backup (or set COFFER_BACKUP_PASSPHRASE)'
const identityHelp = 'File with an age identity, instead of a passphrase'
const recipientHelp = 'Public keys of age, separated by commas, instead of a passphrase'

/** Adds the commands for all data. */
function addDataCommands(program: Command): void {
  addCommand(
    program,
    'backup',
    'Create or update a backup (default destination: backup.to)',
    async (args, options: BackupOptions) => (await import('./commands/backup.js')).backup(args, options)
  )
    .usage('[folder | s3://bucket/prefix] [options]')
    .option('--encrypt', 'Encrypt the backup, prompting for a passphrase if none is given')
    .option('--passphrase-file <path>', passphraseHelp)
    .option('--identity <path>', identityHelp)
    .option('--recipient <keys>', recipientHelp)
    .option('--plain', "Don't encrypt, even if a passphrase is given")
    .option('--verify', 'Verify the backup by restoring it, and repair damaged accounts')
    .option('--json', 'Print the report as JSON')
  addCommand(
    program,
    'restore',
    'Restore a backup into an empty data directory (default source: backup.to)',
    async (args, options: RestoreOptions) => (await import('./commands/restore.js')).restore(args, options)
  )
    .usage('[folder | s3://bucket/prefix] [options]')
    .option('--at <time>', 'Restore the latest backup made by this date or time (default: the latest)')
    .option('--list', 'List the available backups')
    .option('--user <name>', 'Restore only this account, and keep the others')
    .option('--verify', 'Verify the backup without restoring it')
    .option('--skip-damaged', 'Skip damaged accounts')
    .option('--passphrase-file <path>', passphraseHelp)
    .option('--identity <path>', identityHelp)
    .option('--recipient <keys>', recipientHelp)
    .option('--plain', 'Accept an unencrypted backup, even if a passphrase is given')
    .option('--json', 'Print the report as JSON')
  addCommand(
    program,
    'export',
    'Export all data of an account to a ZIP file',
    async (args, options: ExportOptions) => (await import('./commands/transfer.js')).exportUser(args, options)
  )
    .usage('<user> <file> [options]')
    .option('--without-secrets', 'Without tokens, passwords and two-factor authentication')
    .option('--json', 'Print the report as JSON')
  addCommand(
    program,
    'import',
    'Import an account from an exported ZIP file',
    async (args, options: ImportOptions) => (await import('./commands/transfer.js')).importUser(args, options)
  )
    .usage('<file> [options]')
    .option('--as <name>', 'Import under this username')
    .option('--identities', 'Also import linked sign-in providers. Use only for archives you trust')
    .option('--json', 'Print the report as JSON')
  addCommand(
    program,
    'import-data',
    'Import data of another service or device into an account',
    async (args, options: ImportDataOptions) =>
      (await import('./commands/import-data.js')).importData(args, options)
  )
    .usage('<user> <file> [options]')
    .option('--look', 'Show what is in the file without importing it')
    .option('--zone <name>', 'Time zone for times without one, such as Europe/Zurich')
    .option('--json', 'Print the report as JSON')
  addCommand(
    program,
    'connect',
    'Connect an app or a device that sends data on its own',
    async (args, options: ConnectOptions) => (await import('./commands/connect.js')).connect(args, options)
  )
    .usage('<user> <dialect> [options]')
    .option('--name <name>', 'Name of the connection (default: the name of the app)')
    .option('--parent <id>', 'Stream below which the data is stored (default: the root)')
    .option('--json', 'Print the connection as JSON')
  addCommand(
    program,
    'export-data',
    'Export events of an account as a table, GPX or FHIR',
    async (args, options: ExportDataOptions) =>
      (await import('./commands/export-data.js')).exportData(args, options)
  )
    .usage('<user> [options]')
    .option('--format <name>', 'csv, csv-wide, json, ndjson, gpx, fhir, fhir-ndjson or parquet', 'csv')
    .option(
      '--streams <ids>',
      'Streams including their substreams, separated by commas (default: all except system streams such as :_system:account)'
    )
    .option('--types <types>', 'Types such as mass/kg or mass/*, separated by commas (default: all)')
    .option('--from <time>', 'First date or time, such as 2026-03-29')
    .option('--to <time>', 'Last date or time')
    .option('--zone <name>', 'Time zone, such as Europe/Zurich (default: UTC)')
    .option('--series', 'Include the data points of series')
    .option('--out <path>', 'Output file (default: standard output)')
    .option('--json', 'Print the report as JSON')
  addCommand(
    program,
    'move-attachments',
    'Copy all attachments to the bucket attachments.objects, or back to the disk',
    async (args, options: MoveAttachmentsOptions) =>
      (await import('./commands/move-attachments.js')).moveAttachments(args, options)
  )
    .requiredOption('--to <place>', 'bucket or disk')
    .option('--json', 'Print the result as JSON')
  addCommand(program, 'check', 'Check the integrity of all data', async (args, options: CheckOptions) =>
    (await import('./commands/check.js')).check(args, options)
  ).option('--json', 'Print the report as JSON')
  addCommand(
    program,
    'rebuild-index',
    'Rebuild the platform database from the account databases',
    async (args, options: RebuildOptions) =>
      (await import('./commands/rebuild-index.js')).rebuildIndex(args, options)
  ).option('--json', 'Print the report as JSON')
  addCommand(
    program,
    'migrate',
    'Migrate all databases to the current version',
    async (args, options: MigrateOptions) => (await import('./commands/migrate.js')).migrate(args, options)
  )
    .option('--look', 'Show what would be migrated without changing anything. The service can be running')
    .option(
      '--backup <place>',
      'Destination of a backup before the migration: a folder or s3://bucket/prefix (default: backup.to)'
    )
    .option('--without-backup', "Don't make a backup first")
    .option('--passphrase-file <path>', passphraseHelp)
    .option('--identity <path>', identityHelp)
    .option('--recipient <keys>', recipientHelp)
    .option('--json', 'Print the report as JSON')
}

/** Adds the commands for OAuth clients. */
function addOAuthCommands(program: Command): void {
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
