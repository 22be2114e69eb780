/** Names the accesses that may see a stream. Shows nothing to guests. */
import { t } from '../../language.js'
import { toPlainText } from '../../plain-text.js'
import { hasEnded } from '../data/access-facts.js'
import { useAccount } from '../data/account.js'
import type { Access } from '../data/model.js'
import { useStore } from '../data/store.js'
import type { Tree } from '../data/tree.js'
import { AppLink } from '../parts/app-link.js'
import { Icon } from '../parts/icon.js'
import type { LanePlan } from '../lanes/plan-lane.js'

/** Maximum number of displayed names. */
const maxNames = 2

/**
 * Shows up to two names and the number of others, or that only the user sees it. Ended accesses are omitted.
 */
export function LaneAudience({ plan }: { readonly plan: LanePlan }) {
  const account = useAccount()
  const tree = useStore(account.tree)
  const accesses = useStore(account.accesses)
  if (!account.isOwner || !tree) return null
  const names = listReaders(plan, tree, accesses).map(({ name }) => toPlainText(name))
  if (names.length === 0)
    return (
      <p class="chip own">
        <Icon name="lock" />
        <span>{t('shell.onlyYou')}</span>
      </p>
    )
  const shown = names.slice(0, maxNames).join(', ')
  return (
    <AppLink to={{ page: 'shared' }} class="chip">
      <Icon name="eye" />
      <span>
        {names.length > maxNames
          ? t('timeline.andMore', { names: shown, count: names.length - maxNames })
          : shown}
      </span>
    </AppLink>
  )
}

/**
 * Returns the accesses, except the user's sessions, that may read the streams of a lane or some of those
 * below them. Ended accesses are skipped.
 */
export function listReaders(
  { measure, stream, streamIds }: LanePlan,
  tree: Tree,
  accesses: readonly Access[]
): Access[] {
  const shown = measure ? streamIds : [stream.id]
  const related = new Set([
    ...shown.flatMap(id => tree.getPath(id).map(each => each.id)),
    ...shown.flatMap(id => tree.listSubtreeIds(id)),
    '*'
  ])
  return accesses.filter(
    access =>
      access.type !== 'personal' &&
      !hasEnded(access) &&
      access.permissions.some(
        permission =>
          'streamId' in permission &&
          related.has(permission.streamId) &&
          permission.level !== 'none' &&
          permission.level !== 'create-only'
      )
  )
}
