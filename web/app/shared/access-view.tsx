/** One access: permissions, expiry, activity, and revoking it. */
import type { ComponentChildren } from 'preact'
import { useContext, useEffect, useState } from 'preact/hooks'
import { t } from '../../language.js'
import { PageContext } from '../../page-context.js'
import { Action } from '../../parts/action.js'
import { hasEnded, getAccessId } from '../data/access-facts.js'
import { useAccount, type Account } from '../data/account.js'
import { useReading } from '../data/reading.js'
import type { Access } from '../data/model.js'
import { useStore } from '../data/store.js'
import { Confirm } from '../parts/confirm.js'
import { AppLink } from '../parts/app-link.js'
import { Icon } from '../parts/icon.js'
import { lazy } from '../parts/lazy.js'
import { formatDay, formatDateTime } from '../parts/format-time.js'
import { saveFile } from '../parts/save-file.js'
import { showFailure, showToast } from '../parts/toast.js'
import { Skeleton } from '../parts/skeleton.js'
import { ReadProblem } from '../parts/read-problem.js'
import { listGrants, getDisplayName, getPeerName, readAccessGroups } from './accesses.js'
import { formatEndDay, describeAccess } from './describe-access.js'
import { CallList } from './call-list.js'
import { AccessIcon } from './access-lane.js'
import { addModuleTexts } from '../texts.js'

const Edit = lazy(async () => {
  const [{ EditAccess }] = await Promise.all([
    import('../edit-access/edit-access.js'),
    addModuleTexts('edit-access')
  ])
  return EditAccess
})

/** Shows the access with this id, and offers to revoke it. */
export function AccessView({ id }: { readonly id: string }) {
  const account = useAccount()
  const current = useStore(account.accesses)
  const tree = useStore(account.tree)
  const { read: groups, problem } = useReading(async () => await readAccessGroups(account), [current])
  const [isRevoking, setRevoking] = useState(false)
  const [isEditing, setEditing] = useState(false)
  const isEditable = useContext(PageContext).info.features?.accessesUpdate === true
  const all = groups ? [...groups.shared, ...groups.apps, ...groups.ended] : []
  const access = all.find(each => each.id === id)
  const name = access && groups ? getDisplayName(access, groups.appNames) : ''
  useEffect(() => {
    if (name !== '') document.title = name
  }, [name])
  const back = (
    <p class="back">
      <AppLink to={{ page: 'shared' }}>
        <Icon name="left" />
        {t('shared.title')}
      </AppLink>
    </p>
  )
  if (!groups) return problem === undefined ? <Skeleton kind="page" /> : <ReadProblem message={problem} />
  if (!access)
    return (
      <div class="empty">
        <h1>{t('shared.unknown')}</h1>
        <p>{t('shared.unknownLead')}</p>
        {back}
      </div>
    )
  const grants = listGrants(access.permissions, tree)
  const createdAccesses = all.filter(each => getAccessId(each.createdBy) === id && !hasEnded(each))
  const creator = all.find(each => each.id === getAccessId(access.createdBy))
  return (
    <div class="one">
      {back}
      <header class="head">
        <AccessIcon access={access} name={name} />
        <h1>{name}</h1>
        <p class="when num">{describeAccess(access, grants)}</p>
        {!hasEnded(access) && (
          <button type="button" class="button end" onClick={() => setRevoking(true)}>
            {t('shared.revoke')}
          </button>
        )}
      </header>
      <div class="columns">
        <section class="card">
          <h2>{t('shared.activity')}</h2>
          <CallList accessId={id} />
        </section>
        <section class="card facts">
          <h2>{t('shared.permissions')}</h2>
          <ul class="grants-long">
            {grants.map(grant => (
              <li key={grant.streamId}>
                <i class="dot" style={{ '--c': grant.colour ?? 'var(--ink)' }} />
                <span>
                  {grant.colour === undefined ? (
                    <b>{grant.name}</b>
                  ) : (
                    <AppLink to={{ page: 'streams', id: grant.streamId }}>{grant.name}</AppLink>
                  )}
                  <small>{t(`level.${grant.level}`)}</small>
                </span>
              </li>
            ))}
            {grants.length === 0 && <li>{t('shell.level.none')}</li>}
          </ul>
          <dl>
            <Fact name={t('shared.kind')}>{t(access.type === 'app' ? 'shared.isApp' : 'shared.isLink')}</Fact>
            <Fact name={t('shared.since')}>{formatDay(access.created)}</Fact>
            {creator && (
              <Fact name={t('shared.createdBy')}>
                <AppLink to={{ page: 'shared', id: creator.id }}>
                  {getDisplayName(creator, groups.appNames)}
                </AppLink>
              </Fact>
            )}
            {access.oauth && (
              <Fact name={t('shared.authorizedWith')}>{describeAuthorization(access.oauth)}</Fact>
            )}
            <Fact name={t('shared.expires')}>{formatEndDay(access)}</Fact>
            {access.lastUsed !== undefined && (
              <Fact name={t('shared.lastUse')}>{formatDateTime(access.lastUsed)}</Fact>
            )}
            {createdAccesses.length > 0 && (
              <Fact name={t('shared.sharedFurther')}>
                {createdAccesses.map(each => (
                  <AppLink key={each.id} to={{ page: 'shared', id: each.id }}>
                    {getDisplayName(each, groups.appNames)}
                  </AppLink>
                ))}
              </Fact>
            )}
          </dl>
          {access.deleted === undefined && getPeerName(access) !== undefined && (
            <p>
              <AppLink to={{ page: 'people', id }}>{t('shared.openPerson')}</AppLink>
            </p>
          )}
          {access.deleted === undefined && (
            <Action onClick={async () => await saveReceipt(account, access)}>{t('shared.receipt')}</Action>
          )}
          {access.deleted === undefined &&
            (isEditable ? (
              <button type="button" class="button" onClick={() => setEditing(true)}>
                {t('shared.edit')}
              </button>
            ) : (
              !hasEnded(access) && <p class="hint">{t('shared.notEditable')}</p>
            ))}
        </section>
      </div>
      {isEditing && (
        <Edit
          id={id}
          name={name}
          onClose={() => setEditing(false)}
          onSaved={() => void account.readAccesses().catch(showFailure)}
        />
      )}
      {isRevoking && (
        <RevokeDialog
          access={access}
          name={name}
          createdAccesses={createdAccesses.map(each => getDisplayName(each, groups.appNames))}
          onClose={() => setRevoking(false)}
        />
      )}
    </div>
  )
}

