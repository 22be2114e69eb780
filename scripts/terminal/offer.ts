/** Adds commands to the command line, and prints what goes wrong in them. */
import type { Command } from 'commander'
import { inWords } from './mistakes.js'
import { printable } from './printable.js'

/** Where the settings are explained, instead of all of them in the help of each command. */
const aboutSettings = `
Settings can be given as flags (--dataDir=./data), in coffer.yaml in the current folder (or the file named by
--config <path>), and as environment variables (COFFER_DATA_DIR). For the list of settings, see docs/settings.md or run
"coffer settings <word>". To check and print the current settings, run "coffer check-config".`

/** Adds a command that takes settings as well as its own options. The settings parse their flags, since they know the types. */
export function offer(
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
        await guarded(async () => await run(command.args, options as never))
    )
}

/** Prints errors that the operator can fix as one line instead of a stack trace. */
async function guarded(work: () => Promise<void>): Promise<void> {
  try {
    await work()
  } catch (error) {
    process.exitCode = 1
    const words = inWords(error) ?? (isForOperators(error) ? error.message : undefined)
    console.error(words === undefined ? error : printable(words))
  }
}

/** Names of errors whose messages are meant for operators. */
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
  'StrayPath',
  'Taken',
  'TransferError',
  'Unfinished',
  'UsageError'
])

function isForOperators(error: unknown): error is Error {
  return error instanceof Error && forOperators.has(error.name)
}
