/** The command line. What a command needs is loaded when it runs: most need little, and should answer at once. */
import { Command } from 'commander'
import { version } from '../core/version.js'
import type { JsonOption } from './terminal/answer.js'
import { printable } from './terminal/printable.js'
import type { BackupOptions } from './commands/backup.js'
import type { CheckOptions } from './commands/check.js'
import type { HealthOptions } from './commands/health.js'
import type { InitOptions } from './commands/init.js'
import type { InviteOptions } from './commands/invite.js'
import type { MigrateOptions } from './commands/migrate.js'
import type { RebuildOptions } from './commands/rebuild-index.js'
import type { RestoreOptions } from './commands/restore.js'
import type { ExportOptions, ImportOptions } from './commands/transfer.js'
import type { CreateOptions } from './commands/user/create.js'
import type { DeleteOptions } from './commands/user/delete.js'
import type { MoveOptions } from './commands/user/move.js'
import type { TokenOptions } from './commands/user/token.js'

/** Help of commands, after what is theirs. */
let aboutSettings = ''

/** Runs the command that the arguments name. */
export async function main(argv: readonly string[]): Promise<void> {
  if (argv.length > 3 && argv.some(word => ['--help', '-h', 'help'].includes(word)))
    aboutSettings = await helpOnSettings()
  const program = new Command('coffer').description('A personal data service.').version(version)
  addServiceCommands(program)
  addDataCommands(program)
  addUserCommands(program)
  await program.parseAsync(argv)
}

/** Commands about the service itself. */
function addServiceCommands(program: Command): void {
  offer(program, 'serve', 'Serve until a signal says stop', async args =>
    (await import('./commands/serve.js')).serve(args)
  )
  offer(program, 'init', 'Write coffer.yaml, asking for what matters', async (args, options: InitOptions) =>
    (await import('./commands/init.js')).init(args, options)
  )
    .option('--file <path>', 'File to write', 'coffer.yaml')
    .option('--yes', 'Ask nothing: flags and defaults')
    .option('--json', 'Print the answer as JSON')
  offer(program, 'check-config', 'Say whether the settings are right', async args =>
    (await import('./commands/check-config.js')).checkConfig(args)
  )
  program
    .command('health')
    .description('Say whether a running service is well (token: COFFER_HEALTH_TOKEN)')
    .argument('<url>', 'URL of the service information')
    .requiredOption('--user <name>', 'Name of the user made for this')
    .option('--prepare', 'Make that user, and print the token for later checks')
    .option('--email <address>', 'E-mail address of the user to be made')
    .option('--origin <origin>', 'Origin to sign in from, if only some are trusted')
    .action(
      async (url: string, options: HealthOptions) =>
        await guarded(async () => (await import('./commands/health.js')).health(url, options))
    )
}

const ofPassphrase = 'Passphrase of the backup: first line of a file (or: COFFER_BACKUP_PASSPHRASE)'
const ofIdentity = 'File with an age identity that opens the backup, in place of a passphrase'

/** Commands about all that is kept. */
function addDataCommands(program: Command): void {
  offer(
    program,
    'backup',
    'Copy all that has changed into a folder, while serving or not',
    async (args, options: BackupOptions) => (await import('./commands/backup.js')).backup(args, options)
  )
    .usage('<folder> [options]')
    .option('--encrypt', 'Encrypt it, with a passphrase that is typed unless it is given')
    .option('--passphrase-file <path>', ofPassphrase)
    .option('--identity <path>', ofIdentity)
    .option('--plain', 'Do not encrypt it, though a passphrase is given')
    .option('--json', 'Print the report as JSON')
  offer(
    program,
    'restore',
    'Bring back what a backup holds, into an empty data folder',
    async (args, options: RestoreOptions) => (await import('./commands/restore.js')).restore(args, options)
  )
    .usage('<folder> [options]')
    .option('--user <name>', 'Bring back this account only, among others')
    .option('--verify', 'Read all of the backup, and restore nothing')
    .option('--skip-damaged', 'Leave out accounts that are damaged in the backup')
    .option('--passphrase-file <path>', ofPassphrase)
    .option('--identity <path>', ofIdentity)
    .option('--plain', 'Take a backup that is not encrypted, though a passphrase is given')
    .option('--json', 'Print the report as JSON')
  offer(
    program,
    'export',
    'Write all that is kept of an account to a ZIP',
    async (args, options: ExportOptions) => (await import('./commands/transfer.js')).exportUser(args, options)
  )
    .usage('<user> <file> [options]')
    .option('--without-secrets', 'Leave out what lets people in: tokens, passwords, second factors')
    .option('--json', 'Print the report as JSON')
  offer(program, 'import', 'Bring an account in from such a ZIP', async (args, options: ImportOptions) =>
    (await import('./commands/transfer.js')).importUser(args, options)
  )
    .usage('<file> [options]')
    .option('--as <name>', 'Give the account this name')
    .option('--json', 'Print the report as JSON')
  offer(program, 'check', 'Say whether all data is as it was written', async (args, options: CheckOptions) =>
    (await import('./commands/check.js')).check(args, options)
  ).option('--json', 'Print the report as JSON')
  offer(
    program,
    'rebuild-index',
    'Make the platform file again from the files of the accounts',
    async (args, options: RebuildOptions) =>
      (await import('./commands/rebuild-index.js')).rebuildIndex(args, options)
  ).option('--json', 'Print the report as JSON')
  offer(
    program,
    'migrate',
    'Bring all files up to the version of this software',
    async (args, options: MigrateOptions) => (await import('./commands/migrate.js')).migrate(args, options)
  ).option('--json', 'Print the report as JSON')
}

