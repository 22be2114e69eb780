/** The command line. Each command loads its modules when it runs, so that small ones start fast. */
import { Command } from 'commander'
import { version } from '../core/version.js'
import type { JsonOption } from './terminal/answer.js'
import type { BackupOptions } from './commands/backup.js'
import type { CheckOptions } from './commands/check.js'
import type { DemoOptions } from './commands/demo.js'
import type { ExportDataOptions } from './commands/export-data.js'
import type { HealthOptions } from './commands/health.js'
import type { ImportDataOptions } from './commands/import-data.js'
import type { InitOptions } from './commands/init.js'
import type { MigrateOptions } from './commands/migrate.js'
import type { RebuildOptions } from './commands/rebuild-index.js'
import type { RestoreOptions } from './commands/restore.js'
import type { ExportOptions, ImportOptions } from './commands/transfer.js'
import { addClusterCommands } from './cluster-commands.js'
import { offer } from './terminal/offer.js'
import { addUserCommands } from './user-commands.js'

/** Runs the command named by the arguments. */
export async function main(argv: readonly string[]): Promise<void> {
  const program = new Command('coffer').description('A personal data service.').version(version)
  addServiceCommands(program)
  addDataCommands(program)
  addUserCommands(program)
  addClusterCommands(program)
  await program.parseAsync(argv)
}

/** Commands for the service itself. */
function addServiceCommands(program: Command): void {
  offer(program, 'serve', 'Run the service until a signal stops it', async args =>
    (await import('./commands/serve.js')).serve(args)
  )
  offer(
    program,
    'init',
    'Write coffer.yaml, prompting for the main settings',
    async (args, options: InitOptions) => (await import('./commands/init.js')).init(args, options)
  )
    .option('--file <path>', 'File to write', 'coffer.yaml')
    .option('--yes', 'Do not prompt: use flags and defaults')
    .option('--json', 'Print the result as JSON')
  offer(
    program,
    'demo',
    'Fill an account with an invented year of data',
    async (args, options: DemoOptions) => (await import('./commands/demo.js')).demo(args, options)
  )
    .usage('[name] [options]')
    .option('--user <name>', 'Name of the account, as another way to pass it (default: daisy)')
    .option('--password <password>', 'Its password; generated and printed if left out')
    .option('--days <number>', 'Number of days', '365')
    .option('--until <date>', 'Last day or moment (default: now)')
    .option('--seed <number>', 'The same seed and dates make the same data', '1')
    .option('--url <url>', 'Fill an account of the service running at this address')
    .option('--json', 'Print the report as JSON')
  offer(program, 'check-config', 'Check the settings, and print them', async args =>
    (await import('./commands/check-config.js')).checkConfig(args)
  )
  offer(program, 'settings', 'List the settings, or those about a word', async args =>
    (await import('./commands/settings.js')).settings(args)
  ).usage('[word]')
  offer(
    program,
    'setup-link',
    'Make a link, good once, with which the service is set up in a browser',
    async (args, options: JsonOption) => (await import('./commands/setup-link.js')).setupLink(args, options)
  ).option('--json', 'Print the link as JSON')
  offer(
    program,
    'health',
    'Check the service here, or at a URL as its clients see it',
    async (args, options: HealthOptions) => (await import('./commands/health.js')).health(args, options)
  )
    .usage('[url of its information] [options]')
    .option('--user <name>', 'With a URL: the user created for health checks (token: COFFER_HEALTH_TOKEN)')
    .option('--prepare', 'With a URL: create that user, and print the token for later checks')
    .option('--email <address>', 'E-mail address of the user to create')
    .option('--origin <origin>', 'Origin to sign in from, if only some are trusted')
    .option('--json', 'Print the steps as JSON')
}

const ofPassphrase = 'File whose first line is the passphrase of the backup (or set COFFER_BACKUP_PASSPHRASE)'
const ofIdentity = 'File with an age identity to use instead of a passphrase'

