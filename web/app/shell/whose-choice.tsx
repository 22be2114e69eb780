/** Chooses whose data is shown: the user's own, or that of someone of whose data there is a copy here. (docs/api/mirrors.md) */
import { useEffect, useState } from 'preact/hooks'
import { t } from '../../language.js'
import { toPlainText } from '../../plain-text.js'
import { AppLink } from '../parts/app-link.js'
import { Icon } from '../parts/icon.js'
import { useAccount } from '../data/account.js'
import { getPersonName } from '../parts/access-name.js'

/** A copy as `mirrors.get` returns it. */
interface Copy {
  readonly accessId: string
  readonly person: { readonly username: string }
  readonly state: string
  /** Its root. */
  readonly streamId: string
}

/**
 * Returns the names of people of whose data there is a copy, and its root. Empty until they are read, and if
 * they cannot be read.
 */
function useFollowed(): readonly { readonly name: string; readonly streamId: string }[] {
  const { accesses, client } = useAccount()
  const [copies, setCopies] = useState<readonly Copy[]>([])
  // Without it, the page shows the user's own data.
  useEffect(
    () =>
      void client.callAlone<{ mirrors: readonly Copy[] }>('mirrors.get', {}).then(
        ({ mirrors }) => setCopies(mirrors.filter(({ state }) => state === 'live')),
        () => undefined
      ),
    [client]
  )
  return copies.map(({ accessId, person, streamId }) => {
    const { name = '' } = accesses.value.find(({ id }) => id === accessId) ?? {}
    return { name: toPlainText(getPersonName(name, person)), streamId }
  })
}

interface ChoiceProps {
  /** The id of a stream of a copy; otherwise the user's own data is shown. */
  readonly of: string | null | undefined
  /** Receives the root of a copy, and whose it is; undefined for the user's own data. */
  readonly onChoose: (root: string | undefined, name: string | undefined) => void
  /** Whether it is a field of a form, with a label that is shown. */
  readonly isField?: boolean
}

/** Chooses whose data a page shows: the user's own, or a copy. Renders nothing if there is no copy. */
export function WhoseChoice({ isField = false, of, onChoose }: ChoiceProps) {
  const followed = useFollowed()
  if (followed.length === 0) return null
  const chosen = followed.find(({ streamId }) => `${of}:`.startsWith(`${streamId}:`))
  const label = t('shell.whose')
  const select = (
    <select
      id="whose"
      class={isField ? undefined : 'whose'}
      aria-label={isField ? undefined : label}
      value={chosen?.streamId ?? ''}
      onChange={({ currentTarget: { value } }) => {
        const found = followed.find(({ streamId }) => streamId === value)
        onChoose(found?.streamId, found?.name)
      }}
    >
      <option value="">{t('shell.ownData')}</option>
      {followed.map(({ name, streamId }) => (
        <option key={streamId} value={streamId}>
          {name}
        </option>
      ))}
    </select>
  )
  if (!isField) return select
  return (
    <div class="field">
      <label for="whose">{label}</label>
      {select}
    </div>
  )
}

/** Renders links that search the data of others. */
export function WhoseLinks({ text }: { readonly text: string }) {
  return useFollowed().map(({ name, streamId }) => (
    <AppLink key={streamId} to={{ page: 'table', query: { streams: streamId, text } }}>
      <Icon name="people" />
      {t('shell.findOf', { name })}
    </AppLink>
  ))
}