/** Commands about accounts. */
function addUserCommands(program: Command): void {
  const user = program.command('user').description('Accounts, by whoever runs the service')
  offer(user, 'list', 'List accounts', async (args, options: JsonOption) =>
    (await import('./commands/user/list.js')).listUsers(args, options)
  ).option('--json', 'Print them as JSON')
  offer(user, 'create', 'Make an account; its password is typed', async (args, options: CreateOptions) =>
    (await import('./commands/user/create.js')).createUser(args, options)
  )
    .usage('<name> [options]')
    .option('--email <address>', 'Address of its owner')
    .option('--language <code>', 'Language of its owner')
    .option('--json', 'Print the answer as JSON')
  offer(user, 'delete', 'Delete an account and all that it holds', async (args, options: DeleteOptions) =>
    (await import('./commands/user/delete.js')).deleteUser(args, options)
  )
    .usage('<name> [options]')
    .option('--yes', 'Do not ask')
    .option('--json', 'Print the answer as JSON')
  offer(
    user,
    'token',
    'Sign in as a user, while the service is stopped',
    async (args, options: TokenOptions) => (await import('./commands/user/token.js')).userToken(args, options)
  )
    .usage('<name> [options]')
    .option('--app <id>', 'App that the token is for')
    .option('--json', 'Print the answer as JSON')
  offer(user, 'move', 'Mark an account as living elsewhere', async (args, options: MoveOptions) =>
    (await import('./commands/user/move.js')).moveUser(args, options)
  )
    .usage('<name> <url> [options]')
    .option('--undo', 'Serve it here again')
    .option('--json', 'Print the answer as JSON')
  offer(
    program,
    'invite',
    'Make invitations, good for one registration each',
    async (args, options: InviteOptions) => (await import('./commands/invite.js')).invite(args, options)
  )
    .option('--count <number>', 'How many')
    .option('--message <text>', 'What they are for')
    .option('--json', 'Print the answer as JSON')
}

/** Adds a command that takes settings beside its options: they parse their own flags, since they know names and types. */
function offer(
  parent: Command,
  name: string,
  description: string,
  run: (args: readonly string[], options: never) => Promise<void>
): Command {
  return parent
    .command(name)
    .description(description)
    .allowUnknownOption()
    .allowExcessArguments()
    .addHelpText('after', () => aboutSettings)
    .action(
      async (options: object, command: Command) =>
        await guarded(async () => await run(command.args, options as never))
    )
}

async function helpOnSettings(): Promise<string> {
  const { settingsHelp } = await import('../core/settings/list.js')
  return `
Settings (as flags here, in coffer.yaml, or as COFFER_… variables), with their defaults:
  --config  File to read instead of coffer.yaml
${settingsHelp()}`
}

/** Says what is wrong in a line, not in a stack trace, where it is the operator who can mend it. */
async function guarded(work: () => Promise<void>): Promise<void> {
  try {
    await work()
  } catch (error) {
    process.exitCode = 1
    console.error(isForOperators(error) ? printable(error.message) : error)
  }
}

/** Errors whose messages say what there is to do. */
const forOperators = new Set([
  'BackupError',
  'DirectoryLocked',
  'HealthError',
  'NotAuthentic',
  'OperatorError',
  'SettingsError',
  'StorageFull',
  'StoreDamaged',
  'StoreTooNew',
  'StrayPath',
  'Taken',
  'TransferError',
  'UsageError'
])

function isForOperators(error: unknown): error is Error {
  return error instanceof Error && (forOperators.has(error.name) || 'syscall' in error)
}
