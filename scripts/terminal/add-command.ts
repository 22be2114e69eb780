/** Adds commands to the command line, and prints their errors. */
import type { Command } from 'commander'
import { describeSystemError } from './system-errors.js'
import { escapeControls } from './output.js'

/** Explains where to find the settings, which the help of a command does not list. */
const aboutSettings = `
Settings can be given as flags (--dataDir=./data), in coffer.yaml in the current folder (or the file named by
--config <path>), and as environment variables (COFFER_DATA_DIR). For the list of settings, see docs/settings.md or run
"coffer settings <word>". To check and print the current settings, run "coffer check-config".`

/**
 * Adds a command that takes settings in addition to its own options, and returns it. Settings parse their own
 * flags, because they know the types. Errors of the command are printed, and set the exit code.
 */
export function addCommand(
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
    .addHelpText('after', aboutSettings)
    .action(
      async (options: object, command: Command) =>
        await runGuarded(async () => await run(command.args, options as never))
    )
}

/** Runs a command. Prints errors that the operator can fix as one line instead of a stack trace. */
async function runGuarded(work: () => Promise<void>): Promise<void> {
  try {
    await work()
  } catch (error) {
    process.exitCode = 1
    const words = describeSystemError(error) ?? (isForOperators(error) ? error.message : undefined)
    console.error(words === undefined ? error : escapeControls(words))
  }
}

/** Names of errors with messages for operators. */
const forOperators = new Set([
  'BackupError',
  'DemoError',
  'DirectoryLocked',
  'EngineLost',
  'EngineUnavailable',
  'EngineUnfit',
  'HealthError',
  'NotAuthentic',
  'OperatorError',
  'PlatformRefused',
  'RecordTooNew',
  'SettingsError',
  'StorageFull',
  'StoreDamaged',
  'StoreTooNew',
  'StoreUnavailable',
  'UnexpectedPath',
  'Taken',
  'TransferError',
  'Unfinished',
  'UsageError'
])

function isForOperators(error: unknown): error is Error {
  return error instanceof Error && forOperators.has(error.name)
}
