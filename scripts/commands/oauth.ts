/** `coffer oauth list`, `revoke`, `revoke-key` and `restore-key`: OAuth clients and their keys. */
import { loadDirectory } from '../terminal/directory.js'
import { splitArguments } from '../terminal/operands.js'
import { withOperator, type MethodResult } from '../terminal/operator.js'
import { printResult, type JsonOption } from '../terminal/output.js'

interface ListedClient {
  readonly id: string
  readonly name: string | null
  readonly account: string | null
  readonly revoked: number | null
  readonly keys: readonly { readonly kid: string; readonly isRevoked: boolean }[]
}

/** Lists clients, with their keys. */
export async function listClients(args: readonly string[], { json }: JsonOption): Promise<void> {
  const { settings } = loadDirectory(splitArguments(args).flags)
  const { clients } = await withOperator(settings, operator => operator.call('oauth.getClients', {}))
  printResult(json, clients as object[], ...(clients as ListedClient[]).map(formatClient))
}

/**
 * Revokes a client with all its accesses, and prints the result. Throws `OperatorError` for an unknown client.
 */
export async function revokeClient(args: readonly string[], { json }: JsonOption): Promise<void> {
  const { flags, operands } = splitArguments(args, 'client')
  const [client = ''] = operands
  const { settings } = loadDirectory(flags)
  const result = await withOperator(settings, operator => operator.call('oauth.revokeClient', { client }))
  printResult(json, result, `${client}: revoked, with all its accesses`)
}

/**
 * Revokes a key of a client: what it has signed is refused from then on. Throws `OperatorError` for a key that
 * is not in the settings.
 */
export async function revokeKey(args: readonly string[], { json }: JsonOption): Promise<void> {
  await changeKey(args, json, 'oauth.revokeClientKey', 'revoked')
}

/** Allows a revoked key of a client again. */
export async function restoreKey(args: readonly string[], { json }: JsonOption): Promise<void> {
  await changeKey(args, json, 'oauth.restoreClientKey', 'allowed again')
}

/** Calls an operator's method on a client's key, and prints the result. `done`: what has happened to the key. */
async function changeKey(
  args: readonly string[],
  json: JsonOption['json'],
  method: string,
  done: string
): Promise<void> {
  const { flags, operands } = splitArguments(args, 'client', 'kid')
  const [client = '', kid = ''] = operands
  const { settings } = loadDirectory(flags)
  const result: MethodResult = await withOperator(settings, operator =>
    operator.call(method, { client, kid })
  )
  printResult(json, result, `${client}, key ${kid}: ${done}`)
}

function formatClient({ account, id, keys, name, revoked }: ListedClient): string {
  return [
    id,
    name ?? '',
    ...(account === null ? [] : [`account ${account}`]),
    ...keys.map(({ isRevoked, kid }) => `key ${kid}${isRevoked ? ' (revoked)' : ''}`),
    ...(revoked === null ? [] : [`revoked on ${new Date(revoked * 1000).toISOString()}`])
  ].join('\t')
}
