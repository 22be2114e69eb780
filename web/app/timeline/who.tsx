/** Names the accesses that may see a stream. */
import { t } from '../../language.js'
import { plain } from '../../plain.js'
import { useAccount } from '../data/account.js'
import type { Access } from '../data/model.js'
import { useStore } from '../data/store.js'
import type { Tree } from '../data/tree.js'
import { Go } from '../parts/go.js'
import { Icon } from '../parts/icon.js'
import type { Plan } from '../lanes/plan.js'

/** Maximum names shown. */
const maxNames = 2

export function Who({ plan }: { readonly plan: Plan }) {
  const account = useAccount()
  const tree = useStore(account.tree)
  const accesses = useStore(account.accesses)
  if (!account.isOwner || !tree) return null
  const names = whoSees(plan.stream.id, tree, accesses).map(({ name }) => plain(name))
  if (names.length === 0)
    return (
      <p class="chip own">
        <Icon name="lock" />
        <span>{t('shell.onlyYou')}</span>
      </p>
    )
  const shown = names.slice(0, maxNames).join(', ')
  return (
    <Go to={{ page: 'shared' }} class="chip">
      <Icon name="eye" />
      <span>
        {names.length > maxNames
          ? t('timeline.andMore', { names: shown, count: names.length - maxNames })
          : shown}
      </span>
    </Go>
  )
}

/** Returns the accesses, except the user's sessions, that may read a stream or some of those below it. */
export function whoSees(streamId: string, tree: Tree, accesses: readonly Access[]): Access[] {
  const now = Date.now() / 1000
  const related = new Set([...tree.pathOf(streamId).map(({ id }) => id), ...tree.idsBelow(streamId), '*'])
  return accesses.filter(
    ({ deleted, expires, permissions, type }) =>
      type !== 'personal' &&
      deleted === undefined &&
      (expires === undefined || expires === null || expires > now) &&
      permissions.some(
        permission =>
          'streamId' in permission &&
          related.has(permission.streamId) &&
          permission.level !== 'none' &&
          permission.level !== 'create-only'
      )
  )
}
