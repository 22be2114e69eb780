/** `coffer invite`: invitations, for a service that not everybody may register with. */
import { print, type JsonOption } from '../answer.js'
import { directoryOf } from '../directory.js'
import { split, UsageError } from '../operands.js'
import { asOperator } from '../operator.js'

export interface InviteOptions extends JsonOption {
  readonly count?: string
  readonly message?: string
}

/** Makes invitations, good for one registration each. */
export async function invite(
  args: readonly string[],
  { count = '1', json, message }: InviteOptions
): Promise<void> {
  const { settings } = directoryOf(split(args).flags)
  if (!/^[1-9]\d{0,2}$/.test(count)) throw new UsageError('Invitations are made by 1 to 999.')
  const params = { count: Number(count), ...(message !== undefined && { message }) }
  const { data } = await asOperator(settings, operator => operator.call('admin.createInvitations', params))
  const tokens = (data as { id: string }[]).map(({ id }) => id)
  print(json, { tokens }, ...tokens)
}
