/** The command line. */
import { Command } from 'commander'
import { SettingsError } from '../core/load-settings.js'
import { settingsHelp } from '../core/settings-list.js'
import { version } from '../core/version.js'
import { backup, type BackupOptions } from './commands/backup.js'
import { check, type CheckOptions } from './commands/check.js'
import { checkConfig } from './commands/check-config.js'
import { health, type HealthOptions } from './commands/health.js'
import { init, type InitOptions } from './commands/init.js'
import { migrate, type MigrateOptions } from './commands/migrate.js'
import { rebuildIndex, type RebuildOptions } from './commands/rebuild-index.js'
import { restore, type RestoreOptions } from './commands/restore.js'
import { serve } from './commands/serve.js'
import { exportUser, importUser, type ExportOptions, type ImportOptions } from './commands/transfer.js'
import {
  createUser,
  deleteUser,
  invite,
  listUsers,
  moveUser,
  userToken,
  type CreateOptions,
  type DeleteOptions,
  type InviteOptions,
  type JsonOption,
  type MoveOptions,
  type TokenOptions
} from './commands/users.js'

const aboutSettings = `
Settings (as flags here, in coffer.yaml, or as COFFER_… variables), with their defaults:
  --config  File to read instead of coffer.yaml
${settingsHelp()}`

/** Runs the command that the arguments name. */
export async function main(argv: readonly string[]): Promise<void> {
  const program = new Command('coffer').description('A personal data service.').version(version)
  withSettings(program.command('serve').description('Serve until a signal says stop')).action(
    async (_options: unknown, command: Command) => await guarded(() => serve(command.args))
  )
  withSettings(program.command('check-config').description('Say whether the settings are right')).action(
    async (_options: unknown, command: Command) => await guarded(() => checkConfig(command.args))
  )
  withSettings(program.command('check').description('Say whether all data is as it was written'))
    .option('--json', 'Print the report as JSON')
    .action(
      async (options: CheckOptions, command: Command) => await guarded(() => check(command.args, options))
    )
  addDataCommands(program)
  withSettings(program.command('init').description('Write coffer.yaml, asking for what matters'))
    .option('--file <path>', 'File to write', 'coffer.yaml')
    .option('--yes', 'Ask nothing: flags and defaults')
    .option('--json', 'Print the answer as JSON')
    .action(
      async (options: InitOptions, command: Command) => await guarded(() => init(command.args, options))
    )
  addUserCommands(program)
  program
    .command('health')
    .description('Say whether a running service is well (token: COFFER_HEALTH_TOKEN)')
    .argument('<url>', 'URL of the service information')
    .requiredOption('--user <name>', 'Name of the user made for this')
    .option('--prepare', 'Make that user, and print the token for later checks')
    .option('--email <address>', 'E-mail address of the user to be made')
    .option('--origin <origin>', 'Origin to sign in from, if only some are trusted')
    .action(async (url: string, options: HealthOptions) => await guarded(() => health(url, options)))
  await program.parseAsync(argv)
}

