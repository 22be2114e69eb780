/** One person: what each side may see, messages, and ending it. */
import { useEffect, useState } from 'preact/hooks'
import { root } from '../../api.js'
import { explainError, type Message } from '../../explain-error.js'
import { t } from '../../language.js'
import { CopyButton } from '../../parts/copy-button.js'
import { useAccount } from '../data/account.js'
import { buildLink } from '../data/shared-link.js'
import { useStore } from '../data/store.js'
import { AppLink } from '../parts/app-link.js'
import { Confirm } from '../parts/confirm.js'
import { formatDay } from '../parts/format-time.js'
import { showToast } from '../parts/toast.js'
import { buildHref, navigate } from '../route.js'
import { AskMore } from './ask-more.js'
import { OwnCopy, TheirCopy } from './copies.js'
import { Conversation } from './conversation.js'
import { explainFailure } from './failures.js'
import { GivenPermissions } from './given-permissions.js'
import {
  formatPerson,
  ownScope,
  toRelationship,
  types,
  waitForOutcome,
  writeEvent,
  type Relationship
} from './people.js'
import { useStreamNames } from './stream-names.js'

/**
 * Shows the person; an unknown id says so. Ending asks first, tells the other side unless it has ended already,
 * and opens the overview.
 */
export function PersonView({ id }: { readonly id: string }) {
  const account = useAccount()
  const accesses = useStore(account.accesses)
  const [isEnding, setEnding] = useState(false)
  const access = accesses.find(each => each.id === id)
  const relationship = access && toRelationship(access)
  const name = relationship?.name ?? ''
  useEffect(() => {
    if (name !== '') document.title = name
  }, [name])
  if (!relationship)
    return (
      <div class="empty">
        <h1>{t('people.unknown')}</h1>
        <p>{t('people.unknownLead')}</p>
      </div>
    )
  const { isGone, person, seesMine } = relationship
  return (
    <>
      <header class="head">
        <span class="face" aria-hidden="true">
          {name.charAt(0).toUpperCase()}
        </span>
        <div>
          <h1>{name}</h1>
          <p class="when">{formatPerson(person)}</p>
        </div>
        <button type="button" class="button end" onClick={() => setEnding(true)}>
          {t(seesMine ? 'people.takeBack' : 'people.end')}
        </button>
      </header>
      {isGone && <p class="notice">{t('people.goneLead')}</p>}
      <div class="columns">
        <Conversation relationship={relationship} />
        <section class="card panel">
          {seesMine ? (
            <>
              <GivenPermissions relationship={relationship} />
              <TheirCopy relationship={relationship} />
            </>
          ) : (
            <>
              <TheirData relationship={relationship} />
              <OwnCopy relationship={relationship} />
            </>
          )}
          <p class="hint">
            {t('people.since', { date: formatDay(relationship.access.created) })}{' '}
            <AppLink to={{ page: 'shared', id }}>{t('people.activity')}</AppLink>
          </p>
        </section>
      </div>
      {isEnding && <EndDialog relationship={relationship} onClose={() => setEnding(false)} />}
    </>
  )
}

interface PeerAccess {
  readonly hasEnded: boolean
  readonly permissions: readonly {
    readonly streamId: string
    readonly level: string
    readonly name: string
  }[]
  readonly expires?: number
}

/** What the user may see of the other account, as its server says, and a way to look at it. */
function TheirData({ relationship }: { readonly relationship: Relationship }) {
  const { access, endpoint, name } = relationship
  const [isAsking, setAsking] = useState(false)
  const getName = useStreamNames()
  const { client } = useAccount()
  const [read, setRead] = useState<PeerAccess>()
  const [problem, setProblem] = useState<Message>()
  useEffect(() => {
    client
      .callAlone<{ peerAccess: PeerAccess }>('cmc.getPeerAccess', { id: access.versionId ?? access.id })
      .then(
        ({ peerAccess }) => setRead(peerAccess),
        (error: unknown) => setProblem(explainError(explainFailure(error)).message)
      )
  }, [access.id])
  const link = endpoint === undefined ? undefined : toOwnLink(endpoint)
  return (
    <>
      <h2>{t('people.youMaySee')}</h2>
      {problem !== undefined && <p class="notice">{problem}</p>}
      {!read && problem === undefined && <p class="hint">{t('loading')}</p>}
      {read?.hasEnded === true && <p class="notice">{t('people.theyEnded', { name })}</p>}
      {read && !read.hasEnded && (
        <ul class="given">
          {read.permissions.map(({ level, name: stream, streamId }) => (
            <li key={streamId}>
              <b>{getName(streamId, stream)}</b>
              <small>{t(`people.level.${level}` as 'people.level.read')}</small>
            </li>
          ))}
          {read.permissions.length === 0 && <li>{t('people.nothing')}</li>}
        </ul>
      )}
      {read && !read.hasEnded && link !== undefined && (
        <p>
          <a class="button" href={link}>
            {t('people.openData')}
          </a>
        </p>
      )}
      {read && !read.hasEnded && link === undefined && endpoint !== undefined && (
        <>
          <p class="hint">{t('people.endpointHint')}</p>
          <CopyButton text={endpoint} />
        </>
      )}
      {read && !read.hasEnded && relationship.canAlert && (
        <p>
          <button type="button" class="button" onClick={() => setAsking(true)}>
            {t('people.askMore')}
          </button>
        </p>
      )}
      {isAsking && (
        <AskMore
          relationship={relationship}
          current={read?.permissions ?? []}
          onClose={() => setAsking(false)}
        />
      )}
    </>
  )
}

/** Returns the link that shows the data of an API endpoint of this service. */
function toOwnLink(endpoint: string): string | undefined {
  const { href, username: token } = new URL(endpoint)
  const base = href.replace(`${token}@`, '')
  const name = base.startsWith(root.href) ? base.slice(root.href.length).replace(/\/$/, '') : ''
  return /^[\w-]+$/.test(name) ? buildLink({ username: name, token }) : undefined
}

/**
 * Ends a relationship after confirmation: notifies the other side and deletes the access, or only deletes it
 * if the other side is gone.
 */
function EndDialog({
  relationship: { access, isGone, name, scope, seesMine },
  onClose
}: {
  readonly relationship: Relationship
  readonly onClose: () => void
}) {
  const account = useAccount()
  return (
    <Confirm
      title={t(seesMine ? 'people.takeBackTitle' : 'people.endTitle', { name })}
      action={t(seesMine ? 'people.takeBack' : 'people.end')}
      onClose={onClose}
      onConfirm={async () => {
        const accessId = access.versionId ?? access.id
        if (isGone) await account.client.call('accesses.delete', { id: accessId })
        else {
          const { id } = await writeEvent(account, scope === '' ? ownScope : scope, types.revoke, {
            accessId
          })
          await waitForOutcome(account, id)
        }
        await account.readAccesses()
        onClose()
        showToast(t('people.ended', { name }))
        navigate(buildHref(account.username, { page: 'people' }))
      }}
    >
      <p>{t(seesMine ? 'people.takeBackText' : 'people.endText', { name })}</p>
    </Confirm>
  )
}