/** Saves the signed record of what the access allows. (docs/spec/receipts.md) */
async function saveReceipt({ client }: Account, { id, versionId = id }: Access): Promise<void> {
  const receipt = await client.call('accesses.getReceipt', { id: versionId })
  saveFile(new Blob([JSON.stringify(receipt, null, 2)], { type: 'application/json' }), `receipt-${id}.json`)
}

/** Describes how an app was authorized, and when it last renewed its access. */
function describeAuthorization({ granted, refreshed }: NonNullable<Access['oauth']>): string {
  const agreed = t('shared.byOAuth', { date: formatDay(granted) })
  return refreshed === undefined
    ? agreed
    : `${agreed}, ${t('shared.renewed', { date: formatDateTime(refreshed) })}`
}

function Fact({ name, children }: { readonly name: string; readonly children: ComponentChildren }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd class="num">{children}</dd>
    </div>
  )
}

interface EndingProps {
  readonly access: Access
  readonly name: string
  /** Names of the accesses that are revoked with it. */
  readonly createdAccesses: readonly string[]
  readonly onClose: () => void
}

/** Revokes an access after confirmation, because it cannot be undone. */
function RevokeDialog({ access, name, createdAccesses, onClose }: EndingProps) {
  const account = useAccount()
  return (
    <Confirm
      title={t(access.type === 'app' ? 'shared.revokeTitle' : 'shared.revokeLinkTitle', { name })}
      action={t('shared.revoke')}
      onClose={onClose}
      onConfirm={async () => {
        await account.client.call('accesses.delete', { id: access.versionId ?? access.id })
        await account.readAccesses()
        onClose()
        showToast(t('shared.revokedDone', { name }))
      }}
    >
      <p>{t(access.type === 'app' ? 'shared.revokeText' : 'shared.revokeLinkText', { name })}</p>
      {createdAccesses.length > 0 && (
        <>
          <p>{t('shared.revokeAlso')}</p>
          <ul>
            {createdAccesses.slice(0, 10).map(each => (
              <li key={each}>{each}</li>
            ))}
            {createdAccesses.length > 10 && (
              <li>{t('shell.moreAccesses', { count: createdAccesses.length - 10 })}</li>
            )}
          </ul>
        </>
      )}
      <p class="hint">{t('shared.revokeHint')}</p>
    </Confirm>
  )
}
