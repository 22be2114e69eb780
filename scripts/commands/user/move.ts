/** `coffer user move`: marks an account as moved to another server, or as moved back. */
import { print, type JsonOption } from '../../terminal/answer.js'
import { directoryOf } from '../../terminal/directory.js'
import { split } from '../../terminal/operands.js'
import { asOperator } from '../../terminal/operator.js'

export interface MoveOptions extends JsonOption {
  readonly undo?: true
}

/** Marks an account as moved, or undoes that. */
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
    undo ? `${username}: is no longer marked as moved` : `${username}: marked as moved to ${url}`
  )
}
