/** A request of another account to see more, or other things, than it may see now. */
import { Refusal } from '../../api.js'
import { t } from '../../language.js'
import { Action } from '../../parts/action.js'
import { useAccount, type Account } from '../data/account.js'
import type { Event } from '../data/model.js'
import { formatDay } from '../parts/format-time.js'
import { getFeatureName } from './asked-list.js'
import { describeFailure } from './failures.js'
import {
  getStreams,
  pickText,
  types,
  waitForOutcome,
  writeEvent,
  type AskedPermission,
  type Outcome,
  type Relationship
} from './people.js'
import { useStreamNames } from './stream-names.js'

interface Props {
  readonly event: Event
  readonly relationship: Relationship
  readonly isAnswered: boolean
  readonly onAnswered: (outcome: Outcome, isAccepted: boolean) => void
}

interface ScopeContent {
  readonly newPermissions: readonly AskedPermission[]
  readonly expires?: number | null
  readonly message?: unknown
  readonly from?: object
}

/**
 * Shows the request. Buttons to answer only if it is theirs, open, and they see something now; `onAnswered`
 * follows the service's answer.
 */
export function ScopeRequest({ event, relationship, isAnswered, onAnswered }: Props) {
  const account = useAccount()
  const getName = useStreamNames()
  const { expires, from, message, newPermissions } = event.content as ScopeContent
  const isTheirs = from !== undefined
  return (
    <div class="scope-request">
      <b>{t(isTheirs ? 'people.theyAskToSee' : 'people.youAskedToSee')}</b>
      {pickText(message) !== '' && <p>{pickText(message)}</p>}
      <ul>
        {newPermissions.map(({ defaultName, feature, level = '', streamId = '' }) => (
          <li key={`${streamId} ${feature ?? ''} ${level}`}>
            {feature === undefined
              ? `${getName(streamId, defaultName)}: ${t(`people.level.${level}` as 'people.level.read')}`
              : getFeatureName(feature)}
          </li>
        ))}
      </ul>
      {typeof expires === 'number' && <p>{t('shell.until', { date: formatDay(expires) })}</p>}
      {isTheirs && !isAnswered && relationship.seesMine && (
        <p class="actions side">
          {[true, false].map(isAccepted => (
            <Action
              key={String(isAccepted)}
              class={isAccepted ? 'button primary' : 'button'}
              onClick={async () =>
                onAnswered(await answerScopeRequest(account, relationship, event.id, isAccepted), isAccepted)
              }
            >
              {t(isAccepted ? 'people.allow' : 'people.refuse')}
            </Action>
          ))}
        </p>
      )}
    </div>
  )
}

/** Answers the request of an event. Rejects with the reason if the service could not carry it out. */
async function answerScopeRequest(
  account: Account,
  relationship: Relationship,
  scopeRequestEventId: string,
  accept: boolean
): Promise<Outcome> {
  const { collectors } = getStreams(relationship)
  const { id } = await writeEvent(account, collectors, types.scopeUpdate, { scopeRequestEventId, accept })
  const outcome = await waitForOutcome(account, id)
  if (outcome.status === 'failed') throw new Refusal('people-failed', describeFailure(outcome.reason))
  await account.readAccesses()
  return outcome
}