/** Commands about all that is kept. */
function addDataCommands(program: Command): void {
  withSettings(
    program.command('backup').description('Copy all that has changed into a folder, while serving or not')
  )
    .usage('<folder> [options]')
    .option('--encrypt', 'Encrypt it: passphrase in COFFER_BACKUP_PASSPHRASE, or typed')
    .option('--json', 'Print the report as JSON')
    .action(
      async (options: BackupOptions, command: Command) => await guarded(() => backup(command.args, options))
    )
  withSettings(
    program.command('restore').description('Bring back what a backup holds, into an empty data folder')
  )
    .usage('<folder> [options]')
    .option('--user <name>', 'Bring back this account only, among others')
    .option('--verify', 'Read all of the backup, and restore nothing')
    .option('--skip-damaged', 'Leave out accounts that are damaged in the backup')
    .option('--json', 'Print the report as JSON')
    .action(
      async (options: RestoreOptions, command: Command) => await guarded(() => restore(command.args, options))
    )
  withSettings(program.command('export').description('Write all that is kept of an account to a ZIP'))
    .usage('<user> <file> [options]')
    .option('--without-secrets', 'Leave out what lets people in: tokens, passwords, second factors')
    .option('--json', 'Print the report as JSON')
    .action(
      async (options: ExportOptions, command: Command) =>
        await guarded(() => exportUser(command.args, options))
    )
  withSettings(program.command('import').description('Bring an account in from such a ZIP'))
    .usage('<file> [options]')
    .option('--as <name>', 'Give the account this name')
    .option('--json', 'Print the report as JSON')
    .action(
      async (options: ImportOptions, command: Command) =>
        await guarded(() => importUser(command.args, options))
    )
  withSettings(
    program.command('rebuild-index').description('Make the platform file anew from the files of the accounts')
  )
    .option('--json', 'Print the report as JSON')
    .action(
      async (options: RebuildOptions, command: Command) =>
        await guarded(() => rebuildIndex(command.args, options))
    )
  withSettings(program.command('migrate').description('Bring all files up to the version of this software'))
    .option('--json', 'Print the report as JSON')
    .action(
      async (options: MigrateOptions, command: Command) => await guarded(() => migrate(command.args, options))
    )
}

/** Commands about accounts. */
function addUserCommands(program: Command): void {
  const user = program.command('user').description('Accounts, by whoever runs the service')
  withSettings(user.command('list').description('List accounts'))
    .option('--json', 'Print them as JSON')
    .action(
      async (options: JsonOption, command: Command) => await guarded(() => listUsers(command.args, options))
    )
  withSettings(user.command('create').description('Make an account; its password is typed'))
    .usage('<name> [options]')
    .option('--email <address>', 'Address of its owner')
    .option('--language <code>', 'Language of its owner')
    .option('--json', 'Print the answer as JSON')
    .action(
      async (options: CreateOptions, command: Command) =>
        await guarded(() => createUser(command.args, options))
    )
  withSettings(user.command('delete').description('Delete an account and all that it holds'))
    .usage('<name> [options]')
    .option('--yes', 'Do not ask')
    .option('--json', 'Print the answer as JSON')
    .action(
      async (options: DeleteOptions, command: Command) =>
        await guarded(() => deleteUser(command.args, options))
    )
  withSettings(user.command('token').description('Sign in as a user, while the service is stopped'))
    .usage('<name> [options]')
    .option('--app <id>', 'App that the token is for')
    .option('--json', 'Print the answer as JSON')
    .action(
      async (options: TokenOptions, command: Command) => await guarded(() => userToken(command.args, options))
    )
  withSettings(user.command('move').description('Mark an account as living elsewhere'))
    .usage('<name> <url> [options]')
    .option('--undo', 'Serve it here again')
    .option('--json', 'Print the answer as JSON')
    .action(
      async (options: MoveOptions, command: Command) => await guarded(() => moveUser(command.args, options))
    )
  withSettings(program.command('invite').description('Make invitations, good for one registration each'))
    .option('--count <number>', 'How many')
    .option('--message <text>', 'What they are for')
    .option('--json', 'Print the answer as JSON')
    .action(
      async (options: InviteOptions, command: Command) => await guarded(() => invite(command.args, options))
    )
}

/** The settings parse their own flags: there the schema knows names and types. */
function withSettings(command: Command): Command {
  return command.allowUnknownOption().allowExcessArguments().addHelpText('after', aboutSettings)
}

/** Says what is wrong in a line, not in a stack trace, where it is the operator who can mend it. */
async function guarded(work: () => Promise<void> | void): Promise<void> {
  try {
    await work()
  } catch (error) {
    process.exitCode = 1
    console.error(isForOperators(error) ? error.message : error)
  }
}

/** Errors whose messages say what there is to do. */
const forOperators = new Set([
  'BackupError',
  'DirectoryLocked',
  'NotAuthentic',
  'OperatorError',
  'StoreDamaged',
  'StoreTooNew',
  'Taken',
  'TransferError',
  'UsageError'
])

function isForOperators(error: unknown): error is Error {
  if (error instanceof SettingsError) return true
  if (!(error instanceof Error)) return false
  return forOperators.has(error.name) || 'syscall' in error
}
