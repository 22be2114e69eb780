/** Checks the scope of a refresh. (docs/api/oauth.md#refreshing) */
import type { Access } from '../../schemas/access.js'
import type { IdentityScope } from '../../schemas/oauth.js'
import { failOAuth } from './errors.js'
import { parseAskedScope, formatScope } from './scope.js'

/** Throws `invalid_scope` for any other scope. The access is the token: it cannot be narrowed for one refresh. */
export function assertSameScope(
  { id, permissions = [] }: Access,
  scopes: readonly IdentityScope[],
  scope: string | undefined
): void {
  if (scope === undefined) return
  const asked = parseAskedScope(scope)
  const bare = asked.permissions.map(each =>
    'streamId' in each ? { streamId: each.streamId, level: each.level } : each
  )
  if (sortScope(formatScope(bare, asked.identity)) !== sortScope(formatScope(permissions, scopes)))
    failOAuth(
      'invalid_scope',
      'The scope cannot be changed by refreshing. Leave it out, or ask the user again',
      id
    )
}

/** Scopes in one order. */
function sortScope(text: string): string {
  return text.split(' ').toSorted().join(' ')
}