/** Commands for all data. */
function addDataCommands(program: Command): void {
  offer(
    program,
    'backup',
    'Update a backup, whether or not the service runs; without a place, that of backup.to',
    async (args, options: BackupOptions) => (await import('./commands/backup.js')).backup(args, options)
  )
    .usage('[folder | s3://bucket/prefix] [options]')
    .option('--encrypt', 'Encrypt the backup; prompts for a passphrase unless it is given')
    .option('--passphrase-file <path>', ofPassphrase)
    .option('--identity <path>', ofIdentity)
    .option('--plain', 'Do not encrypt, even if a passphrase is given')
    .option('--verify', 'Restore it to the side afterwards, and copy again what is damaged in it')
    .option('--json', 'Print the report as JSON')
  offer(
    program,
    'restore',
    'Restore a backup into an empty data folder; without a place, from that of backup.to',
    async (args, options: RestoreOptions) => (await import('./commands/restore.js')).restore(args, options)
  )
    .usage('[folder | s3://bucket/prefix] [options]')
    .option('--at <time>', 'Restore the latest state made by this day or moment (default: the latest)')
    .option('--list', 'List the states that the backup holds')
    .option('--user <name>', 'Restore this account only, next to others')
    .option('--verify', 'Verify the whole backup without restoring it')
    .option('--skip-damaged', 'Leave out accounts that are damaged')
    .option('--passphrase-file <path>', ofPassphrase)
    .option('--identity <path>', ofIdentity)
    .option('--plain', 'Accept an unencrypted backup, even if a passphrase is given')
    .option('--json', 'Print the report as JSON')
  offer(
    program,
    'export',
    'Write all data of an account to a ZIP file',
    async (args, options: ExportOptions) => (await import('./commands/transfer.js')).exportUser(args, options)
  )
    .usage('<user> <file> [options]')
    .option('--without-secrets', 'Leave out tokens, passwords and second factors')
    .option('--json', 'Print the report as JSON')
  offer(program, 'import', 'Import an account from such a ZIP file', async (args, options: ImportOptions) =>
    (await import('./commands/transfer.js')).importUser(args, options)
  )
    .usage('<file> [options]')
    .option('--as <name>', 'Give the account this name')
    .option('--identities', 'Take identities of providers along: only if you know who wrote the archive')
    .option('--json', 'Print the report as JSON')
  offer(
    program,
    'import-data',
    'Bring data of another service or device into an account, while the service is stopped',
    async (args, options: ImportDataOptions) =>
      (await import('./commands/import-data.js')).importData(args, options)
  )
    .usage('<user> <file> [options]')
    .option('--look', 'Tell what is in the file, and write nothing')
    .option('--zone <name>', 'Time zone of times that name none, such as Europe/Zurich')
    .option('--json', 'Print the report as JSON')
  offer(
    program,
    'export-data',
    'Write events of an account as a table, GPX or FHIR',
    async (args, options: ExportDataOptions) =>
      (await import('./commands/export-data.js')).exportData(args, options)
  )
    .usage('<user> [options]')
    .option('--format <name>', 'csv, csv-wide, json, ndjson, gpx, fhir or fhir-ndjson', 'csv')
    .option(
      '--streams <ids>',
      'Streams with all below them, separated by commas (default: all but those of the service, such as :_system:account)'
    )
    .option('--types <types>', 'Types such as mass/kg or mass/*, separated by commas (default: all)')
    .option('--from <time>', 'First day or moment, such as 2026-03-29')
    .option('--to <time>', 'Last day or moment')
    .option('--zone <name>', 'Time zone of times and days, such as Europe/Zurich (default: UTC)')
    .option('--series', 'With the points of series')
    .option('--out <path>', 'File to write (default: the standard output)')
    .option('--json', 'Print the report as JSON')
  offer(
    program,
    'check',
    'Check the integrity of all data, whether or not the service runs',
    async (args, options: CheckOptions) => (await import('./commands/check.js')).check(args, options)
  ).option('--json', 'Print the report as JSON')
  offer(
    program,
    'rebuild-index',
    'Rebuild the platform file from the files of the accounts',
    async (args, options: RebuildOptions) =>
      (await import('./commands/rebuild-index.js')).rebuildIndex(args, options)
  ).option('--json', 'Print the report as JSON')
  offer(
    program,
    'migrate',
    'Migrate all files to the version of this software',
    async (args, options: MigrateOptions) => (await import('./commands/migrate.js')).migrate(args, options)
  )
    .option('--look', 'Tell what it would do, and change nothing; the service may run')
    .option('--backup <place>', 'Folder or s3://bucket/prefix for a backup before (default: backup.to)')
    .option('--without-backup', 'Make no backup before')
    .option('--passphrase-file <path>', ofPassphrase)
    .option('--identity <path>', ofIdentity)
    .option('--json', 'Print the report as JSON')
}
