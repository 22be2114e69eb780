/** Friends whose positions an app shows: other users of the service who share them by a link. (docs/api/connections.md#friends) */
import type { Friend } from '../../schemas/connection.js'
import type { DialectInfo } from '../call/dialects.js'
import type { Call } from '../call/method.js'
import { refuseParams } from '../validation/params.js'

/** What follows the address of the page for shared links. */
const namePattern = /^([a-z0-9][a-z0-9-]{0,59})\.([a-zA-Z0-9-]{1,255})$/

/**
 * Parses the links of friends, as the app creates them for sharing: `{publicUrl}/app/shared#{username}.{token}`. Error:
 * `invalid-parameters-format` for other links, and for apps that do not show friends. `path`: where the links stand in the params.
 */
export function parseFriends(
  { services }: Pick<Call, 'services'>,
  { id, showsFriends }: DialectInfo,
  links: readonly string[],
  path: string
): Friend[] {
  const refuse = (message: string): never => refuseParams([{ code: 'INVALID', message, path }])
  if (!showsFriends && links.length > 0) refuse(`The apps of the dialect "${id}" do not show friends`)
  const page = `${services.config.publicUrl}/app/shared#`
  return links.map(link => {
    const text = link.trim()
    const [, username, token] = (text.startsWith(page) && namePattern.exec(text.slice(page.length))) || []
    if (username === undefined || token === undefined)
      return refuse(`Enter links with which other users of this service share: they begin with ${page}`)
    return { username, token }
  })
}
