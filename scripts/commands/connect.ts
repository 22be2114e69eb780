/** `coffer connect`: connects an app or a device that sends data on its own. (docs/api/connections.md) */
import { toString as drawQrCode } from 'qrcode'
import { printResult, type JsonOption } from '../terminal/output.js'
import { loadDirectory } from '../terminal/directory.js'
import { splitArguments } from '../terminal/operands.js'
import { withOperator } from '../terminal/operator.js'
import { openSession } from '../terminal/user-session.js'

export interface ConnectOptions extends JsonOption {
  readonly name?: string
  readonly parent?: string
}

/** The new connection, as `connections.create` returns it. */
interface NewConnection {
  readonly name: string
  readonly url: string
  readonly token: string
  /** Sets the app up on a phone. */
  readonly link?: string
}

/**
 * Creates a connection. Prints its address and token, and a QR code that sets up the app if there is one for
 * it. Signs in as the user for it, which leaves a personal access in the account.
 */
export async function connect(
  args: readonly string[],
  { json, name, parent }: ConnectOptions
): Promise<void> {
  const { flags, operands } = splitArguments(args, 'user', 'dialect')
  const [username = '', dialect = ''] = operands
  const { settings } = loadDirectory(flags)
  const params = { dialect, name: name ?? dialect, ...(parent !== undefined && { parentId: parent }) }
  const connection = await withOperator(settings, async operator => {
    const session = await openSession(operator, username, 'coffer-connect')
    const created = await operator.callAsUser(session, 'connections.create', params)
    return created['connection'] as NewConnection
  })
  const { link, token, url } = connection
  printResult(
    json,
    connection,
    `Address: ${url}`,
    `Token:   ${token}`,
    ...(link === undefined
      ? []
      : [
          `Link:    ${link}`,
          await drawQrCode(link, { type: 'terminal', small: true, errorCorrectionLevel: 'L' })
        ])
  )
  if (!json) console.error("You won't be able to see the token again")
}
